//! Permutations of numbers that make any set of numbers look random.

/// A permutation of the numbers below a power of two, and its inverse.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shuffle {
    bits: u32,
    factors: [u64; 2],
    inverses: [u64; 2],
}

impl Shuffle {
    /// A permutation of the numbers of `bits` bits.
    pub(crate) fn new(bits: u32, seed: u64) -> Shuffle {
        let odd = |factor: u64| (factor ^ seed.wrapping_mul(0x9fb2_1c65_1e98_df26)) | 1;
        let factors = [0xff51_afd7_ed55_8ccd, 0xc4ce_b9fe_1a85_ec53].map(odd);
        Shuffle { bits, factors, inverses: factors.map(inverse) }
    }

    #[inline]
    fn fold(self, key: u64) -> u64 {
        key ^ key >> self.bits.div_ceil(2)
    }

    #[inline]
    fn times(self, key: u64, factor: u64) -> u64 {
        key.wrapping_mul(factor) & ((1 << self.bits) - 1)
    }

    #[inline]
    pub(crate) fn forth(self, key: u64) -> u64 {
        self.factors.iter().fold(key, |key, &factor| self.fold(self.times(key, factor)))
    }

    #[inline]
    pub(crate) fn back(self, shuffled: u64) -> u64 {
        self.inverses.iter().rev().fold(shuffled, |key, &inverse| self.times(self.fold(key), inverse))
    }
}

/// The inverse of an odd number modulo 2^64, by Newton's iteration: every round doubles the number of correct digits.
fn inverse(odd: u64) -> u64 {
    (0..5).fold(odd, |x, _| x.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(x))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shuffling_is_undone() {
        for bits in 8..=56 {
            for seed in 0..20 {
                let shuffle = Shuffle::new(bits, seed);
                let key = (seed + 3).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - bits);
                assert_eq!(shuffle.back(shuffle.forth(key)), key, "{shuffle:?}");
                assert!(shuffle.forth(key) < 1 << bits);
            }
        }
    }
}
