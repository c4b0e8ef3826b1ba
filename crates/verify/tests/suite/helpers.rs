//! Certificates about weakly fair schedules whose truth brute force decides. They judge the checker, and each bug that a patch plants in it.

use crate::subjects::automaton;
use ringleader_verify::{
    Automaton, Cell, Certificate, Coins, FailureCertificate, Goal, Move, Place, Possible, Rules, Scheduler, Sizes,
    State, Toss, Variable, verify, verify_failure,
};

fn table(moves: Vec<Move>, goal: &str) -> Rules {
    Rules {
        states: ["0", "1", "2"].map(String::from).to_vec(),
        variables: vec![Variable { name: "x".into(), size: 3, values: vec![0, 1, 2] }],
        marks: vec![],
        rules: vec!["go".into(), "turn".into()],
        moves,
        tosses: vec![],
        given: None,
        possible: Possible::all(3),
        detector: None,
        goal: Goal::Everywhere { formula: goal.into() },
    }
}

fn claim(rules: &Rules, safe: &Automaton, helpful: &str, measures: &[&str]) -> Certificate {
    Certificate {
        version: 1,
        subject: "a test".into(),
        text: None,
        rules: rules.clone(),
        sizes: Sizes::from(3),
        scheduler: Scheduler::WeaklyFair,
        coins: Coins::Adversarial,
        safe: safe.clone(),
        lasting: None,
        measures: measures.iter().map(|m| m.to_string()).collect(),
        recurring: None,
        helpful: Some(helpful.into()),
    }
}

fn step(place: Option<Place>, rule: usize, left: Option<State>, before: State, after: State) -> Move {
    let left = left.map(|s| Cell { before: s, after: s });
    Move { rule, place, seen: None, left, own: Cell { before, after }, right: None }
}

