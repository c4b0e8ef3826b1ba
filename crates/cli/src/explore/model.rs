//! Which transition system an algorithm's name stands for.

use crate::failure::Failure;
use ringleader_algorithms::message::franklin::Franklin;
use ringleader_algorithms::message::franklin_tables::{FranklinTables, Reading};
use ringleader_algorithms::{Card, Entry, Parameters, catalog};
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

/// Something to do with a message-passing algorithm, once its type is known.
pub(crate) trait Job {
    type Output;
    fn run<A: Terminating + 'static>(self, algorithm: A) -> Self::Output;
}

/// Builds the algorithm, or Franklin's in other steps, and does the job.
pub(crate) fn with_model<J: Job>(
    card: &'static Card,
    parameters: &Parameters,
    steps: Steps,
    verb: &'static str,
    job: J,
) -> Result<J::Output, Failure> {
    match steps {
        Steps::Tables(reading) => {
            parameters.check_names(card)?;
            Ok(job.run(FranklinTables { algorithm: Franklin::build(parameters)?, reading }))
        }
        Steps::Atomic => catalog::visit(card.name, parameters, OnlyMessages { job, card, verb })?,
    }
}

struct OnlyMessages<J> {
    job: J,
    card: &'static Card,
    verb: &'static str,
}

impl<J: Job> OnlyMessages<J> {
    fn refuse(self) -> Result<J::Output, Failure> {
        let OnlyMessages { card, verb, .. } = self;
        Err(Failure::usage(format!(
            "{verb} is for algorithms that pass messages and end; {} is a {}",
            card.name,
            card.kind.describe()
        )))
    }
}

impl<J: Job> catalog::Visitor for OnlyMessages<J> {
    type Output = Result<J::Output, Failure>;

    fn population<A: Population + Stabilizing + 'static>(self, _: A) -> Self::Output {
        self.refuse()
    }

    fn ring<A: Ring + Stabilizing + 'static>(self, _: A) -> Self::Output {
        self.refuse()
    }

    fn message<A: Terminating + 'static>(self, algorithm: A) -> Self::Output {
        Ok(self.job.run(algorithm))
    }

    fn robust<A: Timed + 'static>(self, _: A) -> Self::Output {
        self.refuse()
    }
}
