//! Processes that read their neighbours: a ring, a line or a graph behind one interface.

use crate::still;
use crate::{Generator, StabilizingInstance};
use ringleader_erased::{GraphInstance, LeavesDomain, Number, Processes, RingInstance};
use ringleader_model::{Chain, Coin, Ring, View};

/// An algorithm with composite atomicity. A copy is cheap.
#[derive(Clone, Debug)]
pub enum Composite {
    /// For a ring or a line.
    Ring(RingInstance),
    /// For a given graph.
    Graph(GraphInstance),
}

impl From<&RingInstance> for Composite {
    fn from(algorithm: &RingInstance) -> Composite {
        Composite::Ring(algorithm.clone())
    }
}

impl From<&GraphInstance> for Composite {
    fn from(algorithm: &GraphInstance) -> Composite {
        Composite::Graph(algorithm.clone())
    }
}

impl Composite {
    pub(crate) fn instance(&self) -> &dyn StabilizingInstance {
        match self {
            Composite::Ring(algorithm) => algorithm,
            Composite::Graph(algorithm) => algorithm,
        }
    }

    /// The processes of a configuration, for many steps.
    pub(crate) fn processes(&self, configuration: &[Number]) -> Box<dyn Processes> {
        match self {
            Composite::Ring(algorithm) => algorithm.processes(configuration),
            Composite::Graph(algorithm) => algorithm.processes(configuration),
        }
    }

    pub(crate) fn state_bytes(&self) -> usize {
        match self {
            Composite::Ring(algorithm) => algorithm.state_bytes(),
            Composite::Graph(algorithm) => algorithm.state_bytes(),
        }
    }

    /// The process and its neighbours: its left neighbour first, or itself. A process at the end of a line is its own neighbour.
    pub(crate) fn near(&self, process: usize, size: usize) -> impl Iterator<Item = usize> {
        let (row, ports) = match self {
            Composite::Ring(algorithm) => {
                let (left, right) = algorithm.chain().neighbours(process, size);
                (Some([left, process, right]), &[][..])
            }
            Composite::Graph(algorithm) => (None, algorithm.neighbours().of(process)),
        };
        let alone = row.is_none().then_some(process);
        row.into_iter().flatten().chain(alone).chain(ports.iter().map(|&neighbour| neighbour as usize))
    }

    /// The state of a process after its step in a configuration.
    pub(crate) fn try_act(
        &self,
        states: &[Number],
        process: usize,
        coin: &mut dyn Coin,
    ) -> Result<Number, LeavesDomain> {
        let after = match self {
            Composite::Ring(algorithm) => {
                algorithm.try_act(View::of(states, process, algorithm.chain()).map(|state| state.0), coin)
            }
            Composite::Graph(algorithm) => algorithm.try_act(process, &algorithm.read(process, states), coin),
        };
        after.map(Number)
    }

    /// Whether some outcome of its rule changes the state of a process. A rule with too many outcomes counts as enabled.
    pub(crate) fn is_enabled(&self, states: &[Number], process: usize) -> bool {
        !still::never_changes(&states[process], |coin| self.try_act(states, process, coin))
    }

    /// Whether no process can change its state.
    pub(crate) fn still(&self, states: &[Number]) -> bool {
        (0..states.len()).all(|process| !self.is_enabled(states, process))
    }
}

/// The turns of an alternating schedule, by edge reversal: on each edge it is the turn of one of its ends. A process may step if it has the
/// turn on all its edges, and then passes it on along each of them.
///
/// On a ring or a line, the first turns are uniform among those that are no directed cycle. On a graph they are those of a uniform order of the
/// processes.
#[derive(Clone, Debug)]
pub(crate) struct Turns {
    /// For each process, the number of its edges on which it waits.
    waits: Vec<u32>,
}

impl Turns {
    pub(crate) fn new(algorithm: &Composite, size: usize, coin: &mut Generator) -> Turns {
        let mut waits = vec![0; size];
        match algorithm {
            Composite::Ring(algorithm) => {
                let turn = some_orientation(algorithm.chain(), size, coin);
                for (right, turn) in turn.into_iter().enumerate() {
                    let (left, _) = algorithm.chain().neighbours(right, size);
                    if left != right {
                        waits[if turn { left } else { right }] += 1;
                    }
                }
            }
            Composite::Graph(algorithm) => {
                let mut rank: Vec<u32> = (0..size as u32).collect();
                for last in (1..size).rev() {
                    rank.swap(last, coin.below(last as u32 + 1) as usize);
                }
                for (process, waits) in waits.iter_mut().enumerate() {
                    let earlier = |&&other: &&u32| rank[other as usize] < rank[process];
                    *waits = algorithm.neighbours().of(process).iter().filter(earlier).count() as u32;
                }
            }
        }
        Turns { waits }
    }

    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&self.waits[..])
    }

    /// Whether a process has the turn on all its edges.
    pub(crate) fn may_step(&self, process: usize) -> bool {
        self.waits[process] == 0
    }

    /// A process that may step passes its turns on; `near` has its neighbours, and may have the process itself.
    #[inline]
    pub(crate) fn pass(&mut self, process: usize, near: impl Iterator<Item = usize>) {
        for neighbour in near.filter(|&near| near != process) {
            self.waits[neighbour] -= 1;
            self.waits[process] += 1;
        }
    }
}

/// A uniformly random orientation of the edges that is no directed cycle: `true` if on the edge to the left of `i` it is `i`'s
/// turn; always `true` at the left end of a line.
fn some_orientation(chain: Chain, size: usize, coin: &mut Generator) -> Vec<bool> {
    loop {
        let turn: Vec<bool> = (0..size).map(|i| (chain == Chain::Line && i == 0) || coin.below(2) == 1).collect();
        if chain == Chain::Line || (turn.contains(&true) && turn.contains(&false)) {
            return turn;
        }
    }
}
