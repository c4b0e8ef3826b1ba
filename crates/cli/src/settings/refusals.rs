//! What is not for an algorithm.

use crate::catalog;
use crate::terminal::exit::Failure;
use ringleader_erased::Card;

/// Refuses the first of these flags that was given; the reason is the same for all of them.
pub(crate) fn refuse(card: &Card, flags: &[(&str, bool)], reason: &str) -> Result<(), Failure> {
    match flags.iter().find(|(_, given)| *given) {
        Some((flag, _)) => Err(Failure::usage(format!("{flag} is not for {}: {reason}", card.name))),
        None => Ok(()),
    }
}

/// Refuses flawed algorithms unless they are wanted for their flaw.
pub(crate) fn refuse_flawed(card: &Card, allowed: bool) -> Result<(), Failure> {
    match card.flaw {
        Some(flaw) if !allowed => {
            Err(Failure::usage(format!("{} is flawed: {flaw}\n       --allow-flawed runs it all the same", card.name)))
        }
        _ => Ok(()),
    }
}

/// Refuses algorithms that have a card and nothing else; `done` is what cannot be done with them.
pub(crate) fn refuse_absent(card: &Card, done: &str) -> Result<(), Failure> {
    match catalog().why_absent(card.name) {
        Some(reason) => Err(Failure::usage(format!("{} cannot be {done}: {reason}", card.name))),
        None => Ok(()),
    }
}
