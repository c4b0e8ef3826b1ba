//! Leader-election algorithms of the literature, one file each.
//!
//! A file opens with its citation and reads like the paper: the rules carry the paper's numbers, and the sets of
//! configurations that the proof speaks of stand next to them. Nothing here knows of engines: an algorithm is a pure state
//! machine in one of the three models of [`ringleader_model`]. [`catalog`] is the one list of them all.

pub mod card;
pub mod catalog;
pub mod law;
pub mod layered;
pub mod layers;
pub mod message;
pub mod parameters;
pub mod population;
pub mod ring;
pub mod robust;

pub use card::{Card, Kind, Parameter, Topology};
pub use catalog::Entry;
pub use layers::{DetectorLayer, Layers};
pub use parameters::{Parameters, Refusal};
