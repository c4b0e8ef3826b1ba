//! Algorithms that are proved without hints, and brute force on their certificates.

use crate::{brute, quick, subjects};
use ringleader_prove::{Certificate, Hints, Options, Outcome, Proof, prove};
use ringleader_verify::{
    Cell, Claim, Goal, Measure, Move, Place, Possible, Rejection, Rules, Scheduler, Sizes, State, Variable, verify,
};
use std::time::Instant;

/// Proves, verifies, and confirms every claim of the certificate on all rings up to a size.
fn proved(name: &str, rules: Rules, from: usize, scheduler: Scheduler, largest: usize) -> Proof {
    confirmed(name, rules, Sizes::from(from), scheduler, largest, &Options::seconds(600))
}

fn confirmed(name: &str, rules: Rules, sizes: Sizes, scheduler: Scheduler, largest: usize, options: &Options) -> Proof {
    let start = Instant::now();
    let outcome = prove(name, &rules, &sizes, scheduler, options).unwrap();
    let Outcome::Proved(proof) = outcome else { panic!("{name}: {outcome:?}") };
    let searched = start.elapsed();
    let start = Instant::now();
    verify(&proof.certificate).unwrap();
    println!("{name}: {searched:.1?}, verified in {:.2?}: {:#?}", start.elapsed(), proof.certificate.measures);
    let measures: Vec<Measure> = proof.certificate.measures.iter().map(|m| m.parse().unwrap()).collect();
    for (i, (w, v)) in proof.examples.iter().enumerate().filter_map(|(i, e)| Some((i, e.as_ref()?))) {
        assert!(brute::steps(&rules, w).contains(v));
        let change = |m: &Measure| brute::compare(&rules, &proof.certificate.safe, m, v, w);
        assert!(measures[..i].iter().all(|m| change(m).is_eq()) && change(&measures[i]).is_lt());
    }
    for n in (sizes.from..=largest).filter(|n| sizes.contains(*n)) {
        let start = Instant::now();
        assert_eq!(quick::refute(&proof.certificate, n), None, "{name} at {n}");
        if n <= 4 {
            assert_eq!(brute::refute(&proof.certificate, n), None, "{name} at {n}");
        }
        // The safe set keeps the promise and is closed, so it lies in the largest such set. The test also asks whether
        // the two are equal.
        if proof.exact_at.contains(&n) {
            let really = quick::Ring::new(&rules, n).safe_words();
            assert!(really.iter().all(|w| proof.certificate.safe.accepts(w)), "{name} at {n} is said to be exact");
        }
        println!("{name}: confirmed at n = {n} in {:.1?}", start.elapsed());
    }
    *proof
}

/// Agent 0 copies the bit of agent n-1. A configuration is safe if these two are equal, but prefixes of small rings look alike for
/// other reasons, too: the safe set is not learned from them.
#[test]
fn a_safe_set_that_small_rings_do_not_teach() {
    let copies = |left: State| Move {
        rule: 0,
        place: Some(Place::Bottom),
        seen: None,
        left: Some(Cell { before: left, after: left }),
        own: Cell { before: 1 - left, after: left },
        right: None,
    };
    let rules = Rules {
        states: vec!["0".into(), "1".into()],
        variables: vec![Variable { name: "x".into(), size: 2, values: vec![0, 1] }],
        marks: vec![],
        rules: vec!["go".into()],
        moves: vec![copies(0), copies(1)],
        tosses: vec![],
        given: None,
        possible: Possible::all(2),
        detector: None,
        goal: Goal::Everywhere { formula: "!go".into() },
    };
    for scheduler in [Scheduler::GloballyFair, Scheduler::Unfair] {
        let proof = proved("agent 0 copies", rules.clone(), 3, scheduler, 8);
        assert_eq!(proof.exact_at, [3, 4, 5, 6, 7, 8]);
    }
}

#[test]
fn fischer_jiang_ring() {
    proved("fischer-jiang-ring", subjects::fischer_jiang(), 3, Scheduler::GloballyFair, 6);
}

#[test]
fn token_circulation() {
    proved("token-circulation", subjects::token_circulation(), 2, Scheduler::GloballyFair, 7);
}

#[test]
fn gouda_haddix() {
    proved("gouda-haddix", subjects::gouda_haddix(), 2, Scheduler::GloballyFair, 6);
}

#[test]
fn dijkstra_four_states() {
    proved("dijkstra-four", subjects::dijkstra_four(), 3, Scheduler::Unfair, 7);
}

#[test]
fn dijkstra_three_states() {
    proved("dijkstra-three", subjects::dijkstra_three(), 3, Scheduler::Unfair, 7);
}

