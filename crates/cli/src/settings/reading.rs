//! The steps in which an algorithm that passes messages is explored: they decide which transition system its name stands for.

use crate::catalog;
use crate::terminal::exit::{Failure, bail, usage};
use ringleader_catalog::Instance;
use ringleader_erased::{Card, MessageInstance, Parameter, ParameterKind, Parameters, Reading};
use ringleader_report::{OWN_STEPS, Subject};

/// The steps in which an algorithm is explored: those of a reading that its card lists, as published tables count them, or its
/// own, in which it receives, decides and sends at once.
pub(crate) type Steps = Option<&'static Reading>;

/// The name of these steps on the command line.
pub(crate) fn name(steps: Steps) -> &'static str {
    steps.map_or(OWN_STEPS, |reading| reading.name)
}

/// The steps that `--reading` asks for, or the usual ones; `done` says what the verb does with the algorithm.
pub(crate) fn chosen(card: &Card, asked: Option<&str>, usual: Steps, done: &str) -> Result<Steps, Failure> {
    let Some(asked) = asked else { return Ok(usual) };
    if card.readings.is_empty() {
        let others: Vec<_> = catalog().cards().filter(|card| !card.readings.is_empty()).map(|card| card.name).collect();
        bail!("--reading is for {}; {} is {done} in its own steps", others.join(", "), card.name);
    }
    let steps = card.readings.iter().find(|reading| reading.name == asked);
    if steps.is_none() && asked != OWN_STEPS {
        let known: Vec<_> = card.readings.iter().map(|r| format!("{} ({})", r.name, r.meaning)).collect();
        bail!("--reading {asked}: choose {} or {OWN_STEPS} (the algorithm's own steps)", known.join(", "));
    }
    Ok(steps)
}

/// An algorithm that passes messages, and the steps in which it is explored.
#[derive(Clone, Copy)]
pub(crate) struct Read<'a> {
    pub(crate) card: &'static Card,
    pub(crate) parameters: &'a Parameters,
    pub(crate) steps: Steps,
}

impl<'a> Read<'a> {
    /// The subject of a report.
    pub(crate) fn subject(&self) -> Subject<'a> {
        Subject { card: self.card, parameters: self.parameters }
    }

    /// Builds the algorithm in these steps.
    pub(crate) fn build(&self, verb: &str) -> Result<MessageInstance, Failure> {
        let (card, parameters) = (self.card, self.parameters);
        if let Some(reading) = self.steps {
            return Ok(catalog().read(card.name, parameters, reading.name)?);
        }
        match catalog().instance(card.name, parameters)? {
            Instance::Message(instance) => Ok(instance),
            Instance::Robust(_) => Err(usage!(
                "{verb} is for algorithms that start clean and terminate; {} runs on clocks and never ends: `simulate` measures it",
                card.name
            )),
            _ => Err(usage!(
                "{verb} is for algorithms that pass messages and terminate; {} is a {}",
                card.name,
                card.kind.describe()
            )),
        }
    }

    /// Refuses an algorithm with infinitely many states, unless a parameter bounds them.
    pub(crate) fn refuse_endless(&self) -> Result<(), Failure> {
        let missing = |p: &&Parameter| p.kind == ParameterKind::Bound && self.parameters.word(p.name).is_none();
        match self.card.parameters.iter().find(missing) {
            None => Ok(()),
            Some(Parameter { name, .. }) => {
                Err(usage!("{} has infinitely many states: bound its {name}, as in --{name} 3", self.card.name))
            }
        }
    }
}
