//! One process of a leader election among machines, without I/O.
//!
//! [`Core`] runs a robust algorithm ([`ringleader_model::Timed`]). Datagrams and time are arguments; the tasks for sockets, disks and
//! logs are returned as a list of [`Command`]s.
//!
//! ```
//! use ringleader_algorithms::robust::s2::RobustS2;
//! use ringleader_node_core::{Command, Core, CoreConfig, Now, Role, Tempo};
//! use std::time::Duration;
//!
//! let tempo = Tempo::new(Duration::from_millis(100));
//! let at = |millis| Now { elapsed: Duration::from_millis(millis), unix_micros: 1_800_000_000_000_000 + millis * 1000 };
//! let mut cores: Vec<_> = (0..2)
//!     .map(|me| {
//!         let algorithm = RobustS2::quick(2, tempo.timing(), tempo.period());
//!         Core::new(algorithm.into(), CoreConfig::new(me, 2, tempo.heartbeat, 1), 0, at(0)).unwrap()
//!     })
//!     .collect();
//! for millis in (0..1000).step_by(5) {
//!     for me in 0..2 {
//!         cores[me].iterate(at(millis));
//!         for command in cores[me].take_commands() {
//!             if let Command::Send { to, datagram } = command {
//!                 let _ = cores[to].receive(at(millis), &datagram);
//!                 for command in cores[to].take_commands() {
//!                     if let Command::Reply(datagram) = command {
//!                         let _ = cores[me].receive(at(millis), &datagram);
//!                     }
//!                 }
//!             }
//!         }
//!     }
//! }
//! let roles: Vec<_> = cores.iter().map(|core| core.status().leadership.state).collect();
//! assert_eq!(roles, [Role::Leader, Role::Follower]);
//! ```
//!
//! Eventually there is one leader (the abstraction Ω). This is *not* mutual exclusion.

mod coin;
mod core;
mod counters;
mod fields;
mod guard;
mod interface;
mod key;
mod kind;
mod leadership;
pub mod lease;
pub mod neighbours;
mod session;
mod tempo;
mod trouble;
mod wire;

pub use crate::core::{Algorithm, Alone, Core, CoreConfig, CoreError, Message, Shown};
pub use coin::SplitMix;
pub use counters::Counters;
pub use guard::{Guard, GuardError};
pub use interface::{Command, Corruption, Instruction, Now, Status, Withdrawal};
pub use key::{Key, KeyError, Keys};
pub use kind::{NeighbourKind, PayloadKind};
pub use leadership::{Change, Confirmation, Leadership, NOBODY, Reason, Role};
pub use tempo::{Tempo, TempoError};
pub use trouble::{Notice, Notices, Trouble};
pub use wire::{MAX_DATAGRAM, Rejection};
