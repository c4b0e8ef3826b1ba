//! The global transition relation over packed states.

use crate::{Action, Failure, Options};
use ringleader_erased::MessageInstance;
use ringleader_model::{Network, Snapshot, Terminating};

pub(crate) mod cells;
mod confluence;
mod layout;
pub(crate) mod rules;

use cells::{Arc, Cells, Choice, Missing};
use confluence::Role;
pub(crate) use layout::Layout;

/// The cells, their packing, and the network.
pub(crate) struct System<'a> {
    pub(crate) cells: Cells<'a>,
    pub(crate) layout: Layout,
    network: Network,
    /// By process and port, the receiver and its port.
    pub(crate) arrivals: Vec<(u32, u32)>,
    first_cells: Vec<u32>,
    rotation: bool,
    confluence: bool,
}

/// Counts of the full state space.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) states: u64,
    pub(crate) transitions: u64,
    pub(crate) deadlocks: u64,
    /// The transitions of kept states.
    pub(crate) edges: u64,
    /// The states that every rotation leaves unchanged.
    pub(crate) invariant: u64,
}

impl std::ops::AddAssign for Tally {
    fn add_assign(&mut self, more: Tally) {
        self.states += more.states;
        self.transitions += more.transitions;
        self.deadlocks += more.deadlocks;
        self.edges += more.edges;
        self.invariant += more.invariant;
    }
}

/// The reason why a state cannot be expanded.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stuck {
    /// The tables lack an entry.
    Missing(Missing),
    /// Confluent transitions form a cycle.
    Circular,
}

impl From<Missing> for Stuck {
    fn from(missing: Missing) -> Self {
        Stuck::Missing(missing)
    }
}

/// After this many confluent transitions in a row, they count as a cycle.
const LONGEST_SETTLING: usize = 100_000;

impl<'a> System<'a> {
    pub(crate) fn new(algorithm: &'a MessageInstance, options: &Options) -> Result<Self, Failure> {
        let network = algorithm.network();
        let (size, ports) = (network.size(), network.ports());
        if size == 0 {
            return Err(Failure::Nobody);
        }
        let arrivals = (0..size * ports)
            .map(|i| network.arrival(i / ports, i % ports))
            .map(|(process, port)| (process as u32, port as u32))
            .collect();
        // Most algorithms have fewer than 2^13 cells at the sizes that fit. If not, the search starts again with more bits.
        let layout = (1..=13).rev().find_map(|bits| Layout::with_at_least(size as u32, bits).ok());
        let layout = layout.ok_or(Failure::Width { size, bits: 1 })?;
        let first_cells = vec![];
        Ok(System {
            first_cells,
            cells: Cells::new(algorithm, options),
            layout,
            network,
            arrivals,
            rotation: options.rotation,
            confluence: options.confluence,
        })
    }

    /// Whether rotations of the ring map executions to executions.
    pub(crate) fn symmetric(&self) -> bool {
        self.cells.rules.anonymous && matches!(self.network, Network::Ring(_))
    }

    /// The clean start, after [`System::start`].
    pub(crate) fn start_again(&self) -> u128 {
        self.layout.pack(self.first_cells.iter().copied())
    }

    pub(crate) fn start(&mut self) -> u128 {
        self.first_cells = (0..self.network.size()).map(|me| self.cells.start(me)).collect();
        self.start_again()
    }

    /// Puts the messages of a process into the inboxes of their receivers. The sender's own cell has been replaced already.
    #[inline(always)]
    pub(crate) fn deliver(&self, process: u32, sends: &[(u32, u32)], mut state: u128) -> Result<u128, Missing> {
        for &(port, message) in sends {
            let (receiver, at) = self.arrivals[process as usize * self.cells.rules.ports + port as usize];
            let cell = self.layout.field(state, receiver);
            let next = self.cells.arrival(cell, at, message).ok_or(Missing::Arrival(cell, at, message))?;
            state = self.layout.replace(state, receiver, cell, next);
        }
        Ok(state)
    }

    /// The target of a transition of a process.
    #[inline(always)]
    pub(crate) fn follow(&self, state: u128, process: u32, arc: &Arc) -> Result<u128, Stuck> {
        let moved = self.layout.replace(state, process, self.layout.field(state, process), arc.next);
        Ok(self.deliver(process, self.cells.sends(arc), moved)?)
    }

