//! Engines that run ringleader's algorithms.
//!
//! [`plain`] holds one straightforward engine per model: obviously right, no tricks. It serves `ringleader elect`, and every
//! faster engine is compared with it.

pub mod arcs;
pub mod draws;
pub mod election;
pub mod experiment;
pub mod generator;
pub mod kernel;
pub mod network;
pub mod oracle;
pub mod plain;
pub mod reach;
pub mod rule;
pub mod statistics;
pub mod table;

pub use generator::Generator;
pub use oracle::{Detector, Oracle};
