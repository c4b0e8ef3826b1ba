//! Looking for kept states with a property.

use crate::Space;
use crate::system::System;
use ringleader_model::{SnapshotOf, Terminating};

/// One kept state.
pub struct View<'v, 'a, P: Terminating> {
    system: &'v System<'a, P>,
    state: u128,
}

impl<P: Terminating> View<'_, '_, P> {
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
        self.system.states(self.state).any(|state| self.system.cells.algorithm.cut_off(state))
    }

    /// Everything there is.
    pub fn snapshot(&self) -> SnapshotOf<P> {
        self.system.snapshot(self.state)
    }
}

/// How many states a thread looks at before it asks whether somebody else is done.
const STRETCH: usize = 1 << 12;

impl<'a, P: Terminating> Space<'a, P> {
    /// The state with this number.
    pub fn view(&self, number: usize) -> View<'_, 'a, P> {
        View { system: &self.system, state: self.found.state(number) }
    }

    /// The first state, in the order of distance from the start, that has a property.
    pub fn first(&self, property: impl Fn(&View<'_, 'a, P>) -> bool + Sync) -> Option<usize> {
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
    pub fn count(&self, property: impl Fn(&View<'_, 'a, P>) -> bool) -> u64 {
        (0..self.found.len()).filter(|&number| property(&self.view(number))).count() as u64
    }
}
