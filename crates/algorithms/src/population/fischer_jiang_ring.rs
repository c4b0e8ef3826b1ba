//! Fischer and Jiang's self-stabilizing leader election for directed rings.
//!
//! M. J. Fischer, H. Jiang: *Self-stabilizing leader election in networks of finite-state anonymous agents*, OPODIS 2006,
//! Algorithm 2. Leaders fire bullets that run counter-clockwise and kill unshielded leaders; shields run clockwise and
//! absorb bullets. Around the ring clockwise the slots of an agent come in the order bullet, leader, shield.

use crate::population::YOKOTA_TABLE_1;
use crate::{Card, Entry, Law, Parameters, Refusal};
use ringleader_model::{Circle, Coin, Goal, Marks, Population, Safety, Stabilizing, Told, Variables, Visitor};

/// The protocol; it knows only the answers of the leader detector Ω?.
#[derive(Clone, Copy, Debug)]
pub struct FischerJiangRing;

/// Three slots, each empty or full.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// B
    pub bullet: bool,
    /// L
    pub leader: bool,
    /// S
    pub shield: bool,
}

impl Variables for FischerJiangRing {
    type State = State;
    fn variables(&self, s: &mut State, v: &mut dyn Visitor) {
        v.bit("bullet", &mut s.bullet);
        v.bit("leader", &mut s.leader);
        v.bit("shield", &mut s.shield);
    }
}

impl Population for FischerJiangRing {
    fn hears(&self) -> bool {
        true
    }

    fn interact(&self, u: State, v: State, told: Told, coin: &mut impl Coin) -> (State, State) {
        let fires = State { bullet: true, leader: true, shield: false };
        let (rule, u, v) = match (told.initiator, u, v) {
            (false, ..) => (1, State { shield: true, ..fires }, v),
            (true, State { leader: false, shield: true, .. }, _) => {
                (2, State { shield: false, ..u }, State { bullet: false, shield: true, ..v })
            }
            (true, State { leader: true, shield: true, .. }, _) => {
                (3, fires, State { bullet: false, shield: true, ..v })
            }
            (true, State { leader: true, shield: false, .. }, State { bullet: false, .. }) => (4, fires, v),
            (true, State { shield: false, .. }, State { bullet: true, .. }) => {
                (5, State { bullet: true, leader: false, shield: false }, State { bullet: false, ..v })
            }
            (true, ..) => return (u, v),
        };
        coin.fired(rule);
        (u, v)
    }

    fn marks(&self, s: &State) -> Marks {
        Marks::LEADER.when(s.leader) | Marks::BULLET.when(s.bullet) | Marks::SHIELD.when(s.shield)
    }
}

impl FischerJiangRing {
    /// Whether the leader at `i` is protected: clockwise from its mark the first slot that is not empty has a shield.
    ///
    /// Shields run ahead of the leader and absorb what comes towards it; bullets cannot overtake one.
    pub fn protected(&self, c: &[State], i: usize) -> bool {
        let ring = Circle(c);
        ring[i].shield
            || (1..c.len())
                .map(|d| ring[i + d])
                .find(|s| s.bullet || s.leader || s.shield)
                .is_some_and(|first| !first.bullet && !first.leader)
    }
}

impl Stabilizing for FischerJiangRing {
    fn goal(&self) -> Goal {
        Goal::OneLeader
    }

    fn safety(&self) -> Safety {
        Safety::ForEver
    }

    fn correct(&self, c: &[State]) -> bool {
        Circle(c).only(|s| s.leader).is_some()
    }

    /// Exactly one leader, and it is protected.
    fn safe(&self, c: &[State]) -> bool {
        Circle(c).only(|s| s.leader).is_some_and(|leader| self.protected(c, leader))
    }
}

