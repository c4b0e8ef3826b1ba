//! Searches in graphs whose edges are computed on demand.

mod closed;
mod component;
mod longest;
mod recurring;

pub(crate) use closed::leaves;
pub use closed::{can_reach, really_safe};
pub(crate) use component::Components;
pub use longest::{Longest, longest};
pub use recurring::{Fairness, Recurrence};
