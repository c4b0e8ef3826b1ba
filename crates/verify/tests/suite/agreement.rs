//! The checker and brute force agree: on known certificates with something changed, and on random ones.

use crate::brute;
use crate::certificates::{crowd, mistakes, suite};
use crate::dice::Dice;
use crate::quick;
use crate::subjects::*;
use ringleader_testkit::cases;
use ringleader_verify::{
    Automaton, Cell, Certificate, Claim, Coins, Goal, Mark, Move, Place, Possible, Rejection, Rules, Scheduler, Sizes,
    State, Variable, Window, verify, verify_complete,
};

/// The configuration that a rejection names, if it names one.
fn named(rejection: &Rejection) -> &[State] {
    let Rejection::Fails(_, word, _) = rejection else { panic!("{rejection}") };
    word
}

/// What both twins say.
fn refuted(certificate: &Certificate, n: usize) -> bool {
    let refuted = brute::refute(certificate, n).is_some();
    assert_eq!(quick::refute(certificate, n).is_some(), refuted, "n = {n}: {certificate:?}");
    refuted
}

/// Accepted means that brute force finds nothing; rejected with a small ring means that it does, there.
fn agree(certificate: &Certificate, largest: usize) -> bool {
    let refuted = |n: usize| refuted(certificate, n);
    let verdict = verify(certificate);
    match &verdict {
        Ok(_) => assert!(!(certificate.sizes.from..=largest).any(refuted), "{certificate:?}"),
        Err(why) => {
            let n = named(why).len();
            // Up to 4 agents no sum of differences is too high to be followed.
            assert!(n > largest.min(4) || refuted(n), "{why} {certificate:?}");
        }
    }
    verdict.is_ok()
}

/// Every formula dropped, exchanged with its neighbour, turned round, compared otherwise.
fn changed(certificate: &Certificate) -> Vec<Certificate> {
    let mut all = Vec::new();
    let mut push = |measures: Vec<String>| all.push(Certificate { measures, ..certificate.clone() });
    let measures = &certificate.measures;
    for i in 0..measures.len() {
        let mut fewer = measures.clone();
        fewer.remove(i);
        push(fewer);
        let mut swapped = measures.clone();
        swapped.swap(i, (i + 1) % measures.len());
        push(swapped);
        let replaced = |text: String| {
            measures.iter().enumerate().map(|(j, m)| if i == j { text.clone() } else { m.clone() }).collect()
        };
        for (from, to) in [
            ("C:", "L:"),
            ("C:", "R:"),
            ("L:", "R:"),
            ("R:", "L:"),
            ("L:", "C:"),
            (" S ", " U "),
            (" & ", " | "),
            ("!", ""),
            ("root", "top"),
        ] {
            if measures[i].contains(from)
                && !(from == "C:" && (measures[i].contains(" + ") || measures[i].contains('*')))
            {
                push(replaced(measures[i].replacen(from, to, 1)));
            }
        }
    }
    all
}

#[test]
fn changed_proofs_of_dijkstra_are_accepted_only_if_they_are_proofs() {
    let four = Certificate {
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
    };
    let three = Certificate {
        rules: dijkstra_three(),
        safe: dijkstra_three_safe(),
        measures: DIJKSTRA_THREE.map(String::from).to_vec(),
        ..four.clone()
    };
    for certificate in [four, three] {
        let changed = changed(&certificate);
        let accepted = changed.iter().filter(|c| agree(c, 4) && agree(c, cases(7, 8))).count();
        println!("{} of {} changed certificates accepted", accepted, changed.len());
        assert!(accepted * 2 < changed.len());
    }
}

#[test]
fn changed_proofs_of_fischer_and_jiang_are_accepted_only_if_they_are_proofs() {
    let certificate = Certificate {
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
    };
    let changed = changed(&certificate);
    let accepted = changed.iter().filter(|c| agree(c, 4)).count();
    println!("{} of {} changed certificates accepted", accepted, changed.len());
    assert!(accepted * 2 < changed.len());
}

