//! Small certificates whose truth brute force decides. They judge the checker, and each bug that a patch plants in it.

use crate::subjects::*;
use ringleader_verify::{
    Automaton, Cell, Certificate, Coins, CompleteCertificate, Goal, Graphs, Mark, Move, Place, Possible, Range,
    Recurring, Rules, Scheduler, Sizes, State, Toss, Variable, Window, verify,
};

/// An agent's state is a bit y. Agents between bottom and top have 0 for ever.
fn bits(bottom: &[State], top: &[State], moves: Vec<Move>, stays: bool) -> Rules {
    Rules {
        states: vec!["0".into(), "1".into()],
        variables: vec![Variable { name: "y".into(), size: 2, values: vec![0, 1] }],
        marks: vec![],
        rules: vec!["go".into()],
        moves,
        tosses: vec![],
        given: None,
        possible: Possible { bottom: bottom.to_vec(), middle: vec![0], top: top.to_vec() },
        detector: None,
        goal: Goal::ExactlyOne { of: vec!["y".into()], stays },
    }
}

/// The top's step alone.
fn top(before: State, after: State) -> Move {
    let place = Some(Place::Top);
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
    Certificate {
        version: 1,
        subject,
        text: None,
        rules,
        sizes,
        scheduler,
        coins: Coins::Adversarial,
        safe,
        lasting: None,
        measures,
        recurring: None,
        helpful: None,
    }
}

/// Certificates, each with the largest ring on which brute force decides it, and whether it holds.
pub(crate) fn suite() -> Vec<(Certificate, usize, bool)> {
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
    let bottom = Move { place: Some(Place::Bottom), seen: Some(false), ..top(0, 1) };
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
    suite.extend(recurring());
    suite.extend(daemons());
    suite
}

/// Certificates about fair coins, and about agents that act at once.
fn daemons() -> Vec<(Certificate, usize, bool)> {
    use Scheduler::{Distributed, Synchronous, Unfair};
    let any = |before: State, after: State| Move { place: None, ..top(before, after) };
    let coin = |outcomes: &[usize], idle| Toss { outcomes: outcomes.to_vec(), idle };
    // From 1 an agent gets 0 or 2, from 2 it gets 1.
    let thirds = |tosses: Vec<Toss>| Rules {
        states: ["0", "1", "2"].map(String::from).to_vec(),
        variables: vec![Variable { name: "x".into(), size: 3, values: vec![0, 1, 2] }],
        possible: Possible::all(3),
        goal: Goal::Everywhere { formula: "x=0".into() },
        tosses,
        ..bits(&[], &[], vec![any(1, 0), any(1, 2), any(2, 1)], false)
    };
    let zeros = || automaton(3, (), |(), s| (s == 0).then_some(()), |()| true);
    let sink = |tosses: &[Toss], scheduler, coins| {
        let measures = ["C:2*x=2 + x=1"];
        Certificate { coins, ..claim(thirds(tosses.to_vec()), 3, scheduler, zeros(), &measures) }
    };
    let tossed = [coin(&[0, 1], false)];
    // Top and bottom, and agents between them without a move.
    let ends = |moves: Vec<Move>, tosses, scheduler, coins| {
        let goal = Goal::Everywhere { formula: "1".into() };
        let rules = Rules { goal, tosses, ..bits(&[0, 1], &[0, 1], moves, false) };
        let equal = automaton(
            2,
            None,
            |at, s| Some(Some((at.map_or(s, |(first, _)| first), s))),
            |at| at.is_some_and(|(first, last)| first == last),
        );
        Certificate { coins, ..claim(rules, 3, scheduler, equal, &["safe"]) }
    };
    let bottom = |before, after| Move { place: Some(Place::Bottom), ..top(before, after) };
    let sees = |own: (State, State), right: State| across((own.0, right), (own.1, right));
    let bottom_sees = |own: (State, State), left: State| Move {
        left: Some(Cell { before: left, after: left }),
        ..bottom(own.0, own.1)
    };
    // The bottom toggles; the top, too, where both are equal.
    let toggles = || vec![bottom(0, 1), bottom(1, 0), sees((0, 1), 0), sees((1, 0), 1)];
    // Each takes the other's bit.
    let copies = || vec![sees((0, 1), 1), sees((1, 0), 0), bottom_sees((0, 1), 1), bottom_sees((1, 0), 0)];
    // A bottom with 1 can do nothing.
    let stuck =
        Rules { goal: Goal::Everywhere { formula: "!y".into() }, ..bits(&[0, 1], &[0, 1], vec![top(1, 0)], false) };
    let stuck = Certificate { coins: Coins::Fair, ..claim(stuck, 3, Unfair, ones(&[0]), &["C:y"]) };
    let idle = || vec![coin(&[2], true), coin(&[3], true)];
    let mut suite = vec![
        (ends(toggles(), vec![], Synchronous, Coins::Adversarial), 6, true),
        (ends(toggles(), vec![], Distributed, Coins::Adversarial), 6, false),
        (ends(toggles(), idle(), Synchronous, Coins::Fair), 6, false),
        (ends(copies(), vec![], Unfair, Coins::Fair), 6, true),
        (ends(copies(), vec![], Distributed, Coins::Fair), 6, false),
        (ends(copies(), vec![], Synchronous, Coins::Adversarial), 6, false),
        (stuck, 6, false),
    ];
    for scheduler in [Unfair, Distributed, Synchronous] {
        suite.push((sink(&tossed, scheduler, Coins::Fair), 5, true));
        suite.push((sink(&tossed, scheduler, Coins::Adversarial), 5, false));
        suite.push((sink(&[], scheduler, Coins::Fair), 5, false));
    }
    suite
}

