//! Configurations as numbers, their classes under symmetries, sets and graphs.

mod bits;
mod configurations;
mod orbits;
mod part;
mod rotations;
mod state_graph;
mod symmetries;

pub use bits::Bits;
pub use configurations::MixedRadix;
pub(crate) use configurations::{Digits, MOST_AGENTS};
pub(crate) use orbits::Orbits;
pub(crate) use part::{Part, Place};
pub use rotations::Rotations;
pub(crate) use rotations::gcd;
pub(crate) use state_graph::NOBODY;
pub use state_graph::{Edge, INCORRECT, Markov, Reversible, StateGraph};
pub(crate) use symmetries::Subgroup;
pub use symmetries::Symmetries;
