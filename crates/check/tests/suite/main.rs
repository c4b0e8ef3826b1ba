//! The checker against slow twins, against the papers, and against what is broken.

mod daemons;
mod domain;
mod large;
mod multiset;
mod mutants;
mod naive;
mod reference;
mod replay;
#[cfg(feature = "serde")]
mod serialized;
mod symmetry;
mod twin;
