//! Random protocols for tests.

use super::dice::Dice;
use ringleader_verify::{Cell, Goal, Move, Place, Possible, Rules, State, Variable};

/// Interactions of neighbours, or processes that read one neighbour or both, some with a bottom; two or three states.
pub(crate) fn random(dice: &mut Dice) -> Rules {
    let q = 2 + dice.below(2);
    let kind = dice.below(4);
    let bottom = dice.below(2) == 0;
    let mut moves = Vec::new();
    for code in 0..q * q * q {
        let [l, o, r] = [code / (q * q), code / q % q, code % q].map(|s| s as State);
        let same = |s| Some(Cell { before: s, after: s });
        for place in [None, Some(Place::Bottom), Some(Place::Middle), Some(Place::Top)] {
            if place.is_some() != bottom || dice.below(3) == 0 || kind < 3 && r > 0 && kind != 0 {
                continue;
            }
            let new = |dice: &mut Dice| dice.below(q) as State;
            let own = Cell { before: o, after: new(dice) };
            let (left, right) = match kind {
                0 if l > 0 => continue,
                0 => (None, Some(Cell { before: r, after: new(dice) })),
                1 | 2 => (same(l), None),
                _ => (same(l), same(r)),
            };
            let m = Move { rule: 0, place, seen: None, left, own, right };
            if m.cells().iter().any(|c| c.before != c.after) {
                moves.push(m);
            }
        }
    }
    let goals = [
        Goal::ExactlyOne { of: vec!["x=0".into()], stays: true },
        Goal::ExactlyOne { of: vec!["x=0".into()], stays: false },
        Goal::ExactlyOne { of: vec!["x~1".into()], stays: false },
        Goal::ExactlyOne { of: vec!["go".into()], stays: false },
        Goal::Everywhere { formula: "x~0".into() },
        Goal::Everywhere { formula: "!x=1".into() },
        Goal::Everywhere { formula: "!go".into() },
    ];
    Rules {
        states: (0..q).map(|s| s.to_string()).collect(),
        variables: vec![Variable { name: "x".into(), size: q as u8, values: (0..q as u8).collect() }],
        marks: vec![],
        rules: vec!["go".into()],
        moves,
        tosses: vec![],
        given: None,
        possible: Possible::all(q),
        detector: None,
        goal: goals[dice.below(goals.len())].clone(),
    }
}
