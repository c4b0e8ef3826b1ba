//! The ends of a search other than a proof.

use crate::brute;
use crate::quick::{Ring, holds};
use crate::subjects::*;
use ringleader_prove::{
    Options, Outcome, Progress, Recurrence, Unsolved, Unsuitable, prove, prove_complete, recurring,
};
use ringleader_verify::{Cell, Goal, Move, Possible, Rules, Scheduler, Sizes, State, Variable};
use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Brute force confirms each refutation, and no failing protocol is proved.
fn honest(rules: &Rules, from: usize, largest: usize, scheduler: Scheduler, options: &Options) -> Outcome {
    let outcome = prove("a test", rules, &Sizes::from(from), scheduler, options).unwrap();
    match &outcome {
        Outcome::Refuted(r) if r.size <= largest => {
            assert_eq!(r.start.len(), r.size);
            let ring = Ring::new(rules, r.size);
            assert!(ring.failing(scheduler).contains(&r.start), "{r:?} {rules:?}");
            assert_eq!(ring.safe_words().is_empty(), r.nothing_is_safe);
        }
        Outcome::Refuted(_) => {}
        _ => assert!((from..=largest).all(|n| holds(rules, n, scheduler)), "{outcome:?} {rules:?}"),
    }
    outcome
}

#[test]
fn fischer_jiang_is_refuted_on_two_agents() {
    let outcome = honest(&fischer_jiang(), 2, 4, Scheduler::GloballyFair, &Options::seconds(60));
    assert!(matches!(outcome, Outcome::Refuted(r) if r.size == 2 && !r.nothing_is_safe));
}

#[test]
fn without_time_nothing_is_proved_and_nothing_said_to_fail() {
    let outcome = honest(&fischer_jiang(), 3, 3, Scheduler::GloballyFair, &Options::seconds(0));
    assert!(matches!(outcome, Outcome::NotProved(r) if !r.cancelled && r.holds_up_to >= Some(3)));
    let cancel = AtomicBool::new(true);
    let seen = RefCell::new(Vec::new());
    let progress = |p| seen.borrow_mut().push(p);
    let options = Options { cancel: Some(&cancel), progress: Some(&progress), ..Options::seconds(60) };
    let outcome = honest(&dijkstra_four(), 3, 3, Scheduler::Unfair, &options);
    assert!(matches!(outcome, Outcome::NotProved(r) if r.cancelled && r.holds_up_to.is_none()));
    assert_eq!(seen.borrow()[0], Progress::Ring { size: 3 });
}

/// Of the sizes 3, 9, 11, 17, ... only 3 is examined before the search. There every agent is an end or beside one.
#[test]
fn a_failure_on_a_larger_ring_is_found() {
    let rules = Rules {
        states: vec!["0".into(), "1".into()],
        variables: vec![Variable { name: "x".into(), size: 2, values: vec![0, 1] }],
        marks: vec![],
        rules: vec![],
        moves: vec![],
        tosses: vec![],
        given: None,
        possible: Possible::all(2),
        detector: None,
        goal: Goal::Everywhere { formula: "((root | top) | (Y root | X top))".into() },
    };
    let sizes = Sizes { from: 3, modulus: 8, residues: vec![1, 3] };
    let outcome = prove("a test", &rules, &sizes, Scheduler::Unfair, &Options::seconds(60)).unwrap();
    assert!(matches!(&outcome, Outcome::Refuted(r) if r.size == 9 && r.nothing_is_safe), "{outcome:?}");
}

/// A search that is cancelled at any of its reports ends as not proved. It claims no failure, and holds only at sizes where it does.
#[test]
fn a_cancelled_search_claims_nothing_false() {
    let cancelled_at = |rules: &Rules, scheduler: Scheduler, lies: bool, report: usize| {
        let (cancel, seen) = (AtomicBool::new(false), RefCell::new(Vec::new()));
        let progress = |stage| {
            seen.borrow_mut().push(stage);
            cancel.store(seen.borrow().len() > report, Relaxed);
        };
        let options = Options { cancel: Some(&cancel), progress: Some(&progress), lies, ..Options::seconds(60) };
        let outcome = prove("a test", rules, &Sizes::from(3), scheduler, &options).unwrap();
        let seen = seen.take();
        match outcome {
            // The check of a certificate is not cancelled.
            Outcome::Proved(_) => assert!(seen.len() <= report || seen.last() == Some(&Progress::Verify)),
            Outcome::NotProved(left) => {
                assert!(left.cancelled);
                assert!((3..=left.holds_up_to.unwrap_or(0).min(4)).all(|n| holds(rules, n, scheduler)), "{left:?}");
            }
            other => panic!("cancelled at {:?}: {other:?}", seen.last()),
        }
        seen.len()
    };
    let subjects = [
        (dijkstra_four(), Scheduler::Unfair, false),
        (dijkstra_three(), Scheduler::GloballyFair, false),
        (fischer_jiang(), Scheduler::GloballyFair, true),
    ];
    for (rules, scheduler, lies) in subjects {
        assert_eq!(cancelled_at(&rules, scheduler, lies, 0), 1, "nothing follows the first ring");
        (1..12).for_each(|report| _ = cancelled_at(&rules, scheduler, lies, report));
    }
}

