//! The plain set: packed states, each in the shard that its hash selects.
//!
//! The next level is the end of the shards' records. So states stay in the order of discovery and have numbers, by distance
//! from the start.

use super::hash::{Hash, owner};
use super::shard::Shard;
use super::{Kept, Mail, PARTS, Slot, Store};
use crate::crew::Crew;
use crate::system::Layout;
use std::ops::Range;

/// The shards, and the beginnings of the levels in them.
pub(crate) struct Plain {
    parts: Vec<Part>,
    /// The beginnings of the levels, up to the level after the present one.
    levels: Vec<Beginning>,
    hash: Hash,
}

/// A part of the set.
#[derive(Clone)]
struct Part {
    shard: Shard,
    /// The number of new states in each letter, for the present level and for the next.
    now: Vec<u32>,
    next: Vec<u32>,
}

/// The beginning of a level.
struct Beginning {
    /// The number of states before it.
    before: usize,
    /// By shard, the index of the level's first state.
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
    /// The indices of a level's states in a shard.
    fn range(&self, depth: usize, part: usize) -> Range<usize> {
        self.levels[depth].firsts[part]..self.levels[depth + 1].firsts[part]
    }
}

impl Kept for Plain {
    fn len(&self) -> usize {
        self.parts.iter().map(|part| part.shard.len()).sum()
    }

    fn levels(&self) -> usize {
        self.levels.len() - 1
    }

    fn level(&self, depth: usize) -> Range<usize> {
        self.levels[depth].before..self.levels[depth + 1].before
    }

    fn slots(&self, piece: usize, of: usize, depths: Range<usize>) -> Box<dyn Iterator<Item = Slot> + '_> {
        let shards = depths.flat_map(|depth| (0..PARTS).map(move |part| (depth, part)));
        Box::new(shards.flat_map(move |(depth, part)| {
            let Range { start, end } = self.range(depth, part);
            let share = |piece: usize| start + (end - start) * piece / of;
            (share(piece)..share(piece + 1)).map(move |place| Slot { depth, part, place })
        }))
    }

    fn at(&self, slot: Slot) -> u128 {
        self.parts[slot.part].shard.get(slot.place)
    }

    fn slot(&self, state: u128) -> Option<Slot> {
        let part = owner(self.hash.of(state), PARTS);
        let place = self.parts[part].shard.find(state)?;
        Some(Slot { depth: self.levels.partition_point(|level| level.firsts[part] <= place) - 1, part, place })
    }

    fn rank(&self, Slot { depth, part, place }: Slot) -> usize {
        let before: usize = (0..part).map(|part| self.range(depth, part).len()).sum();
        self.levels[depth].before + before + place - self.levels[depth].firsts[part]
    }

    fn select(&self, number: usize) -> Slot {
        let depth = self.levels.partition_point(|level| level.before <= number) - 1;
        let mut offset = number - self.levels[depth].before;
        for part in 0..PARTS {
            let range = self.range(depth, part);
            if offset < range.len() {
                return Slot { depth, part, place: range.start + offset };
            }
            offset -= range.len();
        }
        unreachable!("the number is less than the number of states")
    }
}
