//! Fair coins, and agents that act at once: the checker and brute force.

use crate::agreement::{random_formula, random_safe};
use crate::brute::configurations;
use crate::choices::{is_true, random_rules, refute};
use crate::dice::Dice;
use ringleader_testkit::cases;
use ringleader_verify::{Certificate, Claim, Coins, Rejection, Scheduler, Sizes, verify};

fn random_measure(dice: &mut Dice) -> String {
    let depth = dice.below(2);
    let f = random_formula(dice, depth);
    match dice.below(5) {
        0 => format!("L:{f}"),
        1 => format!("R:{f}"),
        2 => format!("C:2*{f} - {}", random_formula(dice, 1)),
        _ => format!("C:{f}"),
    }
}

/// Three thousand random claims: accepted ones hold by the argument and by their meaning; of the others the named configuration shows it.
#[test]
fn random_claims_are_judged_as_brute_force_judges_them() {
    let mut dice = Dice(38);
    let (mut accepted, mut shown) = ([0; 6], 0);
    let daemons = [Scheduler::Unfair, Scheduler::Distributed, Scheduler::Synchronous];
    for round in 0..3_000 {
        let (at, coins) = (round % 3, [Coins::Fair, Coins::Adversarial][usize::from(round % 4 == 0)]);
        let rules = random_rules(&mut dice, at == 0);
        let safe = random_safe(&mut dice, rules.states.len());
        let measures = ["safe".into()].into_iter().chain((0..dice.below(3)).map(|_| random_measure(&mut dice)));
        let certificate = Certificate {
            version: 1,
            subject: "random".into(),
            rules,
            sizes: Sizes::from(3),
            scheduler: daemons[at],
            coins,
            safe,
            lasting: None,
            recurring: None,
            helpful: None,
            text: None,
            measures: measures.collect(),
        };
        match verify(&certificate) {
            Ok(()) => {
                accepted[2 * at + usize::from(coins == Coins::Fair)] += 1;
                for n in 3..=5 {
                    assert_eq!(refute(&certificate, n), None, "{certificate:?}");
                    assert!(is_true(&certificate.rules, daemons[at], coins, n), "{certificate:?}");
                }
            }
            Err(Rejection::Fails(_, w, _)) => {
                if w.len() <= 4 {
                    shown += 1;
                    assert!(refute(&certificate, w.len()).is_some(), "{certificate:?}");
                }
            }
            Err(other) => panic!("{other}"),
        }
    }
    println!("accepted {accepted:?}, rejected with a small configuration {shown}");
    assert!(accepted.iter().all(|many| *many > 10) && shown > 1_000);
}

/// Random claims with random assumptions about all agents together: accepted ones hold by the argument and by their meaning.
#[test]
fn random_assumptions_are_judged_as_brute_force_judges_them() {
    let mut dice = Dice(138);
    let (mut accepted, mut vacuous, mut shown) = ([0; 3], 0, 0);
    let daemons = [Scheduler::Unfair, Scheduler::Distributed, Scheduler::Synchronous];
    for round in 0..cases(3_000, 6_000) {
        let (at, coins) = (round % 3, [Coins::Fair, Coins::Adversarial][usize::from(round % 4 == 0)]);
        let mut rules = random_rules(&mut dice, at == 0);
        let some = random_formula(&mut dice, 0);
        rules.given = Some(match dice.below(4) {
            0 => format!("!(1 S {some})"),
            1 => random_formula(&mut dice, 1),
            _ => format!("(1 S {some})"),
        });
        let safe = random_safe(&mut dice, rules.states.len());
        let measures = ["safe".into()].into_iter().chain((0..dice.below(3)).map(|_| random_measure(&mut dice)));
        let certificate = Certificate {
            version: 1,
            subject: "random".into(),
            rules,
            sizes: Sizes::from(3),
            scheduler: daemons[at],
            coins,
            safe,
            lasting: None,
            recurring: None,
            helpful: None,
            text: None,
            measures: measures.collect(),
        };
        match verify(&certificate) {
            Ok(()) => {
                accepted[at] += 1;
                for n in 3..=5 {
                    assert_eq!(refute(&certificate, n), None, "{certificate:?}");
                    assert!(is_true(&certificate.rules, daemons[at], coins, n), "{certificate:?}");
                }
            }
            // Single steps of agents that act at once must keep the assumption, too.
            Err(Rejection::Fails(Claim::Possible, ..)) if at == 2 => {}
            Err(Rejection::Fails(_, w, _)) => {
                if w.len() <= 4 {
                    shown += 1;
                    assert!(refute(&certificate, w.len()).is_some(), "{certificate:?}");
                }
            }
            Err(Rejection::Malformed(why)) => {
                assert!(why.to_string().contains("no configuration meets the assumption"), "{why}");
                assert!((3..=5).all(|n| configurations(&certificate.rules, n).is_empty()));
                vacuous += 1;
            }
            Err(other) => panic!("{other}"),
        }
    }
    println!("accepted {accepted:?}, vacuous {vacuous}, rejected with a small configuration {shown}");
    assert!(accepted.iter().all(|many| *many > 20) && vacuous > 10 && shown > 1_000);
}
