//! What a search found, with consecutive numbers for kept states: by distance from the start, so that the start is 0, then in
//! the order of discovery.

use crate::store::{Shard, hash, owner};

/// What was counted while expanding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) states: u64,
    pub(crate) transitions: u64,
    pub(crate) deadlocks: u64,
    /// Transitions of kept states.
    pub(crate) edges: u64,
}

/// A finished search.
pub(crate) struct Found {
    pub(crate) shards: Vec<Shard>,
    /// Per level and shard, the number of its first state; one more entry at the end.
    pub(crate) levels: Vec<Vec<usize>>,
    pub(crate) counts: Counts,
    pub(crate) peak_bytes: u64,
}

impl Found {
    pub(crate) fn len(&self) -> usize {
        self.shards.iter().map(|shard| shard.len()).sum()
    }

    /// How many states are nearer to the start than this level.
    fn base(&self, level: usize) -> usize {
        self.levels[level].iter().sum()
    }

    /// The numbers of the states at a distance.
    pub(crate) fn level(&self, level: usize) -> std::ops::Range<usize> {
        self.base(level)..self.base(level + 1)
    }

    /// The number of a kept state.
    pub(crate) fn number(&self, state: u128) -> Option<usize> {
        let hash = hash(state);
        let shard = owner(hash, self.shards.len());
        let index = self.shards[shard].find(state, hash)?;
        let level = self.levels.partition_point(|firsts| firsts[shard] <= index) - 1;
        let (firsts, ends) = (&self.levels[level], &self.levels[level + 1]);
        let before: usize = (0..shard).map(|s| ends[s] - firsts[s]).sum();
        Some(self.base(level) + before + index - firsts[shard])
    }

    /// The distance of a state from the start.
    pub(crate) fn depth_of(&self, number: usize) -> usize {
        let (mut low, mut high) = (0, self.levels.len() - 1);
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
