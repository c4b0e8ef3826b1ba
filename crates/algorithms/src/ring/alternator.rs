//! A layer that runs a ring algorithm for alternating schedules under every schedule.
//!
//! F. E. Fich, C. Johnen: *A space optimal, deterministic, self-stabilizing, leader election algorithm for unidirectional
//! rings*, DISC 2001, Theorem 1. A value in Z_m, m the least integer that does not divide n, wants to count around the ring
//! and cannot; a process is privileged where it fails to, and only the privileged act. For odd n this is one bit.

use crate::layered::{Layered, as_above, restore_uppers, uppers};
use ringleader_model::{Chain, Coin, Goal, Marks, Reads, Ring, Safety, Stabilizing, Variables, View, Visitor};

/// A ring algorithm behind the alternator.
#[derive(Clone, Copy, Debug)]
pub struct Alternator<R> {
    /// The algorithm.
    pub inner: R,
    /// m, the least integer that does not divide the size.
    pub modulus: u32,
}

impl<R> Alternator<R> {
    /// The name of the variable that it adds.
    pub const VARIABLE: &'static str = "turn";

    /// An algorithm behind the alternator on a ring of `size` processes, at least 1.
    pub fn new(inner: R, size: usize) -> Alternator<R> {
        let modulus = (2..).find(|m| !size.is_multiple_of(*m)).expect("no number but 0 has all divisors");
        Alternator { inner, modulus: modulus as u32 }
    }

    /// Whether a process with this value, next to one with the `left` one, may act.
    pub fn privileged(&self, left: u32, own: u32) -> bool {
        own != (left + 1) % self.modulus
    }
}

/// A value in Z_m and the algorithm's state.
pub type State<S> = Layered<u32, S>;

impl<R: Ring> Variables for Alternator<R> {
    type State = State<R::State>;
    fn variables(&self, s: &mut Self::State, v: &mut dyn Visitor) {
        v.range(Self::VARIABLE, 0, u64::from(self.modulus) - 1, &mut s.lower);
        self.inner.variables(&mut s.upper, v);
    }
}

impl<R: Ring> Ring for Alternator<R> {
    fn chain(&self) -> Chain {
        self.inner.chain()
    }

    fn reads(&self) -> Reads {
        self.inner.reads()
    }

    fn act(&self, view: View<Self::State>, coin: &mut impl Coin) -> Self::State {
        let View { left, own, .. } = view;
        if !self.privileged(left.lower, own.lower) {
            return own;
        }
        Layered { lower: (left.lower + 1) % self.modulus, upper: self.inner.act(view.map(|s| s.upper), coin) }
    }

    fn marks(&self, view: View<Self::State>) -> Marks {
        self.inner.marks(view.map(|s| s.upper))
    }
}

impl<R: Ring + Stabilizing> Stabilizing for Alternator<R> {
    as_above!(uppers);

    fn safety(&self) -> Safety {
        self.inner.safety()
    }

    /// The algorithm's own safe set, if that is closed under every schedule and not only the alternating ones, as it is for
    /// silent algorithms: steps alternate from some point on, but nothing shows when that is.
    fn safe(&self, c: &[Self::State]) -> bool {
        self.inner.safe(&uppers(c))
    }
}
