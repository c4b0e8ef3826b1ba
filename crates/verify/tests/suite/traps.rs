//! Certificates of failures whose truth brute force decides. They judge the checker, and each bug that a patch plants in it.

use crate::subjects::automaton;
use ringleader_verify::{
    Automaton, Cell, Coins, FailureCertificate, Goal, Move, Place, Possible, Rules, Scheduler, Sizes, State, Toss,
    Turn, Variable, verify_failure,
};

fn fails(rules: &Rules, modulus: usize, scheduler: Scheduler, coins: Coins, trap: Automaton) -> FailureCertificate {
    FailureCertificate {
        version: 1,
        subject: "a test".into(),
        text: None,
        rules: rules.clone(),
        sizes: Sizes { from: 3, modulus, residues: vec![0] },
        scheduler,
        coins,
        trap,
        measures: vec![],
        turns: vec![],
    }
}

/// The same for weakly fair schedules, with measures.
fn in_rounds(rules: &Rules, coins: Coins, trap: Automaton, measures: &[&str]) -> FailureCertificate {
    let measures = measures.iter().map(|m| m.to_string()).collect();
    FailureCertificate { measures, ..fails(rules, 1, Scheduler::WeaklyFair, coins, trap) }
}

/// The same for locally fair schedules on rings of at least some size, with turns.
fn in_turns(rules: &Rules, from: usize, trap: Automaton, turns: &[(usize, &str, &[&str])]) -> FailureCertificate {
    let turn = |(of, within, measures): &(usize, &str, &[&str])| Turn {
        of: *of,
        within: within.to_string(),
        measures: measures.iter().map(|m| m.to_string()).collect(),
    };
    let turns = turns.iter().map(turn).collect();
    let sizes = Sizes { from, modulus: 1, residues: vec![0] };
    FailureCertificate { turns, sizes, ..fails(rules, 1, Scheduler::LocallyFair, Coins::Adversarial, trap) }
}

/// An interaction with the right neighbour.
fn meet(place: Option<Place>, own: (State, State), right: (State, State)) -> Move {
    Move { right: Some(Cell { before: right.0, after: right.1 }), ..step(place, None, own.0, own.1) }
}

/// Certificates for locally fair schedules, each with whether it holds.
fn of_turns() -> Vec<(FailureCertificate, bool)> {
    // Tokens move to the right, and two that meet become one. In the trap they are apart, and one has room for two moves.
    let tokens = vec![meet(None, (1, 0), (0, 1)), meet(None, (1, 0), (1, 1))];
    let few = "!(x=1 & X (!root U (!root & x=1)))";
    let tokens = Rules { possible: Possible::all(2), ..table(tokens, vec![], few) };
    let apart = || {
        let next = |at: Option<(usize, usize, usize, bool)>, s: usize| match at {
            _ if s == 2 => None,
            None => Some(Some((s, s, s, false))),
            Some((_, 1, ..)) if s == 1 => None,
            Some((first, last, tokens, room)) => Some(Some((first, s, (tokens + s).min(2), room || last + s == 0))),
        };
        let ends = |at: Option<(usize, usize, usize, bool)>| {
            at.is_some_and(|(first, last, tokens, room)| first + last < 2 && tokens > 1 && (room || first + last == 0))
        };
        automaton(3, None, next, ends)
    };
    let room = "C:(!(x=1 & X X x=0) S here)";
    // The bottom goes between 0 and each of 1 and 2. It must not be 1 while the top is 1, which changes while the bottom is 2.
    let bottom = |before, after| meet(Some(Place::Bottom), (before, after), (0, 0));
    let top = |before, after| meet(Some(Place::Top), (before, after), (2, 2));
    let moves = vec![bottom(0, 1), bottom(1, 0), bottom(0, 2), bottom(2, 0), top(0, 1), top(1, 0)];
    let possible = Possible { bottom: vec![0, 1, 2], middle: vec![0], top: vec![0, 1] };
    let swing = Rules { possible, ..table(moves, vec![], "(!root | (x=1 & Y x=1))") };
    let never = |both: bool| {
        let next = |(first, _): (Option<usize>, usize), s| Some((first.or(Some(s)), s));
        automaton(3, (None, 0), next, move |(first, last)| both || first != Some(1) || last != 1)
    };
    let away = ["C:(top & x=1)", "C:(root & !x=2)"];
    vec![
        (in_turns(&tokens, 5, apart(), &[(0, "0", &[room])]), true),
        (in_turns(&tokens, 5, apart(), &[]), false),
        (in_turns(&tokens, 5, apart(), &[(0, "0", &["C:!(!(x=1 & X X x=0) S here)"])]), false),
        (in_turns(&swing, 3, never(false), &[(0, "root", &away)]), true),
        (in_turns(&swing, 3, never(false), &[(0, "1", &away)]), false),
        (in_turns(&swing, 3, never(false), &[(0, "0", &away)]), false),
        (in_turns(&swing, 3, never(false), &[(0, "root", &[])]), false),
        (in_turns(&swing, 3, never(false), &[(0, "root", &["C:(root & x=0)"])]), false),
        (in_turns(&swing, 3, never(false), &[(0, "0", &["C:(root & x=0)"])]), false),
        (in_turns(&swing, 3, never(false), &[]), false),
        (in_turns(&swing, 3, never(true), &[]), true),
    ]
}

