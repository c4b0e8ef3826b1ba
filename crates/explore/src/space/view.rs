//! Looking for kept states with a property.

use crate::Space;
use crate::system::System;
use ringleader_model::Snapshot;

/// One kept state.
pub struct View<'v, 'a> {
    system: &'v System<'a>,
    state: u128,
}

impl View<'_, '_> {
    /// How many leaders there are.
    pub fn leaders(&self) -> usize {
        self.system.leaders(self.state)
    }

    /// Whether no process would take any event.
    pub fn stopped(&self) -> bool {
        self.system.choices(self.state).next().is_none()
    }

    /// Whether some process stopped only because the algorithm was to be followed so far and no further.
    pub fn cut_off(&self) -> bool {
        self.system.cut_off(self.state)
    }

    /// Whether the model's invariant with this number holds.
    pub fn holds(&self, invariant: usize) -> bool {
        self.system.cells.rules.local.holds(invariant, &self.system.snapshot(self.state))
    }

    /// Everything there is, as text.
    pub fn snapshot(&self) -> Snapshot<String, String> {
        let (now, local) = (self.system.snapshot(self.state), &self.system.cells.rules.local);
        let print = |waiting: &Vec<u32>| waiting.iter().map(|&message| local.print_message(message)).collect();
        Snapshot {
            network: now.network,
            states: now.states.iter().map(|&state| local.print_state(state)).collect(),
            channels: now.channels.iter().map(print).collect(),
        }
    }
}

/// How many states a thread looks at before it asks whether somebody else is done.
const STRETCH: usize = 1 << 12;

impl<'a> Space<'a> {
    /// The state with this number.
    pub fn view(&self, number: usize) -> View<'_, 'a> {
        View { system: &self.system, state: self.found.state(number) }
    }

    /// The first state, in the order of distance from the start, that has a property.
    pub fn first(&self, property: impl Fn(&View<'_, 'a>) -> bool + Sync) -> Option<usize> {
        let (len, threads) = (self.found.len(), self.options.threads.max(1));
        let mut from = 0;
        while from < len {
            let search = |thread: usize| {
                let start = (from + thread * STRETCH).min(len);
                (start..(start + STRETCH).min(len)).find(|&number| property(&self.view(number)))
            };
            let found = std::thread::scope(|scope| {
                let search = &search;
                let workers: Vec<_> = (0..threads).map(|thread| scope.spawn(move || search(thread))).collect();
                let found = workers.into_iter().map(|worker| worker.join().expect("a property does not panic"));
                found.fold(None, Option::or)
            });
            if found.is_some() {
                return found;
            }
            from += threads * STRETCH;
        }
        None
    }

    /// How many states have a property.
    pub fn count(&self, property: impl Fn(&View<'_, 'a>) -> bool) -> u64 {
        (0..self.found.len()).filter(|&number| property(&self.view(number))).count() as u64
    }
}
