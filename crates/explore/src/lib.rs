//! Explicit state spaces of message-passing algorithms.

mod action;
mod cell;
mod confluence;
mod graph;
mod interner;
mod numbering;
mod options;
mod packed;
mod search;
mod shard;
mod space;
mod system;

pub use action::{Action, Visible};
pub use graph::{Edge, Graph};
pub use options::{Failure, Options, Progress, Watch};
pub use space::Space;
