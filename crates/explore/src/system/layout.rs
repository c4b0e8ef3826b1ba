//! Global states as integers: the cell numbers of all processes, in fields of equal width.

use crate::Failure;

/// The layout of the fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    pub(crate) size: u32,
    pub(crate) bits: u32,
}

impl Layout {
    /// The most bits of a state.
    pub(crate) const MOST_BITS: u32 = 128;

    /// A layout with fields of at least `bits` bits. Fields use up the spare bits of a stored state's words.
    pub(crate) fn with_at_least(size: u32, bits: u32) -> Result<Layout, Failure> {
        if size * bits > Self::MOST_BITS {
            return Err(Failure::Width { size: size as usize, bits });
        }
        let spare = (size * bits).next_multiple_of(32) / size;
        Ok(Layout { size, bits: spare.min(31) })
    }

    /// The layout with the widest fields.
    #[cfg(any(feature = "cuda", all(test, unix)))]
    pub(crate) fn widest(size: u32) -> Result<Layout, Failure> {
        Layout::with_at_least(size, (Self::MOST_BITS / size).clamp(1, 31))
    }

    /// The bits of a state.
    pub(crate) fn width(self) -> u32 {
        self.size * self.bits
    }

    /// The 32-bit words of a stored state.
    pub(crate) fn words(self) -> usize {
        self.width().div_ceil(32) as usize
    }

    #[inline]
    pub(crate) fn field(self, state: u128, process: u32) -> u32 {
        (state >> (process * self.bits)) as u32 & (((1u64 << self.bits) - 1) as u32)
    }

    /// Replaces a field whose present value is `old`.
    #[inline]
    pub(crate) fn replace(self, state: u128, process: u32, old: u32, new: u32) -> u128 {
        state ^ (u128::from(old ^ new) << (process * self.bits))
    }

    pub(crate) fn pack(self, fields: impl IntoIterator<Item = u32>) -> u128 {
        fields.into_iter().zip(0..).fold(0, |state, (field, process)| self.replace(state, process, 0, field))
    }

    pub(crate) fn fields(self, state: u128) -> impl Iterator<Item = u32> + Clone {
        (0..self.size).map(move |process| self.field(state, process))
    }

    /// The state rotated by one place.
    #[inline]
    pub(crate) fn turn(self, state: u128) -> u128 {
        let low = state & ((1u128 << self.bits) - 1);
        state >> self.bits | low << (self.width() - self.bits)
    }

    /// The least rotation.
    #[inline]
    pub(crate) fn canonical(self, state: u128) -> u128 {
        let (mut least, mut turned) = (state, state);
        for _ in 1..self.size {
            turned = self.turn(turned);
            least = least.min(turned);
        }
        least
    }

    /// The number of distinct rotations.
    #[inline]
    pub(crate) fn class_size(self, state: u128) -> u64 {
        let mut turned = self.turn(state);
        let mut count = 1;
        while turned != state {
            turned = self.turn(turned);
            count += 1;
        }
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_fields_are_unpacked() {
        let layout = Layout { size: 6, bits: 21 };
        let fields = [1, 2, 0, 0x1f_ffff, 77, 0x10_0000];
        let state = layout.pack(fields);
        assert!(layout.fields(state).eq(fields));
        let state = layout.replace(state, 3, 0x1f_ffff, 9);
        assert!(layout.fields(state).eq([1, 2, 0, 9, 77, 0x10_0000]));
    }

    #[test]
    fn classes_partition_all_states() {
        let layout = Layout { size: 4, bits: 2 };
        let all = 1u128 << layout.width();
        let classes = (0..all).filter(|&s| layout.canonical(s) == s);
        assert_eq!(classes.map(|s| u128::from(layout.class_size(s))).sum::<u128>(), all);
        for state in 0..all {
            assert_eq!(layout.canonical(layout.turn(state)), layout.canonical(state));
        }
    }
}
