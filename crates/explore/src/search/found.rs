//! The result of a search. Kept states have consecutive numbers, by distance from the start; the start is number 0.

use crate::store::{Kept, Slot};
use crate::system::Tally;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The results of all processes of a search together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Whole {
    pub(crate) counts: Tally,
    pub(crate) stored: u64,
    /// The memory of the sets, in bytes.
    pub(crate) bytes: u64,
    /// The number of states sent from one process to another.
    pub(crate) sent: u64,
    pub(crate) processes: usize,
}

/// A finished search: the states that this process keeps, and the counts of all processes.
pub(crate) struct Found {
    pub(crate) kept: Box<dyn Kept>,
    pub(crate) whole: Whole,
    pub(crate) peak_bytes: u64,
}

/// Whether a state has the wanted property.
type Property<'p> = &'p (dyn Fn(u128) -> bool + Sync);

impl Found {
    /// The distance of a state from the start.
    pub(crate) fn depth_of(&self, number: usize) -> usize {
        self.kept.select(number).depth
    }

    /// The state with this number.
    pub(crate) fn state(&self, number: usize) -> u128 {
        self.kept.at(self.kept.select(number))
    }

    /// The nearest state with a property, or one at a given distance. Among several, the one whose key is least.
    pub(crate) fn least<K: Ord + Send>(
        &self,
        threads: usize,
        level: Option<usize>,
        property: Property<'_>,
        key: impl Fn(Slot, u128) -> K + Sync,
    ) -> Option<(usize, K, u128)> {
        let nearest = AtomicUsize::new(usize::MAX);
        let look = |thread: usize| {
            let mut least: Option<(usize, K, u128)> = None;
            let depths = level.map_or(0..self.kept.levels(), |level| level..level + 1);
            for slot in self.kept.slots(thread, threads, depths) {
                if slot.depth <= nearest.load(Relaxed) {
                    let state = self.kept.at(slot);
                    if property(state) {
                        nearest.fetch_min(slot.depth, Relaxed);
                        let found = (slot.depth, key(slot, state), state);
                        least = Some(match least {
                            Some(least) => least.min(found),
                            None => found,
                        });
                    }
                }
            }
            least
        };
        on_threads(threads, &look).into_iter().flatten().min()
    }

    /// The number of the first state with a property.
    pub(crate) fn first(&self, threads: usize, property: Property<'_>) -> Option<usize> {
        self.least(threads, None, property, |slot, _| slot).map(|(_, slot, _)| self.kept.rank(slot))
    }

    /// Gives every state to one of several threads, and collects their results.
    pub(crate) fn each<T: Send>(
        &self,
        threads: usize,
        work: impl Fn(&mut dyn Iterator<Item = u128>) -> T + Sync,
    ) -> Vec<T> {
        on_threads(threads, &|thread| {
            let slots = self.kept.slots(thread, threads, 0..self.kept.levels());
            work(&mut slots.map(|slot| self.kept.at(slot)))
        })
    }

    /// The numbers of all states, for callers that need many.
    pub(crate) fn numbering(&self) -> Numbering<'_> {
        let order = self.kept.entry_bytes().map(|_| {
            let mut order: Vec<Slot> = self.kept.slots(0, 1, 0..self.kept.levels()).collect();
            order.sort_unstable();
            order
        });
        Numbering { kept: &*self.kept, order }
    }
}

/// Does the work of every thread, that of the first on this one: some platforms have no other. The results are in the order of the threads.
pub(crate) fn on_threads<T: Send>(threads: usize, work: &(dyn Fn(usize) -> T + Sync)) -> Vec<T> {
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|thread| scope.spawn(move || work(thread))).collect();
        let own = work(0);
        let others = others.into_iter().map(|worker| worker.join().expect("a worker does not panic"));
        std::iter::once(own).chain(others).collect()
    })
}

/// The numbers of states.
pub(crate) struct Numbering<'f> {
    kept: &'f dyn Kept,
    /// The slots in their order, if the set has no order of its own.
    order: Option<Vec<Slot>>,
}

impl Numbering<'_> {
    pub(crate) fn state(&self, number: usize) -> u128 {
        self.kept.at(self.order.as_ref().map_or_else(|| self.kept.select(number), |order| order[number]))
    }

    pub(crate) fn number(&self, state: u128) -> Option<usize> {
        let slot = self.kept.slot(state)?;
        match &self.order {
            None => Some(self.kept.rank(slot)),
            Some(order) => order.binary_search(&slot).ok(),
        }
    }
}
