//! Fischer and Jiang's self-stabilizing leader election for complete graphs.
//!
//! M. J. Fischer, H. Jiang: *Self-stabilizing leader election in networks of finite-state anonymous agents*, OPODIS 2006,
//! Algorithm 1.

use crate::{Card, Entry, Kind, Law, Parameters, Refusal, Topology};
use ringleader_model::{Circle, Coin, Goal, Marks, Population, Safety, Stabilizing, Told, Variables, Visitor};

/// The protocol; it knows only the answers of the leader detector Ω?.
#[derive(Clone, Copy, Debug)]
pub struct FischerJiangComplete;

/// One slot: the leader mark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// L, or empty.
    pub leader: bool,
}

impl Variables for FischerJiangComplete {
    type State = State;
    fn variables(&self, s: &mut State, v: &mut dyn Visitor) {
        v.bit("leader", &mut s.leader);
    }
}

impl Population for FischerJiangComplete {
    fn hears(&self) -> bool {
        true
    }

    fn interact(&self, u: State, v: State, told: Told, coin: &mut impl Coin) -> (State, State) {
        match (u.leader, told.initiator, v.leader) {
            (true, _, true) => {
                coin.fired(1);
                (u, State { leader: false })
            }
            (false, false, false) => {
                coin.fired(2);
                (State { leader: true }, v)
            }
            _ => (u, v),
        }
    }

    fn marks(&self, s: &State) -> Marks {
        Marks::LEADER.when(s.leader)
    }
}

impl Stabilizing for FischerJiangComplete {
    fn goal(&self) -> Goal {
        Goal::OneLeader
    }

    fn safety(&self) -> Safety {
        Safety::ForEver
    }

    fn correct(&self, c: &[State]) -> bool {
        Circle(c).only(|s| s.leader).is_some()
    }

    /// One leader: no other leader can make it resign, and a truthful detector creates no second one.
    fn safe(&self, c: &[State]) -> bool {
        self.correct(c)
    }
}

impl Entry for FischerJiangComplete {
    const CARD: Card = Card {
        name: "fischer-jiang-complete",
        source: include_str!("fischer_jiang_complete.rs"),
        summary: "two leaders meet, one resigns; an oracle says when there is none",
        citation: "M. J. Fischer, H. Jiang: Self-stabilizing leader election in networks of finite-state anonymous \
                   agents, OPODIS 2006, Algorithm 1",
        kind: Kind::Population,
        topology: Topology::Complete,
        sizes: "n >= 2",
        assumes: "locally fair or globally fair (Theorem 3)",
        oracle: Some("the leader detector Ω?"),
        states: "2",
        claim: "self-stabilizing: from every configuration exactly one leader, for ever",
        default_size: 16,
        rules: "\
1. (L, any), (L, any) -> L, -    two leaders meet: the responder resigns
2. (-, F),   (-, any) -> L, -    the detector says there is none: the initiator becomes leader
3. otherwise nothing changes",
        law: Some(Law {
            claim: "(n - 1)² from all leaders",
            size: 2,
            logs: 0,
            bound: 0,
            source: "k leaders lose one in n(n-1)/(k(k-1)) steps",
        }),
        ..Card::BLANK
    };

    fn build(_: &Parameters) -> Result<Self, Refusal> {
        Ok(FischerJiangComplete)
    }

    fn supports(p: &Parameters) -> Result<(), Refusal> {
        super::at_least(2, &Self::CARD, p, "an interaction takes two")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringleader_model::NoCoin;

    /// Algorithm 1, all eight combinations of initiator, its input and responder.
    #[test]
    fn algorithm_1() {
        let table = [
            ((true, true, true), (true, false)),
            ((true, false, true), (true, false)),
            ((true, true, false), (true, false)),
            ((true, false, false), (true, false)),
            ((false, true, true), (false, true)),
            ((false, false, true), (false, true)),
            ((false, true, false), (false, false)),
            ((false, false, false), (true, false)),
        ];
        for ((u, x, v), expected) in table {
            for y in [false, true] {
                let after = FischerJiangComplete.interact(
                    State { leader: u },
                    State { leader: v },
                    Told::each(x, y),
                    &mut NoCoin,
                );
                assert_eq!((after.0.leader, after.1.leader), expected, "{u} {x} {v}");
            }
        }
    }
}
