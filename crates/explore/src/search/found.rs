//! What a search found: kept states have consecutive numbers, by distance from the start, so that the start is 0.

use crate::store::{Compact, Memo, Plain, Slot, Store};
use crate::system::Tally;
use std::ops::Range;

/// The set that the states are in.
pub(crate) enum Kept {
    Plain(Plain),
    Compact(Compact),
}

/// What all processes of a search have found together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Whole {
    pub(crate) counts: Tally,
    pub(crate) stored: u64,
    /// What the sets take up.
    pub(crate) bytes: u64,
    /// How many states were sent from one process to another.
    pub(crate) sent: u64,
    pub(crate) processes: usize,
}

/// A finished search: the states that this process keeps, and the counts of all.
pub(crate) struct Found<S = Kept> {
    pub(crate) kept: S,
    pub(crate) whole: Whole,
    pub(crate) peak_bytes: u64,
}

impl<S> Found<S> {
    pub(crate) fn map_set<T>(self, set: impl Fn(S) -> T) -> Found<T> {
        Found { kept: set(self.kept), whole: self.whole, peak_bytes: self.peak_bytes }
    }
}

/// Shows what it is told of a state and says whether it is what is looked for.
type Property<'p> = &'p (dyn Fn(u128) -> bool + Sync);

/// How many states a thread looks at before it asks whether somebody else is done.
const STRETCH: usize = 1 << 12;

impl Found {
    pub(crate) fn len(&self) -> usize {
        match &self.kept {
            Kept::Plain(set) => set.len(),
            Kept::Compact(set) => set.len(),
        }
    }

    /// How many distances from the start there are.
    pub(crate) fn levels(&self) -> usize {
        match &self.kept {
            Kept::Plain(set) => set.levels(),
            Kept::Compact(set) => set.levels(),
        }
    }

    /// The distance of a state from the start.
    pub(crate) fn depth_of(&self, number: usize) -> usize {
        match &self.kept {
            Kept::Plain(set) => set.depth_of(number),
            Kept::Compact(set) => set.depth_of(number),
        }
    }

    /// The state with this number.
    pub(crate) fn state(&self, number: usize) -> u128 {
        match &self.kept {
            Kept::Plain(set) => set.state(number),
            Kept::Compact(set) => set.at(set.select(number)),
        }
    }

    /// How many of these states are not kept.
    pub(crate) fn absent(&self, states: &[u128], memo: &mut Memo) -> u64 {
        match &self.kept {
            Kept::Plain(set) => states.iter().filter(|&&state| set.number(state).is_none()).count() as u64,
            Kept::Compact(set) => set.absent(states, memo),
        }
    }

    /// The nearest state with a property, or at a given distance, and of several the one that comes first as text.
    pub(crate) fn least(
        &self,
        threads: usize,
        level: Option<usize>,
        property: Property<'_>,
        text: &(dyn Fn(u128) -> String + Sync),
    ) -> Option<(usize, String, u128)> {
        let least = |states: &mut dyn Iterator<Item = (usize, u128)>| {
            let mut least: Option<(usize, String, u128)> = None;
            for (depth, state) in states {
                if least.as_ref().is_none_or(|least| depth <= least.0) && property(state) {
                    let found = (depth, text(state), state);
                    least = Some(least.map_or(found.clone(), |least| least.min(found)));
                }
            }
            least
        };
        match &self.kept {
            Kept::Plain(set) => level.map_or(0..set.levels(), |level| level..level + 1).find_map(|level| {
                let Range { start, end } = set.level(level);
                let share = |thread: usize| start + (end - start) * thread / threads;
                let look = |thread: usize| {
                    least(&mut (share(thread)..share(thread + 1)).map(|number| (level, set.state(number))))
                };
                on_threads(threads, &look).into_iter().flatten().min()
            }),
            Kept::Compact(set) => {
                let look = |thread: usize| {
                    let places = set.places(thread, threads).map(|place| (place.depth as usize, place));
                    let there = places.filter(|(depth, _)| level.is_none_or(|level| *depth == level));
                    least(&mut there.map(|(depth, place)| (depth, set.at(place))))
                };
                on_threads(threads, &look).into_iter().flatten().min()
            }
        }
    }

    /// The number of the first state with a property.
    pub(crate) fn first(&self, threads: usize, property: Property<'_>) -> Option<usize> {
        match &self.kept {
            Kept::Plain(set) => first_plain(set, threads, property),
            Kept::Compact(set) => {
                let search = |thread: usize| {
                    let mut first: Option<Slot> = None;
                    for place in set.places(thread, threads) {
                        if first.is_none_or(|first| place < first) && property(set.at(place)) {
                            first = Some(place);
                        }
                    }
                    first
                };
                let first = on_threads(threads, &search).into_iter().flatten().min();
                first.map(|place| set.rank(place))
            }
        }
    }

    /// Shows every state to one of several workers, and puts together what they return.
    pub(crate) fn each<T: Send>(
        &self,
        threads: usize,
        work: impl Fn(&mut dyn Iterator<Item = u128>) -> T + Sync,
    ) -> Vec<T> {
        match &self.kept {
            Kept::Plain(set) => on_threads(threads, &|thread| {
                work(&mut (set.len() * thread / threads..set.len() * (thread + 1) / threads).map(|n| set.state(n)))
            }),
            Kept::Compact(set) => {
                on_threads(threads, &|thread| work(&mut set.places(thread, threads).map(|place| set.at(place))))
            }
        }
    }

    /// Numbers and states of the whole set, told at once.
    pub(crate) fn numbering(&self) -> Numbering<'_> {
        match &self.kept {
            Kept::Plain(set) => Numbering::Kept(set),
            Kept::Compact(set) => {
                let mut order: Vec<Slot> = set.places(0, 1).collect();
                order.sort_unstable();
                Numbering::Sorted(set, order)
            }
        }
    }
}

fn first_plain(set: &Plain, threads: usize, property: Property<'_>) -> Option<usize> {
    let len = set.len();
    (0..len).step_by(threads * STRETCH).find_map(|from| {
        let search = |thread: usize| {
            let start = (from + thread * STRETCH).min(len);
            (start..(start + STRETCH).min(len)).find(|&number| property(set.state(number)))
        };
        on_threads(threads, &search).into_iter().fold(None, Option::or)
    })
}

fn on_threads<T: Send>(threads: usize, work: &(dyn Fn(usize) -> T + Sync)) -> Vec<T> {
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|thread| scope.spawn(move || work(thread))).collect();
        workers.into_iter().map(|worker| worker.join().expect("a worker does not panic")).collect()
    })
}

/// Numbers of states.
pub(crate) enum Numbering<'f> {
    /// The set keeps them.
    Kept(&'f Plain),
    /// The places in their order.
    Sorted(&'f Compact, Vec<Slot>),
}

impl Numbering<'_> {
    pub(crate) fn state(&self, number: usize) -> u128 {
        match self {
            Numbering::Kept(set) => set.state(number),
            Numbering::Sorted(set, order) => set.at(order[number]),
        }
    }

    pub(crate) fn number(&self, state: u128) -> Option<usize> {
        match self {
            Numbering::Kept(set) => set.number(state),
            Numbering::Sorted(set, order) => order.binary_search(&set.place(state)?).ok(),
        }
    }
}
