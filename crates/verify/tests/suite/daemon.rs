//! Fair coins, and agents that act at once: the checker and brute force.

use crate::agreement::{random_formula, random_safe};
use crate::choices::{is_true, random_rules, refute};
use crate::dice::Dice;
use ringleader_verify::{Certificate, Coins, Rejection, Scheduler, Sizes, verify};

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
