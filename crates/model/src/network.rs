//! Processes on any graph with composite atomicity: a process reads all its neighbours and itself, and writes itself.

use crate::graph::Neighbours;
use crate::{Coin, Marks, Variables, corrupt};

/// The states that a process reads when it acts.
///
/// Ports are numbered from 1 to the degree. Port `k` leads to the neighbour with the state `neighbours[k - 1]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vicinity<'a, S> {
    /// The number of the process. An anonymous algorithm does not look. A root is process 0.
    pub process: usize,
    /// Its own state.
    pub own: S,
    /// The states of its neighbours, by port.
    pub neighbours: &'a [S],
    /// For each neighbour, the port through which it sees this process.
    pub back: &'a [u32],
}

/// The facts about a graph besides its edges that the steps and sets of an algorithm may depend on.
///
/// Checks of all graphs of a size enumerate graphs accordingly: [`Census::graphs`](crate::graph::Census::graphs).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Knowledge {
    /// The numbers of processes, as identities.
    pub identities: bool,
    /// The root, process 0.
    pub root: bool,
    /// The order of the ports of a process.
    pub ports: bool,
}

impl Knowledge {
    /// Processes know the edges only.
    pub const NONE: Knowledge = Knowledge { identities: false, root: false, ports: false };
    /// Everything about the graph.
    pub const ALL: Knowledge = Knowledge { identities: true, root: true, ports: true };

    /// The facts that one or the other uses.
    #[must_use]
    pub fn and(self, other: Knowledge) -> Knowledge {
        Knowledge {
            identities: self.identities || other.identities,
            root: self.root || other.root,
            ports: self.ports || other.ports,
        }
    }
}

/// An algorithm for the processes of a given graph.
///
/// Processes on a ring or a line that distinguish left from right are a [`Ring`](crate::Ring).
///
/// ```
/// use ringleader_model::graph::Neighbours;
/// use ringleader_model::{Coin, Graph, Marks, Networked, Variables, Vicinity, Visitor};
///
/// /// A maximal independent set.
/// struct Independent(Neighbours);
///
/// impl Variables for Independent {
///     type State = bool;
///     fn variables(&self, inside: &mut bool, v: &mut dyn Visitor) {
///         v.bit("inside", inside);
///     }
/// }
///
/// impl Networked for Independent {
///     fn neighbours(&self) -> &Neighbours {
///         &self.0
///     }
///     fn act(&self, view: Vicinity<'_, bool>, _: &mut impl Coin) -> bool {
///         !view.neighbours.contains(&true)
///     }
///     fn marks(&self, view: Vicinity<'_, bool>) -> Marks {
///         Marks::ACTIVE.when(view.own)
///     }
/// }
///
/// let star = Independent(Graph::parse("0 1\n0 2\n")?.neighbours());
/// let view = Vicinity { process: 0, own: true, neighbours: &[false, true], back: star.neighbours().back(0) };
/// assert!(!star.act(view, &mut ringleader_model::NoCoin));
/// # Ok::<(), ringleader_model::ParseError>(())
/// ```
pub trait Networked: Variables<State: Copy> {
    /// The neighbours of every process of the graph.
    fn neighbours(&self) -> &Neighbours;

    /// One step: the new state of a process. It is *enabled* if that differs from the old one.
    ///
    /// Where several rules are enabled, or a rule applies to several neighbours, the scheduler takes one: [`Coin::choose`].
    fn act(&self, view: Vicinity<'_, Self::State>, coin: &mut impl Coin) -> Self::State;

    /// The marks that a process shows.
    fn marks(&self, view: Vicinity<'_, Self::State>) -> Marks;

    /// The facts about the graph that rules, marks and sets may depend on. The default claims nothing: they may depend on all.
    fn knowledge(&self) -> Knowledge {
        Knowledge::ALL
    }

    /// Whether a process may be in a state, if that does not depend on the other processes: [`Stabilizing::restore`](crate::Stabilizing::restore)
    /// changes a configuration if and only if a process is not admitted to its state. A process may lack a port, or a value may be given. A
    /// checker numbers only the admitted states of each process. `None`: it numbers all, and asks `restore` about every configuration.
    fn admits(&self, _process: usize, _state: &Self::State) -> Option<bool> {
        None
    }

    /// A state in which a fault may leave a process: each [admitted](Self::admits) state with the same probability.
    ///
    /// By default, states are drawn until one is admitted. Define this if few are.
    fn arbitrary(&self, process: usize, coin: &mut impl Coin) -> Self::State {
        loop {
            let state = corrupt::arbitrary_at(self, process, coin);
            if self.admits(process, &state) != Some(false) {
                return state;
            }
        }
    }

    /// Whether a process meets its part of [`Stabilizing::safe`](crate::Stabilizing::safe), if that set is the configurations in which every
    /// process meets its part, and the part of a process depends on itself and its neighbours only. Simulations then judge few processes
    /// after a step.
    fn meets(&self, _configuration: &[Self::State], _process: usize) -> Option<bool> {
        None
    }

    /// The names of the variables that hold a port, or 0 for none. Texts show the neighbour behind the port, and pictures an arrow to it.
    fn pointers(&self) -> Vec<String> {
        vec![]
    }
}
