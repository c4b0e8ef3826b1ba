//! The compact set: states as pairs of numbered halves, in tables that store only the bits that a place does not imply.
//!
//! The set has no order. Instead, every entry stores its distance from the start, and the states of the present level are in a
//! list.

use super::halves::{BLOCK, Halves, Memo, Pair};
use super::table::{CompactTable, Shape};
use super::{Kept, Mail, PARTS, Slot, Store};
use crate::crew::Crew;
use crate::system::Layout;
use std::ops::Range;

/// The last bits of a pair select its table. There are many tables because one table grows at a time.
const TABLE_BITS: u32 = 8;
const TABLES: usize = 1 << TABLE_BITS;

/// The number of tables of a part.
const TABLES_OF_PART: usize = TABLES / PARTS;

/// The set.
pub(crate) struct Compact {
    halves: Halves,
    parts: Vec<Part>,
    /// The encoding of pairs as numbers.
    packing: Packing,
    /// The number of states of each level, up to the present one.
    levels: Vec<u64>,
}

/// The part of the set that one worker at a time may change.
struct Part {
    /// The number of its first table.
    first: usize,
    tables: Vec<CompactTable>,
    /// The states of the present level, and of the next.
    now: Vec<Pair>,
    next: Vec<Pair>,
    /// The number of new states in each letter.
    brought_now: Vec<u32>,
    brought_next: Vec<u32>,
}

/// The widths of the numbers of halves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Packing {
    low_bits: u32,
    /// Without the bits that select the table.
    high_bits: u32,
    shape: Shape,
}

impl Packing {
    fn new(low_bits: u32, high_bits: u32, depth_bits: u32, seed: u64) -> Packing {
        Packing { low_bits, high_bits, shape: Shape { key_bits: low_bits + high_bits, depth_bits, seed } }
    }

    /// The smallest packing with room for this many halves and levels.
    fn with_room(halves: (usize, usize), depth: u64, seed: u64) -> Packing {
        let bits = |most: u64| u64::BITS - most.leading_zeros();
        let low_bits = bits((halves.0 as u64).saturating_sub(1)).max(6);
        let high_bits = bits((halves.1 as u64).saturating_sub(1)).max(TABLE_BITS + 6) - TABLE_BITS;
        Packing::new(low_bits, high_bits, bits(depth).max(8), seed)
    }

    fn includes(self, other: Packing) -> bool {
        let enough = self.low_bits >= other.low_bits && self.high_bits >= other.high_bits;
        enough && self.shape.depth_bits >= other.shape.depth_bits
    }

    /// The table of a pair, and its number there.
    #[inline]
    fn pack(self, pair: Pair) -> (usize, u64) {
        let table = (pair.high ^ stir(pair.low)) & (TABLES as u32 - 1);
        (table as usize, u64::from(pair.low) << self.high_bits | u64::from(pair.high >> TABLE_BITS))
    }

    #[inline]
    fn unpack(self, table: usize, key: u64) -> Pair {
        let low = (key >> self.high_bits) as u32;
        let high = (key & ((1 << self.high_bits) - 1)) as u32;
        Pair { low, high: high << TABLE_BITS | (table as u32 ^ stir(low)) & (TABLES as u32 - 1) }
    }
}

/// A block of states; the last state is repeated if there are too few.
#[inline]
fn filled(states: &[u128]) -> [u128; BLOCK] {
    std::array::from_fn(|i| states[i.min(states.len() - 1)])
}

/// Spreads states with the same second half over all tables.
#[inline]
fn stir(low: u32) -> u32 {
    low.wrapping_mul(0x9e37_79b1) >> (32 - TABLE_BITS)
}

impl Part {
    /// Adds the new states in the mail for this part. While the states of one block are looked up, the memory of the next block is
    /// being fetched.
    fn insert(&mut self, packing: Packing, depth: u64, mail: &Mail<Pair>, number: usize) {
        let mut brought = std::mem::take(&mut self.brought_next);
        let mut tally = mail.tally(number, &mut brought);
        let (mut blocks, mut place) = (mail.to(number).chunks(BLOCK), 0);
        let mut next = blocks.next().map(|block| (block, self.touch(packing, block)));
        while let Some((block, places)) = next {
            next = blocks.next().map(|block| (block, self.touch(packing, block)));
            for (&(table, shuffled), &pair) in places.iter().zip(block) {
                if self.tables[table].insert(shuffled, depth) {
                    self.next.push(pair);
                    tally(place);
                }
                place += 1;
            }
        }
        drop(tally);
        self.brought_next = brought;
    }

