//! Fich and Johnen's silent self-stabilizing leader election for unidirectional rings of prime size.
//!
//! F. E. Fich, C. Johnen: *A space optimal, deterministic, self-stabilizing, leader election algorithm for unidirectional
//! rings*, DISC 2001, section 3. A leader learns its strength, the distance to the leader on its left, and challenges the
//! leader on its right with it; on a ring of prime size not all distances can be equal.

use crate::{Card, Entry, Parameters, Refusal};
use ringleader_model::{
    Circle, Coin, Goal, Marks, Ring, Safety, Scheduler, Stabilizing, Variables, View, Visitor, scalar_enum,
};

/// The algorithm for rings of `size` processes.
#[derive(Clone, Copy, Debug)]
pub struct FichJohnen {
    /// n, known to all processes.
    pub size: u32,
}

/// What a process is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(non_camel_case_types, reason = "the paper's tags")]
pub enum Tag {
    /// A follower that passes a challenge on.
    c,
    /// A follower that passes distances on.
    #[default]
    d,
    /// A beginner: a leader that still counts its own steps.
    B,
    /// A leader that challenges the next one.
    C,
    /// A leader.
    D,
}

scalar_enum!(Tag: c, d, B, C, D);

/// A tag and a value in 1..n.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// What the process is.
    pub tag: Tag,
    /// A distance, a strength or a count of steps.
    pub v: u32,
}

impl Variables for FichJohnen {
    type State = State;
    fn variables(&self, s: &mut State, v: &mut dyn Visitor) {
        v.symbol("tag", &["c", "d", "B", "C", "D"], &mut s.tag);
        v.range("v", 1, self.size.into(), &mut s.v);
    }
}

impl Ring for FichJohnen {
    /// The 18 actions; every pair has exactly one.
    fn act(&self, View { left, own, .. }: View<State>, coin: &mut impl Coin) -> State {
        use Tag::{B, C, D, c, d};
        let n = self.size;
        let (v_l, v) = (left.v, own.v);
        let next = 1 + v_l % n;
        let (action, tag, v) = match (left.tag, own.tag) {
            (B | D, c | d) => (1, d, 1),
            (d, c | d) if v_l != n - 1 => (2, d, next),
            (c | C, d) => (3, c, v_l),
            (C, c) => (4, d, 1),
            (c, c) => (5, B, 1),
            (d, c | d) => (6, B, 1),
            (B | c | d, B) if v != n => (7, B, v + 1),
            (d, B) => (8, D, next),
            (B, B) => (9, D, 1),
            (c, B) => (10, B, n),
            (C | D, B | C | D) => (11, d, 1),
            (B, C | D) => (12, D, 1),
            (c, C | D) if v >= v_l => (13, D, v),
            (c, C | D) => (14, d, n),
            (d, D) if v_l == n => (15, D, v),
            (d, D) if v_l != n - 1 => (16, C, 1 + v_l),
            (d, C) => (17, D, next),
            (d, D) => (18, D, n),
        };
        coin.fired(action);
        State { tag, v }
    }

    fn marks(&self, view: View<State>) -> Marks {
        match view.own.tag {
            Tag::B => Marks::LEADER | Marks::BEGINNER,
            Tag::C => Marks::LEADER | Marks::SIGNAL,
            Tag::D => Marks::LEADER,
            Tag::c => Marks::SIGNAL,
            Tag::d => Marks::NONE,
        }
    }
}

impl Stabilizing for FichJohnen {
    fn goal(&self) -> Goal {
        Goal::OneLeader
    }

    fn safety(&self) -> Safety {
        Safety::ForEver
    }

    fn correct(&self, c: &[State]) -> bool {
        Circle(c).only(|s| !matches!(s.tag, Tag::c | Tag::d)).is_some()
    }

    /// One (D, n), and (d, i) at distance i from it: nobody is enabled.
    fn safe(&self, c: &[State]) -> bool {
        let ring = Circle(c);
        let leader = State { tag: Tag::D, v: self.size };
        ring.only(|&s| s == leader)
            .is_some_and(|l| (1..c.len()).all(|i| ring[l + i] == State { tag: Tag::d, v: i as u32 }))
    }
}

impl Entry for FichJohnen {
    const CARD: Card = Card {
        name: "fich-johnen",
        source: include_str!("fich_johnen.rs"),
        summary: "silent and deterministic on unidirectional rings of prime size",
        citation: "F. E. Fich, C. Johnen: A space optimal, deterministic, self-stabilizing, leader election algorithm for \
                   unidirectional rings, DISC 2001, section 3",
        scheduler: Scheduler::Alternating,
        assumes: "alternating (Theorem 2); fair schedules through the alternator (Theorem 1)",
        states: "5n",
        claim: "self-stabilizing and silent: from every configuration one leader (D, n), then nobody is enabled; O(n³) steps",
        rules: "\
#   left       own         becomes                  when
 1. B, D       c, d        (d, 1)
 2. d          c, d        (d, 1 + (v_L mod n))     v_L != n-1
 3. c, C       d           (c, v_L)
 4. C          c           (d, 1)
 5. c          c           (B, 1)
 6. (d, n-1)   c, d        (B, 1)
 7. B, c, d    (B, v)      (B, v+1)                 v != n
 8. d          (B, n)      (D, 1 + (v_L mod n))
 9. B          (B, n)      (D, 1)
10. c          (B, n)      (B, n)
11. C, D       B, C, D     (d, 1)
12. B          C, D        (D, 1)
13. c          C, D        (D, v)                   v >= v_L
14. c          C, D        (d, n)                   v < v_L
15. (d, n)     D           (D, v)
16. d          D           (C, 1 + v_L)             v_L not n-1, n
17. d          C           (D, 1 + (v_L mod n))
18. (d, n-1)   D           (D, n)",
        shade: Some("v"),
        ..super::ON_PRIME_RINGS
    };

    fn build(p: &Parameters) -> Result<Self, Refusal> {
        Ok(FichJohnen { size: super::ring_size(2, Self::CARD.name, p)? })
    }

    fn supports(p: &Parameters) -> Result<(), Refusal> {
        Self::build(p)?;
        super::prime(Self::CARD.name, p.size, " (section 1)")
    }
}
