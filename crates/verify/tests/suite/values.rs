//! Certificates about every number of values, of Dijkstra's K-state ring and of broken variants. They judge the checker, and each bug that a
//! patch plants in its rules for them.

use ringleader_verify::{
    Automaton, Claim, Place, Rejection, Scheduler, Takes, ValueMove, ValueRules, ValueWindow, ValuesCertificate,
    verify_values,
};

/// The verdict that a certificate deserves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Verdict {
    Accepted,
    Malformed,
    Fails(Claim),
}

fn verdict(certificate: &ValuesCertificate) -> Verdict {
    match verify_values(certificate) {
        Ok(()) => Verdict::Accepted,
        Err(Rejection::Fails(claim, ..)) => Verdict::Fails(claim),
        Err(_) => Verdict::Malformed,
    }
}

fn left(place: Place, same: bool) -> ValueWindow {
    ValueWindow { place, left: Some(same), right: None }
}

fn set(accepting: &[usize], next: [[Option<usize>; 3]; 2]) -> Automaton {
    Automaton { start: 0, accepting: accepting.to_vec(), next: next.map(|row| row.to_vec()).to_vec() }
}

/// Dijkstra's ring. Its safe configurations: a prefix of agents has the root's value, and all others have one other value.
pub(crate) fn k_state(scheduler: Scheduler, fewer: usize) -> ValuesCertificate {
    let moves = [
        (0, left(Place::Bottom, true), Takes::Next),
        (1, left(Place::Middle, false), Takes::Left),
        (1, left(Place::Top, false), Takes::Left),
    ];
    ValuesCertificate {
        version: 1,
        subject: "k-state".into(),
        text: None,
        values: ValueRules {
            rules: vec!["count".into(), "copy".into()],
            moves: moves.map(|(rule, sees, takes)| ValueMove { rule, sees, takes }).to_vec(),
            token: moves.map(|(_, sees, _)| sees).to_vec(),
        },
        from: 2,
        fewer,
        scheduler,
        safe: set(&[0, 1], [[Some(0), None, Some(1)], [None, Some(1), None]]),
        fresh: set(&[0, 1], [[Some(0), None, Some(1)], [None, Some(1), Some(1)]]),
        measures: vec!["L:copy".into()],
    }
}

/// A name, a certificate, and its verdict.
pub(crate) fn suite() -> Vec<(&'static str, ValuesCertificate, Verdict)> {
    use Scheduler::{Distributed, GloballyFair, Unfair};
    use Verdict::{Accepted, Fails, Malformed};
    let any = || set(&[0], [[Some(0); 3], [None; 3]]);
    let changed = |change: &dyn Fn(&mut ValuesCertificate)| {
        let mut certificate = k_state(Unfair, 1);
        change(&mut certificate);
        certificate
    };
    let anything = ValueWindow { place: Place::Bottom, left: None, right: None };
    vec![
        ("K >= n - 1, central", k_state(Unfair, 1), Accepted),
        ("K >= n, central", k_state(Unfair, 0), Accepted),
        ("K >= n, distributed", k_state(Distributed, 0), Accepted),
        ("from 5 on", changed(&|c| c.from = 5), Accepted),
        ("K >= n - 1, distributed", k_state(Distributed, 1), Fails(Claim::Repeats)),
        ("K >= n - 2", k_state(Unfair, 2), Malformed),
        ("globally fair", k_state(GloballyFair, 1), Malformed),
        ("the root copies", changed(&|c| c.values.moves[0].takes = Takes::Left), Malformed),
        ("another agent counts", changed(&|c| c.values.moves[1].takes = Takes::Next), Malformed),
        ("agents copy equal values", changed(&|c| c.values.moves[1].sees.left = Some(true)), Malformed),
        ("an unknown rule", changed(&|c| c.values.moves[1].rule = 2), Malformed),
        (
            "the root's value is held by nobody else",
            changed(&|c| {
                c.values.moves[0].sees.left = Some(false);
                c.values.token = vec![anything];
                c.safe = any();
            }),
            Malformed,
        ),
        (
            "the root looks right",
            changed(&|c| {
                let right = ValueWindow { place: Place::Bottom, left: None, right: Some(true) };
                (c.values.moves[0].sees, c.values.token[0]) = (right, right);
                c.from = 3;
            }),
            Fails(Claim::Promise),
        ),
        ("tokens where values are equal", changed(&|c| c.values.token[1].left = Some(true)), Fails(Claim::Promise)),
        (
            "no token at the root",
            changed(&|c| c.values.token.retain(|window| window.place != Place::Bottom)),
            Fails(Claim::Promise),
        ),
        // It has one token for ever: nobody claims that the token moves.
        ("the top never acts", changed(&|c| c.values.moves.truncate(2)), Accepted),
        (
            "the middle never acts",
            changed(&|c| c.values.moves.retain(|m| m.sees.place != Place::Middle)),
            Fails(Claim::Progress),
        ),
        (
            "nobody acts",
            changed(&|c| {
                c.values.moves.clear();
                c.values.token.truncate(1);
                c.safe = set(&[1], [[Some(1), Some(0), Some(0)], [Some(1), Some(0), Some(0)]]);
                c.measures.clear();
            }),
            Fails(Claim::Progress),
        ),
        ("everything is safe", changed(&|c| c.safe = any()), Fails(Claim::Promise)),
        (
            "only equal values are safe",
            changed(&|c| c.safe = set(&[0], [[Some(0), None, None], [None; 3]])),
            Fails(Claim::Closed),
        ),
        ("nothing is fresh", changed(&|c| c.fresh.accepting.clear()), Fails(Claim::Fresh)),
        (
            "nobody copies a fresh value",
            changed(&|c| c.fresh = set(&[0], [[None, Some(0), Some(0)], [None; 3]])),
            Fails(Claim::StaysFresh),
        ),
        ("everything is fresh", changed(&|c| c.fresh = any()), Fails(Claim::Returns)),
        ("no measures", changed(&|c| c.measures.clear()), Fails(Claim::EveryFalls)),
        ("a measure that stays", changed(&|c| c.measures = vec!["C:copy".into()]), Fails(Claim::EveryFalls)),
        ("a measure about nothing", changed(&|c| c.measures = vec!["C:x".into()]), Malformed),
        ("an automaton with two letters", changed(&|c| c.safe.next[0].truncate(2)), Malformed),
        (
            "agents copy from the right, too",
            changed(&|c| {
                let right = ValueWindow { place: Place::Middle, left: None, right: Some(false) };
                c.values.moves.push(ValueMove { rule: 1, sees: right, takes: Takes::Right });
                c.from = 3;
            }),
            Fails(Claim::EveryFalls),
        ),
    ]
}

/// The first certificate with another verdict.
#[allow(dead_code)] // the planted bugs use it
pub(crate) fn mistake(suite: &[(&'static str, ValuesCertificate, Verdict)]) -> Option<&'static str> {
    suite.iter().find(|(_, certificate, deserved)| verdict(certificate) != *deserved).map(|(name, ..)| *name)
}

#[test]
fn each_certificate_has_its_verdict() {
    for (name, certificate, deserved) in suite() {
        assert_eq!(verdict(&certificate), deserved, "{name}: {:?}", verify_values(&certificate));
        assert_eq!(ValuesCertificate::from_json(&certificate.to_json()).unwrap(), certificate);
    }
}