fn table(moves: Vec<Move>, tosses: Vec<Toss>, goal: &str) -> Rules {
    Rules {
        states: ["0", "1", "2"].map(String::from).to_vec(),
        variables: vec![Variable { name: "x".into(), size: 3, values: vec![0, 1, 2] }],
        marks: vec![],
        rules: vec!["go".into()],
        moves,
        tosses,
        given: None,
        possible: Possible::all(3),
        detector: None,
        goal: Goal::Everywhere { formula: goal.into() },
    }
}

fn step(place: Option<Place>, left: Option<State>, before: State, after: State) -> Move {
    let left = left.map(|s| Cell { before: s, after: s });
    Move { rule: 0, place, seen: None, left, own: Cell { before, after }, right: None }
}

/// Certificates, each with whether it holds.
pub(crate) fn traps() -> Vec<(FailureCertificate, bool)> {
    use Coins::{Adversarial, Fair};
    use Scheduler::{Distributed, GloballyFair, Synchronous, Unfair};
    // Every agent copies its left neighbour.
    let copies = (0..3).flat_map(|left| (0..3).filter(move |own| *own != left).map(move |own| (left, own)));
    let copy = table(copies.map(|(left, own)| step(None, Some(left), own, left)).collect(), vec![], "x~0");
    let mixed = || {
        automaton(
            3,
            (None, false),
            |(first, mixed): (Option<usize>, bool), s| {
                Some((first.or(Some(s)), mixed || first.is_some_and(|first| first != s)))
            },
            |(_, mixed)| mixed,
        )
    };
    let only = |states: &'static [usize]| automaton(3, (), move |(), s| states.contains(&s).then_some(()), |()| true);
    // The bottom tosses a coin: 0 becomes 1 or 2, and 2 becomes 0. The promise is that no agent is in state 0 or 2.
    let bottom = |before, after| step(Some(Place::Bottom), None, before, after);
    let moves = vec![bottom(0, 1), bottom(0, 2), bottom(2, 0)];
    let toss = |idle| table(moves.clone(), vec![Toss { outcomes: vec![0, 1], idle }], "x=1");
    let bottom_waits =
        || automaton(3, true, |first, s| (!first && s == 1 || first && s != 1).then_some(false), |first| !first);
    // The bottom counts round; the promise is broken in two of three configurations.
    let rounds = |goal| table(vec![bottom(0, 1), bottom(1, 2), bottom(2, 0)], vec![], goal);
    let all = || only(&[0, 1, 2]);
    let even =
        || automaton(3, (true, false), |(even, mixed), s| Some((!even, mixed || s > 0)), |(even, mixed)| even && mixed);
    // Agents in state 0 become 1, and nothing else happens.
    let raise = table(vec![step(None, None, 0, 1)], vec![], "x=1");
    // The bottom goes to and fro for ever. Others in state 0 become 1; as promised all do.
    let swing = [bottom(0, 2), bottom(2, 0)];
    let apart = |place| step(Some(place), None, 0, 1);
    let late = table([&swing[..], &[apart(Place::Middle), apart(Place::Top)]].concat(), vec![], "(root | x=1)");
    let some_late = || {
        let next = |(size, late): (usize, bool), s| match (size, s) {
            (0, 0 | 2) => Some((1, false)),
            (1, 0 | 1) => Some((1, late || s == 0)),
            _ => None,
        };
        automaton(3, (0, false), next, |(_, late)| late)
    };
    // An agent in state 1 to the right of the bottom in state 0 can act, until the bottom goes on.
    let between = table([&swing[..], &[step(Some(Place::Middle), Some(0), 1, 2)]].concat(), vec![], "x=2");
    let plain = vec![
        (in_rounds(&copy, Adversarial, mixed(), &["C:(here & X go)"]), true),
        (in_rounds(&copy, Fair, mixed(), &["C:(here & X go)"]), true),
        (in_rounds(&copy, Adversarial, mixed(), &[]), false),
        (in_rounds(&copy, Adversarial, mixed(), &["C:!(here & X go)"]), false),
        (in_rounds(&copy, Adversarial, all(), &["C:(here & X go)"]), false),
        (fails(&late, 1, Unfair, Adversarial, some_late()), true),
        (in_rounds(&late, Adversarial, some_late(), &[]), false),
        (in_rounds(&between, Adversarial, bottom_waits(), &[]), true),
        (in_rounds(&rounds("(!root | x=1)"), Adversarial, all(), &[]), true),
        (in_rounds(&rounds("(!root | !x=1)"), Adversarial, all(), &[]), false),
        (in_rounds(&raise, Adversarial, only(&[2]), &[]), true),
        (in_rounds(&raise, Adversarial, only(&[1]), &[]), false),
        (in_rounds(&toss(false), Fair, bottom_waits(), &[]), false),
        (fails(&copy, 1, Unfair, Adversarial, mixed()), true),
        (fails(&copy, 1, Unfair, Fair, mixed()), true),
        (fails(&copy, 1, Distributed, Fair, mixed()), true),
        (fails(&copy, 1, Synchronous, Adversarial, mixed()), true),
        (fails(&copy, 1, GloballyFair, Adversarial, mixed()), false),
        (fails(&copy, 1, Unfair, Adversarial, all()), false),
        (fails(&toss(false), 1, Unfair, Fair, bottom_waits()), false),
        (fails(&toss(false), 1, Unfair, Adversarial, bottom_waits()), true),
        (fails(&toss(false), 1, Distributed, Fair, bottom_waits()), false),
        (fails(&toss(false), 1, Distributed, Adversarial, bottom_waits()), true),
        (fails(&toss(true), 1, Synchronous, Adversarial, bottom_waits()), true),
        (fails(&toss(true), 1, Synchronous, Fair, bottom_waits()), false),
        (fails(&rounds("(!root | x=1)"), 1, Unfair, Adversarial, all()), true),
        (fails(&rounds("(!root | x=1)"), 1, GloballyFair, Adversarial, all()), true),
        (fails(&rounds("(!root | x=1)"), 1, Synchronous, Fair, all()), true),
        (fails(&rounds("(!root | !x=1)"), 1, Unfair, Adversarial, all()), false),
        (fails(&rounds("(!root | !x=1)"), 1, Synchronous, Fair, all()), false),
        (fails(&raise, 1, Unfair, Adversarial, only(&[2])), true),
        (fails(&raise, 1, GloballyFair, Adversarial, only(&[1, 2])), false),
        (fails(&raise, 1, GloballyFair, Adversarial, only(&[0, 2])), false),
        (fails(&raise, 1, Synchronous, Fair, only(&[2])), true),
        (fails(&raise, 1, Unfair, Adversarial, only(&[1])), false),
        (fails(&raise, 1, Unfair, Adversarial, only(&[0])), false),
        (fails(&raise, 1, Unfair, Adversarial, only(&[])), false),
        (fails(&table(vec![], vec![], "x=0"), 1, Unfair, Adversarial, even()), false),
        (fails(&table(vec![], vec![], "x=0"), 2, Unfair, Adversarial, even()), true),
    ];
    [plain, of_turns()].concat()
}

/// How often the checker is wrong.
pub(crate) fn misjudged(traps: &[(FailureCertificate, bool)]) -> usize {
    traps.iter().filter(|(certificate, holds)| verify_failure(certificate).is_ok() != *holds).count()
}
