//! Random protocols with coins, under daemons that choose: none is proved that fails, and none is refuted that holds.

use crate::choices::{is_true, random_rules};
use crate::dice::Dice;
use ringleader_prove::{Options, Outcome, prove};
use ringleader_testkit::cases;
use ringleader_verify::{Coins, Scheduler, Sizes};

/// A protocol that holds for 3 to 5 cannot be proved wrongly, as far as brute force can tell, and the search for its proof takes long: this many are
/// enough to see that proofs are found, and that none is refuted that holds.
const PROVED: u32 = 10;

#[test]
fn none_with_coins_is_proved_that_fails() {
    let mut dice = Dice(1990);
    let (mut proved, mut refuted, mut others) = ([0; 3], 0, 0);
    for round in 0..cases(120, 300) {
        let at = round % 3;
        let scheduler = [Scheduler::Unfair, Scheduler::Distributed, Scheduler::Synchronous][at];
        let coins = if round % 4 == 0 { Coins::Adversarial } else { Coins::Fair };
        let rules = random_rules(&mut dice, at == 0);
        let holds = (3..=5).all(|n| is_true(&rules, scheduler, coins, n));
        if holds && proved[at] >= PROVED {
            continue;
        }
        let options = Options { attempts: 1, coins, families: false, ..Options::seconds(600) };
        match prove("random", &rules, &Sizes::from(3), scheduler, &options).unwrap() {
            Outcome::Proved(proof) => {
                proved[at] += 1;
                assert_eq!((proof.certificate.scheduler, proof.certificate.coins), (scheduler, coins));
                assert!(holds, "{rules:?}");
            }
            Outcome::Refuted(r) => {
                refuted += 1;
                assert!(r.size > 5 || !is_true(&rules, scheduler, coins, r.size), "{rules:?}");
            }
            _ => others += 1,
        }
    }
    println!("{proved:?} proved, {refuted} refuted, {others} neither");
    assert!(proved.iter().all(|many| *many >= PROVED) && refuted > 50);
}