/// For rings of odd size, prefixes are learned by their parity.
#[test]
fn sizes_may_be_told_apart_by_a_modulus() {
    let odd = || Sizes { from: 3, modulus: 2, residues: vec![1] };
    let options = Options::seconds(600);
    confirmed("tokens, odd", subjects::token_circulation(), odd(), Scheduler::GloballyFair, 7, &options);
    confirmed("dijkstra-four, odd", subjects::dijkstra_four(), odd(), Scheduler::Unfair, 7, &options);
}

/// Tokens that walk either way and merge; where there is none, one is made. Each interaction is in the table both ways.
#[test]
fn tokens_on_an_undirected_ring() {
    let meeting = |seen, before: [State; 2], after: [State; 2]| {
        let [own, other] = [0, 1].map(|i| Cell { before: before[i], after: after[i] });
        let right = Move { rule: 0, place: None, seen, left: None, own, right: Some(other) };
        [right, Move { left: right.right, right: None, ..right }]
    };
    let meetings = [meeting(None, [1, 0], [0, 1]), meeting(None, [1, 1], [0, 1]), meeting(Some(false), [0, 0], [1, 0])];
    let rules = Rules {
        states: vec!["-".into(), "T".into()],
        variables: vec![Variable { name: "token".into(), size: 2, values: vec![0, 1] }],
        marks: vec![],
        rules: vec!["walk".into()],
        moves: meetings.concat(),
        tosses: vec![],
        given: None,
        possible: Possible::all(2),
        detector: Some(vec![1]),
        goal: subjects::one(&["token"], false),
    };
    proved("tokens on an undirected ring", rules, 3, Scheduler::GloballyFair, 7);
}

/// Also where the detector may lie for a while.
#[test]
fn fischer_jiang_ring_with_a_detector_that_lies() {
    let options = Options { lies: true, ..Options::seconds(600) };
    let rules = subjects::fischer_jiang();
    let proof = confirmed("fischer-jiang-ring", rules, Sizes::from(3), Scheduler::GloballyFair, 4, &options);
    let lasting = proof.certificate.lasting.as_ref().expect("leaders last");
    println!("leaders last in a set of {} states", lasting.next.len());
    // Without this set the claim is weaker; with another set it is invalid.
    let other = Certificate { lasting: Some(proof.certificate.safe.clone()), ..proof.certificate };
    assert!(matches!(verify(&other), Err(Rejection::Fails(Claim::Led | Claim::Lasts | Claim::Founded, ..))));
}

const FIVE: &str = include_str!("../../../../docs/hints/five-state-token-ring.txt");
const GOUDA_HADDIX: &str = include_str!("../../../../docs/hints/gouda-haddix.txt");

/// The search does not find these measures. The proofs need each of them.
#[test]
fn unfair_daemons_from_hints() {
    for (name, rules, hints, largest, exact) in [
        ("five-state-token-ring", subjects::five_state(), FIVE.to_string(), 7, 3..=8),
        ("gouda-haddix", subjects::gouda_haddix(), GOUDA_HADDIX.replace("hasToken", "token"), 6, 3..=6),
    ] {
        let hints = Hints::read(&hints).unwrap();
        let options = Options { hints: Some(&hints), ..Options::seconds(600) };
        let proof = confirmed(name, rules, Sizes::from(3), Scheduler::Unfair, largest, &options);
        assert_eq!(proof.exact_at, exact.collect::<Vec<_>>(), "{name}");
        let measures = &proof.certificate.measures;
        for left_out in 0..measures.len() {
            let mut fewer = proof.certificate.clone();
            let measure = fewer.measures.remove(left_out);
            assert!((3..=5).any(|n| quick::refute(&fewer, n).is_some()), "{name}: {measure} is not needed");
        }
    }
}

const ANGLUIN: &str = include_str!("../../../../docs/hints/angluin-ring.txt");

/// On rings of odd size, with measures written by hand.
#[test]
#[ignore = "minutes"]
fn angluin_ring_from_hints() {
    let hints = Hints::read(ANGLUIN).unwrap();
    let options = Options { hints: Some(&hints), ..Options::seconds(600) };
    let sizes = Sizes { from: 3, modulus: 2, residues: vec![1] };
    let proof = confirmed("angluin-ring", subjects::angluin(), sizes, Scheduler::GloballyFair, 5, &options);
    assert!(proof.exact_at.is_empty(), "more is really safe than the algorithm's own safe set, even at n = 3");
}

/// The two algorithms with eight states have two million configurations at n = 7: minutes of brute force.
#[test]
#[ignore = "minutes"]
fn eight_states_up_to_seven_agents() {
    proved("fischer-jiang-ring", subjects::fischer_jiang(), 3, Scheduler::GloballyFair, 7);
    proved("gouda-haddix", subjects::gouda_haddix(), 2, Scheduler::GloballyFair, 7);
}
