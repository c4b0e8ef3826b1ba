//! One leader among real machines.
//!
//! [`Core`] is one process of a robust algorithm, with datagrams and time as arguments; [`Node`] runs a core over UDP.
//! Both are generic over the algorithm ([`ringleader_model::Timed`]): this crate names none.
//!
//! ```no_run
//! use ringleader_algorithms::robust::s2::RobustS2;
//! use ringleader_node::{Config, Keys, Node, Role};
//!
//! let mut config = Config::new(0, "0.0.0.0:7400".parse()?);
//! config.peers = [(1, "b.example.org:7400".to_string()), (2, "c.example.org:7400".to_string())].into();
//! config.keys = Keys::read("cluster.key".as_ref())?;
//! config.algorithm = "robust-s2 pace=fast".into(); // the same words on all nodes
//! let algorithm = RobustS2 { size: 3, timing: config.tempo.timing(), heals: true, quick: true };
//! let node = Node::start(config, algorithm)?;
//! for leadership in node.watch() {
//!     match leadership.state {
//!         Role::Leader => println!("this node leads"),
//!         Role::Follower => println!("node {} leads", leadership.leader),
//!         Role::Unsettled => println!("no leader is known"),
//!     }
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! What it elects is eventually one leader (the abstraction Ω), which is *not* mutual exclusion: during a partition, and
//! for a moment after any fault, there can be two. The epoch is advisory and no fencing token.

mod coin;
pub mod config;
pub mod core;
pub mod counters;
mod fields;
pub mod hooks;
pub mod http;
pub mod key;
pub mod leadership;
pub mod metrics;
pub mod node;
pub mod observer;
mod replay;
mod resolve;
mod runtime;
pub mod tempo;
pub mod wire;

pub use crate::core::{Core, CoreConfig, Corruption, Now, Transmit};
pub use config::{Config, StartError};
pub use counters::Counters;
pub use hooks::{HookCounts, HookRunner, Hooks};
pub use http::HttpServer;
pub use key::{Key, Keys};
pub use leadership::{Change, Leadership, Reason, Role};
pub use node::{Handle, Node};
pub use observer::{Observer, Watch};
pub use tempo::Tempo;
pub use wire::Rejection;
