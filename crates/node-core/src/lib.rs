//! One process of a leader election among machines, without I/O.
//!
//! [`Core`] runs a robust algorithm ([`ringleader_model::Timed`]); datagrams and time are arguments. What a runtime needs of it is
//! [`Protocol`], which can be made into an object: only a thin shell is compiled per algorithm.
//!
//! ```
//! use ringleader_algorithms::robust::s2::RobustS2;
//! use ringleader_node_core::{Core, CoreConfig, Now, Protocol, Role, Tempo};
//! use std::time::Duration;
//!
//! let tempo = Tempo::new(Duration::from_millis(100));
//! let at = |millis| Now { elapsed: Duration::from_millis(millis), unix_micros: 1_800_000_000_000_000 + millis * 1000 };
//! let mut cores: Vec<_> = (0..2)
//!     .map(|me| {
//!         let algorithm = RobustS2::quick(2, tempo.timing(), tempo.period());
//!         Core::new(algorithm.into(), CoreConfig::new(me, 2, tempo.heartbeat, at(0)), 0, at(0)).unwrap()
//!     })
//!     .collect();
//! for millis in (0..1000).step_by(5) {
//!     for me in 0..2 {
//!         let (mut out, mut reply) = (vec![], None);
//!         cores[me].iterate(at(millis), &mut out);
//!         for sent in out {
//!             let _ = cores[sent.to].receive(at(millis), &sent.datagram, &mut reply);
//!             if let Some(datagram) = reply.take() {
//!                 let _ = cores[me].receive(at(millis), &datagram, &mut None);
//!             }
//!         }
//!     }
//! }
//! let roles: Vec<_> = cores.iter().map(|core| core.view().leadership.state).collect();
//! assert_eq!(roles, [Role::Leader, Role::Follower]);
//! ```
//!
//! What it elects is eventually one leader (the abstraction Ω), which is *not* mutual exclusion.

mod coin;
mod core;
mod counters;
mod fields;
mod guard;
mod key;
mod leadership;
pub mod lease;
pub mod neighbours;
mod protocol;
mod replay;
mod tempo;
mod trouble;
mod wire;

pub use crate::core::{Algorithm, Core, CoreConfig, Corruption, Message, Now, Shown, Withdrawal};
pub use coin::SplitMix;
pub use counters::Counters;
pub use guard::Guard;
pub use key::{Key, Keys};
pub use leadership::{Change, Confirmation, Leadership, NOBODY, Reason, Role};
pub use protocol::{Order, Protocol, Transmit, View};
pub use tempo::Tempo;
pub use trouble::{Notice, Notices, Trouble};
pub use wire::{MAX_DATAGRAM, Rejection};
