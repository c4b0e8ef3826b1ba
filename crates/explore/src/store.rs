//! The sets of states, in parts that one worker at a time may change.
//!
//! Both sets hand out the states of the present level and take those of the next. They differ in the data that is sent to the
//! owner of a state, and in its representation there.

mod compact;
mod halves;
mod hash;
mod plain;
mod shard;
mod shuffle;
mod table;

pub(crate) use compact::Compact;
pub(crate) use halves::Memo;
pub(crate) use hash::{Hash, owner};
pub(crate) use plain::Plain;

use crate::crew::Crew;
use crate::system::Layout;
use std::ops::Range;

/// The number of parts of a set, for any number of workers. There are enough that no worker waits long for the last one, and that
/// a part is small when it must be rebuilt.
pub(crate) const PARTS: usize = 16;

/// The states found for each part of the set: a sequence of letters.
#[derive(Clone)]
pub(crate) struct Mail<T> {
    parts: [Vec<T>; PARTS],
    /// By letter and part, the end of the letter.
    ends: Vec<[u32; PARTS]>,
}

impl<T> Mail<T> {
    pub(crate) fn new() -> Self {
        Mail { parts: [const { vec![] }; PARTS], ends: vec![] }
    }

    #[inline]
    pub(crate) fn push(&mut self, part: usize, target: T) {
        self.parts[part].push(target);
    }

    /// Ends a letter.
    #[inline]
    pub(crate) fn seal(&mut self) {
        self.ends.push(std::array::from_fn(|part| self.parts[part].len() as u32));
    }

    pub(crate) fn clear(&mut self) {
        self.parts.iter_mut().for_each(Vec::clear);
        self.ends.clear();
    }

    fn len(&self) -> usize {
        self.parts.iter().map(Vec::len).sum()
    }

    /// The states for a part.
    fn to(&self, part: usize) -> &[T] {
        &self.parts[part]
    }

    /// Counts the new states of each letter to a part. The returned function is called with their places in order.
    fn tally(&self, part: usize, brought: &mut Vec<u32>) -> impl FnMut(usize) {
        let (mut letter, before) = (0, brought.len());
        brought.resize(before + self.ends.len(), 0);
        move |place| {
            while self.ends[letter][part] as usize <= place {
                letter += 1;
            }
            brought[before + letter] += 1;
        }
    }
}

/// A set of states that grows level by level.
pub(crate) trait Store: Kept + Sized + 'static {
    /// The data of a state that its part needs.
    type Target: Copy + Send + Sync;

    /// The memory of a worker about its latest lookups.
    type Memo: Default + Send;

    fn new(layout: Layout, seed: u64) -> Self;

    /// The memory in use, in bytes.
    fn bytes(&self) -> u64;

    /// An upper bound on the memory after this many more states.
    fn bytes_with(&self, more: usize) -> u64;

    /// Whether the set can number no more states.
    fn is_full(&self) -> bool;

    /// For each letter to a part, the number of new states of the present level, in the order of discovery.
    fn brought(&self, part: usize) -> &[u32];

    /// A state of the present level.
    fn waiting_state(&self, part: usize, index: usize) -> u128;

    /// Sorts states by part, in their order. States that [`Store::meet`] must see first go to `strangers`.
    fn address(&self, states: &[u128], memo: &mut Self::Memo, mail: &mut Mail<Self::Target>, strangers: &mut Vec<u128>);

    /// Makes states known to [`Store::address`].
    fn meet(&mut self, states: &[u128], crew: &Crew);

    /// Adds the new states of the mail to every part, in the order of the mail.
    fn insert(&mut self, mail: &[&Mail<Self::Target>], crew: &Crew);

    /// Starts the next level and returns its number of states.
    fn advance(&mut self, crew: &Crew) -> usize;

    /// Removes a level without states.
    fn retreat(&mut self);
}

/// The location of a state. The order of slots is the order of the states' numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Slot {
    pub(crate) depth: usize,
    part: usize,
    place: usize,
}

