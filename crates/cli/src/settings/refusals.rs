//! Flags and verbs that an algorithm cannot have.

use crate::catalog;
use crate::terminal::exit::{Failure, usage};
use ringleader_erased::Card;

/// The first of these flags that was given, each with whether it was.
pub(crate) fn first_given<'f>(flags: &[(&'f str, bool)]) -> Option<&'f str> {
    flags.iter().find(|(_, given)| *given).map(|(flag, _)| *flag)
}

/// Refuses the first of these flags that was given. All of them have the same reason.
pub(crate) fn refuse(card: &Card, flags: &[(&str, bool)], reason: &str) -> Result<(), Failure> {
    match first_given(flags) {
        Some(flag) => Err(usage!("{flag} is not for {}: {reason}", card.name)),
        None => Ok(()),
    }
}

/// Refuses a flawed algorithm unless it is allowed.
pub(crate) fn refuse_flawed(card: &Card, allowed: bool) -> Result<(), Failure> {
    match card.flaw {
        Some(flaw) if !allowed => {
            Err(usage!("{} is flawed: {flaw}\n       --allow-flawed runs it all the same", card.name))
        }
        _ => Ok(()),
    }
}

/// Refuses an algorithm that has a card but no implementation; `done` says what the verb does with algorithms.
pub(crate) fn refuse_absent(card: &Card, done: &str) -> Result<(), Failure> {
    match catalog().why_absent(card.name) {
        Some(reason) => Err(usage!("{} cannot be {done}: {reason}", card.name)),
        None => Ok(()),
    }
}
