//! Leader-election algorithms of the literature, one file each.
//!
//! A file opens with its citation and reads like the paper: the rules carry the paper's numbers, and the sets of
//! configurations that the proof uses are next to them. This crate knows no engines: an algorithm is a pure state
//! machine in one of the models of [`ringleader_model`], with a [`Card`] that lists its requirements and claims.

pub mod layered;
pub mod message;
pub mod population;
pub mod read_write;
pub mod ring;
pub mod robust;

pub use ringleader_erased::{
    Card, DetectorLayer, Entry, Kind, Law, Layers, Parameter, ParameterKind, Parameters, Refusal, Topology,
};
