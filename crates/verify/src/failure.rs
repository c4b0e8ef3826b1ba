//! Failures on every ring of some sizes: a set of configurations that the daemon need not leave, and in which the promise is broken
//! again and again.

use crate::automaton::{Dfa, START};
use crate::check::{Check, ESCAPES, STAYS};
use crate::daemon::choices;
use crate::rejection::ensure;
use crate::rounds::{fits, rounds};
use crate::turns::turns;
use crate::{Claim, Coins, FailureCertificate, Rejection, Rules, Scheduler, Sizes};
use std::collections::{BTreeSet, HashSet};

/// Checks a certificate of a failure: accepted means that the algorithm fails at every size it speaks of.
///
/// Every bit copies its left neighbour, and all bits should become equal. As long as two bits differ, some copy leaves two that differ:
///
/// ```
/// use ringleader_verify::{Claim, FailureCertificate, Rejection, verify_failure};
///
/// let mut certificate = FailureCertificate::from_json(r#"{
///     "version": 1,
///     "subject": "copy",
///     "rules": {
///         "states": ["0", "1"],
///         "variables": [{"name": "x", "size": 2, "values": [0, 1]}],
///         "rules": ["copy"],
///         "moves": [{"rule": 0, "left": [0, 0], "own": [1, 0]}, {"rule": 0, "left": [1, 1], "own": [0, 1]}],
///         "possible": {"bottom": [0, 1], "middle": [0, 1], "top": [0, 1]},
///         "goal": {"everywhere": {"formula": "x~0"}}
///     },
///     "sizes": {"from": 3, "modulus": 1, "residues": [0]},
///     "scheduler": "unfair",
///     "trap": {"start": 0, "accepting": [3], "next": [[1, 2], [1, 3], [3, 2], [3, 3]]}
/// }"#).unwrap();
/// assert_eq!(verify_failure(&certificate), Ok(()));
///
/// // With words of zeros only, which are as promised for ever, it would not be a trap.
/// certificate.trap.accepting = vec![1, 3];
/// assert_eq!(verify_failure(&certificate), Err(Rejection::Fails(Claim::Caught, vec![0, 0, 0], None)));
/// ```
pub fn verify_failure(certificate: &FailureCertificate) -> Result<(), Rejection> {
    let FailureCertificate { version, rules, sizes, scheduler, coins, .. } = certificate;
    ensure(*version == 1, || format!("version {version} of the format is not known; 1 is"))?;
    rules.validate()?;
    sizes.validate(rules)?;
    fits(certificate)?;
    ensure(rules.given.is_none(), || "a failure is shown without an assumption about all agents together".into())?;
    // A daemon that chooses the outcomes of coins chooses among all moves.
    let tosses = if *coins == Coins::Fair { rules.tosses.clone() } else { Vec::new() };
    let rules = Rules { tosses, ..rules.clone() };
    let check = Check::new(&rules, sizes, false)?;
    let trap = check.set(&certificate.trap)?;
    of_every_size(&trap, sizes)?;
    let broken = check.promised(&trap, false)?;
    let fair = matches!(scheduler, Scheduler::WeaklyFair | Scheduler::LocallyFair);
    if let Some(choices) = choices(&rules, *scheduler, *coins)?.filter(|_| !fair) {
        return choices.keep(&check, certificate, [&trap, &broken]);
    }
    let steps = check.steps_of_trap(&trap, &broken)?;
    if *scheduler == Scheduler::GloballyFair {
        check.step(Claim::Escapes, &steps, &[ESCAPES])?;
    }
    let kept = steps.sorted(|class| u8::from(class == STAYS));
    check.caught([&trap, &broken], &kept, |pair| check.alphabet.pairs[pair][0])?;
    match scheduler {
        Scheduler::WeaklyFair => rounds(certificate, &rules),
        Scheduler::LocallyFair => turns(certificate, &rules),
        _ => Ok(()),
    }
}

/// More sizes are not looked at one by one.
const LONGEST: usize = 1 << 12;

/// Whether a set has words of every size that is spoken of. The states after n letters depend on those after n-1, so they come again.
fn of_every_size(set: &Dfa, sizes: &Sizes) -> Result<(), Rejection> {
    let (mut met, mut size, mut states) = (HashSet::new(), 0, BTreeSet::from([START]));
    while met.insert((size.min(sizes.from), size % sizes.modulus, states.clone())) {
        let spoken_of = size >= sizes.from && sizes.residues.contains(&(size % sizes.modulus));
        let some = states.iter().any(|state| set.class[*state as usize] == 1);
        ensure(some || !spoken_of, || format!("the trap has no configuration of size {size}"))?;
        states = states.iter().flat_map(|s| (0..set.letters).filter_map(|letter| set.step(*s, letter))).collect();
        size += 1;
        if size > LONGEST {
            return Err(Rejection::TooLarge);
        }
    }
    Ok(())
}
