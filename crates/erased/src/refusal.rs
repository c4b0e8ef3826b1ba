//! The reasons why an algorithm cannot be built or run as requested.

use crate::Layer;
use thiserror::Error;

/// The reason why an algorithm cannot be built or run as requested.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Refusal {
    /// No algorithm has this name.
    #[error("no algorithm is called {name:?}{}", suggested(near.as_deref()))]
    Unknown {
        /// The name.
        name: String,
        /// A similar name that exists.
        near: Option<String>,
    },
    /// The algorithm has a card and no implementation.
    #[error("{algorithm} is {reason}")]
    Absent {
        /// The algorithm.
        algorithm: String,
        /// The reason why it has no implementation.
        reason: String,
    },
    /// The algorithm has no such parameter.
    #[error("{algorithm} has no parameter {parameter:?}{}: it takes {}", meant(*meaning), listed(known))]
    NoParameter {
        /// The algorithm.
        algorithm: String,
        /// The parameter.
        parameter: String,
        /// Its meaning in a layer that was not requested.
        meaning: Option<&'static str>,
        /// The parameters that it has.
        known: Vec<String>,
    },
    /// A parameter cannot have this value.
    #[error("{parameter} must be {wanted}, not {given:?}")]
    Value {
        /// The parameter.
        parameter: String,
        /// The values that it takes.
        wanted: String,
        /// The value that was given.
        given: String,
    },
    /// An algorithm for trees is given another graph.
    #[error(
        "{algorithm} is for trees, and the graph has the cycle {cycle}: choose a tree, such as line, star, binary-tree or random-tree"
    )]
    Cycle {
        /// The algorithm.
        algorithm: String,
        /// The processes of a cycle, from one of them back to itself.
        cycle: String,
    },
    /// A layer does not apply to the algorithm.
    #[error("the layer {layer} is not for {algorithm}: {reason}")]
    Unsuited {
        /// The layer.
        layer: Layer,
        /// The algorithm.
        algorithm: String,
        /// The reason.
        reason: String,
    },
    /// A layer does not support this size or this parameter.
    #[error("the layer {layer} needs {needs}")]
    Layer {
        /// The layer.
        layer: Layer,
        /// Its requirement.
        needs: String,
    },
    /// The numbers of a timing cannot be used.
    #[error(transparent)]
    Timing(#[from] ringleader_model::TimingError),
    /// The reason in words: a size, or a combination of parameters.
    #[error("{0}")]
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

fn suggested(near: Option<&str>) -> String {
    near.map_or(String::new(), |near| format!("; did you mean {near}?"))
}

fn meant(meaning: Option<&str>) -> String {
    meaning.map_or(String::new(), |meaning| format!(" ({meaning})"))
}

fn listed(known: &[String]) -> String {
    if known.is_empty() { "none".into() } else { known.join(", ") }
}
