//! A hostile network in a box: virtual time, one seed, and every way in which links and processes may misbehave.
//!
//! A [`Scenario`] says, as data, how every link and process behaves and what befalls them when; a [`World`] runs a timed
//! algorithm in it. [`System`] draws scenarios of the paper's systems S0 to S5, [`Adversary`] builds those of its proofs.
//! The same seed gives the same sequence of events on every machine: [`World::digest`] tells two sequences apart.

pub mod adversary;
pub mod campaign;
pub mod link;
pub mod queue;
pub mod scenario;
pub mod settle;
pub mod system;
pub mod world;

pub use adversary::Adversary;
pub use campaign::{Campaign, Source};
pub use link::Link;
pub use scenario::{Fault, Pace, Scenario, Start};
pub use settle::{Outcome, Settled};
pub use system::System;
pub use world::World;
