//! Searches in graphs whose edges are computed on demand.

mod closed;
mod longest;
mod recurring;

pub(crate) use closed::leaves;
pub use closed::{can_reach, really_safe};
pub use longest::{Longest, longest};
pub(crate) use recurring::components;
pub use recurring::{Fairness, Recurrence};
