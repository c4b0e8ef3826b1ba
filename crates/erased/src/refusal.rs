//! The reasons why an algorithm cannot be built or run as requested.

use crate::{Layer, Unfit};
use ringleader_model::TimingError;
use std::fmt::Display;
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
    /// The algorithm has no such parameter.
    #[error("{0}")]
    NoParameter(String),
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
    /// The reason in words: a size, a value, or a combination of parameters.
    #[error("{0}")]
    Reason(String),
}

impl Refusal {
    /// A refusal with its reason in words.
    pub fn new(reason: impl Into<String>) -> Refusal {
        Refusal::Reason(reason.into())
    }

    /// The refusal of a value.
    pub fn value(parameter: &str, wanted: impl Display, given: &str) -> Refusal {
        Refusal::Reason(format!("{parameter} must be {wanted}, not {given:?}"))
    }
}

/// An algorithm with this mistake cannot be used.
impl From<Unfit> for Refusal {
    fn from(unfit: Unfit) -> Refusal {
        Refusal::Reason(unfit.to_string())
    }
}

impl From<TimingError> for Refusal {
    fn from(error: TimingError) -> Refusal {
        Refusal::Reason(error.to_string())
    }
}

fn suggested(near: Option<&str>) -> String {
    near.map_or(String::new(), |near| format!("; did you mean {near}?"))
}
