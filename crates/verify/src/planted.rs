//! The checker is judged by certificates of which brute force knows the truth; and so is each bug that is planted in it.

#[path = "../tests/suite/brute.rs"]
#[allow(dead_code)]
mod brute;
#[path = "../tests/suite/subjects.rs"]
#[allow(dead_code)]
mod subjects;

use crate::{
    Automaton, Cell, Certificate, Claim, CompleteCertificate, Goal, Graphs, Move, Possible, Range, Rejection, Rules,
    Scheduler, Sizes, State, Variable, verify, verify_complete,
};
use std::cell::Cell as Slot;
use subjects::*;

thread_local! {
    static PLANTED: Slot<&'static str> = const { Slot::new("") };
}

pub(crate) fn planted(fault: &str) -> bool {
    PLANTED.get() == fault
}

/// Runs something with a bug; "" is none.
fn with<T>(fault: &'static str, run: impl FnOnce() -> T) -> T {
    PLANTED.set(fault);
    let result = run();
    PLANTED.set("");
    result
}

/// The bugs in the check of rings, and what each is.
const FAULTS: [(&str, &str); 11] = [
    ("seam", "moves across the seam are forgotten"),
    ("reason", "a formula's value is believed all the way round without a reason"),
    ("saturation", "sums that grow too large come back to the bound"),
    ("order", "a step is taken for a fall though a measure rises before"),
    ("projection", "steps that do not fall are kept when they are projected"),
    ("inclusion", "a configuration from which no run of the steps goes on is left out"),
    ("closure", "the next configuration need not be safe"),
    ("leader", "a leader may move"),
    ("promise", "two tokens are as good as one"),
    ("possible", "steps may lead to what is no configuration"),
    ("lies", "leaders that are to last though the detector lies are looked at as if it did not"),
];

/// An agent's state is a bit y. Agents between bottom and top have 0 for ever.
fn bits(bottom: &[State], top: &[State], moves: Vec<Move>, stays: bool) -> Rules {
    Rules {
        states: vec!["0".into(), "1".into()],
        variables: vec![Variable { name: "y".into(), size: 2, values: vec![0, 1] }],
        marks: vec![],
        rules: vec!["go".into()],
        moves,
        possible: Possible { bottom: bottom.to_vec(), middle: vec![0], top: top.to_vec() },
        detector: None,
        goal: Goal::ExactlyOne { of: vec!["y".into()], stays },
    }
}

/// The top's step alone.
fn top(before: State, after: State) -> Move {
    let place = Some(crate::Place::Top);
    Move { rule: 0, place, seen: None, left: None, own: Cell { before, after }, right: None }
}

/// A step of top and bottom together, across the seam.
fn across(from: (State, State), to: (State, State)) -> Move {
    let right = Some(Cell { before: from.1, after: to.1 });
    Move { right, own: Cell { before: from.0, after: to.0 }, ..top(0, 0) }
}

/// Words with this number of ones.
fn ones(wanted: &[usize]) -> Automaton {
    automaton(2, 0, |count, s| Some((count + s).min(3)), |count| wanted.contains(&count))
}

fn claim(rules: Rules, from: usize, scheduler: Scheduler, safe: Automaton, measures: &[&str]) -> Certificate {
    let measures = measures.iter().map(|m| m.to_string()).collect();
    let (subject, sizes) = ("a test".into(), Sizes::from(from));
    Certificate { version: 1, subject, text: None, rules, sizes, scheduler, safe, lasting: None, measures }
}

