//! Which transition system an algorithm's name stands for.

use crate::failure::Failure;
use ringleader_algorithms::message::franklin::Franklin;
use ringleader_algorithms::message::franklin_tables::{FranklinTables, Reading};
use ringleader_algorithms::{Card, Entry, Parameters, catalog};
use ringleader_explore::Model;
use ringleader_model::{Population, Ring, Stabilizing, Terminating, Timed};
use std::fmt;
use std::str::FromStr;

/// In which steps Franklin's algorithm is explored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Steps {
    /// The algorithm's own: it receives, decides and sends at once.
    Atomic,
    /// Those of the published tables.
    Tables(Reading),
}

impl FromStr for Steps {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "atomic" => Ok(Steps::Atomic),
            "both" => Ok(Steps::Tables(Reading::Both)),
            "left-first" => Ok(Steps::Tables(Reading::LeftFirst)),
            _ => {
                Err("it must be both (Table 1), left-first (Tables 2 and 3) or atomic (the algorithm's own steps)"
                    .into())
            }
        }
    }
}

impl fmt::Display for Steps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Steps::Atomic => "atomic",
            Steps::Tables(Reading::Both) => "both",
            Steps::Tables(Reading::LeftFirst) => "left-first",
        })
    }
}

/// Builds the algorithm, or Franklin's in other steps.
pub(crate) fn build(
    card: &'static Card,
    parameters: &Parameters,
    steps: Steps,
    verb: &'static str,
) -> Result<Box<dyn Model>, Failure> {
    match steps {
        Steps::Tables(reading) => {
            parameters.check_names(card)?;
            Ok(Box::new(FranklinTables { algorithm: Franklin::build(parameters)?, reading }))
        }
        Steps::Atomic => catalog::visit(card.name, parameters, OnlyMessages { card, verb })?,
    }
}

/// Refuses algorithms with infinitely many states, unless it is said how far to follow them.
pub(crate) fn refuse_endless(card: &Card, parameters: &Parameters) -> Result<(), Failure> {
    let given = |name: &str| parameters.given().iter().any(|(given, _)| given == name);
    match card.parameters.iter().find(|parameter| parameter.default == "unbounded" && !given(parameter.name)) {
        None => Ok(()),
        Some(parameter) => Err(Failure::usage(format!(
            "{} has infinitely many states; bound its {name}, as with --{name} 3",
            card.name,
            name = parameter.name
        ))),
    }
}

struct OnlyMessages {
    card: &'static Card,
    verb: &'static str,
}

impl OnlyMessages {
    fn refuse(self) -> Result<Box<dyn Model>, Failure> {
        let OnlyMessages { card, verb } = self;
        Err(Failure::usage(format!(
            "{verb} is for algorithms that pass messages and end; {} is a {}",
            card.name,
            card.kind.describe()
        )))
    }
}

impl catalog::Visitor for OnlyMessages {
    type Output = Result<Box<dyn Model>, Failure>;

    fn population<A: Population + Stabilizing + 'static>(self, _: A) -> Self::Output {
        self.refuse()
    }

    fn ring<A: Ring + Stabilizing + 'static>(self, _: A) -> Self::Output {
        self.refuse()
    }

    fn message<A: Terminating + 'static>(self, algorithm: A) -> Self::Output {
        Ok(Box::new(algorithm))
    }

    fn robust<A: Timed + 'static>(self, _: A) -> Self::Output {
        self.refuse()
    }
}
