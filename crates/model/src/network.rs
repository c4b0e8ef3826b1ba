//! Processes on any graph with composite atomicity: a process reads all its neighbours and itself, and writes itself.

use crate::graph::Neighbours;
use crate::{Coin, Marks, Variables};

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
}
