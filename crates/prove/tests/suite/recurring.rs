//! The token comes to every agent again and again, on every ring.

use crate::{brute, subjects};
use ringleader_prove::{Options, Outcome, Recurrence, Starvation, Unsuitable, prove, recurring, token};
use ringleader_verify::{Certificate, Mark, Rules, Scheduler, Sizes, verify};
use std::time::Instant;

fn proof(rules: &Rules, scheduler: Scheduler) -> Certificate {
    let outcome = prove("a test", rules, &Sizes::from(3), scheduler, &Options::seconds(600)).unwrap();
    let Outcome::Proved(proof) = outcome else { panic!("{outcome:?}") };
    proof.certificate
}

/// Proves, verifies, and confirms the claim by its definition and every step of the argument on small rings.
fn recurs(name: &str, rules: &Rules, scheduler: Scheduler, largest: usize) {
    let certificate = proof(rules, scheduler);
    let condition = token(rules).expect("it has a token");
    let start = Instant::now();
    let found = recurring(&certificate, &condition, &Options::seconds(600)).unwrap();
    let searched = start.elapsed();
    let Recurrence::Proved(certificate) = found else { panic!("{name}: {found:?}") };
    let start = Instant::now();
    verify(&certificate).unwrap();
    println!("{name}: {searched:.1?}, verified in {:.2?}: {:#?}", start.elapsed(), certificate.recurring);
    for n in 3..=largest {
        assert!(brute::recurs(&certificate, n), "{name} at {n}");
        assert_eq!(brute::refute(&certificate, n), None, "{name} at {n}");
    }
}

#[test]
fn token_circulation() {
    recurs("token-circulation", &subjects::token_circulation(), Scheduler::GloballyFair, 4);
}

#[test]
fn gouda_haddix() {
    recurs("gouda-haddix", &subjects::gouda_haddix(), Scheduler::GloballyFair, 4);
}

#[test]
fn dijkstra_four_state() {
    recurs("dijkstra-four-state", &subjects::dijkstra_four(), Scheduler::Unfair, 6);
    recurs("dijkstra-four-state", &subjects::dijkstra_four(), Scheduler::GloballyFair, 5);
}

#[test]
fn dijkstra_three_state() {
    recurs("dijkstra-three-state", &subjects::dijkstra_three(), Scheduler::Unfair, 6);
}

/// A rule that only the bottom has is enabled nowhere else, and brute force agrees with the agent that waits.
#[test]
fn a_condition_that_does_not_recur_is_refuted() {
    let rules = subjects::dijkstra_three();
    for scheduler in [Scheduler::Unfair, Scheduler::GloballyFair] {
        let certificate = proof(&rules, scheduler);
        let found = recurring(&certificate, "low", &Options::seconds(60)).unwrap();
        let Recurrence::Fails(Starvation { size, start, agent }) = found else { panic!("{found:?}") };
        assert!(size == 3 && agent > 0 && certificate.safe.accepts(&start));
    }
}

#[test]
fn bad_questions_have_a_reason() {
    let rules = subjects::dijkstra_three();
    let certificate = proof(&rules, Scheduler::Unfair);
    let ask = |certificate: &Certificate, condition: &str| {
        recurring(certificate, condition, &Options::seconds(60)).expect_err("it is unsuitable")
    };
    for condition in ["here", "nobody", "(low", ""] {
        assert_eq!(ask(&certificate, condition), Unsuitable::Goal(condition.into()));
    }
    let mut broken = certificate.clone();
    broken.safe.next[0].clear();
    assert!(matches!(ask(&broken, "low"), Unsuitable::Certificate(_)));
    let mut taken = certificate.clone();
    taken.rules.marks.push(Mark { name: "here".into(), windows: vec![] });
    let condition = token(&rules).expect("a token");
    assert!(ask(&taken, &condition).to_string().contains("the name `here` is taken twice"));
}
