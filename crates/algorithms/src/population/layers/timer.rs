//! The leader detector Ω? without an oracle and without a bound on the size: keep-alives and timeouts.
//!
//! M. J. Fischer, H. Jiang: *Self-stabilizing leader election in networks of finite-state anonymous agents*, OPODIS 2006,
//! section 3.4. Every agent counts down. A leader sets its countdown back to T, and interactions spread the larger countdown.
//! An agent that has not heard of a leader for too long answers that there is none, and may be wrong. So the protocol above is
//! only *loosely* stabilizing: its goal holds for an expected time that is exponential in T/n.

use crate::layered::{Layered, as_above, restore_uppers, uppers};
use ringleader_model::{Coin, Goal, Marks, Population, Safety, Stabilizing, Told, Variables, Visitor};

/// A protocol that needs Ω?, above the timer layer.
#[derive(Clone, Copy, Debug)]
pub struct Timer<P> {
    /// The protocol.
    pub inner: P,
    /// T, the countdown of a leader.
    pub limit: u32,
}

/// A countdown and the protocol's state.
pub type State<S> = Layered<u32, S>;

impl<P: Population> Variables for Timer<P> {
    type State = State<P::State>;
    fn variables(&self, s: &mut Self::State, v: &mut dyn Visitor) {
        v.range("countdown", 0, self.limit.into(), &mut s.lower);
        self.inner.variables(&mut s.upper, v);
    }
}

impl<P: Population> Population for Timer<P> {
    /// The countdowns change first, then the protocol, which gets their answer.
    fn interact(&self, u: Self::State, v: Self::State, _: Told, coin: &mut impl Coin) -> (Self::State, Self::State) {
        let wound = |s: &Self::State| if self.inner.marks(&s.upper).leader() { self.limit } else { 0 };
        let heard = u.lower.max(wound(&u)).max(v.lower).max(wound(&v)).saturating_sub(1);
        let (left, right) = (heard.max(wound(&u)), heard.max(wound(&v)));
        let (a, b) = self.inner.interact(u.upper, v.upper, Told::each(left > 0, right > 0), coin);
        (Layered { lower: left, upper: a }, Layered { lower: right, upper: b })
    }

    fn marks(&self, s: &Self::State) -> Marks {
        self.inner.marks(&s.upper)
    }
}

impl<P: Population + Stabilizing> Stabilizing for Timer<P> {
    as_above!(uppers);

    /// No set of configurations is closed: if an agent hears of no leader for long enough, its countdown ends.
    fn safety(&self) -> Safety {
        Safety::ForLong
    }

    /// The protocol is safe while no agent is told that there is no leader, and in this configuration none would be.
    fn safe(&self, c: &[Self::State]) -> bool {
        let told = |s: &Self::State| s.lower > 1 || self.inner.marks(&s.upper).leader();
        self.inner.safe(&uppers(c)) && c.iter().all(told)
    }
}
