//! The compact set: states as pairs of numbered halves, in tables that store only what a place does not tell.
//!
//! It keeps no order. Every entry has its distance from the start instead, and the states of the present level are listed.

use super::halves::{BLOCK, Halves, Memo, Pair};
use super::table::{CompactTable, Shape};
use super::{Mail, PARTS, Store};
use crate::crew::Crew;
use crate::system::Layout;

/// The last bits of a pair tell in which table it is. Many tables, since one at a time grows.
const TABLE_BITS: u32 = 8;
const TABLES: usize = 1 << TABLE_BITS;

/// Every part has so many.
const TABLES_OF_PART: usize = TABLES / PARTS;

/// The set.
pub(crate) struct Compact {
    halves: Halves,
    parts: Vec<Part>,
    /// How a pair makes a number.
    packing: Packing,
    /// How many states each level has, up to the present one.
    levels: Vec<u64>,
}

/// What one worker at a time may change.
struct Part {
    /// The number of its first table.
    first: usize,
    tables: Vec<CompactTable>,
    /// The states of the present level, and of the next.
    now: Vec<Pair>,
    next: Vec<Pair>,
    /// How many of them each letter has brought.
    brought_now: Vec<u32>,
    brought_next: Vec<u32>,
}

/// How wide the numbers of halves are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Packing {
    low_bits: u32,
    /// Without the bits that tell the table.
    high_bits: u32,
    shape: Shape,
}

impl Packing {
    fn new(low_bits: u32, high_bits: u32, depth_bits: u32, seed: u64) -> Packing {
        Packing { low_bits, high_bits, shape: Shape { key_bits: low_bits + high_bits, depth_bits, seed } }
    }

    /// The least that has room for so many halves and levels.
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

    /// In which table a pair is, and its number there.
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

/// A block of states, the last one repeated if there are too few.
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
    /// Adds what is new in the mail of the part with this number. While the states of one block are looked for, memory is asked
    /// for the next.
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

    /// Where states belong: in which table, and their shuffled numbers.
    #[inline]
    fn touch(&self, packing: Packing, block: &[Pair]) -> [(usize, u64); BLOCK] {
        let mut places = [(0, 0); BLOCK];
        for (place, &pair) in places.iter_mut().zip(block) {
            let (table, key) = packing.pack(pair);
            *place = (table - self.first, self.tables[table - self.first].shuffle(key));
        }
        // A loop of its own, so that as many requests as possible are under way at once.
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

    /// Widens the entries when there are more halves or levels than they have room for, as far as the next byte goes, so that
    /// this happens seldom.
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

    fn len(&self) -> usize {
        self.tables().map(CompactTable::len).sum()
    }

    fn bytes(&self) -> u64 {
        let lists: usize = self.parts.iter().map(|part| part.now.capacity() + part.next.capacity()).sum();
        self.tables().map(CompactTable::bytes).sum::<u64>() + self.halves.bytes() + (lists * size_of::<Pair>()) as u64
    }

    fn bytes_with(&self, more: usize) -> u64 {
        let now: u64 = self.tables().map(CompactTable::bytes).sum();
        let then: u64 = self.tables().map(|table| table.bytes_with(more / TABLES)).sum();
        // Tables that have grown leave gaps in the heap: up to 37 % was measured.
        let gaps = then / 5 * 2;
        // The list of the next level may have to double.
        let lists = self.parts.iter().map(|part| part.next.capacity()).sum::<usize>() + more;
        self.bytes() + (then - now) + gaps + (lists * size_of::<Pair>()) as u64
    }

    fn is_full(&self) -> bool {
        // One more bit for everything, before a batch asks for it.
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

/// Where a state is: in this order states have their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Slot {
    pub(crate) depth: u64,
    table: usize,
    place: usize,
}

/// States have numbers here too, by distance from the start and then by place, but to tell a number or its state takes a walk
/// through the tables.
impl Compact {
    /// How many bytes an entry takes, in the table where it takes most.
    pub(crate) fn entry_bytes(&self) -> u64 {
        self.tables().map(CompactTable::entry_bytes).max().unwrap_or(0)
    }

    /// How many levels there are.
    pub(crate) fn levels(&self) -> usize {
        self.levels.len()
    }

    /// The numbers of the states at a distance.
    pub(crate) fn level(&self, level: usize) -> std::ops::Range<usize> {
        let base = self.levels[..level].iter().sum::<u64>() as usize;
        base..base + self.levels[level] as usize
    }

    /// The distance of a state from the start.
    pub(crate) fn depth_of(&self, number: usize) -> usize {
        (0..self.levels()).find(|&level| self.level(level).contains(&number)).unwrap_or_default()
    }

    /// All places of some tables: every so manieth, beginning with this one.
    pub(crate) fn places(&self, first: usize, step: usize) -> impl Iterator<Item = Slot> {
        let tables = (first..TABLES).step_by(step).map(|number| (number, self.table(number)));
        tables.flat_map(|(table, entries)| {
            let place = move |place| entries.depth(place).map(|depth| Slot { depth, table, place });
            (0..entries.places()).filter_map(place)
        })
    }

    /// The state at a place.
    pub(crate) fn at(&self, place: Slot) -> u128 {
        let (key, _) = self.table(place.table).get(place.place).expect("something is there");
        self.halves.state(self.packing.unpack(place.table, key))
    }

    /// The place of a state.
    pub(crate) fn place(&self, state: u128) -> Option<Slot> {
        let (number, key) = self.packing.pack(self.halves.look_up(state)?);
        let table = self.table(number);
        let place = table.find(key)?;
        Some(Slot { depth: table.depth(place)?, table: number, place })
    }

    /// How many of these states are not there.
    pub(crate) fn absent(&self, states: &[u128], memo: &mut Memo) -> u64 {
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

    /// The number of the state at a place.
    pub(crate) fn rank(&self, place: Slot) -> usize {
        let before = self.places(0, 1).filter(|other| other.depth == place.depth && *other < place).count();
        self.level(place.depth as usize).start + before
    }

    /// The place of the state with this number.
    pub(crate) fn select(&self, number: usize) -> Slot {
        let depth = self.depth_of(number);
        let mut level = self.places(0, 1).filter(|place| place.depth == depth as u64);
        level.nth(number - self.level(depth).start).expect("the number is less than the number of states")
    }
}
