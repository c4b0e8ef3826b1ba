//! The plain set: packed states as they are, every one in the shard that its hash tells.
//!
//! The next level is simply the end of the shards' records, so all states stay in the order of discovery and have numbers:
//! by distance from the start, so that the start is 0.

use super::hash::{Hash, owner};
use super::shard::Shard;
use super::{Mail, PARTS, Store};
use crate::crew::Crew;
use crate::system::Layout;
use std::ops::Range;

/// Shards, and where the levels begin in them.
pub(crate) struct Plain {
    parts: Vec<Part>,
    /// Where the levels begin, up to the one after the present.
    levels: Vec<Beginning>,
    hash: Hash,
}

/// A part of the set.
#[derive(Clone)]
struct Part {
    shard: Shard,
    /// How many states each letter has brought, of the present level and of the next.
    now: Vec<u32>,
    next: Vec<u32>,
}

/// The beginning of a level.
struct Beginning {
    /// How many states are before it.
    before: usize,
    /// By shard, the number of its first state there.
    firsts: Vec<usize>,
}

impl Store for Plain {
    type Target = u128;
    type Memo = ();

    fn new(layout: Layout, seed: u64) -> Self {
        let hash = Hash::new(seed);
        let part = Part { shard: Shard::new(layout.words(), hash), now: vec![], next: vec![] };
        Plain { parts: vec![part; PARTS], levels: vec![Beginning { before: 0, firsts: vec![0; PARTS] }], hash }
    }

    fn len(&self) -> usize {
        self.parts.iter().map(|part| part.shard.len()).sum()
    }

    fn bytes(&self) -> u64 {
        self.parts.iter().map(|part| part.shard.bytes()).sum()
    }

    fn bytes_with(&self, more: usize) -> u64 {
        self.parts.iter().map(|Part { shard, .. }| shard.bytes_with(shard.len() / 50 + more / PARTS + 64)).sum()
    }

    fn is_full(&self) -> bool {
        self.parts.iter().any(|part| part.shard.len() > Shard::MOST)
    }

    fn brought(&self, part: usize) -> &[u32] {
        &self.parts[part].now
    }

    #[inline]
    fn waiting_state(&self, part: usize, index: usize) -> u128 {
        self.parts[part].shard.get(self.levels[self.levels.len() - 2].firsts[part] + index)
    }

    #[inline]
    fn address(&self, states: &[u128], _: &mut (), mail: &mut Mail<u128>, _: &mut Vec<u128>) {
        for &state in states {
            mail.push(owner(self.hash.of(state), PARTS), state);
        }
    }

    fn meet(&mut self, _: &[u128], _: &Crew) {}

    fn insert(&mut self, mail: &[&Mail<u128>], crew: &Crew) {
        let worthwhile = mail.iter().map(|mail| mail.len()).sum::<usize>() > 2000;
        crew.each(worthwhile, self.parts.iter_mut().enumerate(), |(number, part)| {
            mail.iter().for_each(|from| part.shard.insert_all(from.to(number), from.tally(number, &mut part.next)))
        });
    }

    fn advance(&mut self, _: &Crew) -> usize {
        for part in &mut self.parts {
            part.now.clear();
            std::mem::swap(&mut part.now, &mut part.next);
        }
        let firsts: Vec<usize> = self.parts.iter().map(|part| part.shard.len()).collect();
        self.levels.push(Beginning { before: firsts.iter().sum(), firsts });
        self.level(self.levels() - 1).len()
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

    /// The numbers of the states at a distance.
    pub(crate) fn level(&self, level: usize) -> Range<usize> {
        self.levels[level].before..self.levels[level + 1].before
    }

    /// The number of a kept state.
    pub(crate) fn number(&self, state: u128) -> Option<usize> {
        let shard = owner(self.hash.of(state), PARTS);
        let index = self.parts[shard].shard.find(state)?;
        let level = self.levels.partition_point(|level| level.firsts[shard] <= index) - 1;
        let (firsts, ends) = (&self.levels[level].firsts, &self.levels[level + 1].firsts);
        let before: usize = (0..shard).map(|s| ends[s] - firsts[s]).sum();
        Some(self.levels[level].before + before + index - firsts[shard])
    }

    /// The distance of a state from the start.
    pub(crate) fn depth_of(&self, number: usize) -> usize {
        self.levels.partition_point(|level| level.before <= number) - 1
    }

    /// The state with this number.
    pub(crate) fn state(&self, number: usize) -> u128 {
        let level = self.depth_of(number);
        let (firsts, ends) = (&self.levels[level].firsts, &self.levels[level + 1].firsts);
        let mut offset = number - self.levels[level].before;
        for (part, (&first, &end)) in self.parts.iter().zip(firsts.iter().zip(ends)) {
            if offset < end - first {
                return part.shard.get(first + offset);
            }
            offset -= end - first;
        }
        unreachable!("the number is less than the number of states")
    }
}