    /// The table of each state and its shuffled number there.
    #[inline]
    fn touch(&self, packing: Packing, block: &[Pair]) -> [(usize, u64); BLOCK] {
        let mut places = [(0, 0); BLOCK];
        for (place, &pair) in places.iter_mut().zip(block) {
            let (table, key) = packing.pack(pair);
            *place = (table - self.first, self.tables[table - self.first].shuffle(key));
        }
        // This is a separate loop so that as many memory requests as possible overlap.
        let touched = places.iter().fold(0, |touched, &(table, shuffled)| touched ^ self.tables[table].touch(shuffled));
        std::hint::black_box(touched);
        places
    }

    /// Gives all tables another shape.
    fn repack(&mut self, old: Packing, new: Packing) {
        for (table, number) in self.tables.iter_mut().zip(self.first..) {
            table.reshape(new.shape, |key| new.pack(old.unpack(number, key)).1);
        }
    }
}

impl Compact {
    fn tables(&self) -> impl Iterator<Item = &CompactTable> {
        self.parts.iter().flat_map(|part| &part.tables)
    }

    fn table(&self, number: usize) -> &CompactTable {
        &self.parts[number / TABLES_OF_PART].tables[number % TABLES_OF_PART]
    }

    /// The distance of the next level.
    fn depth(&self) -> u64 {
        self.levels.len() as u64
    }

    /// Widens the entries when there are more halves or levels than they have room for. They use up the last byte, so that this
    /// happens rarely.
    fn widen(&mut self, crew: &Crew) {
        let least = Packing::with_room(self.halves.len(), self.depth(), self.packing.shape.seed);
        if self.packing.includes(least) {
            return;
        }
        let spare = self.tables().map(|table| table.spare_bits(least.shape)).min().unwrap_or(0);
        let spare = spare.min(Shape::MOST_KEY_BITS - least.shape.key_bits);
        let Shape { depth_bits, seed, .. } = least.shape;
        let new = Packing::new(least.low_bits + spare / 2, least.high_bits + spare.div_ceil(2), depth_bits, seed);
        let old = std::mem::replace(&mut self.packing, new);
        crew.each(true, self.parts.iter_mut(), |part| part.repack(old, new));
    }
}

impl Store for Compact {
    type Target = Pair;
    type Memo = Memo;

    fn new(layout: Layout, seed: u64) -> Self {
        let packing = Packing::with_room((0, 0), 0, seed);
        let part = |number: usize| Part {
            first: number * TABLES_OF_PART,
            tables: vec![CompactTable::new(packing.shape); TABLES_OF_PART],
            now: vec![],
            next: vec![],
            brought_now: vec![],
            brought_next: vec![],
        };
        Compact { halves: Halves::new(layout, seed), parts: (0..PARTS).map(part).collect(), packing, levels: vec![] }
    }

    fn bytes(&self) -> u64 {
        let lists: usize = self.parts.iter().map(|part| part.now.capacity() + part.next.capacity()).sum();
        self.tables().map(CompactTable::bytes).sum::<u64>() + self.halves.bytes() + (lists * size_of::<Pair>()) as u64
    }

    fn bytes_with(&self, more: usize) -> u64 {
        let now: u64 = self.tables().map(CompactTable::bytes).sum();
        let then: u64 = self.tables().map(|table| table.bytes_with(more / TABLES)).sum();
        // Tables that have grown leave gaps in the heap: up to 37 % in measurements.
        let gaps = then / 5 * 2;
        // The list of the next level may have to double.
        let lists = self.parts.iter().map(|part| part.next.capacity()).sum::<usize>() + more;
        self.bytes() + (then - now) + gaps + (lists * size_of::<Pair>()) as u64
    }

    fn is_full(&self) -> bool {
        // The next batch may need one more bit for each number.
        let least = Packing::with_room(self.halves.len(), self.depth(), self.packing.shape.seed);
        let Shape { key_bits, depth_bits, seed } = least.shape;
        let wider = Shape { key_bits: key_bits + 2, depth_bits: depth_bits + 1, seed };
        let (low, high) = self.halves.len();
        wider.key_bits > Shape::MOST_KEY_BITS
            || low.max(high) >= 1 << 31
            || self.tables().any(|table| !table.could_be(wider))
    }

    fn brought(&self, part: usize) -> &[u32] {
        &self.parts[part].brought_now
    }

    #[inline]
    fn waiting_state(&self, part: usize, index: usize) -> u128 {
        self.halves.state(self.parts[part].now[index])
    }

    fn address(&self, states: &[u128], memo: &mut Memo, mail: &mut Mail<Pair>, strangers: &mut Vec<u128>) {
        for block in states.chunks(BLOCK) {
            for (&state, found) in block.iter().zip(self.halves.find_all(&filled(block), memo)) {
                match found {
                    Some(pair) => mail.push(self.packing.pack(pair).0 / TABLES_OF_PART, pair),
                    None => strangers.push(state),
                }
            }
        }
    }