/// Certificates, how large the rings are on which brute force decides, and whether they hold.
fn suite() -> Vec<(Certificate, usize, bool)> {
    use Scheduler::{GloballyFair, Unfair};
    let raise = || bits(&[0], &[0, 1], vec![top(0, 1)], true);
    let toggle = bits(&[0], &[0, 1], vec![top(0, 1), top(1, 0)], false);
    let walk = |stays| {
        let moves = [((0, 1), (1, 0)), ((1, 0), (0, 1)), ((1, 1), (0, 1)), ((0, 0), (0, 1))];
        bits(&[0, 1], &[0, 1], moves.map(|(from, to)| across(from, to)).to_vec(), stays)
    };
    // Any agent may raise its bit, and when all have done so nothing leads on.
    let mut stuck = bits(&[0, 1], &[0, 1], vec![Move { place: None, ..top(0, 1) }], true);
    stuck.possible = Possible::all(2);
    // With a detector: a leader is made where there is none, and unmade if the detector lies.
    let listen = |moves: &[Move]| {
        let moves = moves.iter().map(|m| Move { seen: Some(false), ..*m }).collect();
        Rules { detector: Some(vec![1]), ..bits(&[0], &[0, 1], moves, true) }
    };
    let lasts = |certificate: Certificate| Certificate { lasting: Some(ones(&[1])), ..certificate };
    let steady = claim(listen(&[top(0, 1)]), 2, Unfair, ones(&[1]), &["C:!y"]);
    let fickle = claim(listen(&[top(0, 1), top(1, 0)]), 2, Unfair, ones(&[1]), &["C:!y"]);
    // The bottom leads if nobody does, and the top gives way to it; a lie lets the top put its neighbour into an impossible state.
    let bottom = Move { place: Some(crate::Place::Bottom), seen: Some(false), ..top(0, 1) };
    let lie = Move { left: Some(Cell { before: 0, after: 1 }), seen: Some(false), ..across((1, 0), (1, 0)) };
    let moves = vec![bottom, across((1, 1), (0, 1)), lie];
    let misled = Rules { detector: Some(vec![1]), ..bits(&[0, 1], &[0, 1], moves, true) };
    let misled = claim(misled, 3, Unfair, ones(&[1]), &["safe"]);
    let bottom_leads = automaton(2, false, |leads, s| (leads || s == 1).then_some(true), |leads| leads);
    let lower = bits(&[1], &[0, 1], vec![top(1, 0)], false);
    // One step makes all n agents see a one at the top, and takes six back.
    let high = "C:(1 U (top & y)) - (top & y) - (top & y) - (top & y) - (top & y) - (top & y) - (top & y)";
    let one = || ones(&[1]);
    let mut suite = vec![
        (claim(raise(), 2, Unfair, one(), &["C:!y"]), 8, true),
        (claim(raise(), 2, Unfair, one(), &["C:y"]), 8, false),
        (claim(raise(), 2, Unfair, one(), &["C:y", "C:!y"]), 8, false),
        (claim(raise(), 2, GloballyFair, one(), &["C:y", "C:!y"]), 8, false),
        (claim(raise(), 2, GloballyFair, one(), &[]), 8, false),
        (claim(raise(), 2, Unfair, one(), &[high]), 8, false),
        (claim(toggle, 2, GloballyFair, one(), &["safe"]), 8, false),
        (claim(walk(false), 2, Unfair, one(), &["safe"]), 8, true),
        (claim(walk(true), 2, Unfair, one(), &["safe"]), 8, false),
        (claim(lower, 2, Unfair, ones(&[1, 2]), &[]), 8, false),
        (claim(stuck, 2, Unfair, ones(&[]), &["C:!y"]), 8, false),
        (claim(dijkstra_four(), 3, Unfair, dijkstra_four_safe(), &DIJKSTRA_FOUR), 6, true),
        (fickle.clone(), 8, true),
        (lasts(fickle), 8, false),
        (misled.clone(), 8, true),
        (Certificate { lasting: Some(bottom_leads), ..misled }, 8, false),
        (lasts(steady), 8, true),
    ];
    let fischer_jiang = |measures: &[&str]| claim(fischer_jiang(), 3, GloballyFair, fischer_jiang_safe(), measures);
    suite.push((fischer_jiang(&FISCHER_JIANG), 4, true));
    suite.push((fischer_jiang(&FISCHER_JIANG[1..]), 3, false));
    for i in 0..5 {
        let rest: Vec<&str> = (0..5).filter(|j| *j != i).map(|j| DIJKSTRA_FOUR[j]).collect();
        suite.push((claim(dijkstra_four(), 3, Unfair, dijkstra_four_safe(), &rest), 6, i == 2));
    }
    suite
}

/// What the checker gets wrong.
fn mistakes(suite: &[(Certificate, usize, bool)]) -> usize {
    suite.iter().filter(|(certificate, _, holds)| verify(certificate).is_ok() != *holds).count()
}

#[test]
fn the_suite_says_what_brute_force_says() {
    for (certificate, largest, holds) in suite() {
        let refuted = (certificate.sizes.from..=largest).find_map(|n| brute::refute(&certificate, n));
        assert_eq!(refuted.is_none(), holds, "{:?}: {refuted:?}", certificate.measures);
    }
}

#[test]
fn the_checker_makes_no_mistake_and_every_planted_bug_does() {
    let suite = suite();
    assert_eq!(mistakes(&suite), 0);
    for (fault, what) in FAULTS {
        let found = with(fault, || mistakes(&suite));
        println!("{fault}: {found} mistakes");
        assert!(found > 0, "it goes unnoticed that {what}");
    }
}

/// A complete graph on which agents in state 0 join those in state 1, of whom there are said to be at most so many.
fn crowd(most: usize) -> CompleteCertificate {
    let meeting = |before: [State; 2], after: [State; 2]| Move {
        place: None,
        right: Some(Cell { before: before[1], after: after[1] }),
        own: Cell { before: before[0], after: after[0] },
        ..top(0, 0)
    };
    let moves = vec![meeting([0, 0], [0, 1]), meeting([1, 0], [1, 1])];
    let goal = Goal::Everywhere { formula: "1".into() };
    let some = Range { least: 1, most: Some(most) };
    CompleteCertificate {
        version: 1,
        graph: Graphs::Complete,
        subject: "a test".into(),
        text: None,
        rules: Rules { possible: Possible::all(2), goal, ..bits(&[], &[], moves, false) },
        from: 2,
        scheduler: Scheduler::GloballyFair,
        safe: vec![vec![Range { least: 0, most: None }, some]],
        measures: vec!["safe".into()],
    }
}

#[test]
fn a_cutoff_that_is_too_low_goes_wrong() {
    assert_eq!(
        verify_complete(&crowd(7)),
        Err(Rejection::Fails(Claim::Closed, vec![0, 1, 1, 1, 1, 1, 1, 1], Some(vec![1; 8])))
    );
    assert!(with("cutoff", || verify_complete(&crowd(7))).is_ok());
    let mut right = crowd(7);
    right.safe[0][1].most = None;
    assert!(verify_complete(&right).is_ok());
}
