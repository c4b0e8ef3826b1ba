//! Numbered halves of states.
//!
//! There are far fewer halves than states: 1.6 million for the 43 million states of six processes. So a state is a pair of
//! numbers (S. Blom, B. Lisser, J. van de Pol, M. Weber: *A database approach to distributed state space generation*, J. Logic and
//! Computation 21(1), 2011; A. Laarman, J. van de Pol, M. Weber: *Parallel recursive state compression for free*, SPIN 2011).

use super::hash::Hash;
use crate::system::Layout;

/// Numbers of 64-bit values.
#[derive(Clone, Debug)]
struct Numbers {
    values: Vec<u64>,
    /// Values next to their numbers, so that one memory access is enough.
    slots: Vec<(u64, u32)>,
    hash: Hash,
}

/// The number of no value.
const NONE: u32 = u32::MAX;

impl Numbers {
    fn new(hash: Hash) -> Self {
        Numbers { values: vec![], slots: vec![(0, NONE); 64], hash }
    }

    #[inline]
    fn home(&self, value: u64) -> usize {
        self.hash.of_half(value) as usize & (self.slots.len() - 1)
    }

    #[inline]
    fn find(&self, value: u64) -> Result<u32, usize> {
        self.find_from(self.home(value), value)
    }

    /// The number of a value whose home is known.
    #[inline]
    fn find_from(&self, home: usize, value: u64) -> Result<u32, usize> {
        let (mut slot, mask) = (home, self.slots.len() - 1);
        loop {
            match self.slots[slot] {
                (_, NONE) => return Err(slot),
                (other, number) if other == value => return Ok(number),
                _ => slot = (slot + 1) & mask,
            }
        }
    }

    /// The numbers of values; [`NONE`] for an unknown value.
    #[inline]
    fn recall(&self, values: &[u64; BLOCK], memo: &mut [(u64, u32)]) -> [u32; BLOCK] {
        let mut numbers = [NONE; BLOCK];
        let (mut homes, mut unknown, mut touched) = ([(0, 0); BLOCK], 0, 0);
        for (i, &value) in values.iter().enumerate() {
            let (remembered, number) = memo[place(value)];
            numbers[i] = if remembered == value { number } else { NONE };
            homes[unknown] = (i, self.home(value));
            unknown += usize::from(numbers[i] == NONE);
        }
        for &(_, home) in &homes[..unknown] {
            touched ^= self.slots[home].1;
        }
        std::hint::black_box(touched);
        for &(i, home) in &homes[..unknown] {
            if let Ok(number) = self.find_from(home, values[i]) {
                numbers[i] = number;
                memo[place(values[i])] = (values[i], number);
            }
        }
        numbers
    }

    fn number(&mut self, value: u64) -> u32 {
        self.find(value).unwrap_or_else(|slot| {
            let number = self.values.len() as u32;
            self.values.push(value);
            self.slots[slot] = (value, number);
            if self.values.len() * 3 > self.slots.len() * 2 {
                self.grow();
            }
            number
        })
    }

    fn grow(&mut self) {
        let slots = 2 * self.slots.len();
        self.slots = vec![];
        self.slots = vec![(0, NONE); slots];
        for (&value, number) in self.values.iter().zip(0..) {
            if let Err(slot) = self.find(value) {
                self.slots[slot] = (value, number);
            }
        }
    }

    fn bytes(&self) -> u64 {
        (8 * self.values.capacity() + size_of::<(u64, u32)>() * self.slots.len()) as u64
    }
}

/// A state as the numbers of its two halves: the cells of the first processes, and those of the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pair {
    pub(crate) low: u32,
    pub(crate) high: u32,
}

/// All known halves.
#[derive(Clone, Debug)]
pub(crate) struct Halves {
    /// The number of bits of the first half.
    split: u32,
    low: Numbers,
    high: Numbers,
}

/// The number of halves that a worker remembers.
const REMEMBERED: usize = 1 << 13;

/// The number of states whose memory is fetched at once.
pub(crate) const BLOCK: usize = 32;

/// The latest lookups of a worker.
pub(crate) struct Memo {
    low: Vec<(u64, u32)>,
    high: Vec<(u64, u32)>,
}

impl Default for Memo {
    fn default() -> Self {
        let nothing = vec![(0, NONE); REMEMBERED];
        Memo { low: nothing.clone(), high: nothing }
    }
}

impl Halves {
    pub(crate) fn new(layout: Layout, seed: u64) -> Self {
        let Layout { size, bits } = layout;
        let split = if (size - size / 2) * bits <= 64 { size / 2 * bits } else { 64 };
        let hash = Hash::new(seed);
        Halves { split, low: Numbers::new(hash), high: Numbers::new(hash) }
    }

    #[inline]
    fn cut(&self, state: u128) -> (u64, u64) {
        ((state & ((1 << self.split) - 1)) as u64, (state >> self.split) as u64)
    }

    /// The pairs of states whose halves are both known. All states are looked up together, so that the memory requests overlap:
    /// first the addresses, then the accesses, then the comparisons.
    #[inline]
    pub(crate) fn find_all(&self, states: &[u128; BLOCK], memo: &mut Memo) -> [Option<Pair>; BLOCK] {
        let low = self.low.recall(&states.map(|state| self.cut(state).0), &mut memo.low);
        let high = self.high.recall(&states.map(|state| self.cut(state).1), &mut memo.high);
        std::array::from_fn(|i| (low[i] != NONE && high[i] != NONE).then_some(Pair { low: low[i], high: high[i] }))
    }

    /// The pair of a state, if both halves are known.
    pub(crate) fn look_up(&self, state: u128) -> Option<Pair> {
        let (low, high) = self.cut(state);
        Some(Pair { low: self.low.find(low).ok()?, high: self.high.find(high).ok()? })
    }

    /// The pair of a state. Unknown halves get new numbers.
    pub(crate) fn number(&mut self, state: u128) -> Pair {
        let (low, high) = self.cut(state);
        Pair { low: self.low.number(low), high: self.high.number(high) }
    }

    /// The state of a pair.
    #[inline]
    pub(crate) fn state(&self, pair: Pair) -> u128 {
        let (low, high) = (self.low.values[pair.low as usize], self.high.values[pair.high as usize]);
        u128::from(high) << self.split | u128::from(low)
    }

    /// The numbers of first and of second halves.
    pub(crate) fn len(&self) -> (usize, usize) {
        (self.low.values.len(), self.high.values.len())
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.low.bytes() + self.high.bytes()
    }
}

/// The index of a half in a memo.
#[inline]
fn place(value: u64) -> usize {
    (value.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - REMEMBERED.ilog2())) as usize
}
