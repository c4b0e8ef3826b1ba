//! Searches in graphs whose edges are computed on demand.

mod closed;
mod longest;
mod recurring;
mod rounds;

pub use closed::{can_reach, really_safe};
pub(crate) use closed::{leaves, reachable};
pub use longest::{Longest, longest, longest_by};
pub(crate) use recurring::components;
pub use recurring::{Fairness, Recurrence};
pub(crate) use rounds::pending_after;
pub use rounds::{Rounds, WorstRounds};
