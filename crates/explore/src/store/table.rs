//! A set of numbers, each with a distance, in little more memory than information theory requires.
//!
//! A number of `key_bits` bits is *shuffled*, that is permuted. Its preferred place in the table, its *home*, determines most of its
//! bits, so only the rest is stored (J. G. Cleary, *Compact hash tables using bidirectional linear probing*, IEEE Trans. Computers
//! 33(9), 1984). A displaced entry lies a few places after its home and stores how many. Entries are in the order of the shuffled
//! numbers, so that a lookup ends early (P. Celis, *Robin Hood hashing*, 1986) and a table grows in one pass.

use super::shuffle::Shuffle;
use std::cmp::Ordering;

/// The widths of the parts of an entry, and the seed of the shuffle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    /// Numbers are below two to the power of this.
    pub(crate) key_bits: u32,
    /// Distances are below two to the power of this.
    pub(crate) depth_bits: u32,
    pub(crate) seed: u64,
}

impl Shape {
    /// Seven times a number must be less than 2^60, so that [`Places::share`] is right.
    pub(crate) const MOST_KEY_BITS: u32 = 57;
}

/// The places of a table: `quarters << bits`, where `quarters` is 4 to 7, so that a table grows by a quarter or less.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Places {
    quarters: u64,
    bits: u32,
}

impl Places {
    /// Divides a number below 2^60 by `quarters`. The inverses are rounded up by less than 7, and 7 · 2^60 < 2^64.
    #[inline]
    fn share(self, number: u64) -> u64 {
        const fn inverse(quarters: u64) -> u64 {
            u64::MAX / quarters + 1
        }
        const INVERSES: [u64; 4] = [inverse(4), inverse(5), inverse(6), inverse(7)];
        ((u128::from(number) * u128::from(INVERSES[self.quarters as usize & 3])) >> 64) as u64
    }

    fn count(self) -> usize {
        (self.quarters as usize) << self.bits
    }

    fn more(self) -> Places {
        match self.quarters {
            _ if self.count() < SMALL => Places { bits: self.bits + 1, ..self },
            7 => Places { quarters: 4, bits: self.bits + 1 },
            quarters => Places { quarters: quarters + 1, ..self },
        }
    }
}

/// Tables with fewer places double, which saves time. Larger tables grow by a quarter or less, which saves memory.
const SMALL: usize = 1 << 20;

/// The number of bits for the distance of an entry from its home.
const AWAY_BITS: u32 = 7;

/// The largest distance of an entry from its home. The table has this many extra places at the end.
const FARTHEST: usize = (1 << AWAY_BITS) - 2;

/// The set. An entry has, from the high bits down: the rest of the number, the distance from the start, and one more than the
/// distance from home.
#[derive(Clone, Debug)]
pub(crate) struct CompactTable {
    shape: Shape,
    shuffle: Shuffle,
    places: Places,
    /// The bytes of an entry. An empty place is zero.
    width: usize,
    bytes: Vec<u8>,
    len: usize,
}

impl CompactTable {
    pub(crate) fn new(shape: Shape) -> CompactTable {
        CompactTable::with_places(shape, Places { quarters: 4, bits: 4 })
    }

    fn with_places(shape: Shape, places: Places) -> CompactTable {
        let width = Self::width(shape, places);
        CompactTable {
            shape,
            shuffle: Shuffle::new(shape.key_bits, shape.seed),
            places,
            width,
            bytes: vec![0; Self::bytes_of(width, places)],
            len: 0,
        }
    }

    /// The bits of an entry. There are at least four places for every value of a home's bits.
    fn bits(shape: Shape, places: Places) -> u32 {
        shape.key_bits.saturating_sub(places.bits + 2) + shape.depth_bits + AWAY_BITS
    }

    fn width(shape: Shape, places: Places) -> usize {
        Self::bits(shape, places).div_ceil(8) as usize
    }

    /// The number of bits by which numbers can grow before entries of this shape need another byte.
    pub(crate) fn spare_bits(&self, shape: Shape) -> u32 {
        8 * Self::width(shape, self.places) as u32 - Self::bits(shape, self.places)
    }

    /// There are seven extra bytes because entries are read and written as eight bytes.
    fn bytes_of(width: usize, places: Places) -> usize {
        (places.count() + FARTHEST + 1) * width + 7
    }

    /// Whether an entry of this shape fits into eight bytes.
    pub(crate) fn could_be(&self, shape: Shape) -> bool {
        Self::width(shape, self.places) <= 8
    }

    /// The number of entries.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn entry_bytes(&self) -> u64 {
        self.width as u64
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// The memory after this many more entries, in bytes.
    pub(crate) fn bytes_with(&self, more: usize) -> u64 {
        let mut places = self.places;
        while is_crowded(self.len + more, places) {
            places = places.more();
        }
        Self::bytes_of(Self::width(self.shape, places), places) as u64
    }

    /// The number of places, including empty ones.
    pub(crate) fn places(&self) -> usize {
        self.places.count() + FARTHEST + 1
    }

