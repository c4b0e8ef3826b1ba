//! One leader among real machines.
//!
//! [`Core`] is one process of a robust algorithm, with datagrams and time as arguments; [`Node`] runs a core over UDP.
//! Both are generic over the algorithm ([`ringleader_model::Timed`]); only the front door, [`Node::start`], knows some by name.
//!
//! ```no_run
//! use ringleader_node::{Config, Keys, Node, Role};
//!
//! let mut config = Config::new(0, "0.0.0.0:7400".parse()?);
//! config.peers = [(1, "b.example.org:7400".to_string()), (2, "c.example.org:7400".to_string())].into();
//! config.keys = Keys::read("cluster.key".as_ref())?;
//! let node = Node::start(config)?; // the fast robust-s2, unless config.algorithm says otherwise
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

mod carrier;
mod clock;
mod coin;
pub mod config;
pub mod core;
pub mod counters;
pub mod eligibility;
mod fields;
pub mod hooks;
pub mod http;
pub mod key;
mod launch;
pub mod leadership;
pub mod metrics;
pub mod node;
pub mod observer;
mod replay;
mod resolve;
mod runtime;
mod shell;
pub mod tempo;
pub mod trouble;
pub mod wire;

pub use crate::core::{Core, CoreConfig, Corruption, Now, Transmit, Withdrawal};
pub use config::{Config, Preempt, StartError};
pub use counters::Counters;
pub use eligibility::Check;
pub use hooks::{HookCounts, HookRunner, Hooks};
pub use http::HttpServer;
pub use key::{Key, Keys};
pub use launch::DEFAULT_ALGORITHM;
pub use leadership::{Change, Leadership, Reason, Role};
pub use node::{Handle, Node};
pub use observer::{Observer, Watch};
pub use tempo::Tempo;
pub use trouble::{Notice, Notices, Trouble};
pub use wire::Rejection;
