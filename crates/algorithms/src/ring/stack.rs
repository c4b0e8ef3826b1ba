//! A ring algorithm that needs a distinguished process, above an algorithm that elects this process.
//!
//! One step runs both algorithms: if they were scheduled separately, an unfair daemon could starve one of them.

use crate::layered::{Layered, lowers, uppers};
use ringleader_model::{Chain, Coin, Goal, Marks, Place, Ring, Safety, Stabilizing, Variables, View, Visitor};

/// `upper` above `lower`, whose leader is the bottom process of `upper`.
#[derive(Clone, Copy, Debug)]
pub struct Stack<L, U> {
    /// Elects the bottom process.
    pub lower: L,
    /// Runs with the elected process at the bottom.
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
    /// The view of a process of the upper algorithm.
    fn above(&self, view: View<Layered<L::State, U::State>>) -> View<U::State> {
        let leads = self.lower.marks(view.map(|s| s.lower)).leader();
        View { at: if leads { Place::Bottom } else { Place::Other }, ..view.map(|s| s.upper) }
    }
}

impl<L: Ring, U: Ring> Ring for Stack<L, U> {
    fn act(&self, view: View<Self::State>, coin: &mut impl Coin) -> Self::State {
        Layered { lower: self.lower.act(view.map(|s| s.lower), coin), upper: self.upper.act(self.above(view), coin) }
    }

    fn marks(&self, view: View<Self::State>) -> Marks {
        self.lower.marks(view.map(|s| s.lower)) | self.upper.marks(self.above(view))
    }
}

impl<L: Ring + Stabilizing, U: Ring + Stabilizing> Stack<L, U> {
    /// The upper algorithm's configuration, from the lower one's leader on, if there is exactly one.
    fn seen_from_leader(&self, c: &[Layered<L::State, U::State>]) -> Option<Vec<U::State>> {
        let lower = lowers(c);
        let leads = |&i: &usize| self.lower.marks(View::of(&lower, i, Chain::Ring)).leader();
        let leader = (0..c.len()).find(leads)?;
        let mut states = uppers(c);
        states.rotate_left(leader);
        self.lower.correct(&lower).then_some(states)
    }
}

impl<L: Ring + Stabilizing, U: Ring + Stabilizing> Stabilizing for Stack<L, U> {
    fn goal(&self) -> Goal {
        self.upper.goal()
    }

    fn safety(&self) -> Safety {
        Safety::ForEver
    }

    fn correct(&self, c: &[Self::State]) -> bool {
        self.seen_from_leader(c).is_some_and(|upper| self.upper.correct(&upper))
    }

    /// The lower algorithm is safe, so that the bottom process stays the same, and so is the upper one above it.
    fn safe(&self, c: &[Self::State]) -> bool {
        self.lower.safe(&lowers(c)) && self.seen_from_leader(c).is_some_and(|upper| self.upper.safe(&upper))
    }
}