    #[inline]
    fn entry(&self, place: usize) -> u64 {
        let from = place * self.width;
        let word: [u8; 8] = self.bytes[from..from + 8].try_into().expect("eight bytes");
        u64::from_le_bytes(word) & (u64::MAX >> (64 - 8 * self.width))
    }

    #[inline]
    fn set(&mut self, place: usize, entry: u64) {
        let from = place * self.width;
        let bytes: &mut [u8; 8] = (&mut self.bytes[from..from + 8]).try_into().expect("eight bytes");
        let others = u64::from_le_bytes(*bytes) & !(u64::MAX >> (64 - 8 * self.width));
        *bytes = (others | entry).to_le_bytes();
    }

    /// The home and the rest of a shuffled number.
    #[inline]
    fn locate(&self, shuffled: u64) -> (usize, u64) {
        let Places { quarters, bits } = self.places;
        let product = shuffled * quarters;
        let below = self.shape.key_bits - bits;
        ((product >> below) as usize, self.places.share(product & ((1 << below) - 1)))
    }

    /// The shuffled number with this home and rest.
    #[inline]
    fn shuffled(&self, home: usize, rest: u64) -> u64 {
        let Places { quarters, bits } = self.places;
        self.places.share(((home as u64) << (self.shape.key_bits - bits)) + quarters - 1) + rest
    }

    /// The place of a number; or, if it is absent, the distance of its place from its home.
    #[inline]
    fn find_place(&self, home: usize, rest: u64) -> Result<usize, usize> {
        let above = self.shape.depth_bits + AWAY_BITS;
        for away in 0..=FARTHEST {
            let entry = self.entry(home + away);
            let its = (entry & ((1 << AWAY_BITS) - 1)) as usize;
            match its.cmp(&(away + 1)) {
                Ordering::Equal if entry >> above == rest => return Ok(home + away),
                // This entry has the same home and is greater, or has a later home, or the place is empty.
                Ordering::Equal if entry >> above > rest => return Err(away),
                Ordering::Less => return Err(away),
                _ => {}
            }
        }
        Err(FARTHEST + 1)
    }

    /// The place of a number.
    pub(crate) fn find(&self, key: u64) -> Option<usize> {
        self.find_shuffled(self.shuffle.forth(key))
    }

    #[inline]
    pub(crate) fn find_shuffled(&self, shuffled: u64) -> Option<usize> {
        let (home, rest) = self.locate(shuffled);
        self.find_place(home, rest).ok()
    }

    /// The number at a place, and its distance.
    pub(crate) fn get(&self, place: usize) -> Option<(u64, u64)> {
        self.get_shuffled(place).map(|(shuffled, depth)| (self.shuffle.back(shuffled), depth))
    }

    #[inline]
    fn get_shuffled(&self, place: usize) -> Option<(u64, u64)> {
        let entry = self.entry(place);
        let away = (entry & ((1 << AWAY_BITS) - 1)) as usize;
        let depth = entry >> AWAY_BITS & ((1 << self.shape.depth_bits) - 1);
        let rest = entry >> (self.shape.depth_bits + AWAY_BITS);
        (entry != 0).then(|| (self.shuffled(place + 1 - away, rest), depth))
    }

    /// The distance at a place. It is cheaper than the number.
    #[inline]
    pub(crate) fn depth(&self, place: usize) -> Option<u64> {
        let entry = self.entry(place);
        (entry != 0).then_some(entry >> AWAY_BITS & ((1 << self.shape.depth_bits) - 1))
    }

    /// The shuffled number, as [`CompactTable::insert`] requires it.
    #[inline]
    pub(crate) fn shuffle(&self, key: u64) -> u64 {
        self.shuffle.forth(key)
    }

    /// Fetches the memory of a number's home, so that several fetches may overlap.
    #[inline]
    pub(crate) fn touch(&self, shuffled: u64) -> u8 {
        self.bytes[self.locate(shuffled).0 * self.width]
    }

    /// Adds a shuffled number with its distance. Returns whether it is new.
    pub(crate) fn insert(&mut self, shuffled: u64, depth: u64) -> bool {
        let (home, rest) = self.locate(shuffled);
        let Err(away) = self.find_place(home, rest) else { return false };
        if !self.add(home, away, rest, depth) {
            self.grow();
            return self.insert(shuffled, depth);
        }
        self.len += 1;
        if is_crowded(self.len, self.places) {
            self.grow();
        }
        true
    }

    /// Writes an entry to its place and moves the entries from there on by one place. If one would be too far from home, returns
    /// `false` and changes nothing.
    fn add(&mut self, home: usize, away: usize, rest: u64, depth: u64) -> bool {
        const MOST: u64 = FARTHEST as u64 + 1;
        if away > FARTHEST {
            return false;
        }
        let mut end = home + away;
        loop {
            match self.entry(end) {
                0 => break,
                entry if entry & ((1 << AWAY_BITS) - 1) == MOST => return false,
                _ => end += 1,
            }
        }
        self.bytes.copy_within((home + away) * self.width..end * self.width, (home + away + 1) * self.width);
        for place in home + away + 1..=end {
            // The lowest byte holds the distance from home and has room for one more.
            self.bytes[place * self.width] += 1;
        }
        self.write(home, away, rest, depth);
        true
    }

