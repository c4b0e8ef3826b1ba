//! Searches in graphs that are computed as they are walked.

mod closed;
mod component;
mod longest;
mod recurring;

pub(crate) use closed::leaves;
pub use closed::{can_reach, really_safe};
pub(crate) use component::Search;
pub use longest::{Longest, longest};
pub use recurring::{Fairness, Recurrence};
