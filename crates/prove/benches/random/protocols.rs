//! Random protocols, each a function of its model and its seed.

use crate::dice::Dice;
use ringleader_verify::{Cell, Goal, Move, Place, Possible, Rules, Scheduler, State, Variable};

/// The kind of system that a protocol is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Model {
    /// Agents of a directed ring meet their right neighbours. No agent is distinguished; half of the protocols have a leader detector.
    Population,
    /// Processes on a ring read their left neighbour. Process 0 has rules of its own.
    Ring,
    /// Processes on a line read their neighbours. The two ends have rules of their own.
    Line,
    /// Any two agents meet.
    Complete,
}

impl Model {
    pub(crate) const ALL: [(&str, Model); 4] = [
        ("population", Model::Population),
        ("ring", Model::Ring),
        ("line", Model::Line),
        ("complete", Model::Complete),
    ];
}

/// A protocol and the scheduler of its claim.
#[derive(Clone, Debug)]
pub(crate) struct Protocol {
    pub(crate) seed: u64,
    pub(crate) rules: Rules,
    pub(crate) scheduler: Scheduler,
}

impl Protocol {
    /// The protocol of a seed: two to four local states, and few or many moves.
    pub(crate) fn new(model: Model, seed: u64) -> Protocol {
        let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ model as u64);
        dice.below(2);
        let q = 2 + dice.below(3);
        let scheduler = if dice.below(2) == 0 { Scheduler::Unfair } else { Scheduler::GloballyFair };
        let meets = matches!(model, Model::Population | Model::Complete);
        let goals = if meets { 0..4 } else { 2..8 };
        let goal = goals.start + dice.below(goals.len());
        let detector = (meets && goal < 2 && dice.below(2) == 0).then(|| vec![0]);
        let density = 1 + dice.below(4);
        let moves = match meets {
            true => meetings(&mut dice, q, density, detector.is_some()),
            false => readings(&mut dice, q, density, model == Model::Line),
        };
        let names = (0..q).map(|s| format!("to{s}")).collect::<Vec<_>>();
        let exactly_one = |of: Vec<String>, stays| Goal::ExactlyOne { of, stays };
        let everywhere = |formula: String| Goal::Everywhere { formula };
        let goal = match goal {
            0 => exactly_one(vec!["x=0".into()], true),
            1 => exactly_one(vec!["x=0".into()], false),
            2 => everywhere("!x=1".into()),
            3 => everywhere("x=0".into()),
            4 => exactly_one(names.clone(), false),
            5 => exactly_one(vec!["x=0".into()], false),
            6 => everywhere(names.iter().fold("1".into(), |all, name| format!("({all} & !{name})"))),
            _ => everywhere(if model == Model::Line { "(root | !x~0)".into() } else { "x~0".into() }),
        };
        let rules = Rules {
            states: (0..q).map(|s| s.to_string()).collect(),
            variables: vec![Variable { name: "x".into(), size: q as u8, values: (0..q as u8).collect() }],
            marks: vec![],
            rules: names,
            moves,
            tosses: vec![],
            given: None,
            possible: Possible::all(q),
            detector,
            goal,
        };
        Protocol { seed, rules, scheduler }
    }
}

/// A number below `q` other than `this`.
fn other(dice: &mut Dice, q: usize, this: State) -> State {
    ((usize::from(this) + 1 + dice.below(q - 1)) % q) as State
}

/// Interactions of an initiator and a responder. Each of the two may change.
fn meetings(dice: &mut Dice, q: usize, density: usize, hears: bool) -> Vec<Move> {
    let mut moves = Vec::new();
    for code in 0..q * q {
        let [own, right] = [code / q, code % q].map(|s| s as State);
        let answers: &[Option<bool>] = if hears { &[Some(false), Some(true)] } else { &[None] };
        for &seen in answers {
            if dice.below(5) >= density {
                continue;
            }
            let who = dice.below(3);
            let new = |dice: &mut Dice, before: State, changes: bool| match changes {
                true => Cell { before, after: other(dice, q, before) },
                false => Cell { before, after: before },
            };
            let (own, right) = (new(dice, own, who != 1), new(dice, right, who != 0));
            moves.push(Move { rule: usize::from(own.after), place: None, seen, left: None, own, right: Some(right) });
        }
    }
    moves
}

/// Steps of processes that read the left neighbour (on a line: both), and change their own state.
fn readings(dice: &mut Dice, q: usize, density: usize, line: bool) -> Vec<Move> {
    let views = |reads: bool| if reads { (0..q as State).map(Some).collect() } else { vec![None] };
    let (ring_places, line_places): (&[&[Place]], &[&[Place]]) =
        (&[&[Place::Bottom], &[Place::Middle, Place::Top]], &[&[Place::Bottom], &[Place::Middle], &[Place::Top]]);
    let mut moves = Vec::new();
    for places in if line { line_places } else { ring_places } {
        let lefts: Vec<Option<State>> = views(!line || places[0] != Place::Bottom);
        let rights: Vec<Option<State>> = views(line && places[0] != Place::Top);
        let seen = lefts.iter().flat_map(|l| (0..q as State).map(move |own| (*l, own)));
        for (left, own, right) in seen.flat_map(|(l, own)| rights.iter().map(move |r| (l, own, *r))) {
            if dice.below(5) >= density {
                continue;
            }
            let same = |s: Option<State>| s.map(|s| Cell { before: s, after: s });
            let own = Cell { before: own, after: other(dice, q, own) };
            let (left, right, rule) = (same(left), same(right), usize::from(own.after));
            let at = |place: &Place| Move { rule, place: Some(*place), seen: None, left, own, right };
            moves.extend(places.iter().map(at));
        }
    }
    moves
}
