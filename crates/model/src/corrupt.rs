//! Arbitrary states: every variable any value of its type.

use crate::{Coin, Domain, Name, Stabilizing, Variables, Visitor};

/// Sets every variable it sees to an arbitrary value of its domain.
pub struct Arbitrary<'a, C>(pub &'a mut C);

impl<C: Coin> Visitor for Arbitrary<'_, C> {
    fn field(&mut self, _: Name<'_>, domain: Domain<'_>, _: u64) -> u64 {
        match domain.len() {
            Some(len) if len <= u64::from(u32::MAX) => domain.low() + u64::from(self.0.below(len as u32)),
            // Wide words are mostly huge when uniform; a uniform number of bits also shows small ones.
            _ => {
                let bits = self.0.below(65);
                let word = (0..4).fold(0, |word, _| word << 16 | u64::from(self.0.below(1 << 16)));
                let word = if bits == 0 { 0 } else { word >> (64 - bits) };
                word.clamp(domain.low(), domain.high())
            }
        }
    }
}

/// A state in which every variable has an arbitrary value of its domain: uniform up to 2^32 values, beyond that
/// spread over all magnitudes.
pub fn arbitrary<A: Variables + ?Sized>(algorithm: &A, coin: &mut impl Coin) -> A::State {
    let mut state = A::State::default();
    algorithm.variables(&mut state, &mut Arbitrary(coin));
    state
}

/// The same for a process of a configuration, whose [pointers](Variables::variables_at) point at its own neighbours.
pub fn arbitrary_at<A: Variables + ?Sized>(algorithm: &A, process: usize, coin: &mut impl Coin) -> A::State {
    let mut state = A::State::default();
    algorithm.variables_at(process, &mut state, &mut Arbitrary(coin));
    state
}

/// A configuration in which every agent's state is [`arbitrary`], except for what no fault can change.
pub fn configuration<A: Stabilizing>(algorithm: &A, size: usize, coin: &mut impl Coin) -> Vec<A::State> {
    let mut states: Vec<_> = (0..size).map(|_| arbitrary(algorithm, coin)).collect();
    algorithm.restore(&mut states);
    states
}