    /// Collects the distinct transitions of a state, in a fixed order.
    #[inline]
    pub(crate) fn successors(&self, state: u128, found: &mut Vec<(Action, u128)>) -> Result<(), Stuck> {
        found.clear();
        let mut idle = false;
        for process in 0..self.layout.size {
            let cell = self.layout.field(state, process);
            for arc in self.cells.arcs(cell).ok_or(Missing::Moves(cell))? {
                let target = self.follow(state, process, arc)?;
                // Steps of different processes never lead to the same state, unless they change nothing.
                if target != state || !std::mem::replace(&mut idle, true) {
                    found.push((arc.action, target));
                }
            }
        }
        Ok(())
    }

    /// The representative of a state.
    #[inline(always)]
    pub(crate) fn representative(&self, state: u128) -> Result<u128, Stuck> {
        let settled = if self.confluence { self.settle(state, |_, _, _| ())? } else { state };
        Ok(if self.rotation { self.layout.canonical(settled) } else { settled })
    }

    /// Collects the representatives of the targets of a state's transitions, in a fixed order.
    #[inline]
    pub(crate) fn kept_successors(&self, state: u128, found: &mut Vec<(Action, u128)>) -> Result<(), Stuck> {
        self.successors(state, found)?;
        if !self.rotation && !self.confluence {
            return Ok(());
        }
        found.iter_mut().try_for_each(|(_, target)| {
            *target = self.representative(*target)?;
            Ok(())
        })
    }

    /// The contribution of a kept state with this many transitions to the counts. It represents all its rotations.
    #[inline]
    pub(crate) fn count(&self, state: u128, edges: u64) -> Tally {
        let class = if self.rotation { self.layout.class_size(state) } else { 1 };
        Tally {
            states: class,
            transitions: class * edges,
            deadlocks: if edges == 0 { class } else { 0 },
            edges,
            invariant: u64::from(self.rotation && class == 1),
        }
    }

    /// Takes confluent transitions until none is left, and calls `taken` with each. Their order does not matter.
    pub(crate) fn settle(&self, mut state: u128, mut taken: impl FnMut(u128, u32, &Arc)) -> Result<u128, Stuck> {
        let (mut process, mut quiet) = (0, 0);
        for _ in 0..LONGEST_SETTLING {
            if quiet == self.layout.size {
                return Ok(state);
            }
            let cell = self.layout.field(state, process);
            let arcs = match self.cells.role(cell) {
                Role::Plain => &[],
                Role::Sole | Role::Relay => self.cells.arcs(cell).ok_or(Missing::Moves(cell))?,
            };
            match arcs.first() {
                Some(arc) => {
                    let after = self.follow(state, process, arc)?;
                    taken(state, process, arc);
                    state = after;
                    quiet = 0;
                }
                None => {
                    quiet += 1;
                    process = (process + 1) % self.layout.size;
                }
            }
        }
        Err(Stuck::Circular)
    }

    /// The scheduler's choices in a state: the process, its cell, and the choice.
    pub(crate) fn choices(&self, state: u128) -> impl Iterator<Item = (u32, u32, &Choice)> {
        self.layout
            .fields(state)
            .zip(0..)
            .flat_map(move |(cell, process)| self.cells.choices(cell).iter().map(move |choice| (process, cell, choice)))
    }

    pub(crate) fn leaders(&self, state: u128) -> usize {
        self.layout.fields(state).filter(|&cell| self.cells.leads(cell)).count()
    }

    /// Whether some process was cut off.
    pub(crate) fn cut_off(&self, state: u128) -> bool {
        self.layout.fields(state).any(|cell| self.cells.cut_off(cell))
    }

    /// The state unpacked: the numbers of local states and messages.
    pub(crate) fn snapshot(&self, state: u128) -> Snapshot<u32, u32> {
        let cells = self.layout.fields(state).map(|cell| self.cells.cells.get(cell));
        let states = cells.clone().map(|cell| cell.state).collect();
        let channels = cells.flat_map(|cell| cell.inbox.iter()).map(|waiting| waiting.to_vec()).collect();
        Snapshot { network: self.network, states, channels }
    }
}
