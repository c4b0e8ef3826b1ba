//! The packed states of one part: records in the order of insertion, with an open-addressing index.

use super::hash::Hash;

/// The states of one part.
#[derive(Clone, Debug)]
pub(crate) struct Shard {
    words: usize,
    records: Vec<u32>,
    /// In each slot a tag from the hash in the high bits and the record's number plus one in the low bits; 0 if it is empty.
    slots: Vec<u32>,
    /// The number of bits of a slot that hold the number.
    number_bits: u32,
    hash: Hash,
}

/// The number of states that are looked up at once.
const BLOCK: usize = 16;

impl Shard {
    const FIRST_BITS: u32 = 6;

    /// The most states of a shard.
    pub(crate) const MOST: usize = 1 << 30;

    pub(crate) fn new(words: usize, hash: Hash) -> Shard {
        let slots = vec![0; 1 << Self::FIRST_BITS];
        Shard { words, records: vec![], slots, number_bits: Self::FIRST_BITS, hash }
    }

    /// The number of states.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.records.len() / self.words
    }

    /// The memory of the records and the index, in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        4 * (self.records.len() + self.slots.len()) as u64
    }

    /// The state with this number.
    #[inline]
    pub(crate) fn get(&self, number: usize) -> u128 {
        let record = &self.records[number * self.words..][..self.words];
        record.iter().rev().fold(0, |state, &word| state << 32 | u128::from(word))
    }

    #[inline]
    fn home(&self, hash: u64) -> usize {
        hash as usize & (self.slots.len() - 1)
    }

    #[inline]
    fn tag(&self, hash: u64) -> u32 {
        // A shift by all 32 bits must give 0.
        ((hash >> 32 << self.number_bits) & 0xffff_ffff) as u32
    }

    /// The number of a state, or the empty slot where it belongs.
    #[inline]
    fn find_slot(&self, state: u128, hash: u64) -> Result<usize, usize> {
        let (mut slot, tag) = (self.home(hash), self.tag(hash));
        let number_mask = ((1u64 << self.number_bits) - 1) as u32;
        loop {
            let entry = self.slots[slot];
            if entry == 0 {
                return Err(slot);
            }
            if entry & !number_mask == tag {
                let number = (entry & number_mask) as usize - 1;
                if self.get(number) == state {
                    return Ok(number);
                }
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
    }

    /// The number of a state, if the shard has it.
    pub(crate) fn find(&self, state: u128) -> Option<usize> {
        self.find_slot(state, self.hash.of(state)).ok()
    }

    /// Adds a state. Returns whether it is new.
    #[inline]
    fn insert(&mut self, state: u128, hash: u64) -> bool {
        let Err(slot) = self.find_slot(state, hash) else { return false };
        self.slots[slot] = self.tag(hash) | (self.len() as u32 + 1);
        self.push(state);
        if self.len() * 10 >= self.slots.len() * 7 {
            self.grow();
        }
        true
    }

    /// Adds many states and calls `new` with the places of the new ones. Most states are known, and most of the time goes into
    /// fetching their slots and records from memory. The fetches of a block overlap.
    pub(crate) fn insert_all(&mut self, states: &[u128], mut new: impl FnMut(usize)) {
        for (block, first) in states.chunks(BLOCK).zip((0..).step_by(BLOCK)) {
            self.insert_block(block, |place| new(first + place));
        }
    }

    #[inline]
    fn insert_block(&mut self, block: &[u128], mut new: impl FnMut(usize)) {
        let (mut hashes, mut entries) = ([0; BLOCK], [0; BLOCK]);
        for ((hash, entry), &state) in hashes.iter_mut().zip(&mut entries).zip(block) {
            *hash = self.hash.of(state);
            *entry = self.slots[self.home(*hash)];
        }
        let number_mask = ((1u64 << self.number_bits) - 1) as u32;
        let mut known = [false; BLOCK];
        for (((known, &entry), &hash), &state) in known.iter_mut().zip(&entries).zip(&hashes).zip(block) {
            if entry != 0 && entry & !number_mask == self.tag(hash) {
                *known = self.get((entry & number_mask) as usize - 1) == state;
            }
        }
        for (place, ((&known, &hash), &state)) in known.iter().zip(&hashes).zip(block).enumerate() {
            if !known && self.insert(state, hash) {
                new(place);
            }
        }
    }

    fn push(&mut self, state: u128) {
        let mut rest = state;
        for _ in 0..self.words {
            self.records.push(rest as u32);
            rest >>= 32;
        }
    }

    /// The memory after another `more` states, in bytes.
    pub(crate) fn bytes_with(&self, more: usize) -> u64 {
        let mut slots = self.slots.len();
        while (self.len() + more) * 10 >= slots * 7 {
            slots *= 2;
        }
        4 * ((self.len() + more) * self.words + slots) as u64
    }

    fn grow(&mut self) {
        self.number_bits += 1;
        assert!(self.number_bits <= 31, "a shard holds at most 1.5 thousand million states");
        self.slots = Vec::new();
        self.slots = vec![0; 1 << self.number_bits];
        self.rebuild();
    }

    fn rebuild(&mut self) {
        for number in 0..self.len() {
            let hash = self.hash.of(self.get(number));
            let mut slot = self.home(hash);
            while self.slots[slot] != 0 {
                slot = (slot + 1) & (self.slots.len() - 1);
            }
            self.slots[slot] = self.tag(hash) | (number as u32 + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn a_shard_is_a_set_in_the_order_of_insertion() {
        for words in 1..=4 {
            let mut shard = Shard::new(words, Hash::new(7));
            let mut twin: HashMap<u128, usize> = HashMap::new();
            let mut x: u128 = 12345;
            for _ in 0..20_000 {
                x = x.wrapping_mul(0x2545_f491_4f6c_dd1d_9e37_79b9_7f4a_7c15).wrapping_add(99);
                let state = (x >> (128 - 32 * words as u32)) % 9_001 * 0x1_0001;
                let next = twin.len();
                twin.entry(state).or_insert(next);
                shard.insert_all(&[state], |_| ());
            }
            assert_eq!(shard.len(), twin.len());
            for (&state, &number) in &twin {
                assert_eq!(shard.get(number), state);
                assert_eq!(shard.find(state), Some(number));
            }
            assert_eq!(shard.find(3), None);
        }
    }
}
