//! The reason why agents and arcs are not a graph.

/// The reason why agents and arcs are not a [`Graph`](super::Graph), in words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct GraphError(pub(super) String);
