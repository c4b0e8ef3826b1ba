//! Failures under local fairness: the checker and brute force.

use crate::agreement::{random_formula, random_rules};
use crate::brute::{at, configurations, falls, holds, promised, really_safe};
use crate::dice::Dice;
use crate::failures::{random_failure, right as is_right};
use ringleader_testkit::cases;
use ringleader_verify::{
    Cell, Claim, Coins, FailureCertificate, Formula, Malformed, Measure, Move, Place, Rejection, Rules, Scheduler,
    State, Turn, verify_failure,
};
use std::collections::HashMap;

type Word = Vec<State>;

/// What a move makes of a configuration, by an agent.
fn made(m: &Move, w: &[State], i: usize) -> Option<Word> {
    let (n, right) = (w.len(), m.right?);
    let next = (i + 1) % n;
    let fits = w[i] == m.own.before && w[next] == right.before && m.place.is_none_or(|p| p == Place::of(i, n));
    fits.then(|| {
        let mut v = w.to_vec();
        (v[i], v[next]) = (m.own.after, right.after);
        v
    })
}

/// Whether the turns of a certificate are right at one size, by the argument.
pub(crate) fn right(c: &FailureCertificate, n: usize) -> bool {
    let rules = &c.rules;
    if rules.detector.is_some() || !rules.moves.iter().all(|m| m.left.is_none() && m.right.is_some()) {
        return false;
    }
    let broken = |w: &[State]| promised(rules, w).is_none();
    let stays = |w: &Word, v: &Word| c.trap.accepts(v) && (broken(w) || broken(v));
    let trap: Vec<Word> = configurations(rules, n).into_iter().filter(|w| c.trap.accepts(w)).collect();
    let none = || Turn { of: 0, within: "0".into(), measures: vec![] };
    rules.moves.iter().enumerate().all(|(number, m)| {
        let turn = c.turns.iter().find(|turn| turn.of == number).cloned().unwrap_or_else(none);
        let within: Formula = turn.within.parse().unwrap();
        let measures: Vec<Measure> = turn.measures.iter().map(|m| m.parse().unwrap()).collect();
        trap.iter().flat_map(|w| (0..n).map(move |i| (w, i))).all(|(w, i)| {
            let measures: Vec<Measure> = measures.iter().map(|m| at(m, i, n)).collect();
            let ready = |w: &Word| made(m, w, i).is_some_and(|v| stays(w, &v));
            let tracked = |w: &Word| made(m, w, i).is_some() || holds(rules, &within, w, i);
            let nearer = |v: &Word| ready(v) || tracked(v) && falls(rules, &c.trap, &measures, w, v);
            let mut steps = rules.moves.iter().flat_map(|m| (0..n).filter_map(|i| made(m, w, i)));
            !tracked(w) || ready(w) || steps.any(|v| stays(w, &v) && nearer(&v))
        })
    })
}

/// A step of an arc: its place, the two cells before it, and the number of the word where it leads, unless that word is safe.
type Step = ((usize, [Cell; 2]), Option<usize>);

/// Whether every execution that is fair to the transitions of each arc reaches the really safe set, at one size: no strongly connected set
/// of other configurations takes each transition that is possible in it (Emerson and Lei 1987).
fn is_true(rules: &Rules, n: usize) -> bool {
    let safe = really_safe(rules, n);
    let words: Vec<Word> = configurations(rules, n).into_iter().filter(|w| !safe.contains(w)).collect();
    let number: HashMap<&Word, usize> = words.iter().enumerate().map(|(i, w)| (w, i)).collect();
    let steps = |w: &Word| -> Vec<Step> {
        let arcs = rules.moves.iter().flat_map(|m| (0..n).map(move |i| (m, i)));
        let step = |(m, i): (&Move, usize)| Some(((i, [m.own, m.right?]), number.get(&made(m, w, i)?).copied()));
        arcs.filter_map(step).collect()
    };
    let steps: Vec<_> = words.iter().map(steps).collect();
    let mut open: Vec<Vec<usize>> = vec![(0..words.len()).collect()];
    while let Some(set) = open.pop() {
        for component in components(&set, |from| steps[from].iter().filter_map(|(_, to)| *to).collect()) {
            let taken = |what: &(usize, [Cell; 2])| {
                let inside = |(of, to): &Step| of == what && to.is_some_and(|to| component.contains(&to));
                component.iter().any(|from| steps[*from].iter().any(inside))
            };
            let fine = |from: &usize| steps[*from].iter().all(|(what, _)| taken(what));
            let rest: Vec<usize> = component.iter().copied().filter(fine).collect();
            if rest.len() == component.len() {
                return false;
            }
            open.extend((!rest.is_empty()).then_some(rest));
        }
    }
    true
}

