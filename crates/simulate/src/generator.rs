//! The random generator: one seed, the same numbers everywhere.

use rand_core::{Rng, SeedableRng};
use rand_distr::{Distribution, Exp1};
use ringleader_model::Coin;

/// xoshiro256++, seeded so that every (seed, stream) pair gives an independent sequence.
///
/// ```
/// use ringleader_model::Coin;
/// use ringleader_simulate::Generator;
/// let (mut a, mut b) = (Generator::new(7), Generator::new(7));
/// assert_eq!((a.below(1000), a.below(6)), (b.below(1000), b.below(6)));
/// ```
#[derive(Clone, Debug)]
pub struct Generator {
    words: rand_xoshiro::Xoshiro256PlusPlus,
    /// The unused half of a word, with bit 32 set, or 0.
    spare: u64,
}

impl Generator {
    /// The generator of a seed.
    pub fn new(seed: u64) -> Generator {
        Generator::stream(seed, 0)
    }

    /// The `index`-th generator of a seed: one per independent run.
    pub fn stream(seed: u64, index: u64) -> Generator {
        // An odd multiplier keeps different streams of one seed apart; the seeding itself is a SplitMix64 expansion.
        let seed = seed ^ index.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Generator { words: rand_xoshiro::Xoshiro256PlusPlus::seed_from_u64(seed), spare: 0 }
    }

    /// A uniform word.
    pub fn word(&mut self) -> u64 {
        self.words.next_u64()
    }

    /// A uniform number in `low..=high`.
    pub fn between(&mut self, low: u64, high: u64) -> u64 {
        debug_assert!(low <= high, "an empty range");
        match (high - low).checked_add(1) {
            None => self.word(),
            Some(len) => low + self.below_wide(len),
        }
    }

    /// A uniform number in `0..n`, like [`Coin::below`] but from half a word: for loops that draw nothing else.
    #[inline]
    pub fn below_short(&mut self, n: u32) -> u32 {
        let mut product = u64::from(self.half()) * u64::from(n);
        if (product as u32) < n {
            let threshold = n.wrapping_neg() % n;
            while (product as u32) < threshold {
                product = u64::from(self.half()) * u64::from(n);
            }
        }
        (product >> 32) as u32
    }

    /// Fills `out` with successive results of [`below_short`](Self::below_short), faster; `make` converts each
    /// number.
    #[inline]
    pub fn fill_below<T>(&mut self, n: u32, out: &mut [T], make: impl Fn(u32) -> T) {
        let mut at = 0;
        while at < out.len() {
            if self.spare == 0 {
                at += self.fill_pairs(n, &mut out[at..], &make);
            }
            if let Some(slot) = out.get_mut(at) {
                *slot = make(self.below_short(n));
                at += 1;
            }
        }
    }

    /// Fills pairs from whole words until a number may have to be rejected; returns the number filled.
    #[inline]
    fn fill_pairs<T>(&mut self, n: u32, out: &mut [T], make: impl Fn(u32) -> T) -> usize {
        // A local copy stays in registers.
        let mut words = self.words.clone();
        let mut filled = 0;
        for pair in out.chunks_exact_mut(2) {
            let before = words.clone();
            let word = words.next_u64();
            let (low, high) = ((word & 0xffff_ffff) * u64::from(n), (word >> 32) * u64::from(n));
            if (low as u32) < n || (high as u32) < n {
                words = before;
                break;
            }
            pair[0] = make((low >> 32) as u32);
            pair[1] = make((high >> 32) as u32);
            filled += 2;
        }
        self.words = words;
        filled
    }

    #[inline]
    fn half(&mut self) -> u32 {
        let word = if self.spare == 0 { self.word() } else { self.spare };
        self.spare = if self.spare == 0 { word >> 32 | 1 << 32 } else { 0 };
        word as u32
    }

    /// A uniform number in (0, 1], a multiple of 2^-53.
    #[inline]
    pub fn fraction(&mut self) -> f64 {
        ((self.word() >> 11) + 1) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// An exponential number of mean 1: the distribution of -ln u, by the ziggurat, which rarely needs a logarithm.
    #[inline]
    pub fn exponential(&mut self) -> f64 {
        Exp1.sample(&mut self.words)
    }

    /// A uniform number below `n`, of any width.
    pub(crate) fn below_any(&mut self, n: u128) -> u128 {
        if let Ok(n) = u64::try_from(n) {
            return self.below_wide(n).into();
        }
        let mask = u128::MAX >> (n - 1).leading_zeros();
        loop {
            let drawn = (u128::from(self.word()) << 64 | u128::from(self.word())) & mask;
            if drawn < n {
                return drawn;
            }
        }
    }

    /// Lemire's method: the high word of a product, with the biased low part rejected.
    fn below_wide(&mut self, n: u64) -> u64 {
        let mut product = u128::from(self.word()) * u128::from(n);
        if (product as u64) < n {
            let threshold = n.wrapping_neg() % n;
            while (product as u64) < threshold {
                product = u128::from(self.word()) * u128::from(n);
            }
        }
        (product >> 64) as u64
    }
}

impl Coin for Generator {
    fn below(&mut self, n: u32) -> u32 {
        self.below_wide(n.into()) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_outcome_is_equally_likely() {
        let mut generator = Generator::new(1);
        let mut counts = [0u32; 7];
        for _ in 0..35_000 {
            counts[generator.below(7) as usize] += 1;
            counts[generator.below_short(7) as usize] += 1;
        }
        // Six degrees of freedom: a correct generator exceeds 22.5 once in a thousand seeds, and this seed is fixed.
        let chi: f64 = counts.iter().map(|&c| (f64::from(c) - 10_000.0).powi(2) / 10_000.0).sum();
        assert!(chi < 22.5, "{counts:?}");
    }

    /// In pieces of any length, with ranges that are rejected rarely and often.
    #[test]
    fn filling_is_drawing_one_by_one() {
        for n in [1, 7, 10_000, 3 << 30] {
            let (mut one, mut many) = (Generator::new(9), Generator::new(9));
            for length in (0..40).chain([1000, 3, 1]) {
                let mut filled = vec![0; length];
                many.fill_below(n, &mut filled, |x| x);
                assert_eq!(filled, (0..length).map(|_| one.below_short(n)).collect::<Vec<_>>(), "{n}");
            }
        }
    }

    /// The halves of a range that is no power of two are equally likely, and nothing beyond the range is drawn.
    #[test]
    fn wide_numbers() {
        let (mut generator, n) = (Generator::new(5), 3_u128 << 90);
        let drawn: Vec<u128> = (0..30_000).map(|_| generator.below_any(n)).collect();
        assert!(drawn.iter().all(|&x| x < n));
        for third in 0..3 {
            let count = drawn.iter().filter(|&&x| x / (1 << 90) == third).count();
            assert!((9_600..10_400).contains(&count), "{count}");
        }
        let (mut a, mut b) = (Generator::new(6), Generator::new(6));
        assert_eq!(a.below_any(1000), u128::from(b.between(0, 999)));
    }

    #[test]
    fn streams_of_a_seed_differ() {
        assert_ne!(Generator::stream(1, 0).word(), Generator::stream(1, 1).word());
        assert_ne!(Generator::new(1).word(), Generator::new(2).word());
    }
}