/// Certificates with a condition that is to hold at every agent again and again.
fn recurring() -> Vec<(Certificate, usize, bool)> {
    use Scheduler::{GloballyFair, Unfair};
    let again = |certificate: &Certificate, formula: &str, measures: &[&str]| {
        let (formula, measures) = (formula.into(), measures.iter().map(|m| m.to_string()).collect());
        Certificate { recurring: Some(Recurring { formula, measures }), ..certificate.clone() }
    };
    // Every configuration is safe.
    let open = |moves: Vec<Move>, scheduler| {
        let goal = Goal::Everywhere { formula: "1".into() };
        let rules = Rules { goal, possible: Possible::all(2), ..bits(&[], &[], moves, false) };
        claim(rules, 2, scheduler, ones(&[0, 1, 2, 3]), &[])
    };
    let any = |before: State, after: State| Move { place: None, ..top(before, after) };
    let all_toggle = |scheduler| open(vec![any(0, 1), any(1, 0)], scheduler);
    let top_toggles = |scheduler| open(vec![top(0, 1), top(1, 0)], scheduler);
    // Any agent takes the lead if nobody has it, and gives it back.
    let mut takes_turns =
        open(vec![Move { seen: Some(false), ..any(0, 1) }, Move { seen: Some(true), ..any(1, 0) }], GloballyFair);
    takes_turns.rules.detector = Some(vec![1]);
    let mut marked = all_toggle(GloballyFair);
    let window = Window { own: Some(1), ..Window::default() };
    marked.rules.marks = vec![Mark { name: "set".into(), windows: vec![window] }];
    let four = claim(dijkstra_four(), 3, Unfair, dijkstra_four_safe(), &DIJKSTRA_FOUR);
    let mut suite = vec![
        (again(&all_toggle(GloballyFair), "y", &["C:(here & !y)"]), 6, true),
        (again(&all_toggle(GloballyFair), "y", &["safe"]), 6, true),
        (again(&all_toggle(GloballyFair), "y", &["C:y"]), 6, false),
        (again(&all_toggle(Unfair), "y", &["safe"]), 6, false),
        (again(&all_toggle(Unfair), "y", &["C:(here & !y)"]), 6, false),
        (again(&all_toggle(GloballyFair), "here", &[]), 6, false),
        (again(&top_toggles(Unfair), "(1 S y)", &["safe"]), 6, true),
        (again(&top_toggles(Unfair), "y", &["safe"]), 6, false),
        (again(&takes_turns, "!y", &["safe"]), 6, true),
        (again(&marked, "set", &["safe"]), 6, true),
        (again(&four, "(Rm | Lm)", &FOUR_SERVE), 6, true),
        (again(&four, "Rm", &FOUR_SERVE), 6, false),
    ];
    for i in 0..FOUR_SERVE.len() {
        let rest: Vec<&str> = (0..FOUR_SERVE.len()).filter(|j| *j != i).map(|j| FOUR_SERVE[j]).collect();
        suite.push((again(&four, "(Rm | Lm)", &rest), 6, false));
    }
    suite.extend(assumptions());
    suite
}

