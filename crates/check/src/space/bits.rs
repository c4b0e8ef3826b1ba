//! A set of configurations as a bitmap that several threads may fill.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A set of numbers below a fixed length, one bit each.
#[derive(Debug, Default)]
pub struct Bits {
    len: u64,
    words: Vec<AtomicU64>,
}

impl Clone for Bits {
    fn clone(&self) -> Bits {
        let words = self.words.iter().map(|w| AtomicU64::new(w.load(Relaxed))).collect();
        Bits { len: self.len, words }
    }
}

impl Bits {
    /// The empty set of numbers below `len`.
    pub fn new(len: u64) -> Bits {
        let words = (0..len.div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        Bits { len, words }
    }

    /// The numbers below `len` that meet a condition.
    pub(crate) fn of(len: u64, contains: impl Fn(u32) -> bool) -> Bits {
        Bits::new(len).with((0..len as u32).filter(|&i| contains(i)))
    }

    /// The set with more numbers.
    pub(crate) fn with(self, numbers: impl Iterator<Item = u32>) -> Bits {
        numbers.for_each(|i| _ = self.insert(i));
        self
    }

    /// The numbers below the same `len` that are not in the set.
    pub(crate) fn complement(&self) -> Bits {
        Bits::new(self.len).with(self.missing())
    }

    /// Whether `i` is in the set.
    #[inline]
    pub fn contains(&self, i: u32) -> bool {
        self.words[(i >> 6) as usize].load(Relaxed) >> (i & 63) & 1 == 1
    }

    /// Adds `i`. Returns whether `i` was new.
    #[inline]
    pub fn insert(&self, i: u32) -> bool {
        let mask = 1 << (i & 63);
        let word = &self.words[(i >> 6) as usize];
        word.load(Relaxed) & mask == 0 && word.fetch_or(mask, Relaxed) & mask == 0
    }

    /// Removes `i`. Returns whether `i` was in the set.
    #[inline]
    pub fn remove(&self, i: u32) -> bool {
        let mask = 1 << (i & 63);
        let word = &self.words[(i >> 6) as usize];
        word.load(Relaxed) & mask != 0 && word.fetch_and(!mask, Relaxed) & mask != 0
    }

    /// The number of members.
    pub fn count(&self) -> u64 {
        self.words.iter().map(|w| u64::from(w.load(Relaxed).count_ones())).sum()
    }

    /// The members in order.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.words.iter().enumerate().flat_map(|(at, word)| ones(at, word.load(Relaxed)))
    }

    /// The numbers that are not in the set, in order.
    pub fn missing(&self) -> impl Iterator<Item = u32> + '_ {
        self.words.iter().enumerate().flat_map(move |(at, word)| {
            let valid = (self.len - ((at as u64) << 6)).min(64);
            ones(at, !word.load(Relaxed) & (u64::MAX >> (64 - valid)))
        })
    }
}

/// The numbers of the bits that are set in the word at this index.
fn ones(at: usize, mut word: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        (word != 0).then(|| {
            let bit = word.trailing_zeros();
            word &= word - 1;
            (at as u32) << 6 | bit
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_and_the_others_make_up_everything() {
        let set = Bits::new(131);
        for i in [0, 5, 63, 64, 127, 128, 130] {
            assert!(set.insert(i) && !set.insert(i) && set.contains(i));
        }
        assert!(set.remove(5) && !set.remove(5));
        assert_eq!(set.iter().collect::<Vec<_>>(), [0, 63, 64, 127, 128, 130]);
        assert_eq!(set.count(), 6);
        assert_eq!(set.missing().count(), 125);
        assert_eq!(set.missing().last(), Some(129));
    }
}