/// Certificates, each with whether it holds.
pub(crate) fn helpers() -> Vec<(Certificate, bool)> {
    let only = |states: &'static [usize]| automaton(3, (), move |(), s| states.contains(&s).then_some(()), |()| true);
    let first =
        |wanted: usize| automaton(3, true, move |first, s| (!first || s == wanted).then_some(false), |first| !first);
    let bottom = |rule, before, after| step(Some(Place::Bottom), rule, None, before, after);
    let anyone = |rule, before, after| step(None, rule, None, before, after);
    let top = |before, after| step(Some(Place::Top), 1, None, before, after);
    // The bottom gets 1, for ever; the top goes round for ever.
    let go = table(vec![bottom(0, 0, 1), bottom(0, 2, 1), top(0, 1), top(1, 2), top(2, 0)], "(!root | x=1)");
    let raised = first(1);
    let goes = |helpful, measures: &[&str]| claim(&go, &raised, helpful, measures);
    // The bottom goes round for ever; only from 2 it can get 1, which it need not.
    let round = table(vec![bottom(0, 0, 2), bottom(0, 2, 0), bottom(0, 2, 1)], "(!root | x=1)");
    // Zeros become ones, and the top may turn between 1 and 2 for ever.
    let fill = table(vec![anyone(0, 0, 1), top(1, 2), top(2, 1)], "!x=0");
    let filled = only(&[1, 2]);
    // An agent goes from 0 to 1 only while its left neighbour has 0, and back at any time.
    let ahead = table(vec![step(None, 0, Some(0), 0, 1), anyone(1, 1, 0)], "x=1");
    // The bottom gets 1 while the top has 0, which comes and goes.
    let seldom = table(vec![step(Some(Place::Bottom), 0, Some(0), 0, 1), top(0, 1), top(1, 0)], "(!root | !x=0)");
    let seldom_safe = automaton(3, true, |first, s| (!first || s != 0).then_some(false), |first| !first);
    let tossed = Rules { tosses: vec![Toss { outcomes: vec![0], idle: true }], ..fill.clone() };
    let fair = |certificate: Certificate| Certificate { coins: Coins::Fair, ..certificate };
    let toss = |outcomes: &[usize], idle| Toss { outcomes: outcomes.to_vec(), idle };
    // The bottom gets 1 by a coin, and the top goes round for ever.
    let lucky = Rules { tosses: vec![toss(&[0], true), toss(&[1], true)], ..go.clone() };
    // The bottom gets 1 or 2 from 0, and 0 from 2; the top gets 1 or 2 from 0, and then 0 again.
    let turns = vec![bottom(0, 0, 1), bottom(0, 0, 2), bottom(0, 2, 0), top(0, 1), top(0, 2), top(1, 0), top(2, 0)];
    let risky = Rules { tosses: vec![toss(&[0, 1], false), toss(&[3, 4], false)], ..table(turns, "(!root | x=1)") };
    let risks = |helpful, measures: &[&str]| fair(claim(&risky, &raised, helpful, measures));
    // The same, but the daemon chooses between 1 and 2, or no coin leads to 1.
    let chosen = Rules { tosses: vec![toss(&[3, 4], false)], ..risky.clone() };
    let hopeless =
        Rules { moves: vec![bottom(0, 0, 2), bottom(0, 2, 0)], tosses: vec![toss(&[0], true)], ..risky.clone() };
    // An agent of 0 gets 1 by a meeting with its right neighbour; others turn between 1 and 2 for ever, by meetings with 1.
    let cells = |before, after| Some(Cell { before, after });
    let meet = |rule, one: (State, State), two: (State, State)| Move {
        right: cells(two.0, two.1),
        ..step(None, rule, None, one.0, one.1)
    };
    let wide = vec![meet(0, (0, 1), (0, 1)), meet(0, (0, 1), (1, 1)), meet(0, (0, 1), (2, 2))];
    let arcs = table([wide, vec![meet(1, (1, 2), (1, 1)), meet(1, (2, 1), (1, 1))]].concat(), "!x=0");
    let locally = |certificate: Certificate| Certificate { scheduler: Scheduler::LocallyFair, ..certificate };
    let mirrored = |m: &Move| Move { left: m.right, right: None, ..*m };
    let both =
        Rules { moves: arcs.moves.iter().copied().chain(arcs.moves.iter().map(mirrored)).collect(), ..arcs.clone() };
    let coin_stays = "(root & !x=1)";
    vec![
        (fair(claim(&lucky, &raised, "go", &["safe"])), true),
        (claim(&lucky, &raised, "go", &["safe"]), false),
        (fair(claim(&lucky, &raised, "turn", &["safe"])), false),
        (fair(claim(&tossed, &filled, "x=0", &["C:x=0"])), true),
        (fair(claim(&go, &raised, "go", &["safe"])), true),
        (risks(coin_stays, &["safe", "C:(root & x=2)"]), true),
        (risks(coin_stays, &["C:(root & x=2)", "safe"]), true),
        (risks(coin_stays, &["safe"]), false),
        (risks(coin_stays, &["C:(root & x=2)"]), false),
        (risks(coin_stays, &["safe", "C:(root & x=2)", "C:(top & x=2)"]), false),
        (risks(&format!("({coin_stays} | (top & !x=1))"), &["safe", "C:(root & x=2)"]), false),
        (risks("(root & x=0)", &["safe", "C:(root & x=2)"]), false),
        (fair(claim(&chosen, &raised, coin_stays, &["safe", "C:(root & x=2)"])), false),
        (locally(claim(&arcs, &filled, "go", &["C:x=0"])), true),
        (locally(claim(&arcs, &filled, "turn", &["C:x=0"])), false),
        (locally(claim(&arcs, &filled, "(go | turn)", &["C:x=0"])), false),
        (locally(claim(&both, &filled, "go", &["C:x=0"])), false),
        (locally(claim(&fill, &filled, "go", &["C:x=0"])), false),
        (fair(claim(&hopeless, &raised, "go", &["safe"])), false),
        (goes("(root & go)", &["safe"]), true),
        (goes("root", &["safe"]), true),
        (goes("go", &["safe"]), true),
        (goes("(root & !x=1)", &["C:(root & !x=1)"]), true),
        (goes("1", &["safe"]), false),
        (goes("turn", &["safe"]), false),
        (goes("0", &["safe"]), false),
        (goes("go", &[]), false),
        (goes("go", &["C:(root & x=1)"]), false),
        (goes("go", &["safe", "C:(top & x=0)"]), false),
        (goes("go", &["C:(top & x=0)", "safe"]), false),
        (goes("(go & top)", &["safe"]), false),
        (goes("(go & X (top & go))", &["safe"]), false),
        (claim(&round, &raised, "go", &["safe"]), false),
        (claim(&round, &raised, "(go & x=2)", &["safe"]), false),
        (claim(&round, &raised, "(go & x=2)", &["C:(root & x=0)", "safe"]), false),
        (claim(&fill, &filled, "x=0", &["C:x=0"]), true),
        (claim(&fill, &filled, "go", &["C:x=0"]), true),
        (claim(&fill, &filled, "(go | turn)", &["C:x=0"]), false),
        (claim(&fill, &filled, "(x=0 & !Y (!root S x=0))", &["C:x=0"]), false),
        (claim(&fill, &filled, "(x=0 & (root | !Y (!root S x=0)))", &["C:x=0"]), true),
        (claim(&fill, &filled, "(x=0 & (X !x=0 | !(1 S (x=0 & X !x=0))))", &["C:x=0"]), true),
        (claim(&fill, &filled, "(x=0 & (X x=1 | !(1 S (x=0 & X x=1))))", &["C:x=0"]), false),
        (claim(&tossed, &filled, "x=0", &["C:x=0"]), false),
        (claim(&ahead, &only(&[1]), "x=0", &["C:x=0"]), false),
        (claim(&seldom, &seldom_safe, "(root & x=0)", &["safe"]), false),
        (claim(&seldom, &seldom_safe, "go", &["safe"]), false),
        (claim(&seldom, &seldom_safe, "(go | (root & x=0))", &["safe"]), false),
    ]
}

/// Agents that become 1 one after the other, for ever; not all at once.
pub(crate) fn lasso() -> FailureCertificate {
    let moves = vec![step(None, 0, None, 0, 1), step(None, 1, None, 1, 0)];
    let rules =
        Rules { possible: Possible { bottom: vec![0, 1], middle: vec![0, 1], top: vec![2] }, ..table(moves, "!x=2") };
    FailureCertificate {
        version: 1,
        subject: "a test".into(),
        text: None,
        rules,
        sizes: Sizes::from(3),
        scheduler: Scheduler::Unfair,
        coins: Coins::Adversarial,
        trap: automaton(3, (), |(), _| Some(()), |()| true),
        measures: vec![],
        turns: vec![],
    }
}

/// How often the checker is wrong.
pub(crate) fn misjudged(helpers: &[(Certificate, bool)]) -> usize {
    let wrong = helpers.iter().filter(|(certificate, holds)| verify(certificate).is_ok() != *holds).count();
    // Locally fair schedules are fair to arcs, and here are none.
    let lasso = lasso();
    let fair = FailureCertificate { scheduler: Scheduler::LocallyFair, ..lasso.clone() };
    wrong + usize::from(verify_failure(&lasso).is_err()) + usize::from(verify_failure(&fair).is_ok())
}