/// Certificates with an assumption about all agents together.
fn assumptions() -> Vec<(Certificate, usize, bool)> {
    let reading = |left: State, own: (State, State)| Move {
        place: None,
        left: Some(Cell { before: left, after: left }),
        own: Cell { before: own.0, after: own.1 },
        ..top(0, 0)
    };
    let rules = |given: &str, moves: Vec<Move>, goal: &str| Rules {
        given: (!given.is_empty()).then(|| given.to_string()),
        possible: Possible::all(2),
        goal: Goal::Everywhere { formula: goal.into() },
        ..bits(&[], &[], moves, false)
    };
    // An agent whose left neighbour has a one gets a one: all get one, if one has.
    let all = || automaton(2, (), |(), s| (s == 1).then_some(()), |()| true);
    let spread = |given: &str, coins: Coins| {
        let mut rules = rules(given, vec![reading(1, (0, 1))], "y");
        if coins == Coins::Fair {
            rules.tosses = vec![Toss { outcomes: vec![0], idle: true }];
        }
        Certificate { coins, ..claim(rules, 3, Scheduler::Unfair, all(), &["C:!y"]) }
    };
    let mut suite = vec![(spread("", Coins::Adversarial), 6, false)];
    for given in ["(1 S y)", "(!root | y)"] {
        suite.extend([Coins::Adversarial, Coins::Fair].map(|coins| (spread(given, coins), 6, true)));
    }
    // A single one may vanish.
    let vanish = vec![reading(1, (0, 1)), reading(0, (1, 0))];
    suite.push((claim(rules("(1 S y)", vanish, "y"), 3, Scheduler::GloballyFair, all(), &["C:!y"]), 6, false));
    // An agent gives up its one if its left neighbour has one, too. At once, all can do so.
    let apart = || {
        let step = |(first, last): (Option<usize>, usize), s: usize| {
            (last == 0 || s == 0).then_some((Some(first.unwrap_or(s)), s))
        };
        automaton(2, (None, 0), step, |(first, last)| first != Some(1) || last == 0)
    };
    let thin = || rules("(1 S y)", vec![reading(1, (1, 0))], "!(y & Y y)");
    suite.push((claim(thin(), 3, Scheduler::Unfair, apart(), &["C:y"]), 6, true));
    for scheduler in [Scheduler::Distributed, Scheduler::Synchronous] {
        suite.push((claim(thin(), 3, scheduler, apart(), &["C:y"]), 5, false));
        let free = Rules { given: None, ..thin() };
        suite.push((claim(free, 3, scheduler, apart(), &["C:y"]), 5, true));
    }
    suite
}

/// While an agent waits for one of the two rules of Dijkstra's four states.
const FOUR_SERVE: [&str; 5] = ["safe", "C:(root & (x U here))", "C:(!root S !x)", "C:x", "C:up"];

/// On how many certificates the checker is wrong.
pub(crate) fn mistakes(suite: &[(Certificate, usize, bool)]) -> usize {
    suite.iter().filter(|(certificate, _, holds)| verify(certificate).is_ok() != *holds).count()
}

/// A complete graph on which agents in state 0 join those in state 1. It claims that at most `most` agents are in state 1, which
/// is false of larger graphs.
pub(crate) fn crowd(most: usize) -> CompleteCertificate {
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
