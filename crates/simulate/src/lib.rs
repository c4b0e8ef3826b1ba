//! Engines that run ringleader's algorithms and measure how long an election takes.
//!
//! An algorithm comes as an [instance](ringleader_erased::Instance) of its model, which erases its type. So every engine is compiled once, and
//! a user's algorithm runs like a built-in one. An [`Experiment`] holds many elections in one call:
//!
//! ```
//! use ringleader_erased::PopulationInstance;
//! use ringleader_model::{Coin, Goal, Marks, Population, Safety, Shape, Stabilizing, Told, Variables, Visitor};
//! use ringleader_simulate::{Arena, Elections, Experiment, KernelChoice, Oracle, Start};
//!
//! /// Two leaders meet, one resigns.
//! struct Duel;
//! impl Variables for Duel {
//!     type State = bool;
//!     fn variables(&self, leads: &mut bool, v: &mut dyn Visitor) {
//!         v.bit("leads", leads);
//!     }
//! }
//! impl Population for Duel {
//!     fn interact(&self, u: bool, v: bool, _: Told, _: &mut impl Coin) -> (bool, bool) {
//!         (u, v && !u)
//!     }
//!     fn marks(&self, leads: &bool) -> Marks {
//!         Marks::LEADER.when(*leads)
//!     }
//! }
//! impl Stabilizing for Duel {
//!     fn goal(&self) -> Goal {
//!         Goal::OneLeader
//!     }
//!     fn correct(&self, c: &[bool]) -> bool {
//!         c.iter().filter(|leads| **leads).count() == 1
//!     }
//!     fn safety(&self) -> Safety {
//!         Safety::ForEver
//!     }
//! }
//!
//! let duel = PopulationInstance::new(Duel)?;
//! let measured = Experiment::new([10, 20, 40], 400, 1).run(|size| {
//!     let arena = Arena::shaped(Shape::Complete, size)?;
//!     let elections = Elections::population(duel.clone(), arena, KernelChoice::Auto, Oracle::Perfect)?;
//!     Ok::<_, Box<dyn std::error::Error>>(elections.starting(&Start::AllLeaders)?)
//! })?;
//! // k leaders take n(n-1) / (k(k-1)) steps to lose one: (n-1)^2 in all.
//! let steps = measured.points[0].steps.unwrap();
//! assert!((steps.mean - 81.0).abs() < 5.0 * steps.error.unwrap());
//! assert!((1.8..2.2).contains(&measured.growth.unwrap().exponent));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! An [`ElectionSeries`] holds the elections of one setting, and can be interrupted, continued and divided among machines: an [`Experiment`]
//! is one series per size. [`Elections`] are one setting of a population protocol or a ring algorithm, on the fastest [`kernel`]
//! there is. Algorithms that pass messages are run by [`elect_by_messages`], those for timed networks by [`TimedAlgorithm`] and, many times in
//! hostile networks, by a [`network::Campaign`]. [`plain`] holds simple reference engines, to
//! watch a run step by step; every faster engine is compared with it. [`statistics`] summarizes many runs.

mod composite;
mod draws;
mod election;
mod experiment;
mod generator;
pub mod kernel;
mod loose;
mod message;
pub mod network;
mod oracle;
mod parallel;
pub mod plain;
mod series;
mod shard;
mod stabilizing;
mod start;
pub mod statistics;
mod still;
mod timed;

pub use composite::Composite;
pub use election::{Election, ElectionError, Elections, Faults, KernelChoice, Limits, TABLE_BYTES, Unfit, schedulers};
pub use experiment::{Experiment, Measurements, Point};
pub use generator::Generator;
pub use kernel::End;
pub use kernel::arcs::Arena;
pub use loose::{Held, LooseSystem, USUALLY_WATCHED};
pub use message::elect_by_messages;
pub use oracle::Oracle;
pub use parallel::{in_parallel, run_generator};
pub use series::{Contest, ElectionSeries, RunRecord};
pub use shard::Shard;
pub use stabilizing::StabilizingInstance;
pub use start::{Among, Start, StartError};
pub use timed::TimedAlgorithm;

/// Why a text cannot be read, or runs cannot be done.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Refused(pub(crate) String);