    #[inline]
    fn write(&mut self, home: usize, away: usize, rest: u64, depth: u64) {
        self.set(home + away, (rest << self.shape.depth_bits | depth) << AWAY_BITS | (away as u64 + 1));
    }

    /// Grows the table. The order of the entries stays the same, so each follows the one before.
    fn grow(&mut self) {
        let mut places = self.places.more();
        let mut end = 0;
        while !self.rebuild(self.shape, places, |larger, shuffled, depth| {
            let (home, rest) = larger.locate(shuffled);
            let place = home.max(end);
            end = place + 1;
            let near = place - home <= FARTHEST;
            if near {
                larger.write(home, place - home, rest, depth);
            }
            near
        }) {
            places = places.more();
            end = 0;
        }
    }

    /// Changes the shape of the entries and renumbers them.
    pub(crate) fn reshape(&mut self, shape: Shape, renumber: impl Fn(u64) -> u64) {
        let (mut places, old) = (self.places, self.shuffle);
        while !self.rebuild(shape, places, |other, shuffled, depth| {
            let (home, rest) = other.locate(other.shuffle.forth(renumber(old.back(shuffled))));
            let away = other.find_place(home, rest).expect_err("no number is there twice");
            other.add(home, away, rest, depth)
        }) {
            places = places.more();
        }
    }

    /// Rebuilds the table with the same entries. If an entry has no place, returns `false` and changes nothing.
    fn rebuild(
        &mut self,
        shape: Shape,
        places: Places,
        mut put: impl FnMut(&mut CompactTable, u64, u64) -> bool,
    ) -> bool {
        let mut other = CompactTable::with_places(shape, places);
        other.len = self.len;
        let mut entries = (0..self.places()).filter_map(|place| self.get_shuffled(place));
        let done = entries.all(|(shuffled, depth)| put(&mut other, shuffled, depth));
        if done {
            *self = other;
        }
        done
    }
}

/// In a table that is more than four fifths full, lookups and moves become long.
fn is_crowded(len: usize, places: Places) -> bool {
    len * 5 > places.count() * 4
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn dice(seed: u64) -> impl FnMut(u64) -> u64 {
        let mut x = seed;
        move |below| {
            x = x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (x >> 30) % below
        }
    }

    #[test]
    fn share_divides() {
        for quarters in 4..8 {
            let places = Places { quarters, bits: 0 };
            let mut dice = dice(quarters);
            for number in (0..1000).map(|_| dice(1 << 34) << 26 | dice(1 << 26)).chain([0, 1, (1 << 60) - 1]) {
                assert_eq!(places.share(number), number / quarters);
            }
        }
    }

    #[test]
    fn a_table_has_the_same_members_as_a_tree() {
        for (key_bits, seed) in [(8, 0), (9, 1), (12, 5), (17, 2), (31, 3), (40, 4), (56, 9)] {
            let mut dice = dice(seed);
            let mut shape = Shape { key_bits, depth_bits: 5, seed };
            let (mut table, mut twin) = (CompactTable::new(shape), BTreeMap::new());
            for round in 0..60_000 {
                let key = dice(dice_range(key_bits, round));
                let depth = dice(32);
                let new = !twin.contains_key(&key);
                twin.entry(key).or_insert(depth);
                assert_eq!(table.insert(table.shuffle(key), depth), new);
                if round == 30_000 {
                    shape = Shape { depth_bits: 9, ..shape };
                    table.reshape(shape, |key| key);
                }
            }
            assert_eq!(table.len(), twin.len());
            let mut kept: Vec<_> = (0..table.places()).filter_map(|place| table.get(place)).collect();
            kept.sort_unstable();
            assert!(kept.iter().copied().eq(twin.iter().map(|(&key, &depth)| (key, depth))));
            for key in 0..10_000.min(1 << key_bits) {
                assert_eq!(table.find(key).is_some(), twin.contains_key(&key));
            }
            for &key in twin.keys() {
                let place = table.find(key).expect("it is there");
                assert_eq!(table.get(place), Some((key, twin[&key])));
                assert_eq!(table.depth(place), Some(twin[&key]));
            }
        }
    }

    /// Crowded small ranges and wide ones take turns.
    fn dice_range(key_bits: u32, round: u64) -> u64 {
        if round.is_multiple_of(3) { (1 << key_bits).min(5_000) } else { 1 << key_bits.min(33) }
    }

    #[test]
    fn a_number_of_38_bits_with_a_distance_takes_at_most_6_35_bytes() {
        let mut table = CompactTable::new(Shape { key_bits: 38, depth_bits: 8, seed: 1 });
        let mut dice = dice(8);
        let mut most = 0.0f64;
        for _ in 0..4_000_000 {
            table.insert(table.shuffle(dice(1 << 34) * 15), 7);
            if table.len() > 3_000_000 {
                most = most.max(table.bytes() as f64 / table.len() as f64);
            }
        }
        assert!(most < 4.0 / 0.63, "{most}");
    }
}
