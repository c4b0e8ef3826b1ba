//! Failures on every ring of some sizes: brute force finds the same failures.

use crate::choices::{is_true, random_rules};
use crate::dice::Dice;
use crate::drawn::random;
use crate::quick::holds;
use ringleader_prove::{Options, Outcome, prove};
use ringleader_verify::{
    Cell, Claim, Coins, FailureCertificate, Goal, Move, Possible, Rejection, Rules, Scheduler, Sizes, State, Toss,
    Variable, verify_failure,
};

#[test]
fn families_of_failures_fail_at_every_size() {
    let mut dice = Dice(38);
    let options = Options { attempts: 1, ..Options::seconds(600) };
    let (mut refuted, mut families, mut every) = (0, 0, 0);
    for _ in 0..150 {
        let rules = random(&mut dice);
        let scheduler = if dice.below(2) == 0 { Scheduler::Unfair } else { Scheduler::GloballyFair };
        if (3..=7).all(|n| holds(&rules, n, scheduler)) {
            // Brute force has no failure to compare with, and the search for a proof takes long.
            continue;
        }
        let outcome = prove("random", &rules, &Sizes::from(3), scheduler, &options).unwrap();
        let Outcome::Refuted(refutation) = outcome else { continue };
        refuted += 1;
        let Some(family) = refutation.family else { continue };
        families += 1;
        every += usize::from(family.sizes.modulus == 1 && family.sizes.from == refutation.size);
        assert!(!(3..=7).any(|n| family.sizes.contains(n) && holds(&rules, n, scheduler)), "{family:?}");
    }
    println!("{refuted} refuted, {families} at every size of a class, {every} from the first failure on");
    assert!(families * 10 > refuted * 6);
}

#[test]
fn families_of_failures_against_coins_fail_at_every_size() {
    let mut dice = Dice(39);
    let (mut refuted, mut families, mut every) = (0, 0, 0);
    for round in 0..150 {
        let at = round % 3;
        let scheduler = [Scheduler::Unfair, Scheduler::Distributed, Scheduler::Synchronous][at];
        let coins = if round % 4 == 0 { Coins::Adversarial } else { Coins::Fair };
        let rules = random_rules(&mut dice, at == 0);
        if (3..=5).all(|n| is_true(&rules, scheduler, coins, n)) {
            continue;
        }
        let options = Options { attempts: 1, coins, ..Options::seconds(600) };
        let outcome = prove("random", &rules, &Sizes::from(3), scheduler, &options).unwrap();
        let Outcome::Refuted(refutation) = outcome else { continue };
        refuted += 1;
        let Some(family) = refutation.family else { continue };
        families += 1;
        every += usize::from(family.sizes.modulus == 1 && family.sizes.from == refutation.size);
        assert!(!(3..=5).any(|n| family.sizes.contains(n) && is_true(&rules, scheduler, coins, n)), "{family:?}");
    }
    println!("{refuted} refuted, {families} at every size of a class, {every} from the first failure on");
    assert!(families * 10 > refuted * 6);
}

/// An agent with its left neighbour's bit changes its own: by a coin, or for sure. The promise is that neighbours differ, or that one
/// pair does not.
fn agents_that_flip(coin: bool, goal: Goal) -> Rules {
    let flip = |s: State| Move {
        rule: 0,
        place: None,
        seen: None,
        left: Some(Cell { before: s, after: s }),
        own: Cell { before: s, after: 1 - s },
        right: None,
    };
    let toss = |outcome| Toss { outcomes: vec![outcome], idle: true };
    Rules {
        states: vec!["0".into(), "1".into()],
        variables: vec![Variable { name: "x".into(), size: 2, values: vec![0, 1] }],
        marks: vec![],
        rules: vec!["flip".into()],
        moves: vec![flip(0), flip(1)],
        tosses: if coin { vec![toss(0), toss(1)] } else { vec![] },
        given: None,
        possible: Possible::all(2),
        detector: None,
        goal,
    }
}

