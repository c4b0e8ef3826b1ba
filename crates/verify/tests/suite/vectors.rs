//! Tuples of measures that are known to hold, and what becomes of them when something is left out.

use crate::brute;
use crate::subjects::*;
use ringleader_verify::{Automaton, Certificate, Claim, Coins, Measure, Rejection, Scheduler, Sizes, verify};

fn fischer_jiang_certificate() -> Certificate {
    Certificate {
        version: 1,
        subject: "fischer-jiang-ring".into(),
        rules: fischer_jiang(),
        sizes: Sizes::from(3),
        scheduler: Scheduler::GloballyFair,
        coins: Coins::Adversarial,
        safe: fischer_jiang_safe(),
        lasting: None,
        recurring: None,
        helpful: None,
        text: None,
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
        coins: Coins::Adversarial,
        safe: dijkstra_four_safe(),
        lasting: None,
        recurring: None,
        helpful: None,
        text: None,
        measures: DIJKSTRA_FOUR.map(String::from).to_vec(),
    }
}

#[test]
fn fischer_jiang_holds_from_three_on() {
    let certificate = fischer_jiang_certificate();
    verify(&certificate).unwrap();
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
            Err(Rejection::Fails(Claim::SomeFalls, word, _)) => assert_eq!(word.len(), 3, "without line {}", i + 1),
            Err(other) => panic!("{other}"),
        }
        assert_eq!(brute::refute(&certificate, 3).is_none(), i == 5);
    }
}

#[test]
fn fischer_jiang_is_refuted_at_two() {
    let certificate = Certificate { sizes: Sizes::from(2), ..fischer_jiang_certificate() };
    assert!(matches!(verify(&certificate), Err(Rejection::Fails(Claim::SomeFalls, word, _)) if word.len() == 2));
    assert!(brute::refute(&certificate, 2).is_some());
}

#[test]
fn dijkstra_four_holds() {
    let certificate = dijkstra_four_certificate();
    verify(&certificate).unwrap();
    for n in 3..=6 {
        assert_eq!(brute::refute(&certificate, n), None);
    }
}

/// A measure of our own: arrows between neighbours weigh 5 each; what they add up to, and which way the first points, weigh in.
#[test]
fn dijkstra_three_holds() {
    let certificate = Certificate {
        rules: dijkstra_three(),
        safe: dijkstra_three_safe(),
        measures: DIJKSTRA_THREE.map(String::from).to_vec(),
        ..dijkstra_four_certificate()
    };
    verify(&certificate).unwrap();
    for n in 3..=7 {
        assert_eq!(brute::refute(&certificate, n), None);
    }
    let lighter = DIJKSTRA_THREE[0].replace("5*", "7*");
    let certificate = Certificate { measures: vec![lighter], ..certificate };
    assert!(matches!(verify(&certificate), Err(Rejection::Fails(Claim::EveryFalls, ..))));
}

#[test]
fn certificates_survive_being_written_and_read() {
    let certificate = dijkstra_four_certificate();
    assert_eq!(Certificate::from_json(&certificate.to_json()).unwrap(), certificate);
    let stranger = certificate.to_json().replace("\"safe\"", "\"sure\"");
    assert!(Certificate::from_json(&stranger).is_err());
}

#[test]
fn bad_certificates_are_refused_with_a_reason() {
    let good = dijkstra_four_certificate;
    let refused = |change: &dyn Fn(&mut Certificate)| {
        let mut certificate = good();
        change(&mut certificate);
        verify(&certificate).expect_err("it is bad").to_string()
    };
    assert!(refused(&|c| c.version = 2).contains("version 2"));
    assert!(refused(&|c| c.sizes.from = 2).contains("from 3"));
    assert!(refused(&|c| c.sizes.residues = vec![1]).contains("residues"));
    // Two of three remainders, counted, would be "no multiple of 3".
    assert!(
        refused(&|c| (c.sizes.modulus, c.sizes.residues) = (3, vec![1, 1])).contains("greater than the one before")
    );
    assert!(refused(&|c| c.safe.accepting = vec![99]).contains("a set's automaton"));
    assert!(refused(&|c| c.safe.start = 99).contains("a set's automaton"));
    assert!(refused(&|c| c.measures[1] = "C:(".into()).contains("measure 2"));
    assert!(refused(&|c| c.measures[1] = "C:zz".into()).contains("`zz`"));
    assert!(refused(&|c| c.measures[1] = "C:x=2".into()).contains("below 2"));
    let many = |n: usize| (0..n).map(|_| "x").collect::<Vec<_>>().join(" + ");
    assert!(refused(&|c| c.measures[1] = format!("C:{}", many(65))).contains("64"));
    let deep = |n: usize| format!("C:{}x", "X ".repeat(n));
    assert!(refused(&|c| c.measures[1] = deep(40)).contains("too large"));
    assert!(refused(&|c| c.measures[1] = deep(150)).contains("too large"));
    assert!(refused(&|c| c.rules.moves[0].rule = 9).contains("move 0"));
    assert!(refused(&|c| c.rules.variables[0].name = "X".into()).contains("`X`"));
    assert!(refused(&|c| c.rules.possible.top = vec![0]).contains("not possible"));
}

/// The values on single configurations compare as brute force compares the configurations.
#[test]
fn readings_compare_like_the_measures() {
    for certificate in [fischer_jiang_certificate(), dijkstra_four_certificate()] {
        for n in 3..=4 {
            for w in brute::configurations(&certificate.rules, n).iter().step_by(7) {
                let before = certificate.readings(w).unwrap();
                for v in brute::steps(&certificate.rules, w) {
                    let after = certificate.readings(&v).unwrap();
                    for (i, text) in certificate.measures.iter().enumerate() {
                        let m: Measure = text.parse().unwrap();
                        let change = brute::compare(&certificate.rules, &certificate.safe, &m, &v, w);
                        assert_eq!(after[i].cmp(&before[i]), change, "{text}: {w:?} -> {v:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn readings_of_no_configuration_say_why() {
    let certificate = dijkstra_four_certificate();
    assert!(certificate.readings(&[1, 0]).unwrap_err().to_string().contains("2 agents"));
    assert!(certificate.readings(&[1, 4, 0]).unwrap_err().to_string().contains("state 4"));
    let vague = Certificate { measures: vec!["C:zz".into()], ..certificate };
    assert!(vague.readings(&[1, 0, 0]).unwrap_err().to_string().contains("`zz`"));
}

/// Lasting sets that have no leader, that lies leave, and that new leaders miss.
#[test]
fn sets_in_which_leaders_do_not_last_are_refused() {
    let refused = |lasting: Automaton| {
        let certificate = Certificate { lasting: Some(lasting), ..fischer_jiang_certificate() };
        assert!((3..=4).any(|n| brute::refute(&certificate, n).is_some()));
        match verify(&certificate).expect_err("it is bad") {
            Rejection::Fails(claim, ..) => claim,
            other => panic!("{other}"),
        }
    };
    assert_eq!(refused(automaton(8, (), |(), _| Some(()), |()| true)), Claim::Led);
    assert_eq!(refused(fischer_jiang_safe()), Claim::Lasts);
    assert_eq!(refused(automaton(8, (), |(), _| None, |()| true)), Claim::Founded);
    let certificate = Certificate { lasting: Some(dijkstra_four_safe()), ..dijkstra_four_certificate() };
    assert!(verify(&certificate).unwrap_err().to_string().contains("there is none"));
}
