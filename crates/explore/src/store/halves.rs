//! Halves of states, numbered as they are met.
//!
//! There are far fewer halves than states: 1.6 million of the 43 million states of six processes. So a state is a pair of
//! numbers (S. Blom, B. Lisser, J. van de Pol, M. Weber: *A database approach to distributed state space generation*, J. Logic and
//! Computation 21(1), 2011; A. Laarman, J. van de Pol, M. Weber: *Parallel recursive state compression for free*, SPIN 2011).

use super::hash::Hash;
use crate::system::Layout;

/// Numbers of 64-bit values.
#[derive(Clone, Debug)]
struct Numbers {
    values: Vec<u64>,
    /// Values with their numbers, side by side, so that one look into memory is enough.
    slots: Vec<(u64, u32)>,
    hash: Hash,
}

/// No value has this number, as there are fewer.
const NONE: u32 = u32::MAX;

impl Numbers {
    fn new(hash: Hash) -> Self {
        Numbers { values: vec![], slots: vec![(0, NONE); 64], hash }
    }

    #[inline]
    fn home(&self, value: u64) -> usize {
        self.hash.of(value.into()) as usize & (self.slots.len() - 1)
    }

    #[inline]
    fn find(&self, value: u64) -> Result<u32, usize> {
        let (mut slot, mask) = (self.home(value), self.slots.len() - 1);
        loop {
            match self.slots[slot] {
                (_, NONE) => return Err(slot),
                (other, number) if other == value => return Ok(number),
                _ => slot = (slot + 1) & mask,
            }
        }
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

/// A state as two numbers: of what its first processes are, and of what the others are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pair {
    pub(crate) low: u32,
    pub(crate) high: u32,
}

/// All halves met so far.
#[derive(Clone, Debug)]
pub(crate) struct Halves {
    /// The first half has so many bits.
    split: u32,
    low: Numbers,
    high: Numbers,
}

const REMEMBERED: usize = 1 << 12;

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

    /// A state in numbers, if both halves are known.
    #[inline]
    pub(crate) fn find(&self, state: u128, memo: &mut Memo) -> Option<Pair> {
        let (low, high) = self.cut(state);
        Some(Pair { low: recall(&self.low, low, &mut memo.low)?, high: recall(&self.high, high, &mut memo.high)? })
    }

    /// Asks for the memory in which the numbers of states' halves are, so that the requests overlap.
    #[inline]
    pub(crate) fn touch(&self, states: &[u128], memo: &Memo) {
        let mut touched = 0;
        for &state in states {
            let (low, high) = self.cut(state);
            if memo.low[place(low)].0 != low {
                touched ^= self.low.slots[self.low.home(low)].1;
            }
            if memo.high[place(high)].0 != high {
                touched ^= self.high.slots[self.high.home(high)].1;
            }
        }
        std::hint::black_box(touched);
    }

    /// The same without a memory.
    pub(crate) fn look_up(&self, state: u128) -> Option<Pair> {
        let (low, high) = self.cut(state);
        Some(Pair { low: self.low.find(low).ok()?, high: self.high.find(high).ok()? })
    }

    /// A state in numbers, new ones if need be.
    pub(crate) fn number(&mut self, state: u128) -> Pair {
        let (low, high) = self.cut(state);
        Pair { low: self.low.number(low), high: self.high.number(high) }
    }

    /// The state that two numbers stand for.
    #[inline]
    pub(crate) fn state(&self, pair: Pair) -> u128 {
        let (low, high) = (self.low.values[pair.low as usize], self.high.values[pair.high as usize]);
        u128::from(high) << self.split | u128::from(low)
    }

    /// How many halves there are of both kinds.
    pub(crate) fn len(&self) -> (usize, usize) {
        (self.low.values.len(), self.high.values.len())
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.low.bytes() + self.high.bytes()
    }
}

/// Where a half is remembered.
#[inline]
fn place(value: u64) -> usize {
    (value.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - REMEMBERED.ilog2())) as usize
}

#[inline]
fn recall(numbers: &Numbers, value: u64, memo: &mut [(u64, u32)]) -> Option<u32> {
    let remembered = &mut memo[place(value)];
    if remembered.0 != value || remembered.1 == NONE {
        *remembered = (value, numbers.find(value).ok()?);
    }
    Some(remembered.1)
}
