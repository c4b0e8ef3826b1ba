//! Configurations as numbers, their rotation classes, sets and graphs.

mod bits;
mod configurations;
mod part;
mod rotations;
mod state_graph;

pub use bits::Bits;
pub use configurations::MixedRadix;
pub(crate) use configurations::{Digits, MOST_AGENTS};
pub(crate) use part::{Part, Place};
pub use rotations::Rotations;
pub(crate) use rotations::gcd;
pub(crate) use state_graph::NOBODY;
pub use state_graph::{Edge, INCORRECT, Markov, Reversible, StateGraph};
