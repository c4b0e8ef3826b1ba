//! Tuples of measures that are known to hold, and what becomes of them when something is left out.

#[path = "support/brute.rs"]
#[allow(dead_code)]
mod brute;
#[path = "support/subjects.rs"]
#[allow(dead_code)]
mod subjects;

use ringleader_verify::{Certificate, Rejection, Scheduler, Sizes, verify};
use subjects::*;

fn fischer_jiang_certificate() -> Certificate {
    Certificate {
        version: 1,
        subject: "fischer-jiang-ring".into(),
        rules: fischer_jiang(),
        sizes: Sizes::from(3),
        scheduler: Scheduler::GloballyFair,
        safe: fischer_jiang_safe(),
        measures: FISCHER_JIANG.map(String::from).to_vec(),
    }
}

fn dijkstra_four_certificate() -> Certificate {
    Certificate {
        version: 1,
        subject: "four states".into(),
        rules: dijkstra_four(),
        sizes: Sizes::from(3),
        scheduler: Scheduler::Unfair,
        safe: dijkstra_four_safe(),
        measures: DIJKSTRA_FOUR.map(String::from).to_vec(),
    }
}

#[test]
fn fischer_jiang_holds_from_three_on() {
    let certificate = fischer_jiang_certificate();
    println!("{:?}", verify(&certificate).unwrap());
    for n in 3..=5 {
        assert_eq!(brute::refute(&certificate, n), None);
    }
}

#[test]
fn fischer_jiang_needs_every_line_but_the_sixth_at_three() {
    for i in 0..9 {
        let mut certificate = fischer_jiang_certificate();
        certificate.measures.remove(i);
        match verify(&certificate) {
            Ok(_) => assert_eq!(i, 5),
            Err(Rejection::NoDescent(word)) => assert_eq!(word.len(), 3, "without line {}", i + 1),
            Err(other) => panic!("{other}"),
        }
        assert_eq!(brute::refute(&certificate, 3).is_none(), i == 5);
    }
}

#[test]
fn fischer_jiang_is_refuted_at_two() {
    let certificate = Certificate { sizes: Sizes::from(2), ..fischer_jiang_certificate() };
    assert!(matches!(verify(&certificate), Err(Rejection::NoDescent(word)) if word.len() == 2));
    assert!(brute::refute(&certificate, 2).is_some());
}

#[test]
fn dijkstra_four_holds() {
    let certificate = dijkstra_four_certificate();
    println!("{:?}", verify(&certificate).unwrap());
    for n in 3..=6 {
        assert_eq!(brute::refute(&certificate, n), None);
    }
}
