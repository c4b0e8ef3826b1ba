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

#[test]
fn dijkstra_three_by_hand() {
    let enabled = |w: &[u8]| -> usize { brute::promised(&dijkstra_three(), w).map_or(0, |_| 1) };
    let _ = enabled;
    // x of the bottom, of the one before, number of enabled rules so far
    let step = |(first, last, before, count): (Option<usize>, usize, usize, usize), s: usize| {
        match first {
            None => Some((Some(s), s, s, 0)),
            Some(f) => {
                // arrows between last and s; what the top sees is known only at the end
                let arrow = usize::from(s != last);
                (count + arrow <= 3).then_some((Some(f), s, last, count + arrow))
            }
        }
    };
    let safe = automaton(3, (None, 0, 0, 0), step, |(first, last, before, count)| {
        let Some(f) = first else { return false };
        // the arrow into the top that points right is no privilege of the top unless it sees the bottom's value
        let into_top = if (before + 2) % 3 == last { 1 } else { 0 };
        let high = usize::from(before == f && (before + 1) % 3 != last);
        count - into_top + high == 1
    });
    let certificate = Certificate {
        version: 1,
        subject: "three states".into(),
        rules: dijkstra_three(),
        sizes: Sizes::from(3),
        scheduler: Scheduler::Unfair,
        safe,
        measures: ["C:5*(!x~0 & !root) + 6*(root & x~0) + 3*(root & x~1) + 4*(root & X (x~0 U x~1))", "L:(x~2 & !root)", "R:(x~1 & !root)"].map(String::from).to_vec(),
    };
    for n in 3..=6 {
        assert_eq!(brute::refute(&certificate, n), None);
    }
    println!("{:?}", verify(&certificate));
}
