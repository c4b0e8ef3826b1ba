//! A layer that runs a protocol for directed rings on an undirected ring.
//!
//! After D. Angluin, J. Aspnes, M. J. Fischer, H. Jiang: *Self-stabilizing population protocols*, ACM TAAS 3(4), 2008:
//! a two-hop colouring, an orientation above it, and above that the protocol, all three at once and from any state. Once the orientation stands, the protocol starts from whatever it has got into.

use crate::layered::{Layered, Silent, as_above, lowers, restore_uppers, uppers};
use crate::population::ring_orientation::{self, RingOrientation};
use ringleader_model::{Circle, Coin, Goal, Marks, Population, Safety, Stabilizing, Told, Variables, Visitor};

/// A protocol for directed rings, above the orientation layer.
#[derive(Clone, Copy, Debug)]
pub struct Undirected<P> {
    /// The protocol.
    pub inner: P,
}

/// The orientation's state and the protocol's.
pub type State<S> = Layered<ring_orientation::State, S>;

impl<P: Population> Variables for Undirected<P> {
    type State = State<P::State>;
    fn variables(&self, s: &mut Self::State, v: &mut dyn Visitor) {
        RingOrientation.variables(&mut s.lower, v);
        self.inner.variables(&mut s.upper, v);
    }
}

impl<P: Population> Population for Undirected<P> {
    fn hears(&self) -> bool {
        self.inner.hears()
    }

    /// The layers below first; then the protocol, if the two agents agree who is the left one.
    fn interact(
        &self,
        mut u: Self::State,
        mut v: Self::State,
        told: Told,
        coin: &mut impl Coin,
    ) -> (Self::State, Self::State) {
        (u.lower, v.lower) = RingOrientation.interact(u.lower, v.lower, told, &mut Silent(coin));
        match (u.lower.precedes(&v.lower), v.lower.precedes(&u.lower)) {
            (true, false) => (u.upper, v.upper) = self.inner.interact(u.upper, v.upper, told, coin),
            (false, true) => (v.upper, u.upper) = self.inner.interact(v.upper, u.upper, told.swapped(), coin),
            _ => {}
        }
        (u, v)
    }

    fn marks(&self, s: &Self::State) -> Marks {
        self.inner.marks(&s.upper)
    }
}

/// The protocol's states in the order the agents have agreed on, if it is the opposite of the ring's.
fn forward<S: Copy>(c: &[State<S>]) -> Vec<S> {
    let ring = Circle(c);
    let mut states = uppers(c);
    if (0..c.len()).all(|i| ring[i + 1].lower.precedes(&ring[i].lower)) {
        states.reverse();
    }
    states
}

impl<P: Population + Stabilizing> Stabilizing for Undirected<P> {
    as_above!(forward);

    fn safety(&self) -> Safety {
        self.inner.safety()
    }

    /// The orientation is safe, and so is the protocol in that direction.
    fn safe(&self, c: &[Self::State]) -> bool {
        RingOrientation.safe(&lowers(c)) && self.inner.safe(&forward(c))
    }
}
