//! Random protocols: none is proved that fails on a ring of up to seven.

use crate::dice::Dice;
use crate::drawn::random;
use crate::quick::holds;
use ringleader_prove::{Options, Outcome, prove};
use ringleader_testkit::cases;
use ringleader_verify::{Scheduler, Sizes};

#[test]
fn none_is_proved_that_fails() {
    let mut dice = Dice(2026);
    let options = Options { attempts: 1, families: false, ..Options::seconds(600) };
    let (mut proved, mut refuted, mut others) = (0, 0, 0);
    for _ in 0..cases(300, 1000) {
        let rules = random(&mut dice);
        let scheduler = if dice.below(2) == 0 { Scheduler::Unfair } else { Scheduler::GloballyFair };
        match prove("random", &rules, &Sizes::from(3), scheduler, &options).unwrap() {
            Outcome::Proved(_) => {
                proved += 1;
                assert!((3..=7).all(|n| holds(&rules, n, scheduler)), "{rules:?}");
            }
            Outcome::Refuted(r) => {
                refuted += 1;
                assert!(!holds(&rules, r.size, scheduler), "{rules:?}");
            }
            _ => others += 1,
        }
    }
    println!("{proved} proved, {refuted} refuted, {others} neither");
    assert!(proved > 10);
}
