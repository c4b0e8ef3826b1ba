//! A type-erased state.

use ringleader_model::{Coin, Variables, corrupt, number};
use std::sync::OnceLock;

/// The number of a local state, in `0..states`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Number(pub u64);

/// Up to this many states are decoded in advance.
const MOST_DECODED: u64 = 1 << 16;

/// The states of an algorithm by their numbers. The code here and in its callers uses loops where an iterator would be
/// shorter. It is compiled for each algorithm, and collecting an iterator compiles to many times as much code.
pub(crate) struct Decoded<S> {
    states: u64,
    table: OnceLock<Vec<S>>,
    radices: OnceLock<Option<Vec<u32>>>,
}

impl<S: Copy> Decoded<S> {
    pub(crate) fn new(states: u64) -> Decoded<S> {
        Decoded { states, table: OnceLock::new(), radices: OnceLock::new() }
    }

    /// All states, if there are at most [`MOST_DECODED`].
    pub(crate) fn all<A: Variables<State = S>>(&self, algorithm: &A) -> Option<&[S]> {
        let decode = || {
            let mut all = Vec::with_capacity(self.states as usize);
            for rank in 0..self.states {
                all.push(number::unrank(algorithm, rank));
            }
            all
        };
        (self.states <= MOST_DECODED).then(|| &self.table.get_or_init(decode)[..])
    }

    pub(crate) fn state<A: Variables<State = S>>(&self, algorithm: &A, rank: u64) -> S {
        match self.all(algorithm) {
            Some(states) => states[rank as usize],
            None => number::unrank(algorithm, rank),
        }
    }

    /// The number of an arbitrary state.
    pub(crate) fn arbitrary<A: Variables<State = S>>(&self, algorithm: &A, mut coin: &mut dyn Coin) -> u64 {
        match self.radices.get_or_init(|| number::radices(algorithm)) {
            Some(radices) => number::arbitrary(radices, coin),
            None => number::rank(algorithm, &corrupt::arbitrary(algorithm, &mut coin)),
        }
    }

    pub(crate) fn configuration<A: Variables<State = S>>(&self, algorithm: &A, ranks: &[Number]) -> Vec<S> {
        let mut configuration = Vec::with_capacity(ranks.len());
        for rank in ranks {
            configuration.push(self.state(algorithm, rank.0));
        }
        configuration
    }
}
