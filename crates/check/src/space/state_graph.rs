//! The graph interface of the engines: numbered nodes and the steps between them, computed on demand.

use crate::schedule::ProcessByProcess;

/// The label of a node that does not meet the specification now.
pub const INCORRECT: u8 = u8::MAX;

/// The site of an edge that no agent takes: a detector's choice, to which no fairness applies.
pub(crate) const NOBODY: u32 = u32::MAX;

/// One possible step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The node it leads to.
    pub target: u32,
    /// The arc or process that takes it: an index into the system's sites.
    pub site: u32,
    /// The number of the transition among all transitions of all sites: the *action* of local fairness.
    pub action: u32,
    /// The symmetry of the target, where a node represents a class of configurations: its rotation on a ring, the number of an
    /// automorphism on a graph. 0 is the identity.
    pub turn: u32,
    /// Its probability once the site is chosen, in units of the system's whole.
    pub weight: u32,
}

impl Edge {
    /// Whether a step from `node` changes anything.
    #[inline]
    pub fn moves(&self, node: u32) -> bool {
        self.target != node || self.turn != 0
    }
}

/// A finite graph whose edges are computed, never stored.
pub trait StateGraph: Sync {
    /// The number of nodes; fewer than 2^32.
    fn size(&self) -> u64;

    /// Every step from a node, including steps that change nothing.
    fn successors(&self, node: u32, visit: impl FnMut(Edge));

    /// The same with dynamic dispatch, for callers that are not time-critical: compiled once per graph, not once per
    /// caller.
    #[inline(never)]
    fn each_successor(&self, node: u32, visit: &mut dyn FnMut(Edge)) {
        self.successors(node, visit);
    }

    /// The source of the steps of all nodes at once, if it is faster than following them one by one.
    fn at_once(&self) -> Option<&ProcessByProcess> {
        None
    }

    /// Whether the scheduler may take a step that changes nothing where another step would change something.
    fn may_rest(&self) -> bool {
        false
    }
}

/// A graph that can also be walked backward.
pub trait Reversible: StateGraph {
    /// Every other node from which a step leads to `node`. A node may be visited twice.
    fn predecessors(&self, node: u32, visit: impl FnMut(u32));
}

/// A graph whose steps have probabilities.
pub trait Markov: StateGraph {
    /// The sum of the weights of a node's steps.
    fn total(&self) -> u64;

    /// The largest number of steps of a node, including the outcomes of coins.
    fn steps_at_most(&self) -> u64;

    /// The number of configurations that a node represents, or its share of all starts.
    fn members(&self, _node: u32) -> u64 {
        1
    }

    /// Whether [`members`](Self::members) are shares, which are rounded.
    fn has_shares(&self) -> bool {
        false
    }
}
