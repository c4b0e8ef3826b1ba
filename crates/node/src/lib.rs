//! One leader among real machines.
//!
//! [`Core`] is one process of a robust algorithm, with datagrams and time as arguments; [`Node`] runs a core over UDP.
//! Both are generic over the algorithm ([`ringleader_model::Timed`]): this crate names none.

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
