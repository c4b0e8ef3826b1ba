//! Burns and Pachl's deterministic self-stabilizing token circulation on anonymous unidirectional rings of prime size.
//!
//! J. E. Burns, J. Pachl: *Uniform self-stabilizing rings*, ACM TOPLAS 11(2), 1989; one correct reading of its idea, as the
//! printed rules were not at hand. Labels want to count around the ring modulo n - 1 and cannot: a *gap* is left. Tags carry
//! the sizes of gaps along, and a larger gap to the left lets a smaller one through; on a ring of prime size not all gaps
//! can be equal.

use crate::{Card, Entry, Parameters, Refusal};
use ringleader_model::{Chain, Circle, Coin, Goal, Marks, NoCoin, Ring, Safety, Stabilizing, Variables, View, Visitor};

/// The algorithm for rings of `size` processes.
#[derive(Clone, Copy, Debug)]
pub struct BurnsPachl {
    /// n, known to all processes.
    pub size: u32,
}

/// The tag that stands for 0: a tag, being the size of a gap, is never 1.
pub const ZERO: u32 = 1;

/// A label in Z_(n-1) and a tag.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// b
    pub label: u32,
    /// t, in 2..n-2, or [`ZERO`].
    pub tag: u32,
}

impl Variables for BurnsPachl {
    type State = State;
    fn variables(&self, s: &mut State, v: &mut dyn Visitor) {
        v.range("label", 0, u64::from(self.size) - 2, &mut s.label);
        v.range("tag", ZERO.into(), u64::from(self.size) - 2, &mut s.tag);
    }
}

impl BurnsPachl {
    fn next(&self, label: u32) -> u32 {
        (label + 1) % (self.size - 1)
    }

    /// b - a, as a tag.
    fn gap(&self, left: State, own: State) -> u32 {
        match (own.label + self.size - 1 - left.label) % (self.size - 1) {
            0 => ZERO,
            gap => gap,
        }
    }
}

impl Ring for BurnsPachl {
    fn act(&self, View { left, own, .. }: View<State>, coin: &mut impl Coin) -> State {
        let State { label, tag } = own;
        let gap = self.gap(left, own);
        let counts = label == self.next(left.label);
        if !counts && (label != 0 || (tag == gap && (tag == ZERO || tag < left.tag))) {
            coin.fired(1);
            State { label: self.next(left.label), tag: gap }
        } else if !counts && tag != gap {
            coin.fired(2);
            State { label, tag: gap }
        } else if counts && label != 0 && tag != left.tag {
            coin.fired(3);
            State { label, tag: left.tag }
        } else {
            own
        }
    }

    /// Whoever is enabled has a token.
    fn marks(&self, view: View<State>) -> Marks {
        Marks::TOKEN.when(self.act(view, &mut NoCoin) != view.own)
    }
}

impl Stabilizing for BurnsPachl {
    fn goal(&self) -> Goal {
        Goal::OneToken
    }

    fn safety(&self) -> Safety {
        Safety::ForEver
    }

    fn correct(&self, c: &[State]) -> bool {
        (0..c.len()).filter(|&i| self.marks(View::of(c, i, Chain::Ring)).token()).count() == 1
    }

    /// Exactly one process p fails to count, necessarily with its left neighbour's label; up to p every tag since the label 0
    /// is 0; and from p on, up to the next label 0, all tags are equal: to 0 too if p's own label is 0.
    ///
    /// Then only p is enabled. By A it counts on with tag 0, as its left neighbour's is, and leaves its right neighbour
    /// with its own old label and, up to the label 0, equal tags: the set is closed.
    fn safe(&self, c: &[State]) -> bool {
        let ring = Circle(c);
        let fails = |i: usize| ring[i].label != self.next(ring.left(i, 1).label);
        let mut failing = (0..c.len()).filter(|&i| fails(i));
        let (Some(p), None) = (failing.next(), failing.next()) else { return false };
        let tag = ring[p].tag;
        let mut after = (p..p + c.len()).map(|i| ring[i]);
        if ring[p].label == 0 {
            return after.all(|s| s.tag == ZERO);
        }
        let mut zero_seen = false;
        after.all(|s| {
            zero_seen |= s.label == 0;
            s.tag == if zero_seen { ZERO } else { tag }
        })
    }
}

impl Entry for BurnsPachl {
    const CARD: Card = Card {
        name: "burns-pachl",
        source: include_str!("burns_pachl.rs"),
        summary: "one token on anonymous unidirectional rings of prime size",
        citation: "J. E. Burns, J. Pachl: Uniform self-stabilizing rings, ACM TOPLAS 11(2), 1989; one correct reading of its \
                   idea, not the printed rules",
        sizes: "prime n >= 3",
        assumes: "unfair",
        states: "(n - 1)(n - 2)",
        claim: "self-stabilizing: from every configuration exactly one token, which circulates for ever",
        recurring: Some(("service", "token[i]")),
        rules: "\
Left neighbour (a, s), own (b, t): labels in Z_(n-1), tags in 0, 2, 3, .., n-2; g = b - a (mod n-1).
1. (A)   b != a+1, and b != 0 or (t = g and (t = 0 or t < s)):   (a+1, g)
2. (A')  b != a+1, b = 0, t != g:                                (0, g)
3. (B)   b = a+1, b != 0, t != s:                                (b, s)
(tag 0 is stored and printed as 1, which no tag is)",
        shade: Some("label"),
        ..super::ON_PRIME_RINGS
    };

    fn build(p: &Parameters) -> Result<Self, Refusal> {
        Ok(BurnsPachl { size: super::ring_size(3, Self::CARD.name, p)? })
    }

    fn supports(p: &Parameters) -> Result<(), Refusal> {
        Self::build(p)?;
        super::prime(Self::CARD.name, p.size, "")
    }
}
