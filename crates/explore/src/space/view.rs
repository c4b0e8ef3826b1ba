//! Single kept states, and searches for states with a property.

use crate::Space;
use crate::search::Numbering;
use crate::system::System;
use crate::system::rules::Rules;
use ringleader_model::{Marks, Port, Snapshot};

/// One kept state.
pub struct StateView<'v, 'a> {
    space: &'v Space<'a>,
    state: u128,
}

impl StateView<'_, '_> {
    fn system(&self) -> &System<'_> {
        &self.space.system
    }

    fn rules(&self) -> &Rules<'_> {
        &self.space.system.cells.rules
    }

    /// The number of leaders.
    pub fn leaders(&self) -> usize {
        self.system().leaders(self.state)
    }

    /// Whether no event is enabled.
    pub fn stopped(&self) -> bool {
        self.system().choices(self.state).next().is_none()
    }

    /// Whether some process stopped only because the algorithm was cut off here.
    pub fn cut_off(&self) -> bool {
        self.system().cut_off(self.state)
    }

    /// The marks of every process.
    pub fn marks(&self) -> Vec<Marks> {
        let states = self.system().snapshot(self.state).states;
        states.iter().enumerate().map(|(me, &state)| self.rules().marks(me, state)).collect()
    }

    /// Whether the algorithm's invariant with this number holds. If rotations are identified, it must hold in all rotations: the state
    /// represents them, and they are reachable too.
    pub fn holds(&self, invariant: usize) -> bool {
        let system = self.system();
        let turns = if self.space.options.rotation && !self.space.alike[invariant] { system.layout.size } else { 1 };
        let rotations = std::iter::successors(Some(self.state), |state| Some(system.layout.turn(*state)));
        rotations.take(turns as usize).all(|state| (self.space.judge)(invariant, &system.snapshot(state)))
    }

    /// The scheduler's choices, in the order of the graph's choices: the process, and the message that it receives, with its port.
    pub fn moves(&self) -> Vec<(usize, Option<(Port, String)>)> {
        let message = |(port, message): (Port, u32)| (port, self.rules().print_message(message).to_string());
        self.system()
            .choices(self.state)
            .map(|(process, _, choice)| (process as usize, choice.event.map(message)))
            .collect()
    }

    /// The variables of every process, with their values as numbers.
    pub fn values(&self) -> Vec<Vec<(String, u64)>> {
        self.system().snapshot(self.state).states.iter().map(|&state| self.rules().values(state)).collect()
    }

    /// All states and messages, as text.
    pub fn snapshot(&self) -> Snapshot<String, String> {
        let (now, rules) = (self.system().snapshot(self.state), self.rules());
        let print = |waiting: &Vec<u32>| waiting.iter().map(|&m| rules.print_message(m).to_string()).collect();
        Snapshot {
            network: now.network,
            states: now.states.iter().map(|&state| rules.print_state(state)).collect(),
            channels: now.channels.iter().map(print).collect(),
        }
    }
}

/// All kept states by number, for callers that need many.
pub struct StateViews<'v, 'a> {
    space: &'v Space<'a>,
    numbering: Numbering<'v>,
}

impl<'v, 'a> StateViews<'v, 'a> {
    /// The state with this number.
    pub fn view(&self, number: usize) -> StateView<'v, 'a> {
        StateView { space: self.space, state: self.numbering.state(number) }
    }
}

impl<'a> Space<'a> {
    /// All kept states.
    pub fn views(&self) -> StateViews<'_, 'a> {
        StateViews { space: self, numbering: self.found.numbering() }
    }

    /// The options of the exploration.
    pub fn options(&self) -> &crate::Options {
        &self.options
    }

    /// The state with this number.
    pub fn view(&self, number: usize) -> StateView<'_, 'a> {
        self.view_of(self.found.state(number))
    }

    pub(super) fn view_of(&self, state: u128) -> StateView<'_, 'a> {
        StateView { space: self, state }
    }

    /// The first state, in the order of distance from the start, that has a property.
    pub fn first(&self, property: impl Fn(&StateView<'_, 'a>) -> bool + Sync) -> Option<usize> {
        let seen = |state: u128| property(&StateView { space: self, state });
        self.found.first(self.options.threads.max(1), &seen)
    }

    /// The number of states with a property.
    pub fn count(&self, property: impl Fn(&StateView<'_, 'a>) -> bool + Sync) -> u64 {
        let count = |states: &mut dyn Iterator<Item = u128>| {
            states.filter(|&state| property(&StateView { space: self, state })).count() as u64
        };
        self.found.each(self.options.threads.max(1), count).into_iter().sum()
    }
}