#[test]
fn odd_rings_have_no_two_colouring() {
    let rules = agents_that_flip(false, Goal::Everywhere { formula: "x~1".into() });
    let outcome =
        prove("two colours", &rules, &Sizes::from(3), Scheduler::GloballyFair, &Options::seconds(60)).unwrap();
    let Outcome::Refuted(refutation) = outcome else { panic!("{outcome:?}") };
    let sizes = refutation.family.map(|family| family.sizes);
    assert_eq!(sizes, Some(Sizes { from: 3, modulus: 2, residues: vec![1] }));
}

/// Agents with their left neighbour's bit are tokens: a step moves one, and two that meet are gone. A weakly fair daemon lets the token in
/// front go on first.
#[test]
fn a_weakly_fair_daemon_keeps_tokens_apart_on_every_ring() {
    let rules = agents_that_flip(false, Goal::Everywhere { formula: "x~1".into() });
    let outcome = prove("two colours", &rules, &Sizes::from(3), Scheduler::WeaklyFair, &Options::seconds(60)).unwrap();
    let Outcome::Refuted(refutation) = outcome else { panic!("{outcome:?}") };
    let family = refutation.family.expect("a trap");
    println!("{}", family.to_json());
    assert_eq!(family.sizes, Sizes { from: 3, modulus: 1, residues: vec![0] });
    assert!(!family.measures.is_empty());
    let unmeasured = FailureCertificate { measures: vec![], ..*family };
    assert!(matches!(verify_failure(&unmeasured), Err(Rejection::Fails(Claim::Waits(_), ..))));
}

/// Tokens move to the right, and two that meet become one. A locally fair schedule keeps two apart, where there is room for that.
#[test]
fn a_locally_fair_schedule_keeps_tokens_apart_on_every_ring_of_at_least_five() {
    let meet = |right: [State; 2]| Move {
        left: None,
        own: Cell { before: 1, after: 0 },
        right: Some(Cell { before: right[0], after: right[1] }),
        ..agents_that_flip(false, Goal::Everywhere { formula: "1".into() }).moves[0]
    };
    let few = Goal::Everywhere { formula: "!(x & X (!root U (!root & x)))".into() };
    let rules = Rules { moves: vec![meet([0, 1]), meet([1, 1])], ..agents_that_flip(false, few) };
    let options = Options::seconds(60);
    let outcome = prove("tokens", &rules, &Sizes::from(3), Scheduler::LocallyFair, &options).unwrap();
    let Outcome::Refuted(refutation) = outcome else { panic!("{outcome:?}") };
    assert_eq!(refutation.size, 5);
    let family = refutation.family.expect("a trap");
    println!("{}", family.to_json());
    assert_eq!(family.sizes, Sizes { from: 5, modulus: 1, residues: vec![0] });
    assert_eq!(verify_failure(&family), Ok(()));
    // Those who can take any step must, so tokens meet.
    let outcome = prove("tokens", &rules, &Sizes::from(3), Scheduler::GloballyFair, &options).unwrap();
    assert!(matches!(outcome, Outcome::Proved(_)), "{outcome:?}");
}

/// Herman's algorithm. With three agents two of three tokens always meet by a coin.
#[test]
fn an_unfair_daemon_defeats_the_coins_of_herman_on_every_ring_of_at_least_five() {
    let rules = agents_that_flip(true, Goal::ExactlyOne { of: vec!["x~0".into()], stays: false });
    for scheduler in [Scheduler::Unfair, Scheduler::Distributed] {
        let options = Options { coins: Coins::Fair, ..Options::seconds(60) };
        let odd = Sizes { from: 3, modulus: 2, residues: vec![1] };
        let outcome = prove("herman", &rules, &odd, scheduler, &options).unwrap();
        let Outcome::Refuted(refutation) = outcome else { panic!("{outcome:?}") };
        assert_eq!(refutation.size, 5);
        assert_eq!(refutation.family.map(|family| family.sizes), Some(Sizes { from: 5, ..odd }), "{scheduler:?}");
    }
}