/// A search that ends early shows a part on which its measures do not fall; with a watched agent, which agent waits.
#[test]
fn an_undecided_search_shows_what_is_open() {
    let rules = dijkstra_four();
    for (scheduler, every) in [(Scheduler::Unfair, true), (Scheduler::GloballyFair, false)] {
        let cancel = AtomicBool::new(false);
        let end = |stage: Progress| cancel.store(matches!(stage, Progress::Level { .. }), Relaxed);
        let early = Options { cancel: Some(&cancel), progress: Some(&end), ..Options::seconds(60) };
        let outcome = prove("a test", &rules, &Sizes::from(3), scheduler, &early).unwrap();
        let Outcome::NotProved(left) = outcome else { panic!("{outcome:?}") };
        let Some(Unsolved { before, after, waits: None }) = left.open else { panic!("{left:?}") };
        assert!(left.solved < left.of && after.is_some() == every && brute::promised(&rules, &before).is_none());
        assert!(after.is_none_or(|after| brute::steps(&rules, &before).contains(&after)));

        let outcome = prove("a test", &rules, &Sizes::from(3), scheduler, &Options::seconds(60)).unwrap();
        let Outcome::Proved(proof) = outcome else { panic!("{outcome:?}") };
        cancel.store(false, Relaxed);
        let found = recurring(&proof.certificate, "(Rm | Lm)", &early).unwrap();
        let Recurrence::NotProved(left) = found else { panic!("{found:?}") };
        let Some(Unsolved { before, after, waits: Some(agent) }) = left.open else { panic!("{left:?}") };
        assert!(proof.certificate.safe.accepts(&before) && after.is_some() == every);
        assert!(!brute::holds(&rules, &"(Rm | Lm)".parse().unwrap(), &before, agent));
        assert!(after.is_none_or(|after| brute::steps(&rules, &before).contains(&after)));
    }
}

#[test]
fn what_cannot_be_searched_says_why() {
    let run = |rules: &Rules, sizes: Sizes| {
        prove("a test", rules, &sizes, Scheduler::Unfair, &Options::seconds(1)).expect_err("it is unsuitable")
    };
    let mut bad = dijkstra_four();
    bad.moves[0].rule = 7;
    assert!(matches!(run(&bad, Sizes::from(3)), Unsuitable::Rules(_)));
    assert!(matches!(run(&dijkstra_four(), Sizes::from(2)), Unsuitable::Sizes { .. }));
    let mut vague = dijkstra_four();
    vague.goal = Goal::Everywhere { formula: "nobody".into() };
    assert_eq!(run(&vague, Sizes::from(3)), Unsuitable::Goal("nobody".into()));
    assert!(matches!(
        run(&fischer_jiang(), Sizes::from(8)),
        Unsuitable::TooLarge { size: 8, configurations: 16_777_216 }
    ));
}

/// States that given variables exclude must not count as failures.
#[test]
fn complete_graphs_on_which_something_is_given_are_refused() {
    let mut rules = fischer_jiang();
    rules.possible.bottom.pop();
    let refused = prove_complete("a test", &rules, 2, Scheduler::Unfair, &Options::seconds(1));
    assert!(matches!(refused, Err(Unsuitable::Given)));
}

/// If the detector denies the leader, the step leads to a non-configuration.
#[test]
fn what_only_a_lie_spoils_is_refused_where_there_may_be_lies() {
    let mut rules = fischer_jiang();
    rules.states.push("spoilt".into());
    rules.variables.iter_mut().for_each(|variable| variable.values.push(0));
    let (leader, spoilt) = (rules.detector.as_ref().expect("one")[0], rules.states.len() as State - 1);
    let own = Cell { before: leader, after: spoilt };
    rules.moves.push(Move { rule: 0, place: None, seen: Some(false), left: None, own, right: None });
    let run = |lies| {
        let options = Options { lies, ..Options::seconds(60) };
        prove("a test", &rules, &Sizes::from(3), Scheduler::GloballyFair, &options)
    };
    assert!(matches!(run(false), Ok(Outcome::Proved(_))));
    let refused = run(true).expect_err("a lie spoils it");
    assert!(matches!(&refused, Unsuitable::LeadsOut { step: [_, after] } if after.contains("spoilt")), "{refused}");
    assert!(refused.to_string().contains("changes given variables"));
}

/// A ring of three fails at once. The search for a class of sizes alone would take minutes: 16 values have large automata.
#[test]
fn the_search_for_a_class_of_failures_keeps_the_budget() {
    let states: Vec<String> = (0..16).map(|value| value.to_string()).collect();
    let cell = |before, after| Cell { before, after };
    let pairs = (0..16).flat_map(|left| (0..16).filter(move |own| *own != left).map(move |own| (left, own)));
    let copies = |(left, own): (State, State)| Move {
        rule: 0,
        place: None,
        seen: None,
        left: Some(cell(left, left)),
        own: cell(own, left),
        right: None,
    };
    let rules = Rules {
        variables: vec![Variable { name: "x".into(), size: 16, values: (0..16).collect() }],
        marks: vec![],
        rules: vec!["copy".into()],
        moves: pairs.map(copies).collect(),
        tosses: vec![],
        given: None,
        possible: Possible::all(16),
        states,
        detector: None,
        goal: Goal::ExactlyOne { of: vec!["copy".into()], stays: false },
    };
    let begun = Instant::now();
    let outcome = prove("a test", &rules, &Sizes::from(3), Scheduler::WeaklyFair, &Options::seconds(2)).unwrap();
    assert!(matches!(&outcome, Outcome::Refuted(r) if r.size == 3 && r.family.is_none() && r.cut_short), "{outcome:?}");
    assert!(begun.elapsed() < Duration::from_secs(15), "{:?}", begun.elapsed());
}
