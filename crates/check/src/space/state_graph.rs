//! What the engines see: numbered nodes and the steps between them, computed when asked for.

/// The label of a node that does not meet the specification now.
pub const INCORRECT: u8 = u8::MAX;

/// The site of an edge that is nobody's step: an oracle's choice, to which no fairness applies.
pub(crate) const NOBODY: u32 = u32::MAX;

/// One possible step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Where it leads.
    pub target: u32,
    /// Which arc or process takes it: an index into the system's sites.
    pub site: u32,
    /// Which transition it is: its number among all transitions of all sites, the *action* of local fairness.
    pub action: u32,
    /// By how much the node it leads to is turned, where a node stands for all rotations of a configuration.
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
    /// How many nodes there are; fewer than 2^32.
    fn size(&self) -> u64;

    /// Every step from a node, those that change nothing included.
    fn successors(&self, node: u32, visit: impl FnMut(Edge));

    /// The same for those who are not in a hurry: compiled once per graph, not again for each of them.
    #[inline(never)]
    fn each_successor(&self, node: u32, visit: &mut dyn FnMut(Edge)) {
        self.successors(node, visit);
    }

    /// Whether a step that changes nothing is one that the scheduler may take where others would change something.
    fn may_rest(&self) -> bool {
        false
    }
}

/// A graph that can be walked backward too.
pub trait Reversible: StateGraph {
    /// Every other node from which a step leads to `node`; some may come twice.
    fn predecessors(&self, node: u32, visit: impl FnMut(u32));
}

/// A graph whose steps have probabilities.
pub trait Markov: StateGraph {
    /// What the weights of a node's steps add up to.
    fn total(&self) -> u64;

    /// How many steps a node has at most, coins included.
    fn steps_at_most(&self) -> u64;

    /// How many configurations a node stands for.
    fn members(&self, node: u32) -> u64;
}
