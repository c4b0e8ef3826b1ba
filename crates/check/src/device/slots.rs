//! Rotation classes of a ring, numbered without a table.

/// Words of `size` letters below `states`, up to rotation. The words that begin with their least letter `a` have consecutive slots,
/// by their other letters less `a` as digits in base `states - a`. Of a class, the least word alone is in use: the slots of the other
/// words are holes. There are about 1 / `size` as many slots as words.
#[derive(Clone, Debug)]
pub(crate) struct Slots {
    pub(crate) size: usize,
    pub(crate) states: u32,
    /// The first slot of each first letter, and the number of slots.
    pub(crate) offset: Vec<u64>,
}

impl Slots {
    /// All slots, if there are fewer than 2^63.
    pub(crate) fn new(size: usize, states: u64) -> Option<Slots> {
        let (letters, mut offset, mut next) = (u32::try_from(states).ok()?, vec![0], 0_u64);
        for first in 0..states {
            let words = (states - first).checked_pow(size as u32 - 1)?;
            next = next.checked_add(words).filter(|&next| next < 1 << 63)?;
            offset.push(next);
        }
        Some(Slots { size, states: letters, offset })
    }

    /// The number of slots, holes included.
    pub(crate) fn count(&self) -> u64 {
        self.offset[self.states as usize]
    }

    /// The slot of the class of a word.
    pub(crate) fn of(&self, word: &[u32]) -> u64 {
        let turned = |by: usize| word[by..].iter().chain(&word[..by]).copied();
        let least = (0..self.size).min_by(|&a, &b| turned(a).cmp(turned(b))).unwrap_or(0);
        let first = word[least];
        let base = u64::from(self.states - first);
        let place = turned(least).skip(1).fold(0, |place, letter| place * base + u64::from(letter - first));
        self.offset[first as usize] + place
    }

    /// The word of a slot.
    pub(crate) fn word(&self, slot: u64) -> Vec<u32> {
        let first = self.offset.partition_point(|&offset| offset <= slot) - 1;
        let (mut rest, base) = (slot - self.offset[first], u64::from(self.states) - first as u64);
        let mut word = vec![first as u32; self.size];
        for letter in word[1..].iter_mut().rev() {
            *letter += (rest % base) as u32;
            rest /= base;
        }
        word
    }
}

#[cfg(test)]
mod tests {
    use super::Slots;
    use crate::Monitor;
    use crate::space::{MixedRadix, Rotations};

    #[test]
    fn every_class_has_one_slot() {
        for (size, states) in [(2, 1), (2, 5), (3, 4), (4, 3), (6, 2), (5, 3)] {
            let (slots, space) = (Slots::new(size, states).unwrap(), MixedRadix::new(size, states).unwrap());
            let mut used = std::collections::BTreeMap::new();
            let rotations = Rotations::new(&space, &Monitor::new(1)).unwrap();
            for c in 0..space.size() as u32 {
                let (word, class) = (space.digits(c), rotations.class(c).0);
                let slot = slots.of(&word);
                assert!(slot < slots.count());
                assert_eq!(*used.entry(slot).or_insert(class), class);
                assert_eq!(slots.of(&slots.word(slot)), slot);
            }
            assert_eq!(used.len() as u64, Rotations::count(&space));
            assert!(slots.count() <= space.size());
            for slot in 0..slots.count() {
                assert_eq!(used.contains_key(&slot), slots.of(&slots.word(slot)) == slot);
            }
        }
        assert!(Slots::new(40, 8).is_none());
    }
}
