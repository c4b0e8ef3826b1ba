//! Explicit state spaces of message-passing algorithms.

mod action;
mod cell;
mod chart;
mod components;
mod confluence;
pub mod export;
mod graph;
mod interner;
mod minimize;
mod numbering;
mod options;
mod packed;
mod probability;
mod qualitative;
mod run;
mod search;
mod shard;
mod space;
mod system;
mod view;

pub use action::{Action, Visible};
pub use graph::{Edge, Graph};
pub use minimize::{Equivalence, Quotient, minimize};
pub use options::{Failure, Options, Progress, Watch};
pub use probability::{Cost, Decider, Elections, Interval};
pub use run::{Run, Step, StepOf};
pub use space::Space;
pub use view::View;
