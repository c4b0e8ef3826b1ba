//! In which steps an algorithm that passes messages is explored: which transition system its name stands for.

use crate::catalog;
use crate::terminal::exit::Failure;
use ringleader_catalog::Instance;
use ringleader_erased::{Card, MessageInstance, ParameterKind, Parameters, Reading};
use ringleader_report::OWN_STEPS;
use std::fmt;
use std::str::FromStr;

/// In which steps an algorithm is explored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Steps {
    /// Its own: it receives, decides and sends at once.
    Own,
    /// Those of a reading that its card lists, as published tables count them.
    Of(&'static Reading),
}

impl FromStr for Steps {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let readings = || catalog().cards().flat_map(|card| card.readings);
        match readings().find(|reading| reading.name == text) {
            Some(reading) => Ok(Steps::Of(reading)),
            None if text == OWN_STEPS => Ok(Steps::Own),
            None => {
                let known: Vec<_> = readings().map(|r| format!("{} ({})", r.name, r.meaning)).collect();
                Err(format!("it must be {} or {OWN_STEPS} (the algorithm's own steps)", known.join(", ")))
            }
        }
    }
}

impl fmt::Display for Steps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Steps::Own => OWN_STEPS,
            Steps::Of(reading) => reading.name,
        })
    }
}

impl Steps {
    /// Refuses steps for an algorithm that has only its own; `done` is what is done with it.
    pub(crate) fn refuse_for(given: Option<Steps>, card: &Card, done: &str) -> Result<(), Failure> {
        if given.is_none() || !card.readings.is_empty() {
            return Ok(());
        }
        let others: Vec<_> = catalog().cards().filter(|card| !card.readings.is_empty()).map(|card| card.name).collect();
        let (others, name) = (others.join(", "), card.name);
        Err(Failure::usage(format!("--reading is for {others}; {name} is {done} in its own steps")))
    }

    /// The name of the reading, if these are not the algorithm's own.
    pub(crate) fn reading(self) -> Option<&'static str> {
        match self {
            Steps::Own => None,
            Steps::Of(reading) => Some(reading.name),
        }
    }

    /// The steps in which an algorithm is explored unless told otherwise: those of the first published table.
    pub(crate) fn published(card: &Card) -> Steps {
        card.readings.first().map_or(Steps::Own, Steps::Of)
    }
}

/// Builds the algorithm in these steps.
pub(crate) fn build(
    card: &'static Card,
    parameters: &Parameters,
    steps: Steps,
    verb: &'static str,
) -> Result<MessageInstance, Failure> {
    if let Steps::Of(reading) = steps {
        return Ok(catalog().read(card.name, parameters, reading.name)?);
    }
    match catalog().instance(card.name, parameters)? {
        Instance::Message(instance) => Ok(instance),
        Instance::Robust(_) => Err(Failure::usage(format!(
            "{verb} is for algorithms that start clean and end; {} runs on clocks, for ever: `simulate` measures it",
            card.name
        ))),
        _ => Err(Failure::usage(format!(
            "{verb} is for algorithms that pass messages and end; {} is a {}",
            card.name,
            card.kind.describe()
        ))),
    }
}

/// Refuses algorithms with infinitely many states, unless it is said how far to follow them.
pub(crate) fn refuse_endless(card: &Card, parameters: &Parameters) -> Result<(), Failure> {
    let missing =
        |p: &&ringleader_erased::Parameter| p.kind == ParameterKind::Bound && parameters.word(p.name).is_none();
    match card.parameters.iter().find(missing) {
        None => Ok(()),
        Some(parameter) => Err(Failure::usage(format!(
            "{} has infinitely many states; bound its {name}, as with --{name} 3",
            card.name,
            name = parameter.name
        ))),
    }
}
