//! Read/write atomicity on rings and lines.

use super::{prefixed, step};
use crate::layered::promises_as_above;
use ringleader_model::{Chain, Coin, Goal, Marks, Place, Reads, Ring, Stabilizing, Variables, View, Visitor};

/// A ring algorithm with read/write atomicity.
#[derive(Clone, Copy, Debug)]
pub struct ReadWrite<R> {
    /// The algorithm.
    pub inner: R,
}

/// The register of a process and its copies of its neighbours' registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct State<S> {
    /// The own register.
    pub register: S,
    /// The copy of the left neighbour's register.
    pub left: S,
    /// The copy of the right neighbour's register, if the algorithm reads it.
    pub right: S,
}

impl<R: Ring> ReadWrite<R> {
    /// Whether a process has a left and a right neighbour whose register it reads.
    fn reads_at(&self, at: Place) -> (bool, bool) {
        let line = self.inner.chain() == Chain::Line;
        let right = self.inner.reads() == Reads::BothSides;
        (!(line && at == Place::Bottom), right && !(line && at == Place::Top))
    }
}

impl<R: Ring> Variables for ReadWrite<R> {
    type State = State<R::State>;
    fn variables(&self, s: &mut Self::State, v: &mut dyn Visitor) {
        self.inner.variables(&mut s.register, v);
        self.inner.variables(&mut s.left, &mut prefixed("left", None, v));
        if self.inner.reads() == Reads::BothSides {
            self.inner.variables(&mut s.right, &mut prefixed("right", None, v));
        }
    }
}

impl<R: Ring> Ring for ReadWrite<R> {
    fn chain(&self) -> Chain {
        self.inner.chain()
    }

    fn reads(&self) -> Reads {
        self.inner.reads()
    }

    fn act(&self, view: View<Self::State>, coin: &mut impl Coin) -> Self::State {
        let View { at, own, .. } = view;
        let (left, right) = self.reads_at(at);
        let mut copies = vec![];
        if left && own.left != view.left.register {
            copies.push(State { left: view.left.register, ..own });
        }
        if right && own.right != view.right.register {
            copies.push(State { right: view.right.register, ..own });
        }
        // At the end of a line, and beyond what is read, a process sees its own register.
        let seen = |reads: bool, copy: R::State| if reads { copy } else { own.register };
        let copied = View { at, left: seen(left, own.left), own: own.register, right: seen(right, own.right) };
        let rule = |mut coin: &mut dyn Coin| self.inner.act(copied, &mut coin);
        step(own.register, copies, rule, |register| State { register, ..own }, own, coin)
    }

    fn marks(&self, view: View<Self::State>) -> Marks {
        self.inner.marks(view.map(|s| s.register))
    }
}

fn registers<S: Copy>(c: &[State<S>]) -> Vec<S> {
    c.iter().map(|s| s.register).collect()
}

impl<R: Ring + Stabilizing<State: Copy>> Stabilizing for ReadWrite<R> {
    promises_as_above!(registers);

    /// The registers as the algorithm restores them, and the copies that nobody reads at their first value.
    fn restore(&self, c: &mut [Self::State]) {
        let mut states = registers(c);
        self.inner.restore(&mut states);
        let (size, unused) = (c.len(), ringleader_model::number::unrank(&self.inner, 0));
        for (i, s) in c.iter_mut().enumerate() {
            let (left, right) = self.reads_at(Place::of(i, size));
            s.register = states[i];
            s.left = if left { s.left } else { unused };
            s.right = if right || self.inner.reads() == Reads::Left { s.right } else { unused };
        }
    }
}
