//! One leader among real machines.
//!
//! [`Core`] is one process of an algorithm, with datagrams and time as arguments; [`Node`] runs it over UDP. Only [`Node::start`] knows algorithms by
//! name.
//!
//! ```no_run
//! use ringleader_node::{Config, Node, Role, read_keys};
//!
//! let mut config = Config::new(0, "0.0.0.0:7400".parse()?);
//! config.peers = [(1, "b.example.org:7400".to_string()), (2, "c.example.org:7400".to_string())].into();
//! config.keys = read_keys("cluster.key".as_ref())?;
//! let node = Node::start(config)?; // the fast robust-s2, unless config.algorithm says otherwise
//! for leadership in node.watch() {
//!     match leadership.state {
//!         Role::Leader => println!("this node leads"),
//!         Role::Follower => println!("node {} leads", leadership.leader),
//!         Role::Unsettled | Role::Unconfirmed => println!("no leader is known"),
//!     }
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Eventually there is one leader (the abstraction Ω). This is *not* mutual exclusion: during a partition, and for a moment after any fault,
//! there can be two. The epoch is advisory and not a fencing token. With [`Config::guard`] a node is [`Role::Leader`] only while a majority
//! of the members has granted it a lease, and with [`Config::state`] it has a fencing token.

pub mod address;
mod carrier;
mod clock;
pub mod config;
#[cfg(unix)]
pub mod control;
pub mod eligibility;
mod errands;
mod error;
mod history;
pub mod hooks;
pub mod http;
pub mod http_client;
mod key_file;
mod launch;
mod links;
#[cfg(unix)]
mod local_socket;
pub mod metrics;
pub mod node;
pub mod observer;
mod pages;
mod private_file;
mod punctual;
mod refusals;
mod resolve;
mod runtime;
mod shell;
mod state_file;
mod status_page;
mod transport;
mod watch;

pub use address::{AddressStatus, Addresses, keep_addresses, longest_hold};
pub use config::{Config, DEFAULT_ALGORITHM, Preempt};
pub use eligibility::HealthCheck;
pub use errands::run_errands;
pub use error::NodeError;
pub use history::Event;
pub use hooks::Hooks;
pub use http::HttpServer;
pub use key_file::{read_keys, read_shared_keys};
pub use links::{Links, MOST_NEIGHBOURS};
pub use node::{Handle, Node};
pub use observer::{HookCounts, Observer};
pub use pages::serve;
pub use private_file::foreign_owner;
pub use ringleader_node_core::lease;
pub use ringleader_node_core::{
    Algorithm, Alone, Change, Command, Confirmation, Core, CoreConfig, Corruption, Counters, Guard, Instruction, Key,
    Keys, Leadership, NOBODY, NeighbourKind, Notice, Notices, Now, PayloadKind, Reason, Rejection, Role, SplitMix,
    Status, Tempo, Trouble, Withdrawal,
};
pub use state_file::new_state;
pub use status_page::status_json;
pub use watch::Leaderships;
