//! Where the states are kept: two sets, in parts that one worker at a time may change.
//!
//! Both hand out the states of the present level, and take those of the next. What differs is what is sent to the owner of a
//! state, and how it is stored there.

mod compact;
mod halves;
mod hash;
mod plain;
mod shard;
mod shuffle;
mod table;

pub(crate) use compact::{Compact, Slot};
pub(crate) use halves::Memo;
pub(crate) use hash::{Hash, owner};
pub(crate) use plain::Plain;

use crate::crew::Crew;
use crate::system::Layout;

/// How many parts a set has, whatever the number of workers: so many that no worker waits long for the last one to be done, and
/// that a part is small when it has to be rebuilt.
pub(crate) const PARTS: usize = 16;

/// What was found for each part of the set: letters, one after the other.
#[derive(Clone)]
pub(crate) struct Mail<T> {
    parts: [Vec<T>; PARTS],
    /// By letter and part, where it ends.
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

    /// All that has come for a part.
    fn to(&self, part: usize) -> &[T] {
        &self.parts[part]
    }

    /// Tally what every letter to a part has brought, told the places of what was new one after the other.
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
pub(crate) trait Store: Sync + Sized {
    /// What a part needs to know of a state.
    type Target: Copy + Send + Sync;

    /// What a worker remembers of its latest lookups.
    type Memo: Default + Send;

    fn new(layout: Layout, seed: u64) -> Self;

    /// How many states there are.
    fn len(&self) -> usize;

    /// What it takes up.
    fn bytes(&self) -> u64;

    /// What it takes up at most after so many more states.
    fn bytes_with(&self, more: usize) -> u64;

    /// Whether no more states can be numbered.
    fn is_full(&self) -> bool;

    /// How many states of the present level each letter has brought to a part, in the order of discovery.
    fn brought(&self, part: usize) -> &[u32];

    /// One of them.
    fn waiting_state(&self, part: usize, index: usize) -> u128;

    /// Sorts states by part, in their order; those that [`Store::meet`] must see first are put aside.
    fn address(&self, states: &[u128], memo: &mut Self::Memo, mail: &mut Mail<Self::Target>, strangers: &mut Vec<u128>);

    /// Makes states known to [`Store::address`].
    fn meet(&mut self, states: &[u128], crew: &Crew);

    /// Every part adds what has come for it, unless it is there, in the order of the mail.
    fn insert(&mut self, mail: &[&Mail<Self::Target>], crew: &Crew);

    /// Goes on to the next level, and says how many states it has.
    fn advance(&mut self, crew: &Crew) -> usize;

    /// Goes back from a level without states.
    fn retreat(&mut self);
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
    fn both_sets_are_what_a_tree_is() {
        for (size, bits) in [(3, 5), (4, 16), (7, 15), (9, 14), (32, 4), (2, 31), (4, 31)] {
            for (workers, seed) in [(1, 0), (2, 1), (5, 77)] {
                compared::<Plain>(Layout { size, bits }, workers, seed);
                compared::<Compact>(Layout { size, bits }, workers, seed);
            }
        }
    }
}
