//! The plain set: packed states as they are, every one in the shard that its hash tells.
//!
//! The next level is simply the end of the shards' records, so all states stay in the order of discovery and have numbers:
//! by distance from the start, so that the start is 0.

use super::hash::{Hash, owner};
use super::shard::Shard;
use super::{Mail, Store};
use crate::crew::Crew;
use crate::system::Layout;
use std::ops::Range;

/// Shards, and where the levels begin in them.
pub(crate) struct Plain {
    shards: Vec<Shard>,
    /// Per level and shard, the number of its first state, up to the level after the present.
    levels: Vec<Vec<usize>>,
    hash: Hash,
}

impl Store for Plain {
    type Target = u128;
    type Memo = ();

    fn new(layout: Layout, workers: usize, seed: u64) -> Self {
        let hash = Hash::new(seed);
        let shards = vec![Shard::new(layout.words(), hash); workers];
        Plain { shards, levels: vec![vec![0; workers]], hash }
    }

    fn parts(&self) -> usize {
        self.shards.len()
    }

    fn len(&self) -> usize {
        self.shards.iter().map(Shard::len).sum()
    }

    fn bytes(&self) -> u64 {
        self.shards.iter().map(Shard::bytes).sum()
    }

    fn bytes_with(&self, more: usize) -> u64 {
        self.shards.iter().map(|shard| shard.bytes_with(shard.len() / 50 + more)).sum()
    }

    fn is_full(&self) -> bool {
        self.shards.iter().any(|shard| shard.len() > Shard::MOST)
    }

    fn waiting(&self, part: usize) -> usize {
        let [.., first, end] = &self.levels[..] else { return 0 };
        end[part] - first[part]
    }

    #[inline]
    fn waiting_state(&self, part: usize, index: usize) -> u128 {
        self.shards[part].get(self.levels[self.levels.len() - 2][part] + index)
    }

    #[inline]
    fn address(&self, states: &[u128], _: &mut (), mail: &mut Mail<u128>, _: &mut Vec<u128>) {
        for &state in states {
            mail[owner(self.hash.of(state), self.shards.len())].push(state);
        }
    }

    fn meet(&mut self, _: &[u128], _: &Crew) {}

    fn insert(&mut self, mail: &[Mail<u128>], crew: &Crew) {
        let jobs = self
            .shards
            .iter_mut()
            .enumerate()
            .map(|(number, shard)| move || mail.iter().for_each(|from| shard.insert_all(&from[number])));
        crew.work(mail.iter().flatten().any(|letters| letters.len() > 1000), jobs);
    }

    fn advance(&mut self, _: &Crew) -> usize {
        self.levels.push(self.shards.iter().map(Shard::len).collect());
        (0..self.parts()).map(|part| self.waiting(part)).sum()
    }

    fn retreat(&mut self) {
        self.levels.pop();
    }
}

impl Plain {
    /// How many levels there are.
    pub(crate) fn levels(&self) -> usize {
        self.levels.len() - 1
    }

    /// How many states are nearer to the start than this level.
    fn base(&self, level: usize) -> usize {
        self.levels[level].iter().sum()
    }

    /// The numbers of the states at a distance.
    pub(crate) fn level(&self, level: usize) -> Range<usize> {
        self.base(level)..self.base(level + 1)
    }

    /// The number of a kept state.
    pub(crate) fn number(&self, state: u128) -> Option<usize> {
        let shard = owner(self.hash.of(state), self.shards.len());
        let index = self.shards[shard].find(state)?;
        let level = self.levels.partition_point(|firsts| firsts[shard] <= index) - 1;
        let (firsts, ends) = (&self.levels[level], &self.levels[level + 1]);
        let before: usize = (0..shard).map(|s| ends[s] - firsts[s]).sum();
        Some(self.base(level) + before + index - firsts[shard])
    }

    /// The distance of a state from the start.
    pub(crate) fn depth_of(&self, number: usize) -> usize {
        let (mut low, mut high) = (0, self.levels());
        while high - low > 1 {
            let middle = (low + high) / 2;
            if self.base(middle) <= number { low = middle } else { high = middle }
        }
        low
    }

    /// The state with this number.
    pub(crate) fn state(&self, number: usize) -> u128 {
        let level = self.depth_of(number);
        let (firsts, ends) = (&self.levels[level], &self.levels[level + 1]);
        let mut offset = number - self.base(level);
        for (shard, (&first, &end)) in self.shards.iter().zip(firsts.iter().zip(ends)) {
            if offset < end - first {
                return shard.get(first + offset);
            }
            offset -= end - first;
        }
        unreachable!("the number is less than the number of states")
    }
}
