//! Failures on every ring of some sizes: brute force finds the same failures.

use crate::choices::{is_true, random_rules};
use crate::dice::Dice;
use crate::quick::holds;
use crate::drawn::random;
use ringleader_prove::{Options, Outcome, prove};
use ringleader_verify::{Coins, Scheduler, Sizes};

#[test]
fn families_of_failures_fail_at_every_size() {
    let mut dice = Dice(38);
    let options = Options { attempts: 1, ..Options::seconds(600) };
    let (mut refuted, mut families, mut every) = (0, 0, 0);
    for _ in 0..200 {
        let rules = random(&mut dice);
        let scheduler = if dice.below(2) == 0 { Scheduler::Unfair } else { Scheduler::GloballyFair };
        let outcome = prove("random", &rules, &Sizes::from(3), scheduler, &options).unwrap();
        let Outcome::Refuted(refutation) = outcome else { continue };
        refuted += 1;
        let Some(family) = refutation.family else {
            println!("none: {scheduler:?} {} {rules:?}", refutation.size);
            continue;
        };
        families += 1;
        every += usize::from(family.sizes.modulus == 1 && family.sizes.from == refutation.size);
        assert!(!(3..=7).any(|n| family.sizes.contains(n) && holds(&rules, n, scheduler)), "{family:?}");
    }
    println!("{refuted} refuted, {families} at every size of a class, {every} from the first failure on");
    assert!(families > 50);
}

#[test]
fn families_of_failures_against_coins_fail_at_every_size() {
    let mut dice = Dice(39);
    let (mut refuted, mut families, mut every) = (0, 0, 0);
    for round in 0..150 {
        let at = round % 3;
        let scheduler = [Scheduler::Unfair, Scheduler::Distributed, Scheduler::Synchronous][at];
        let coins = if round % 4 == 0 { Coins::Adversarial } else { Coins::Fair };
        let rules = random_rules(&mut dice, at == 0);
        let options = Options { attempts: 1, coins, ..Options::seconds(600) };
        let outcome = prove("random", &rules, &Sizes::from(3), scheduler, &options).unwrap();
        let Outcome::Refuted(refutation) = outcome else { continue };
        refuted += 1;
        let Some(family) = refutation.family else {
            println!("none: {scheduler:?} {coins:?} {} {rules:?}", refutation.size);
            continue;
        };
        families += 1;
        every += usize::from(family.sizes.modulus == 1 && family.sizes.from == refutation.size);
        assert!(!(3..=5).any(|n| family.sizes.contains(n) && is_true(&rules, scheduler, coins, n)), "{family:?}");
    }
    println!("{refuted} refuted, {families} at every size of a class, {every} from the first failure on");
    assert!(families > 50);
}
