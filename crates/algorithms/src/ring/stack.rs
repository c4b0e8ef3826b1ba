//! A ring algorithm that needs a distinguished process, above one that elects it.
//!
//! One step runs both: were they scheduled apart, an unfair daemon could starve one of them.

use crate::layered::{Layered, lowers, uppers};
use ringleader_model::{Coin, Goal, Marks, Place, Ring, Stabilizing, Variables, Visitor};

/// `upper` above `lower`, whose leader is the bottom process of `upper`.
#[derive(Clone, Copy, Debug)]
pub struct Stack<L, U> {
    /// Elects.
    pub lower: L,
    /// Is run with the elected process at the bottom.
    pub upper: U,
}

impl<L: Ring, U: Ring> Variables for Stack<L, U> {
    type State = Layered<L::State, U::State>;
    fn variables(&self, s: &mut Self::State, v: &mut dyn Visitor) {
        self.lower.variables(&mut s.lower, v);
        self.upper.variables(&mut s.upper, v);
    }
}

impl<L: Ring, U: Ring> Stack<L, U> {
    /// What a process is to the upper algorithm.
    fn place(&self, at: Place, left: &L::State, own: &L::State) -> Place {
        if self.lower.marks(at, left, own).leader() { Place::Bottom } else { Place::Other }
    }
}

impl<L: Ring, U: Ring> Ring for Stack<L, U> {
    fn act(&self, at: Place, left: Self::State, own: Self::State, coin: &mut impl Coin) -> Self::State {
        let place = self.place(at, &left.lower, &own.lower);
        Layered {
            lower: self.lower.act(at, left.lower, own.lower, coin),
            upper: self.upper.act(place, left.upper, own.upper, coin),
        }
    }

    fn marks(&self, at: Place, left: &Self::State, own: &Self::State) -> Marks {
        let place = self.place(at, &left.lower, &own.lower);
        self.lower.marks(at, &left.lower, &own.lower) | self.upper.marks(place, &left.upper, &own.upper)
    }
}

impl<L: Ring + Stabilizing, U: Ring + Stabilizing> Stack<L, U> {
    /// The upper algorithm's configuration, from the lower one's leader on, if there is exactly one.
    fn seen_from_leader(&self, c: &[Layered<L::State, U::State>]) -> Option<Vec<U::State>> {
        let lower = lowers(c);
        let at = |i| if i == 0 { Place::Bottom } else { Place::Other };
        let leads = |&i: &usize| self.lower.marks(at(i), &lower[(i + c.len() - 1) % c.len()], &lower[i]).leader();
        let leader = (0..c.len()).find(leads)?;
        let mut states = uppers(c);
        states.rotate_left(leader);
        self.lower.correct(&lower).then_some(states)
    }
}

impl<L: Ring + Stabilizing, U: Ring + Stabilizing> Stabilizing for Stack<L, U> {
    const GOAL: Goal = U::GOAL;

    fn correct(&self, c: &[Self::State]) -> bool {
        self.seen_from_leader(c).is_some_and(|upper| self.upper.correct(&upper))
    }

    /// The lower algorithm is safe, so that the bottom process stays the same, and so is the upper one above it.
    fn safe(&self, c: &[Self::State]) -> bool {
        self.lower.safe(&lowers(c)) && self.seen_from_leader(c).is_some_and(|upper| self.upper.safe(&upper))
    }
}
