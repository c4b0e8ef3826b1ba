//! A hostile network in a box: virtual time, one seed, and every way in which links and processes may misbehave.
//!
//! A [`Scenario`] says, as data, how every link and process behaves and what befalls them when; a [`World`] runs a timed
//! algorithm in it. [`System`] draws scenarios of the paper's systems S0 to S5, [`Adversary`] builds those of its proofs.
//! The same seed gives the same sequence of events on every machine: [`World::digest`] tells two sequences apart.

mod adversary;
mod campaign;
mod link;
mod queue;
mod scenario;
mod settle;
mod system;
mod world;

pub(crate) use adversary::relapse;
pub use adversary::{Adversary, Relapse, UnknownAdversary};
pub use campaign::{Campaign, Source};
pub use link::Link;
pub use scenario::{Contents, Fault, Overwrite, Pace, Scenario};
pub use settle::{Settled, Settlement};
pub(crate) use settle::{derived_horizon, settling_stretch};
pub use system::{System, UnknownSystem};
pub use world::World;