/// The strongly connected components of a set, by reaching each other.
fn components(set: &[usize], after: impl Fn(usize) -> Vec<usize>) -> Vec<Vec<usize>> {
    let reached = |from: usize| {
        let mut met = vec![from];
        let mut next = 0;
        while let Some(&at) = met.get(next) {
            met.extend(after(at).into_iter().filter(|to| set.contains(to) && !met.contains(to)).collect::<Vec<_>>());
            next += 1;
        }
        met
    };
    let reached: HashMap<usize, Vec<usize>> = set.iter().map(|&from| (from, reached(from))).collect();
    let mut components: Vec<Vec<usize>> = vec![];
    for &one in set {
        if !components.iter().any(|known| known.contains(&one)) {
            components.push(reached[&one].iter().copied().filter(|other| reached[other].contains(&one)).collect());
        }
    }
    components
}

/// Random traps for locally fair schedules: each is judged as brute force judges it, and accepted ones are failures.
#[test]
fn random_traps_of_locally_fair_schedules_are_judged_as_brute_force_judges_them() {
    let mut dice = Dice(85);
    let (mut accepted, mut wait, mut weakly) = (0, 0, 0);
    let texts =
        ["C:(here & X x=1)", "C:(here & Y !x=1)", "L:(!x=1 U here)", "R:(x=1 S here)", "C:(here & x=1)", "C:!x=1"];
    for _ in 0..cases(2_000, 6_000) {
        let mut rules = random_rules(&mut dice);
        (rules.tosses, rules.detector) = (vec![], None);
        for m in &mut rules.moves {
            (m.left, m.right, m.seen) = (None, m.right.or(m.left).or(Some(Cell { before: 0, after: 0 })), None);
        }
        rules.moves.retain(|m| m.cells().iter().any(|c| c.before != c.after));
        if rules.moves.is_empty() {
            continue;
        }
        let plain = random_failure(&mut dice, rules, Scheduler::LocallyFair, Coins::Adversarial);
        // A move that waits gets a turn.
        let mut certificate = plain.clone();
        for _ in 0..8 {
            let Err(Rejection::Fails(Claim::Turns(_, of), ..)) = verify_failure(&certificate) else { break };
            let within = [String::from("0"), "1".into(), "root".into(), random_formula(&mut dice, 1)];
            let measures = (0..dice.below(3)).map(|_| texts[dice.below(texts.len())].to_string()).collect();
            certificate.turns.retain(|turn| turn.of != of);
            certificate.turns.push(Turn { of, within: within[dice.below(4)].clone(), measures });
        }
        match verify_failure(&certificate) {
            Ok(()) => {
                accepted += 1;
                for n in (3..=5).filter(|n| certificate.sizes.contains(*n)) {
                    assert!(is_right(&certificate, n), "{certificate:?}");
                    assert!(n > 4 || !is_true(&certificate.rules, n), "{certificate:?}");
                }
            }
            Err(Rejection::Fails(claim, w, _)) if w.len() <= 5 => {
                wait += usize::from(matches!(claim, Claim::Turns(..)));
                let weakly_fair = FailureCertificate { scheduler: Scheduler::WeaklyFair, ..plain };
                weakly += usize::from(verify_failure(&weakly_fair).is_ok());
                assert!(!is_right(&certificate, w.len()), "{certificate:?}");
            }
            Err(Rejection::Fails(..)) => {}
            Err(Rejection::Malformed(why)) => assert!(why.to_string().contains("no configuration of size"), "{why}"),
            Err(other) => panic!("{other}"),
        }
    }
    println!("accepted {accepted}; {wait} wait for a move; {weakly} only weakly fair");
    assert!(accepted > 100 && wait > 40 && weakly > 10);
}

