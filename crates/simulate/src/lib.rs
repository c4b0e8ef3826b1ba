//! Engines that run ringleader's algorithms.
//!
//! [`plain`] holds one straightforward engine per model: obviously right, no tricks. It serves `ringleader elect`, and every
//! faster engine is compared with it.

mod draws;
mod election;
mod generator;
pub mod kernel;
mod message;
pub mod network;
mod oracle;
mod parallel;
pub mod plain;
mod start;
pub mod statistics;
mod timed;

pub use election::{
    Basis, Election, ElectionError, Elections, Faults, KernelChoice, Limits, TABLE_BYTES, Unfit, UnknownKernel,
};
pub use generator::Generator;
pub use kernel::End;
pub use kernel::arcs::{Arena, ArenaError};
pub use message::{MessageAlgorithm, MessageElection};
pub use oracle::{Oracle, UnknownOracle};
pub use parallel::{in_parallel, run_generator};
pub use start::{Instance, Start, StartError};
pub use timed::TimedAlgorithm;
