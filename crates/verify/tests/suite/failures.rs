//! Failures at every size of a class: the checker and brute force.

use crate::agreement;
use crate::brute::{at, configurations, falls, promised, steps};
use crate::choices::{self, is_true};
use crate::dice::Dice;
use crate::fairness::{acts, is_true as is_fairly_true};
use crate::quick::holds;
use crate::traps::{misjudged, traps};
use crate::turns;
use ringleader_testkit::cases;
use ringleader_verify::{
    Automaton, Claim, Coins, FailureCertificate, Measure, Place, Rejection, Rules, Scheduler, Sizes, State,
    verify_failure,
};

/// Whether a certificate is right at one size, by the argument.
pub(crate) fn right(c: &FailureCertificate, n: usize) -> bool {
    let tosses = if c.coins == Coins::Fair { c.rules.tosses.clone() } else { vec![] };
    let rules = &Rules { tosses, ..c.rules.clone() };
    let possible = |w: &[State]| (0..n).all(|i| rules.possible.at(Place::of(i, n)).contains(&w[i]));
    let all = configurations(rules, n);
    let trap: Vec<&Vec<State>> = all.iter().filter(|w| c.trap.accepts(w)).collect();
    let closed = all.iter().all(|w| steps(rules, w).iter().all(|v| possible(v)));
    let broken = |w: &[State]| promised(rules, w).is_none();
    let measures: Vec<Measure> = c.measures.iter().map(|m| m.parse().unwrap()).collect();
    // Weakly fair: some step stays, and it is the agent's own, or disables it, or brings it nearer.
    let served = |w: &Vec<State>, agent: usize| {
        let enabled = |w: &[State]| acts(rules, w).iter().any(|(i, _)| *i == agent);
        let measures: Vec<Measure> = measures.iter().map(|m| at(m, agent, n)).collect();
        let good = |i: usize, v: &Vec<State>| {
            let kept = c.trap.accepts(v) && (broken(w) || broken(v));
            kept && (i == agent || !enabled(v) || falls(rules, &c.trap, &measures, w, v))
        };
        !enabled(w) || acts(rules, w).iter().any(|(i, outcomes)| outcomes.iter().all(|v| good(*i, v)))
    };
    let locally = c.scheduler == Scheduler::LocallyFair;
    if locally && !(c.rules.tosses.is_empty() && turns::right(c, n)) {
        return false;
    }
    let fair = locally || c.scheduler == Scheduler::WeaklyFair;
    if fair && !locally && !(c.rules.tosses.is_empty() && trap.iter().all(|w| (0..n).all(|agent| served(w, agent)))) {
        return false;
    }
    let stays = |w: &Vec<State>| {
        let single = fair || c.coins == Coins::Adversarial && c.scheduler == Scheduler::Unfair;
        let choices = match c.scheduler {
            Scheduler::GloballyFair => steps(rules, w).into_iter().map(|v| vec![v]).collect(),
            _ if single => steps(rules, w).into_iter().map(|v| vec![v]).collect(),
            daemon => choices::choices(rules, w, daemon),
        };
        let sure = |outcomes: &Vec<Vec<State>>| outcomes.iter().all(|v| c.trap.accepts(v) && (broken(w) || broken(v)));
        let leaves = |v: &Vec<State>| !c.trap.accepts(v);
        let escapes = c.scheduler == Scheduler::GloballyFair && choices.iter().flatten().any(leaves);
        !escapes && (choices.iter().any(sure) || choices.is_empty() && broken(w))
    };
    closed && (!trap.is_empty() || !c.sizes.contains(n)) && trap.into_iter().all(stays)
}

#[test]
fn the_small_traps_are_what_brute_force_says() {
    let traps = traps();
    assert_eq!(misjudged(&traps), 0);
    for (certificate, holds) in &traps {
        // Where three tokens can be apart there are seven agents.
        let largest = certificate.sizes.from.max(4) + 2;
        let wrong = (3..=largest).filter(|n| certificate.sizes.contains(*n)).any(|n| !right(certificate, n));
        assert_eq!(!wrong, *holds, "{certificate:?}");
    }
}

pub(crate) fn random_failure(dice: &mut Dice, rules: Rules, scheduler: Scheduler, coins: Coins) -> FailureCertificate {
    let trap = random_trap(dice, rules.states.len());
    let modulus = 1 + dice.below(2);
    let sizes = Sizes { from: 3, modulus, residues: vec![dice.below(modulus)] };
    let subject = "random".into();
    FailureCertificate {
        version: 1,
        subject,
        text: None,
        rules,
        sizes,
        scheduler,
        coins,
        trap,
        measures: vec![],
        turns: vec![],
    }
}

