//! A small random generator for randomized algorithms and for corruption.

use ringleader_model::Coin;

/// SplitMix64 (G. Steele, D. Lea, C. Flood: *Fast splittable pseudorandom number generators*, OOPSLA 2014).
#[derive(Clone, Debug)]
pub struct SplitMix(u64);

impl SplitMix {
    /// A generator with this seed.
    pub fn new(seed: u64) -> SplitMix {
        SplitMix(seed)
    }

    /// Makes the next words depend on this one, too.
    pub(crate) fn stir(&mut self, word: u64) {
        self.0 = self.0.wrapping_add(word);
    }

    /// The next word.
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

impl Coin for SplitMix {
    // The high word of the product has a bias below 2^-32, which no observation of a network can show.
    fn below(&mut self, n: u32) -> u32 {
        ((u128::from(self.word()) * u128::from(n)) >> 64) as u32
    }
}
