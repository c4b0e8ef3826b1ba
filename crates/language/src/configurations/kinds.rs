//! Evaluates configurations that no condition distinguishes only once.

use crate::configurations::visible::Atoms;
use crate::domains::layout::{Layout, State};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// The maximum number of bits of a state for which kinds are computed.
const MOST_BITS: u32 = 14;
/// The maximum number of remembered configurations of kinds.
const MOST: u64 = 1 << 20;
/// The flag of a computed entry.
const KNOWN: u32 = 1 << 31;

/// Kinds of states: states that no condition distinguishes have the same kind.
pub(crate) struct Kinds {
    size: usize,
    count: u64,
    /// The kind of a state, by its bits.
    kind: Vec<u16>,
    /// The results for configurations, by the kinds of their states.
    found: Vec<AtomicU32>,
}

impl Kinds {
    /// The kinds of the states of `size` agents, by the atoms of the conditions; `None` if there are too many kinds, or hardly fewer
    /// kinds than states.
    pub(crate) fn new(atoms: &Atoms, layout: &Layout, size: usize) -> Option<Kinds> {
        let bits =
            layout.fields.iter().map(|f| f.shift + f.mask.count_ones()).max().filter(|bits| *bits <= MOST_BITS)?;
        let kind = |state| layout.rank(state).map_or(0, |_| atoms.number(layout, State(state)) as u16);
        let kind: Vec<u16> = (0..1 << bits).map(kind).collect();
        let count = u64::from(*kind.iter().max()?) + 1;
        let states: u64 = layout.fields.iter().map(|f| (f.high - f.low + 1) as u64).product();
        let all = |each: u64| u32::try_from(size).ok().and_then(|size| each.checked_pow(size));
        let configurations = all(count).filter(|all| *all <= MOST)?;
        if all(states).is_some_and(|all| all / 2 < configurations) {
            return None;
        }
        let found = (0..configurations).map(|_| AtomicU32::new(0)).collect();
        Some(Kinds { size, count, kind, found })
    }

    /// The remembered result for a configuration, computed if missing.
    #[inline]
    pub(crate) fn found(&self, states: &[State], find: impl FnOnce() -> u32) -> u32 {
        if states.len() != self.size {
            return find();
        }
        let kind = |state: &State| u64::from(self.kind[state.0 as usize]);
        let index = states.iter().fold(0, |index, state| index * self.count + kind(state));
        let known = &self.found[index as usize];
        let mut found = known.load(Relaxed);
        if found == 0 {
            found = find() | KNOWN;
            known.store(found, Relaxed);
        }
        found & !KNOWN
    }
}