    fn meet(&mut self, states: &[u128], crew: &Crew) {
        states.iter().for_each(|&state| {
            self.halves.number(state);
        });
        self.widen(crew);
    }

    fn insert(&mut self, mail: &[&Mail<Pair>], crew: &Crew) {
        let (packing, depth) = (self.packing, self.depth());
        let worthwhile = mail.iter().map(|mail| mail.len()).sum::<usize>() > 2000;
        crew.each(worthwhile, self.parts.iter_mut().enumerate(), |(number, part)| {
            mail.iter().for_each(|from| part.insert(packing, depth, from, number))
        });
    }

    fn advance(&mut self, crew: &Crew) -> usize {
        for part in &mut self.parts {
            part.now.clear();
            part.brought_now.clear();
            std::mem::swap(&mut part.now, &mut part.next);
            std::mem::swap(&mut part.brought_now, &mut part.brought_next);
        }
        let states = self.parts.iter().map(|part| part.now.len()).sum();
        self.levels.push(states as u64);
        self.widen(crew);
        states
    }

    fn retreat(&mut self) {
        self.levels.pop();
    }
}

impl Compact {
    /// The slot of a pair, if the set has it.
    fn find(&self, pair: Pair) -> Option<Slot> {
        let (part, key) = self.packing.pack(pair);
        let table = self.table(part);
        let place = table.find(key)?;
        Some(Slot { depth: table.depth(place)? as usize, part, place })
    }

    /// Piece `piece` of `of` of the slots at some distances, without dynamic dispatch.
    fn slots_within(&self, piece: usize, of: usize, depths: Range<usize>) -> impl Iterator<Item = Slot> {
        let depths = depths.start as u64..depths.end as u64;
        let tables = (piece..TABLES).step_by(of).map(|number| (number, self.table(number)));
        tables.flat_map(move |(part, entries)| {
            let depths = depths.clone();
            (0..entries.places()).filter_map(move |place| {
                let depth = entries.depth(place).filter(|depth| depths.contains(depth))?;
                Some(Slot { depth: depth as usize, part, place })
            })
        })
    }
}

/// States have numbers here too, by distance from the start and then by slot. Finding the number of a slot, or the slot of a
/// number, takes a pass through the tables.
impl Kept for Compact {
    fn len(&self) -> usize {
        self.tables().map(CompactTable::len).sum()
    }

    fn levels(&self) -> usize {
        self.levels.len()
    }

    fn level(&self, depth: usize) -> Range<usize> {
        let base = self.levels[..depth].iter().sum::<u64>() as usize;
        base..base + self.levels[depth] as usize
    }

    fn slots(&self, piece: usize, of: usize, depths: Range<usize>) -> Box<dyn Iterator<Item = Slot> + '_> {
        Box::new(self.slots_within(piece, of, depths))
    }

    fn at(&self, slot: Slot) -> u128 {
        let (key, _) = self.table(slot.part).get(slot.place).expect("the slot is not empty");
        self.halves.state(self.packing.unpack(slot.part, key))
    }

    fn slot(&self, state: u128) -> Option<Slot> {
        self.find(self.halves.look_up(state)?)
    }

    fn rank(&self, slot: Slot) -> usize {
        self.level(slot.depth).start
            + self.slots_within(0, 1, slot.depth..slot.depth + 1).filter(|other| *other < slot).count()
    }

    fn select(&self, number: usize) -> Slot {
        let depth = (0..self.levels()).find(|&depth| self.level(depth).contains(&number)).unwrap_or_default();
        let slot = self.slots_within(0, 1, depth..depth + 1).nth(number - self.level(depth).start);
        slot.expect("the number is less than the number of states")
    }

    fn absent(&self, states: &[u128], memo: &mut Memo) -> u64 {
        let mut absent = 0;
        for block in states.chunks(BLOCK) {
            let (mut places, mut touched) = ([None; BLOCK], 0);
            let pairs = self.halves.find_all(&filled(block), memo);
            for (place, pair) in places.iter_mut().zip(pairs).take(block.len()) {
                if let Some(pair) = pair {
                    let (number, key) = self.packing.pack(pair);
                    let table = self.table(number);
                    let shuffled = table.shuffle(key);
                    touched ^= table.touch(shuffled);
                    *place = Some((table, shuffled));
                }
            }
            std::hint::black_box(touched);
            let found = |place: &&Option<(&CompactTable, u64)>| {
                place.is_some_and(|(table, shuffled)| table.find_shuffled(shuffled).is_some())
            };
            absent += (block.len() - places.iter().filter(found).count()) as u64;
        }
        absent
    }

    fn entry_bytes(&self) -> Option<u64> {
        self.tables().map(CompactTable::entry_bytes).max()
    }
}