/// The states of a set by slot, number and distance from the start.
pub(crate) trait Kept: Send + Sync {
    /// The number of states.
    fn len(&self) -> usize;

    /// The number of levels.
    fn levels(&self) -> usize;

    /// The numbers of the states of a level.
    fn level(&self, depth: usize) -> Range<usize>;

    /// Piece `piece` of `of` of the slots at some distances.
    fn slots(&self, piece: usize, of: usize, depths: Range<usize>) -> Box<dyn Iterator<Item = Slot> + '_>;

    /// The state in a slot.
    fn at(&self, slot: Slot) -> u128;

    /// The slot of a state.
    fn slot(&self, state: u128) -> Option<Slot>;

    /// The number of the state in a slot.
    fn rank(&self, slot: Slot) -> usize;

    /// The slot of the state with this number.
    fn select(&self, number: usize) -> Slot;

    /// The number of these states that are not in the set.
    fn absent(&self, states: &[u128], _: &mut Memo) -> u64 {
        states.iter().filter(|&&state| self.slot(state).is_none()).count() as u64
    }

    /// The bytes of the largest entry, if the set is compact. A compact set has no order: ranks and selections take a pass through all
    /// of it.
    fn entry_bytes(&self) -> Option<u64> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Adds random states, many of them twice, level by level, and compares with a tree.
    fn compared<S: Store>(layout: Layout, workers: usize, seed: u64) {
        let (mut set, mut twin) = (S::new(layout, seed), BTreeSet::new());
        let mut memos: Vec<S::Memo> = (0..2).map(|_| S::Memo::default()).collect();
        let (mut dice, crew) = (seed + 1, Crew::new(workers));
        for _ in 0..20 {
            let mut mail = vec![Mail::<S::Target>::new(); 2];
            let mut level = BTreeSet::new();
            for (memo, mail) in memos.iter_mut().zip(&mut mail) {
                let fields = |_| {
                    dice = dice.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                    layout.pack((0..layout.size).map(|field| (dice >> (20 + 4 * (field % 6))) as u32 & 15))
                };
                let states: Vec<u128> = (0..1_000).map(fields).collect();
                let (mut strangers, mut none) = (vec![], vec![]);
                set.address(&states, memo, mail, &mut strangers);
                set.meet(&strangers, &crew);
                set.address(&strangers, memo, mail, &mut none);
                mail.seal();
                assert!(none.is_empty());
                level.extend(states.into_iter().filter(|state| !twin.contains(state)));
            }
            set.insert(&mail.iter().collect::<Vec<_>>(), &crew);
            let before = set.len() - level.len();
            assert_eq!(set.advance(&crew), level.len());
            assert_eq!(before, twin.len());
            let waiting = (0..PARTS)
                .flat_map(|part| (0..set.brought(part).iter().sum::<u32>()).map(move |index| (part, index as usize)));
            let waiting: Vec<u128> = waiting.map(|(part, index)| set.waiting_state(part, index)).collect();
            assert_eq!(waiting.len(), level.len());
            assert_eq!(waiting.into_iter().collect::<BTreeSet<_>>(), level);
            twin.extend(level);
            assert_eq!(set.len(), twin.len());
            assert!(set.bytes() <= set.bytes_with(0));
        }
        set.insert(&[], &crew);
        assert_eq!(set.advance(&crew), 0);
        set.retreat();
        assert_eq!(set.len(), twin.len());
    }

    #[test]
    fn both_sets_have_the_same_members_as_a_tree() {
        for (size, bits) in [(3, 5), (4, 16), (7, 15), (9, 14), (32, 4), (2, 31), (4, 31)] {
            for (workers, seed) in [(1, 0), (2, 1), (5, 77)] {
                compared::<Plain>(Layout { size, bits }, workers, seed);
                compared::<Compact>(Layout { size, bits }, workers, seed);
            }
        }
    }
}
