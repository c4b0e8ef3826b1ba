//! The systems of agents that rule tables define.

mod inverse;
mod multisets;
mod system;

pub(crate) use multisets::{LED, Multisets};
pub(crate) use system::place;
pub use system::{Marked, Site, System};
