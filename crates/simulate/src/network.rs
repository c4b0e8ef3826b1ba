//! A simulated hostile network in virtual time: links and processes that fail in every way, from one seed.
//!
//! A [`Scenario`] describes the behaviour of every link and process and all faults, as data; a [`NetworkRun`] runs a timed
//! algorithm in it. [`SystemClass`] draws scenarios of the paper's systems S0 to S5, [`Adversary`] builds those of its proofs.
//! The same seed gives the same sequence of events on every machine: [`NetworkRun::digest`] tells two sequences apart.

mod adversary;
mod campaign;
mod link;
mod queue;
mod scenario;
mod settle;
mod system;
mod world;

pub use adversary::{Adversary, Relapse};
pub use campaign::{Campaign, Source};
pub use link::Link;
pub use scenario::{Contents, Fault, Overwrite, Pace, Scenario};
pub use settle::{Settled, Settlement};
pub use system::SystemClass;
pub use world::NetworkRun;
