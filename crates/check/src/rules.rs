//! The systems of agents that rule tables define.

mod inverse;
mod multisets;
mod system;

pub(crate) use multisets::{LED, Multisets};
pub use system::{Marked, Site, System};
pub(crate) use system::{arcs, processes};
