//! The checker against slow reference implementations, against the papers, and on broken algorithms.

mod at_once;
mod daemons;
mod decisions;
mod domain;
mod horizon;
mod large;
mod liveness;
mod merge;
mod multiset;
mod mutants;
mod naive;
mod reaching;
mod reference;
mod replay;
mod rounds;
#[cfg(feature = "serde")]
mod serialized;
mod starts;
mod strategies;
mod symmetry;
mod twin;
