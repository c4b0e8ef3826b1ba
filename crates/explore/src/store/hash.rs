//! The hash functions that place states.

/// A hash function of packed states, determined by its seed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hash(u64);

impl Hash {
    pub(crate) fn new(seed: u64) -> Hash {
        Hash(seed.wrapping_mul(0x9fb2_1c65_1e98_df25))
    }

    #[inline]
    pub(crate) fn of(self, state: u128) -> u64 {
        let low = (state as u64) ^ 0x9e37_79b9_7f4a_7c15 ^ self.0;
        let high = ((state >> 64) as u64) ^ 0xd1b5_4a32_d192_ed03;
        let product = u128::from(low.wrapping_mul(0xff51_afd7_ed55_8ccd) ^ high.rotate_left(29))
            .wrapping_mul(0xc4ce_b9fe_1a85_ec53_2545_f491_4f6c_dd1d);
        let folded = (product as u64) ^ ((product >> 64) as u64) ^ high.wrapping_mul(0x94d0_49bb_1331_11eb);
        folded ^ folded >> 32
    }

    /// The hash of half a state. There are few halves, so one multiplication is enough.
    #[inline]
    pub(crate) fn of_half(self, half: u64) -> u64 {
        let product = u128::from(half ^ 0x9e37_79b9_7f4a_7c15 ^ self.0) * 0xff51_afd7_ed55_8ccd;
        (product as u64) ^ ((product >> 64) as u64)
    }
}

/// The worker that a hash selects.
#[inline]
pub(crate) fn owner(hash: u64, workers: usize) -> usize {
    ((u128::from(hash) * workers as u128) >> 64) as usize
}
