//! A cluster of real nodes in one process, on loopback, over a network that can be broken and observed.
//!
//! `ringleader cluster` shows a fleet in a terminal, the lab shows one in a browser.
//!
//! ```
//! use ringleader_catalog::Catalog;
//! use ringleader_fleet::{Action, Fleet, Plan};
//! use std::time::Duration;
//!
//! let heartbeat = Duration::from_millis(20);
//! let plan = Plan { size: 3, algorithm: "robust-s5".into(), heartbeat, seed: 1, parameters: vec![], graph: None };
//! let mut fleet = Fleet::start(Catalog::builtin(), plan)?;
//! while fleet.agreement().is_none() {
//!     std::thread::sleep(Duration::from_millis(5));
//! }
//! fleet.apply(2, Action::Kill)?;
//! assert!(fleet.condition(2).down && !fleet.relay.since(0).is_empty());
//! # Ok::<(), ringleader_fleet::FleetError>(())
//! ```

mod action;
mod agreement;
mod fleet;
mod relay;

pub use action::{Action, ActionError};
pub use agreement::Agreement;
pub use fleet::{Condition, Fleet, FleetError, Plan};
pub use relay::{Datagram, Relay};
