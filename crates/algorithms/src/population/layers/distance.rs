//! The leader detector Ω? without an oracle, for directed rings of at most N agents: distances to the nearest leader.
//!
//! A leader has distance 0, another agent one more than its left neighbour. An agent at distance N answers that there is no
//! leader. This replaces the timeouts of M. J. Fischer, H. Jiang: *Self-stabilizing leader election in networks of
//! finite-state anonymous agents*, OPODIS 2006, section 3.4, and is exact. An agent must hear from one neighbour
//! only: on a complete graph, two followers would count each other up to N beside a leader.

use crate::layered::{Layered, as_above, restore_uppers, uppers};
use ringleader_model::{Coin, Goal, Marks, Population, Safety, Stabilizing, Told, Variables, Visitor};

/// A protocol that needs Ω?, above the distance layer.
#[derive(Clone, Copy, Debug)]
pub struct Distance<P> {
    /// The protocol.
    pub inner: P,
    /// N, known to all agents; at least n.
    pub bound: u32,
}

/// The estimated distance to the nearest leader on the left, and the state of the protocol.
pub type State<S> = Layered<u32, S>;

impl<P: Population> Variables for Distance<P> {
    type State = State<P::State>;
    fn variables(&self, s: &mut Self::State, v: &mut dyn Visitor) {
        v.range("dist", 0, self.bound.into(), &mut s.lower);
        self.inner.variables(&mut s.upper, v);
    }
}

impl<P: Population> Distance<P> {
    fn leads(&self, s: &State<P::State>) -> bool {
        self.inner.marks(&s.upper).leader()
    }
}

impl<P: Population> Population for Distance<P> {
    /// The distances change first, then the protocol, which gets their answer.
    fn interact(&self, u: Self::State, v: Self::State, _: Told, coin: &mut impl Coin) -> (Self::State, Self::State) {
        let left = if self.leads(&u) { 0 } else { u.lower };
        let right = if self.leads(&v) { 0 } else { (left + 1).min(self.bound) };
        let told = Told::each(left < self.bound, right < self.bound);
        let (a, b) = self.inner.interact(u.upper, v.upper, told, coin);
        (Layered { lower: left, upper: a }, Layered { lower: right, upper: b })
    }

    fn marks(&self, s: &Self::State) -> Marks {
        self.inner.marks(&s.upper)
    }
}

impl<P: Population + Stabilizing> Stabilizing for Distance<P> {
    as_above!(uppers);

    fn safety(&self) -> Safety {
        self.inner.safety()
    }

    /// The protocol is safe if no agent is ever told that there is no leader.
    ///
    /// With the next leader d to the right, an agent's distance is passed on to d - 1 agents, each time one larger: it must
    /// not exceed N - d. What starts from a leader, 0, does not, since d <= n <= N.
    fn safe(&self, c: &[Self::State]) -> bool {
        let next_leader = |i: usize| (1..=c.len()).find(|d| self.leads(&c[(i + d) % c.len()]));
        let harmless = |i: usize| {
            self.leads(&c[i]) || next_leader(i).is_some_and(|d| c[i].lower as usize + d <= self.bound as usize)
        };
        self.inner.safe(&uppers(c)) && (0..c.len()).all(harmless)
    }
}
