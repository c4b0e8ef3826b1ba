//! How a search ends when it does not end in a proof.

#[path = "../../verify/tests/support/brute.rs"]
#[allow(dead_code)]
mod brute;
#[path = "../../verify/tests/support/subjects.rs"]
#[allow(dead_code)]
mod subjects;

use ringleader_prove::{Options, Outcome, Progress, Unsuitable, prove};
use ringleader_verify::{Goal, Rules, Scheduler, Sizes, State};
use std::cell::RefCell;
use std::collections::HashSet;
use std::sync::atomic::AtomicBool;
use subjects::*;

/// From where the really safe set can be reached at one size, or (unfair) must be.
fn converging(rules: &Rules, n: usize, scheduler: Scheduler) -> HashSet<Vec<State>> {
    let mut good = brute::really_safe(rules, n);
    let words = brute::configurations(rules, n);
    loop {
        let before = good.len();
        for w in &words {
            let next = brute::steps(rules, w);
            let gets_there = match scheduler {
                Scheduler::GloballyFair => next.iter().any(|v| good.contains(v)),
                Scheduler::Unfair => !next.is_empty() && next.iter().all(|v| good.contains(v)),
            };
            if gets_there {
                good.insert(w.clone());
            }
        }
        if good.len() == before {
            return good;
        }
    }
}

fn holds(rules: &Rules, n: usize, scheduler: Scheduler) -> bool {
    converging(rules, n, scheduler).len() == brute::configurations(rules, n).len()
}

/// A refutation is one by brute force as well; a proof is never of something that fails.
fn honest(rules: &Rules, from: usize, largest: usize, scheduler: Scheduler, options: &Options) -> Outcome {
    let outcome = prove("a test", rules, &Sizes::from(from), scheduler, options).unwrap();
    match &outcome {
        Outcome::Refuted(r) if r.size <= largest => {
            assert_eq!(r.start.len(), r.size);
            assert!(!converging(rules, r.size, scheduler).contains(&r.start), "{r:?} {rules:?}");
            assert_eq!(brute::really_safe(rules, r.size).is_empty(), r.nothing_is_safe);
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
fn without_a_rule_it_is_refuted() {
    for (rules, scheduler, from, _) in proved() {
        for rule in 0..rules.rules.len() {
            let mut broken = rules.clone();
            broken.moves.retain(|m| m.rule != rule);
            let outcome = honest(&broken, from, 4, scheduler, &Options { attempts: 1, ..Options::seconds(600) });
            println!("without {}: {outcome:?}", rules.rules[rule]);
            assert!(!matches!(outcome, Outcome::Proved(_)), "without {}", rules.rules[rule]);
        }
    }
}

/// The algorithms that are proved, with how large the rings are that brute force looks at.
fn proved() -> [(Rules, Scheduler, usize, usize); 5] {
    [
        (fischer_jiang(), Scheduler::GloballyFair, 3, 4),
        (token_circulation(), Scheduler::GloballyFair, 3, 5),
        (gouda_haddix(), Scheduler::GloballyFair, 3, 4),
        (dijkstra_four(), Scheduler::Unfair, 3, 5),
        (dijkstra_three(), Scheduler::Unfair, 3, 6),
    ]
}

/// Every so many-th move left out, or made to end elsewhere: how many are proved, of how many. Whatever is not refuted holds by
/// brute force, on rings of up to so many agents more.
fn mutants(every: usize, more: usize) -> (usize, usize) {
    let options = Options { attempts: 1, ..Options::seconds(600) };
    let (mut proofs, mut all) = (0, 0);
    for (rules, scheduler, from, largest) in proved() {
        for i in (0..rules.moves.len()).step_by(every) {
            let mut without = rules.clone();
            without.moves.remove(i);
            let mut elsewhere = rules.clone();
            let own = &mut elsewhere.moves[i].own;
            own.after = (own.after + 1) % rules.states.len() as State;
            let possible = |r: &Rules| {
                let m = &r.moves[i];
                m.own.before != m.own.after && m.place.is_none_or(|p| r.possible.at(p).contains(&m.own.after))
            };
            for mutant in [Some(without), Some(elsewhere).filter(possible)].into_iter().flatten() {
                if closed(&mutant, from) {
                    all += 1;
                    let outcome = honest(&mutant, from, largest + more, scheduler, &options);
                    proofs += usize::from(matches!(outcome, Outcome::Proved(_)));
                }
            }
        }
    }
    println!("{proofs} of {all} mutants proved");
    (proofs, all)
}

#[test]
fn mutants_are_proved_only_if_they_hold() {
    let (proofs, all) = mutants(31, 0);
    assert!(proofs < all);
}

#[test]
#[ignore = "hours"]
fn all_mutants_are_proved_only_if_they_hold() {
    let (proofs, all) = mutants(1, 1);
    assert!(proofs < all);
}

/// Whether steps lead to possible states only.
fn closed(rules: &Rules, n: usize) -> bool {
    let words: HashSet<_> = brute::configurations(rules, n).into_iter().collect();
    words.iter().all(|w| brute::steps(rules, w).iter().all(|v| words.contains(v)))
}

#[test]
fn without_time_nothing_is_proved_and_nothing_said_to_fail() {
    let outcome = honest(&fischer_jiang(), 3, 3, Scheduler::GloballyFair, &Options::seconds(0));
    assert!(matches!(outcome, Outcome::NotProved(r) if !r.cancelled && r.holds_up_to >= 3));
    let cancel = AtomicBool::new(true);
    let seen = RefCell::new(Vec::new());
    let progress = |p| seen.borrow_mut().push(p);
    let options = Options { cancel: Some(&cancel), progress: Some(&progress), ..Options::seconds(60) };
    let outcome = honest(&dijkstra_four(), 3, 3, Scheduler::Unfair, &options);
    assert!(matches!(outcome, Outcome::NotProved(r) if r.cancelled));
    assert_eq!(seen.borrow()[0], Progress::Ring { size: 3 });
}

#[test]
fn what_cannot_be_searched_says_why() {
    let run = |rules: &Rules, sizes: Sizes| {
        prove("a test", rules, &sizes, Scheduler::Unfair, &Options::seconds(1)).expect_err("it is unsuitable")
    };
    let mut bad = dijkstra_four();
    bad.moves[0].rule = 7;
    assert!(matches!(run(&bad, Sizes::from(3)), Unsuitable::Rules(_)));
    assert!(matches!(run(&dijkstra_four(), Sizes::from(2)), Unsuitable::Sizes(_)));
    let mut vague = dijkstra_four();
    vague.goal = Goal::Everywhere { formula: "nobody".into() };
    assert_eq!(run(&vague, Sizes::from(3)), Unsuitable::Goal("nobody".into()));
    assert!(matches!(
        run(&fischer_jiang(), Sizes::from(8)),
        Unsuitable::TooLarge { size: 8, configurations: 16_777_216 }
    ));
}