pub(crate) fn random_rules(dice: &mut Dice) -> Rules {
    let q = 2 + dice.below(2);
    let state = |dice: &mut Dice| dice.below(q) as State;
    let mut moves = Vec::new();
    for rule in 0..2 {
        let sees = dice.below(4);
        for _ in 0..1 + dice.below(4) {
            let mut cell = |changes: bool| {
                let before = state(dice);
                Cell { before, after: if changes { state(dice) } else { before } }
            };
            let left = (sees & 1 > 0).then(|| cell(false));
            let right = (sees & 2 > 0).then(|| cell(sees == 2));
            let own = cell(true);
            let place = if dice.below(2) == 0 { None } else { Some(*dice.pick(&Place::ALL)) };
            let m = Move { rule, place, seen: None, left, own, right };
            if m.cells().iter().any(|c| c.before != c.after) {
                moves.push(m);
            }
        }
    }
    let windows = (0..2).map(|_| Window {
        place: (dice.below(3) == 0).then_some(Place::Bottom),
        left: (dice.below(2) == 0).then(|| state(dice)),
        own: (dice.below(2) == 0).then(|| state(dice)),
        right: (dice.below(2) == 0).then(|| state(dice)),
    });
    Rules {
        states: (0..q).map(|s| s.to_string()).collect(),
        marks: vec![Mark { name: "m".into(), windows: windows.collect() }],
        variables: vec![Variable { name: "x".into(), size: q as u8, values: (0..q as u8).collect() }],
        rules: vec!["a".into(), "b".into()],
        moves,
        tosses: vec![],
        given: None,
        possible: Possible::all(q),
        detector: (dice.below(3) == 0).then(|| vec![0]),
        goal: if dice.below(2) == 0 {
            Goal::Everywhere { formula: ["x=0", "!x=1", "x~0", "1"][dice.below(4)].into() }
        } else {
            Goal::ExactlyOne { of: vec![["x=0", "m", "a", "x~1"][dice.below(4)].into()], stays: dice.below(2) == 0 }
        },
    }
}

pub(crate) fn random_formula(dice: &mut Dice, depth: usize) -> String {
    let atoms = ["x=0", "x=1", "x~1", "m", "a", "b", "root", "top", "1"];
    if depth == 0 {
        return dice.pick(&atoms).to_string();
    }
    let a = random_formula(dice, depth - 1);
    let b = random_formula(dice, depth - 1);
    match dice.below(8) {
        0 => format!("!{a}"),
        1 => format!("({a} & {b})"),
        2 => format!("({a} | {b})"),
        3 => format!("Y {a}"),
        4 => format!("X {a}"),
        5 => format!("({a} S {b})"),
        6 => format!("({a} U {b})"),
        _ => a,
    }
}

fn random_measure(dice: &mut Dice) -> String {
    let depth = 1 + dice.below(2);
    let f = random_formula(dice, depth);
    match dice.below(5) {
        0 => format!("L:{f}"),
        1 => format!("R:{f}"),
        2 => "safe".into(),
        3 => format!("C:2*{f} - {}", random_formula(dice, 1)),
        _ => format!("C:{f}"),
    }
}

/// Words in which a state does not occur, or is last, or everything, or nothing, or at most one of a state.
pub(crate) fn random_safe(dice: &mut Dice, q: usize) -> Automaton {
    let s = dice.below(q);
    match dice.below(5) {
        0 => automaton(q, (), |(), t| (t != s).then_some(()), |()| true),
        1 => automaton(q, false, |_, t| Some(t == s), |last| last),
        2 => automaton(q, (), |(), _| Some(()), |()| true),
        3 => automaton(q, (), |(), _| None, |()| true),
        _ => automaton(q, 0, |n, t| (n + usize::from(t == s) < 2).then_some(n + usize::from(t == s)), |n| n == 1),
    }
}

/// Brute force and the checker, on random protocols with claims that mostly fail; some hold.
#[test]
fn random_certificates_are_judged_as_brute_force_judges_them() {
    let mut dice = Dice(7);
    let mut held = 0;
    for _ in 0..cases(1_500, 5_000) {
        let rules = random_rules(&mut dice);
        let safe = random_safe(&mut dice, rules.states.len());
        let scheduler = *dice.pick(&[Scheduler::GloballyFair, Scheduler::Unfair]);
        let modulus = 1 + dice.below(2);
        let sizes = Sizes { from: 3 + dice.below(2), modulus, residues: vec![dice.below(modulus)] };
        let measures = (0..dice.below(3)).map(|_| random_measure(&mut dice)).collect();
        let certificate = Certificate {
            version: 1,
            subject: "random".into(),
            rules,
            sizes,
            scheduler,
            coins: Coins::Adversarial,
            safe,
            lasting: None,
            recurring: None,
            helpful: None,
            text: None,
            measures,
        };
        let only_its_sizes = |n: usize| certificate.sizes.contains(n) && refuted(&certificate, n);
        match verify(&certificate) {
            Ok(_) => {
                held += 1;
                assert!(!(3..=6).any(only_its_sizes), "{certificate:?}");
            }
            Err(Rejection::Malformed(why)) => assert!(why.to_string().contains("detector")),
            Err(why) => {
                let n = named(&why).len();
                assert!(certificate.sizes.contains(n));
                assert!(n > 4 || only_its_sizes(n), "{why} {certificate:?}");
            }
        }
    }
    println!("{held} hold");
    assert!(held > 30);
}

