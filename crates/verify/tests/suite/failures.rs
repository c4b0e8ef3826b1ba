//! Failures at every size of a class: the checker and brute force.

use crate::agreement;
use crate::brute::{configurations, promised, steps};
use crate::choices::{self, is_true};
use crate::dice::Dice;
use crate::quick::holds;
use crate::traps::{misjudged, traps};
use ringleader_verify::{
    Automaton, Coins, FailureCertificate, Place, Rejection, Rules, Scheduler, Sizes, State, verify_failure,
};

/// Whether a certificate is right at one size, by the argument.
fn right(c: &FailureCertificate, n: usize) -> bool {
    let tosses = if c.coins == Coins::Fair { c.rules.tosses.clone() } else { vec![] };
    let rules = &Rules { tosses, ..c.rules.clone() };
    let possible = |w: &[State]| (0..n).all(|i| rules.possible.at(Place::of(i, n)).contains(&w[i]));
    let all = configurations(rules, n);
    let trap: Vec<&Vec<State>> = all.iter().filter(|w| c.trap.accepts(w)).collect();
    let closed = all.iter().all(|w| steps(rules, w).iter().all(|v| possible(v)));
    let broken = |w: &[State]| promised(rules, w).is_none();
    let stays = |w: &Vec<State>| {
        let single = c.coins == Coins::Adversarial && c.scheduler == Scheduler::Unfair;
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
        let wrong = (3..=6).filter(|n| certificate.sizes.contains(*n)).any(|n| !right(certificate, n));
        assert_eq!(!wrong, *holds, "{certificate:?}");
    }
}

fn random_trap(dice: &mut Dice, q: usize) -> Automaton {
    let states = 1 + dice.below(3);
    let next = (0..states).map(|_| (0..q).map(|_| (dice.below(4) > 0).then(|| dice.below(states))).collect()).collect();
    Automaton { start: 0, accepting: (0..states).filter(|s| *s == states - 1 || dice.below(2) == 0).collect(), next }
}

/// Six thousand random traps, with and without coins: each is judged as brute force judges it, and accepted ones are failures.
#[test]
fn random_traps_are_judged_as_brute_force_judges_them() {
    let mut dice = Dice(83);
    let (mut accepted, mut shown) = ([0; 4], 0);
    let daemons = [Scheduler::Unfair, Scheduler::Distributed, Scheduler::Synchronous, Scheduler::GloballyFair];
    for round in 0..6_000 {
        let at = round % 4;
        let fair = at < 3 && round % 8 < 4;
        let plain = at == 3 || at == 0 && !fair;
        let rules = if plain { agreement::random_rules(&mut dice) } else { choices::random_rules(&mut dice, at == 0) };
        let trap = random_trap(&mut dice, rules.states.len());
        let modulus = 1 + dice.below(2);
        let certificate = FailureCertificate {
            version: 1,
            subject: "random".into(),
            text: None,
            rules,
            sizes: Sizes { from: 3, modulus, residues: vec![dice.below(modulus)] },
            scheduler: daemons[at],
            coins: if fair { Coins::Fair } else { Coins::Adversarial },
            trap,
        };
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
