//! A state whose type is forgotten.

use ringleader_model::{Variables, number};
use std::sync::OnceLock;

/// The number of a local state, in `0..states`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Number(pub u64);

/// Up to so many states are decoded once and for all.
const MOST_DECODED: u64 = 1 << 16;

/// The states of an algorithm by their numbers.
pub(crate) struct Decoded<S> {
    states: u64,
    table: OnceLock<Vec<S>>,
}

impl<S: Copy> Decoded<S> {
    pub(crate) fn new(states: u64) -> Decoded<S> {
        Decoded { states, table: OnceLock::new() }
    }

    /// All states, if there are not too many.
    pub(crate) fn all<A: Variables<State = S>>(&self, algorithm: &A) -> Option<&[S]> {
        (self.states <= MOST_DECODED).then(|| &self.table.get_or_init(|| number::all(algorithm).collect())[..])
    }

    pub(crate) fn state<A: Variables<State = S>>(&self, algorithm: &A, rank: u64) -> S {
        self.all(algorithm).map_or_else(|| number::unrank(algorithm, rank), |states| states[rank as usize])
    }

    pub(crate) fn configuration<A: Variables<State = S>>(&self, algorithm: &A, ranks: &[Number]) -> Vec<S> {
        match self.all(algorithm) {
            Some(states) => ranks.iter().map(|rank| states[rank.0 as usize]).collect(),
            None => ranks.iter().map(|rank| number::unrank(algorithm, rank.0)).collect(),
        }
    }
}