/// Not only the argument is checked rightly, it is one: what is accepted is true, also where some states are impossible at some places and
/// detectors lie.
#[test]
fn what_is_accepted_is_true() {
    let mut dice = Dice(17);
    let (mut lying, mut truthful) = (0, 0);
    for _ in 0..cases(10_000, 30_000) {
        let mut rules = random_rules(&mut dice);
        let q = rules.states.len();
        let mut some = || {
            let least = dice.below(q) as State;
            (0..q as State).filter(|s| *s == least || dice.below(2) == 0).collect::<Vec<_>>()
        };
        rules.possible = Possible { bottom: some(), middle: some(), top: some() };
        rules.detector = Some(some());
        for m in &mut rules.moves {
            m.seen = *dice.pick(&[None, Some(false), Some(true)]);
        }
        let led = rules.detector.clone().unwrap_or_default();
        let is_led = |led_before: bool, s: usize| Some(led_before || led.contains(&(s as State)));
        let all_led = automaton(q, false, is_led, |led| led);
        let safe = random_safe(&mut dice, q);
        let lasting = *dice.pick(&[Some(true), Some(false), None]);
        let lasting = lasting.map(|all| if all { all_led } else { random_safe(&mut dice, q) });
        let mut measures: Vec<String> = (0..dice.below(2)).map(|_| random_measure(&mut dice)).collect();
        measures.push("safe".into());
        let (subject, sizes) = ("random".into(), Sizes::from(3));
        let scheduler = *dice.pick(&[Scheduler::GloballyFair, Scheduler::Unfair]);
        let certificate = Certificate {
            version: 1,
            subject,
            rules,
            sizes,
            scheduler,
            coins: Coins::Adversarial,
            safe,
            lasting,
            text: None,
            measures,
            recurring: None,
            helpful: None,
        };
        if verify(&certificate).is_ok() {
            *if certificate.lasting.is_some() { &mut lying } else { &mut truthful } += 1;
            assert!((3..=4).all(|n| brute::is_true(&certificate, n)), "{certificate:?}");
        }
    }
    println!("{lying} hold whatever the detector says, {truthful} if it tells the truth");
}

/// The twin that is quick on whole rings, against the slow one: what is really safe, and from where it is reached.
#[test]
fn whole_rings_are_what_brute_force_says() {
    let mut dice = Dice(11);
    let random = (0..300).map(|_| random_rules(&mut dice)).collect::<Vec<_>>();
    let known = [fischer_jiang(), token_circulation(), gouda_haddix(), dijkstra_four(), dijkstra_three()];
    let mut reached = 0;
    for (rules, n) in random.iter().flat_map(|r| [(r, 3), (r, 4)]).chain(known.iter().map(|r| (r, 3))) {
        let ring = quick::Ring::new(rules, n);
        let safe = ring.safe_words();
        assert_eq!(safe.iter().cloned().collect::<std::collections::HashSet<_>>(), brute::really_safe(rules, n));
        for scheduler in [Scheduler::GloballyFair, Scheduler::Unfair] {
            let failing = ring.failing(scheduler);
            assert_eq!(failing, brute::failing(rules, n, scheduler), "{scheduler:?}, n = {n}: {rules:?}");
            reached += usize::from(failing.is_empty());
        }
    }
    println!("{reached} reach what is safe");
    assert!(reached > 30);
}

#[test]
fn sizes_without_a_modulus_are_rejected_and_contain_nothing() {
    for (mut certificate, _, _) in suite() {
        certificate.sizes.modulus = 0;
        assert!(!certificate.sizes.contains(certificate.sizes.from));
        assert!(verify(&certificate).is_err(), "{}", certificate.subject);
    }
}

#[test]
fn the_small_certificates_hold_where_brute_force_says_so() {
    for (certificate, largest, holds) in suite() {
        let refuted = (certificate.sizes.from..=largest).find_map(|n| brute::refute(&certificate, n));
        assert_eq!(refuted.is_none(), holds, "{:?}: {refuted:?}", certificate.measures);
    }
}

#[test]
fn the_checker_makes_no_mistake_on_the_small_certificates() {
    assert_eq!(mistakes(&suite()), 0);
}

#[test]
fn a_bound_on_a_growing_crowd_is_refused() {
    let expected = Rejection::Fails(Claim::Closed, vec![0, 1, 1, 1, 1, 1, 1, 1], Some(vec![1; 8]));
    assert_eq!(verify_complete(&crowd(7)), Err(expected));
    let mut unbounded = crowd(7);
    unbounded.safe[0][1].most = None;
    assert!(verify_complete(&unbounded).is_ok());
}
