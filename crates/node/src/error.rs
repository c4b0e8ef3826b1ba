//! The error type of nodes.

use ringleader_erased::Refusal;
use ringleader_node_core::{CoreError, GuardError, TempoError};

/// The reason why a node cannot start, or why a reload is refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NodeError {
    /// The heartbeat or δ.
    #[error(transparent)]
    Tempo(#[from] TempoError),
    /// The guard.
    #[error(transparent)]
    Guard(#[from] GuardError),
    /// The identity or the size.
    #[error(transparent)]
    Core(#[from] CoreError),
    /// The algorithm or its parameters.
    #[error(transparent)]
    Algorithm(#[from] Refusal),
    /// Another setting or a file: what is wrong, and what would be right.
    #[error("{0}")]
    Reason(String),
}

impl NodeError {
    /// An error with its reason in words.
    pub fn new(reason: impl Into<String>) -> NodeError {
        NodeError::Reason(reason.into())
    }

    /// Refuses with this reason if something is `wrong`.
    pub fn refuse_if(wrong: bool, reason: impl Into<String>) -> Result<(), NodeError> {
        if wrong { Err(NodeError::new(reason)) } else { Ok(()) }
    }

    /// The error of a thread that cannot be started.
    pub fn no_thread(error: std::io::Error) -> NodeError {
        NodeError::new(format!("cannot start a thread: {error}"))
    }
}
