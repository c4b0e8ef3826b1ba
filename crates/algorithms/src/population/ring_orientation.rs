//! Angluin, Aspnes, Fischer and Jiang's self-stabilizing orientation of undirected rings.
//!
//! D. Angluin, J. Aspnes, M. J. Fischer, H. Jiang: *Self-stabilizing population protocols*, ACM TAAS 3(4), 2008.
//! Above a two-hop colouring, which tells an agent its neighbours apart, everyone remembers one neighbour's colour as its
//! predecessor's and the other's as its successor's, and two agents that disagree settle it for the initiator.

use crate::population::layers::two_hop_colouring::{self, COLOURS, TwoHopColouring};
use crate::{Card, Entry, Kind, Parameters, Refusal, Topology};
use ringleader_model::{Circle, Coin, Goal, Marks, Population, Reader, Safety, Stabilizing, Told, Variables, Visitor};

/// The protocol; it knows nothing.
#[derive(Clone, Copy, Debug)]
pub struct RingOrientation;

/// The colouring's state and two colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// The layer below.
    pub colouring: two_hop_colouring::State,
    /// The predecessor's colour.
    pub pre: u8,
    /// The successor's colour.
    pub suc: u8,
}

impl State {
    fn colour(&self) -> u8 {
        self.colouring.colour
    }

    /// Whether both agents hold that `right` comes after `self`.
    pub fn precedes(&self, right: &State) -> bool {
        self.suc == right.colour() && right.pre == self.colour()
    }
}

impl Variables for RingOrientation {
    type State = State;
    fn variables(&self, s: &mut State, v: &mut dyn Visitor) {
        TwoHopColouring.variables(&mut s.colouring, v);
        v.range("pre", 0, (COLOURS - 1).into(), &mut s.pre);
        v.range("suc", 0, (COLOURS - 1).into(), &mut s.suc);
    }
}

impl Population for RingOrientation {
    /// The colouring takes its step first; the orientation sees the new colours.
    fn interact(&self, mut u: State, mut v: State, told: Told, coin: &mut impl Coin) -> (State, State) {
        (u.colouring, v.colouring) = TwoHopColouring.interact(u.colouring, v.colouring, told, coin);
        let decided = u.pre != u.suc;
        if decided && v.colour() == u.pre {
            coin.fired(3);
            v.suc = u.colour();
        } else if decided && v.colour() == u.suc {
            coin.fired(4);
            v.pre = u.colour();
        } else {
            coin.fired(5);
            u.pre = v.colour();
            v.suc = u.colour();
        }
        (u, v)
    }

    fn marks(&self, _: &State) -> Marks {
        Marks::NONE
    }

    /// An agent knows colours only; its neighbours determine the direction.
    fn drawn(&self, agents: &[State]) -> Vec<Marks> {
        let (n, ring) = (agents.len(), Circle(agents));
        let marks = |i: usize| {
            let (s, left, right) = (ring[i], ring[i + n - 1].colour(), ring[i + 1].colour());
            Marks::FORWARD.when(left != right && (s.pre, s.suc) == (left, right))
                | Marks::BACKWARD.when(left != right && (s.pre, s.suc) == (right, left))
        };
        (0..n).map(marks).collect()
    }
}

impl Stabilizing for RingOrientation {
    fn goal(&self) -> Goal {
        Goal::Agreement
    }

    fn safety(&self) -> Safety {
        Safety::ForEver
    }

    /// The neighbours of every agent differ in colour, and all agree which of them comes next.
    fn correct(&self, c: &[State]) -> bool {
        let ring = Circle(c);
        (0..c.len()).all(|i| ring[i].colour() != ring[i + 2].colour())
            && ((0..c.len()).all(|i| ring[i].precedes(&ring[i + 1]))
                || (0..c.len()).all(|i| ring[i + 1].precedes(&ring[i])))
    }

    /// Correct, and no colour will change: then rules 3 and 4 write what is there already, and rule 5 never applies.
    fn safe(&self, c: &[State]) -> bool {
        let colouring: Vec<_> = c.iter().map(|s| s.colouring).collect();
        self.correct(c) && TwoHopColouring.safe(&colouring)
    }

    /// The goal reads three colours; the proof reads all.
    fn visible(&self, s: &State, to: Reader) -> Option<u64> {
        let colours = [s.colour(), s.pre, s.suc].into_iter().fold(0, |all, one| all << 2 | u64::from(one));
        let flags = s.colouring.flags.into_iter().fold(0, |all, one| all << 1 | u64::from(one));
        Some(if to == Reader::Goal { colours } else { colours << 3 | flags })
    }
}

impl Entry for RingOrientation {
    const CARD: Card = Card {
        name: "ring-orientation",
        source: include_str!("ring_orientation.rs"),
        summary: "a common sense of direction for undirected rings",
        citation: "D. Angluin, J. Aspnes, M. J. Fischer, H. Jiang: Self-stabilizing population protocols, ACM TAAS 3(4), \
                   2008",
        kind: Kind::Population,
        topology: Topology::UndirectedRing,
        sizes: "n >= 3",
        assumes: "globally fair",
        states: "216",
        claim: "self-stabilizing: from every configuration all agree which way is forward, for ever",
        default_size: 16,
        rules: "\
An interaction of u and v first colours, F[c] being a bit for each of three colours c:
1. if F_u[c_v] = F_v[c_u]: both bits flip
2. otherwise u takes one of the other two colours, and F_u[c_v] := F_v[c_u]
and then orients, with the new colours:
3. if c_v = pre_u and pre_u != suc_u: suc_v := c_u
4. if c_v = suc_u and suc_u != pre_u: pre_v := c_u
5. otherwise pre_u := c_v and suc_v := c_u",
        ..Card::BLANK
    };

    fn build(_: &Parameters) -> Result<Self, Refusal> {
        Ok(RingOrientation)
    }

    fn supports(p: &Parameters) -> Result<(), Refusal> {
        super::at_least(3, &Self::CARD, p, "with two agents both neighbours are the same agent")
    }
}
