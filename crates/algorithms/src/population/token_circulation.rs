//! Angluin, Aspnes, Fischer and Jiang's self-stabilizing token circulation on a directed ring with a leader.
//!
//! D. Angluin, J. Aspnes, M. J. Fischer, H. Jiang: *Self-stabilizing population protocols*, ACM TAAS 3(4), 2008.
//! Followers copy the label of their left neighbour, the leader contradicts it; the token moves with the change.

use crate::{Card, Entry, Parameters, Refusal};
use ringleader_model::{Circle, Coin, Goal, Marks, Population, Safety, Stabilizing, Told, Variables, Visitor};

/// The protocol; agent 0 is the leader.
#[derive(Clone, Copy, Debug)]
pub struct TokenCirculation;

/// Three bits, of which the first is given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// Whether this is the leader: given, and out of reach of every fault.
    pub leader: bool,
    /// The label b.
    pub label: bool,
    /// The output.
    pub token: bool,
}

impl Variables for TokenCirculation {
    type State = State;
    fn variables(&self, s: &mut State, v: &mut dyn Visitor) {
        v.bit("leader", &mut s.leader);
        v.bit("label", &mut s.label);
        v.bit("token", &mut s.token);
    }
}

/// Whether the token moves from the left agent to the right one.
fn moves(left: &State, right: &State) -> bool {
    right.leader == (left.label == right.label)
}

impl Population for TokenCirculation {
    fn interact(&self, u: State, v: State, _: Told, coin: &mut impl Coin) -> (State, State) {
        if !moves(&u, &v) {
            return (u, v);
        }
        coin.fired(if v.leader { 1 } else { 2 });
        (State { token: false, ..u }, State { label: !v.label, token: true, ..v })
    }

    fn marks(&self, s: &State) -> Marks {
        Marks::LEADER.when(s.leader) | Marks::TOKEN.when(s.token)
    }
}

impl Stabilizing for TokenCirculation {
    fn goal(&self) -> Goal {
        Goal::OneToken
    }

    fn safety(&self) -> Safety {
        Safety::ForEver
    }

    fn correct(&self, c: &[State]) -> bool {
        Circle(c).only(|s| s.token).is_some()
    }

    /// One token, at one of the two agents of the only arc on which something happens.
    ///
    /// A step there leaves the token at its right agent and moves the arc on by one. Some such arc there always is: labels
    /// that change nowhere around the ring do not change at the leader.
    fn safe(&self, c: &[State]) -> bool {
        let ring = Circle(c);
        let mut moving = (0..c.len()).filter(|&i| moves(&ring[i], &ring[i + 1]));
        match (ring.only(|s| s.token), moving.next(), moving.next()) {
            (Some(token), Some(left), None) => token == left || token == (left + 1) % c.len(),
            _ => false,
        }
    }

    fn restore(&self, c: &mut [State]) {
        for (i, s) in c.iter_mut().enumerate() {
            s.leader = i == 0;
        }
    }
}

impl Entry for TokenCirculation {
    const CARD: Card = Card {
        name: "token-circulation",
        source: include_str!("token_circulation.rs"),
        summary: "one token on a directed ring that has a leader already",
        citation: "D. Angluin, J. Aspnes, M. J. Fischer, H. Jiang: Self-stabilizing population protocols, ACM TAAS 3(4), \
                   2008",
        sizes: "n >= 2",
        knowledge: "who the leader is: agent 0, which no fault can change",
        assumes: "globally fair",
        states: "4, and the given leader bit",
        claim: "self-stabilizing: from all labels and tokens to exactly one token, which circulates for ever",
        recurring: Some(("service", "token[i]")),
        rules: "\
1. v is the leader and label_u = label_v:    label_v := not label_u, and the token moves from u to v
2. v is a follower and label_u != label_v:   label_v := label_u, and the token moves from u to v
(a moving token leaves none behind, and appears at v even if u had none)",
        shade: Some("label"),
        ..super::ON_DIRECTED_RINGS
    };

    fn build(_: &Parameters) -> Result<Self, Refusal> {
        Ok(TokenCirculation)
    }

    fn supports(p: &Parameters) -> Result<(), Refusal> {
        super::at_least(2, &Self::CARD, p, "an interaction takes two")
    }
}
