//! The reasons why agents and arcs are not a graph.

use super::Graph;

/// The reason why agents and arcs are not a [`Graph`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GraphError {
    /// There are fewer than two agents.
    #[error("a graph needs at least 2 agents, not {0}")]
    TooFew(usize),
    /// There are more than [`Graph::MAX_AGENTS`].
    #[error("a graph has at most {} agents", Graph::MAX_AGENTS)]
    TooManyAgents,
    /// There are more than [`Graph::MAX_ARCS`].
    #[error("a graph has at most {most} arcs, not {0}", most = Graph::MAX_ARCS)]
    TooManyArcs(usize),
    /// The arcs do not fit into memory.
    #[error("not enough memory for {0} arcs")]
    Memory(usize),
    /// An arc has an end that is not an agent.
    #[error("arc {from} -> {to}: there is no agent {agent}, the last of {size} agents is {}", size - 1)]
    NoAgent {
        /// The initiator of the arc.
        from: usize,
        /// The responder of the arc.
        to: usize,
        /// The end that is not an agent.
        agent: usize,
        /// The number of agents.
        size: usize,
    },
    /// An arc leads from an agent to itself.
    #[error("arc {0} -> {0}: self-loops are not allowed")]
    Loop(usize),
    /// The same arc is given twice.
    #[error("arc {0} -> {1} is given twice")]
    Twice(u32, u32),
    /// An agent is not connected to agent 0.
    #[error("the graph is not connected: no path links agent {0} to agent 0")]
    Apart(usize),
    /// A family has no graph of this kind, with the reason.
    #[error("{0}")]
    NoMember(String),
    /// A word that names no family.
    #[error("no family of graphs is called {0:?}: there are {families}", families = super::Family::FORMS)]
    NoFamily(String),
    /// There are too many graphs of this size to list them.
    #[error("graphs of a kind are listed for at most {most} agents, not {size}")]
    TooMany {
        /// The size.
        size: usize,
        /// The greatest size for which they are listed.
        most: usize,
    },
    /// There are too many graphs of this size with numbered processes or ports.
    #[error(
        "there are more than {most} graphs of {size} processes {with}: choose a smaller size, or one graph",
        most = super::Census::MOST
    )]
    TooManyNumbered {
        /// The size.
        size: usize,
        /// The marks of the graphs.
        with: &'static str,
    },
    /// Words that describe no graph.
    #[error(
        "{0:?} is no graph: it is a directed ring, an undirected ring, a complete graph, a family such as star or grid:3x4, a graph with the edges 0-1 1-2 and so on, or one with the arcs 0->1 1->2 and so on"
    )]
    Words(String),
    /// A word that is not an arc.
    #[error("{0:?} is no arc: one looks like 0->1")]
    Arc(String),
    /// A word that is not an edge.
    #[error("{0:?} is no edge: one looks like 0-1")]
    Edge(String),
}