/// Certificates with turns in which one thing is changed: each is judged as brute force judges it.
#[test]
fn changed_turns_are_judged_as_brute_force_judges_them() {
    let mut dice = Dice(86);
    let all: Vec<_> = crate::traps::traps().into_iter().map(|(c, _)| c).filter(|c| !c.turns.is_empty()).collect();
    let (mut accepted, mut rejected) = (0, 0);
    for _ in 0..600 {
        let mut c = dice.pick(&all).clone();
        let (turn, states) = (dice.below(c.turns.len()), c.trap.next.len());
        match dice.below(5) {
            0 => c.turns[turn].within = random_formula(&mut dice, 1),
            1 => c.turns[turn].of = dice.below(c.rules.moves.len()),
            2 => c.turns[turn].measures.truncate(1),
            3 => c.trap.next[dice.below(states)][dice.below(3)] = Some(dice.below(states)).filter(|to| *to > 0),
            _ => drop(c.rules.moves.remove(dice.below(c.rules.moves.len()))),
        }
        if c.turns[turn].of >= c.rules.moves.len() {
            continue;
        }
        let largest = c.sizes.from.max(4) + 1;
        match verify_failure(&c) {
            Ok(()) => {
                accepted += 1;
                assert!((c.sizes.from..=largest).all(|n| is_right(&c, n)), "{c:?}");
                assert!(!is_true(&c.rules, c.sizes.from), "{c:?}");
            }
            Err(Rejection::Fails(_, w, _)) if w.len() <= largest => {
                rejected += 1;
                assert!(!is_right(&c, w.len()), "{c:?}");
            }
            Err(_) => {}
        }
    }
    println!("accepted {accepted}, rejected with a small configuration {rejected}");
    assert!(accepted > 50 && rejected > 50);
}

#[test]
fn turns_that_make_no_sense_are_refused() {
    let (certificate, _) = crate::traps::traps().into_iter().find(|(c, _)| !c.turns.is_empty()).expect("one has turns");
    assert_eq!(verify_failure(&certificate), Ok(()));
    let refused = |certificate: FailureCertificate, why: &str| {
        let rejection: Malformed = match verify_failure(&certificate) {
            Err(Rejection::Malformed(malformed)) => malformed,
            other => panic!("{other:?}"),
        };
        assert!(rejection.to_string().contains(why), "{rejection}");
    };
    let turn = &certificate.turns[0];
    let with = |turns: Vec<Turn>| FailureCertificate { turns, ..certificate.clone() };
    refused(with(vec![turn.clone(), turn.clone()]), "has two turns");
    refused(with(vec![Turn { of: 2, ..turn.clone() }]), "none of this number");
    refused(with(vec![Turn { within: "there".into(), ..turn.clone() }]), "there");
    refused(with(vec![Turn { within: "(".into(), ..turn.clone() }]), "cannot be read");
    refused(with(vec![Turn { measures: vec!["C:there".into()], ..turn.clone() }]), "there");
    refused(FailureCertificate { scheduler: Scheduler::Unfair, ..certificate.clone() }, "for locally fair schedules");
    let detector = Some(vec![1]);
    let rules = Rules { detector, ..certificate.rules.clone() };
    refused(FailureCertificate { rules, ..certificate.clone() }, "without a detector");
    let mut rules = certificate.rules.clone();
    rules.moves[0].left = Some(Cell { before: 0, after: 0 });
    refused(FailureCertificate { rules, ..certificate.clone() }, "its right neighbour");
    let why = verify_failure(&with(vec![])).expect_err("it has no turn");
    assert!(matches!(why, Rejection::Fails(Claim::Turns(_, 0), ..)) && why.to_string().contains("move 0"), "{why}");
}
