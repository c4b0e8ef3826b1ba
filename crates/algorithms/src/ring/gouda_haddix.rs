//! Gouda and Haddix's self-stabilizing token circulation on a unidirectional ring with a leader, in three bits.
//!
//! M. G. Gouda, F. F. Haddix: *The stabilizing token ring in three bits*, Journal of Parallel and Distributed Computing
//! 35(1), 1996; as used by Fich and Johnen, DISC 2001. One bit makes processes enabled, one makes tokens, and one says that
//! a token has been held up once: tokens move at different speeds, and so they meet.

use crate::{Card, Entry, Kind, Parameters, Refusal, Topology};
use ringleader_model::{Chain, Coin, Goal, Marks, Place, Ring, Safety, Stabilizing, Variables, View, Visitor};

/// The algorithm; it knows only which process is the bottom process.
#[derive(Clone, Copy, Debug)]
pub struct GoudaHaddix;

/// The paper's three bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// Enabling: compared with the left neighbour's.
    pub e: bool,
    /// Token: compared with the left neighbour's.
    pub t: bool,
    /// Ready: has held the token for a step already.
    pub r: bool,
}

impl Variables for GoudaHaddix {
    type State = State;
    fn variables(&self, s: &mut State, v: &mut dyn Visitor) {
        v.bit("e", &mut s.e);
        v.bit("t", &mut s.t);
        v.bit("r", &mut s.r);
    }
}

/// Whether a bit differs from what the process would copy: the left neighbour's, or at the bottom its opposite.
fn behind(at: Place, left: bool, own: bool) -> bool {
    own != (left ^ at.is_bottom())
}

/// Whether a process has the token.
fn token(View { at, left, own, .. }: View<State>) -> bool {
    behind(at, left.t, own.t)
}

impl Ring for GoudaHaddix {
    fn act(&self, view: View<State>, coin: &mut impl Coin) -> State {
        let View { at, left, own, .. } = view;
        if !behind(at, left.e, own.e) {
            return own;
        }
        let own = State { e: !own.e, ..own };
        if !token(view) {
            coin.fired(1);
            State { r: false, ..own }
        } else if own.t || own.r {
            coin.fired(2);
            State { t: !own.t, r: false, ..own }
        } else {
            coin.fired(3);
            State { r: true, ..own }
        }
    }

    fn marks(&self, view: View<State>) -> Marks {
        Marks::LEADER.when(view.at.is_bottom()) | Marks::TOKEN.when(token(view))
    }
}

impl Stabilizing for GoudaHaddix {
    fn goal(&self) -> Goal {
        Goal::OneToken
    }

    fn safety(&self) -> Safety {
        Safety::ForEver
    }

    /// One token. There is always one: values of t that change nowhere around the ring do not change at the bottom.
    fn correct(&self, c: &[State]) -> bool {
        (0..c.len()).filter(|&i| token(View::of(c, i, Chain::Ring))).count() == 1
    }

    /// One token: a process that gives up its token hands it to its right neighbour, and no other step makes one.
    fn safe(&self, c: &[State]) -> bool {
        self.correct(c)
    }
}

impl Entry for GoudaHaddix {
    const CARD: Card = Card {
        name: "gouda-haddix",
        source: include_str!("gouda_haddix.rs"),
        summary: "one token in three bits on a unidirectional ring that has a leader already",
        citation: "M. G. Gouda, F. F. Haddix: The stabilizing token ring in three bits, J. Parallel Distrib. Comput. 35(1), \
                   1996",
        kind: Kind::Ring,
        topology: Topology::DirectedRing,
        sizes: "n >= 2",
        knowledge: "which process is the bottom one: process 0",
        assumes: "unfair",
        states: "8",
        claim: "self-stabilizing: from every configuration exactly one token, which circulates for ever",
        recurring: Some(("service", "token[i]")),
        default_size: 16,
        rules: "\
A process is enabled if e_L != e, and has the token if t_L != t; the bottom process compares inversely: = for !=.
An enabled process sets e := e_L (the bottom one: not e_L), and
1. without the token: r := 0
2. with the token, if t = 1 or r = 1: t := t_L (the bottom one: not t_L), r := 0
3. with the token otherwise: r := 1",
        ..Card::BLANK
    };

    fn build(p: &Parameters) -> Result<Self, Refusal> {
        if p.size < 2 {
            return Err(Refusal::new(format!("gouda-haddix needs a ring of at least 2 processes, not {}", p.size)));
        }
        Ok(GoudaHaddix)
    }
}
