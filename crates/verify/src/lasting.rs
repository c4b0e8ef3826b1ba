//! Detectors that are only right in the end: a set of configurations in which leaders last, whatever is said.
//!
//! Where leaders can come and go for ever a detector may say anything. With this set they cannot: whoever comes to lead where
//! nobody did brings about a configuration of the set. So from some point on there is always a leader, or never one; then
//! the detector is right in the end, and the claim for a perfect one applies.

use crate::automaton::shortest;
use crate::check::{Check, Rejection, sensible_safe};
use crate::fault::{Fault, planted};
use crate::{Certificate, Move, Rules};

/// The rules when the detector may say anything.
fn deaf(rules: &Rules) -> Rules {
    if planted(Fault::Lies) {
        return rules.clone();
    }
    let moves = rules.moves.iter().map(|m| Move { seen: None, ..*m }).collect();
    Rules { moves, detector: None, ..rules.clone() }
}

/// Checks the set, if there is one.
pub(crate) fn lasting(certificate: &Certificate) -> Result<(), Rejection> {
    let Some(set) = &certificate.lasting else { return Ok(()) };
    let Some(detector) = &certificate.rules.detector else {
        return Err(Rejection::Safe("a set in which leaders last is about a detector, and there is none".into()));
    };
    sensible_safe(set, &certificate.rules)?;
    let rules = deaf(&certificate.rules);
    let check = Check::new(&rules, &certificate.sizes, set)?;
    let leads = |letter: usize| detector.contains(&check.alphabet.state(letter));
    let inside = |at: Option<u32>| at.is_some_and(|s| check.safe.class[s as usize] == 1);
    let without_leader =
        |&at: &u32, letter: usize| check.safe.step(at, letter).filter(|_| !leads(letter)).into_iter().collect();
    if let Some(word) = shortest(check.alphabet.singles(), vec![0], without_leader, |&at| inside(Some(at)))? {
        let w = check.states(&word);
        return Err(Rejection::Lasting("has no leader", w.clone(), w));
    }
    let leaving = check.step_from(&check.safe, &check.safe, |inside| !inside)?;
    check.none(leaving, |w, v| Rejection::Lasting("leaves it", w, v))?;
    // Steps from configurations without a leader: whether the next one has any, and is in the set.
    let founding = |&(at, led, next): &(u32, bool, Option<u32>), letter: usize| {
        let [one, two] = check.alphabet.both(letter);
        let to = check.steps.step(at, letter).filter(|_| !leads(one));
        let next = next.and_then(|s| check.safe.step(s, two));
        to.map(|at| (at, led || leads(two), next)).into_iter().collect()
    };
    let lapse =
        |&(at, led, next): &(u32, bool, Option<u32>)| check.steps.class[at as usize] == 1 && led && !inside(next);
    let founded = shortest(check.alphabet.pairs.len(), vec![(0, false, Some(0))], founding, lapse)?;
    check.none(founded, |w, v| Rejection::Lasting("makes the first leader outside of it", w, v))
}