impl Entry for FischerJiangRing {
    const CARD: Card = Card {
        name: "fischer-jiang-ring",
        source: include_str!("fischer_jiang_ring.rs"),
        summary: "leaders fire bullets, shields absorb them; an oracle says when no leader is left",
        citation: "M. J. Fischer, H. Jiang: Self-stabilizing leader election in networks of finite-state anonymous \
                   agents, OPODIS 2006, Algorithm 2",
        sizes: "n >= 3",
        assumes: "globally fair (Theorem 5); not locally fair (Theorem 4)",
        oracle: Some("the leader detector Ω?"),
        states: "8",
        claim: "self-stabilizing: from every configuration exactly one leader, for ever, in Θ(n³) expected steps; \
                one shield remains and circulates",
        rules: "\
#  initiator, its input   responder      become
1. * * *  F               * * *      ->  B L S   * * *
2. * - S  T               * * *      ->  * - -   - * S
3. * L S  T               * * *      ->  B L -   - * S
4. * L -  T               - * *      ->  B L -   - * *
5. * * -  T               B * *      ->  B - -   - * *
(slots: bullet, leader, shield; * matches anything on the left and means unchanged on the right)",
        law: Some(Law { claim: "Θ(n³)", size: 3, logs: 0, bound: 0, source: YOKOTA_TABLE_1 }),
        ..super::ON_DIRECTED_RINGS
    };

    fn build(_: &Parameters) -> Result<Self, Refusal> {
        Ok(FischerJiangRing)
    }

    fn supports(p: &Parameters) -> Result<(), Refusal> {
        let why = "on two agents `B L -`, `- L S` keeps two leaders for ever, an exception that Theorem 5 (section 5.2) does not \
                   mention";
        super::at_least(3, &Self::CARD, p, why)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringleader_model::{NoCoin, number};

    fn state(slots: &str) -> State {
        let at = |i: usize| slots.as_bytes()[i] != b'-';
        State { bullet: at(0), leader: at(1), shield: at(2) }
    }

    /// Whether `slots` matches a pattern, where `*` matches anything.
    fn matches(s: State, pattern: &str) -> bool {
        let slots = [s.bullet, s.leader, s.shield];
        pattern.bytes().zip(slots).all(|(p, full)| p == b'*' || (p != b'-') == full)
    }

    fn becomes(s: State, pattern: &str) -> State {
        let slot = |i: usize, old| match pattern.as_bytes()[i] {
            b'*' => old,
            p => p != b'-',
        };
        State { bullet: slot(0, s.bullet), leader: slot(1, s.leader), shield: slot(2, s.shield) }
    }

    /// Algorithm 2's table, over all 128 combinations; at most one rule applies to each.
    #[test]
    fn algorithm_2() {
        let table = [
            ("***", false, "***", "BLS", "***"),
            ("*-S", true, "***", "*--", "-*S"),
            ("*LS", true, "***", "BL-", "-*S"),
            ("*L-", true, "-**", "BL-", "-**"),
            ("**-", true, "B**", "B--", "-**"),
        ];
        for u in number::all(&FischerJiangRing) {
            for v in number::all(&FischerJiangRing) {
                for x in [false, true] {
                    let rules: Vec<_> =
                        table.iter().filter(|r| matches(u, r.0) && x == r.1 && matches(v, r.2)).collect();
                    assert!(rules.len() <= 1);
                    let expected = rules.first().map_or((u, v), |r| (becomes(u, r.3), becomes(v, r.4)));
                    assert_eq!(FischerJiangRing.interact(u, v, Told::each(x, true), &mut NoCoin), expected);
                }
            }
        }
    }

    #[test]
    fn protected_by_the_first_token_clockwise() {
        let ring = |slots: [&str; 3]| slots.map(state);
        assert!(FischerJiangRing.safe(&ring(["-LS", "B--", "B--"])));
        assert!(FischerJiangRing.safe(&ring(["BL-", "--S", "B--"])));
        assert!(!FischerJiangRing.safe(&ring(["-L-", "B-S", "---"])));
        assert!(!FischerJiangRing.safe(&ring(["-L-", "---", "---"])));
        assert!(!FischerJiangRing.safe(&ring(["BL-", "---", "---"])));
        assert!(!FischerJiangRing.safe(&ring(["-LS", "-L-", "---"])));
    }
}
