//! How one is told that something cannot be built or run as asked.

use crate::Layer;
use std::fmt;

/// Why an algorithm cannot be built or run as asked.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// No algorithm has this name.
    Unknown {
        /// The name.
        name: String,
        /// What may have been meant.
        near: Option<String>,
    },
    /// There is only a card.
    Absent {
        /// The algorithm.
        algorithm: String,
        /// Why there is no more.
        reason: String,
    },
    /// The algorithm has no such parameter.
    NoParameter {
        /// The algorithm.
        algorithm: String,
        /// The parameter.
        parameter: String,
        /// What it would mean to a layer that was not asked for.
        meaning: Option<&'static str>,
        /// Those it has.
        known: Vec<String>,
    },
    /// A parameter cannot have this value.
    Value {
        /// The parameter.
        parameter: String,
        /// What it must be.
        wanted: String,
        /// What it was.
        given: String,
    },
    /// A layer does not suit the algorithm.
    Unsuited {
        /// The layer.
        layer: Layer,
        /// The algorithm.
        algorithm: String,
        /// Why not.
        reason: String,
    },
    /// A layer does not take this size or this parameter.
    Layer {
        /// The layer.
        layer: Layer,
        /// What it needs.
        needs: String,
    },
    /// The reason in words: a size, or a combination of parameters.
    Reason(String),
}

impl Refusal {
    /// A refusal with its reason in words.
    pub fn new(reason: impl Into<String>) -> Refusal {
        Refusal::Reason(reason.into())
    }

    /// The refusal of a value.
    pub fn value(parameter: impl Into<String>, wanted: impl Into<String>, given: impl Into<String>) -> Refusal {
        Refusal::Value { parameter: parameter.into(), wanted: wanted.into(), given: given.into() }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Unknown { name, near: None } => write!(f, "no algorithm is called {name:?}"),
            Refusal::Unknown { name, near: Some(near) } => {
                write!(f, "no algorithm is called {name:?}; did you mean {near}?")
            }
            Refusal::Absent { algorithm, reason } => write!(f, "{algorithm} is {reason}"),
            Refusal::NoParameter { algorithm, parameter, meaning, known } => {
                write!(f, "{algorithm} has no parameter {parameter:?}")?;
                meaning.iter().try_for_each(|meaning| write!(f, " ({meaning})"))?;
                match known.len() {
                    0 => f.write_str(": it takes none"),
                    _ => write!(f, ": it takes {}", known.join(", ")),
                }
            }
            Refusal::Value { parameter, wanted, given } => write!(f, "{parameter} must be {wanted}, not {given:?}"),
            Refusal::Unsuited { layer, algorithm, reason } => {
                write!(f, "the layer {layer} is not for {algorithm}: {reason}")
            }
            Refusal::Layer { layer, needs } => write!(f, "the layer {layer} needs {needs}"),
            Refusal::Reason(reason) => f.write_str(reason),
        }
    }
}

impl std::error::Error for Refusal {}