fn random_trap(dice: &mut Dice, q: usize) -> Automaton {
    let states = 1 + dice.below(3);
    let next = (0..states).map(|_| (0..q).map(|_| (dice.below(4) > 0).then(|| dice.below(states))).collect()).collect();
    Automaton { start: 0, accepting: (0..states).filter(|s| *s == states - 1 || dice.below(2) == 0).collect(), next }
}

/// Random traps, with and without coins: each is judged as brute force judges it, and accepted ones are failures.
#[test]
fn random_traps_are_judged_as_brute_force_judges_them() {
    let mut dice = Dice(83);
    let (mut accepted, mut shown) = ([0; 4], 0);
    let daemons = [Scheduler::Unfair, Scheduler::Distributed, Scheduler::Synchronous, Scheduler::GloballyFair];
    for round in 0..cases(2_000, 6_000) {
        let at = round % 4;
        let fair = at < 3 && round % 8 < 4;
        let plain = at == 3 || at == 0 && !fair;
        let rules = if plain { agreement::random_rules(&mut dice) } else { choices::random_rules(&mut dice, at == 0) };
        let certificate =
            random_failure(&mut dice, rules, daemons[at], if fair { Coins::Fair } else { Coins::Adversarial });
        let spoken_of = |n: &usize| certificate.sizes.contains(*n);
        match verify_failure(&certificate) {
            Ok(()) => {
                accepted[at] += 1;
                for n in (3..=5).filter(spoken_of) {
                    assert!(right(&certificate, n), "{certificate:?}");
                    let FailureCertificate { rules, scheduler, coins, .. } = &certificate;
                    let true_claim =
                        if plain { holds(rules, n, *scheduler) } else { is_true(rules, *scheduler, *coins, n) };
                    assert!(!true_claim, "{certificate:?}");
                }
            }
            Err(Rejection::Fails(_, w, _)) if w.len() <= 5 => {
                shown += 1;
                assert!(!right(&certificate, w.len()), "{certificate:?}");
            }
            Err(Rejection::Fails(..)) => {}
            Err(Rejection::Malformed(why)) => assert!(why.to_string().contains("no configuration of size"), "{why}"),
            Err(other) => panic!("{other}"),
        }
    }
    println!("accepted {accepted:?}, rejected with a small configuration {shown}");
    assert!(accepted.iter().all(|many| *many > 20) && shown > 1_000);
}

/// Random traps for weakly fair schedules: each is judged as brute force judges it, and accepted ones are failures.
#[test]
fn random_traps_of_weakly_fair_daemons_are_judged_as_brute_force_judges_them() {
    let mut dice = Dice(84);
    let (mut accepted, mut measured, mut waits, mut unfair) = (0, 0, 0, 0);
    let texts = ["C:(here & X x)", "C:(here & Y !x)", "L:(!x U here)", "R:(x S here)", "C:(here & x)", "C:!x"];
    for _ in 0..cases(2_000, 6_000) {
        let rules = Rules { tosses: vec![], ..agreement::random_rules(&mut dice) };
        let plain = random_failure(&mut dice, rules, Scheduler::WeaklyFair, Coins::Adversarial);
        let boolean = plain.rules.variables.iter().any(|v| v.name == "x" && v.size == 2);
        let some = (0..dice.below(3)).map(|_| texts[dice.below(texts.len())].to_string()).filter(|_| boolean);
        let certificate = FailureCertificate { measures: some.collect(), ..plain.clone() };
        match verify_failure(&certificate) {
            Ok(()) => {
                accepted += 1;
                measured += usize::from(verify_failure(&plain).is_err());
                for n in (3..=5).filter(|n| certificate.sizes.contains(*n)) {
                    assert!(right(&certificate, n), "{certificate:?}");
                    assert!(!is_fairly_true(&certificate.rules, n), "{certificate:?}");
                }
            }
            Err(Rejection::Fails(claim, w, _)) if w.len() <= 5 => {
                waits += usize::from(matches!(claim, Claim::Waits(_)));
                let unfair_one = FailureCertificate { scheduler: Scheduler::Unfair, ..plain };
                unfair += usize::from(verify_failure(&unfair_one).is_ok());
                assert!(!right(&certificate, w.len()), "{certificate:?}");
            }
            Err(Rejection::Fails(..)) => {}
            Err(Rejection::Malformed(why)) => assert!(why.to_string().contains("no configuration of size"), "{why}"),
            Err(other) => panic!("{other}"),
        }
    }
    println!("accepted {accepted}, {measured} by their measures; {waits} keep an agent waiting; {unfair} only unfair");
    assert!(accepted > 100 && measured > 0 && waits > 40 && unfair > 40);
}
