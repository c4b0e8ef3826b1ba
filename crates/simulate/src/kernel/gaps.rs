//! The number of interactions that change nothing before the next one that may change something.
//!
//! Of m arcs, k active, this number is geometric with success probability k/m. The active arc is uniform among the k,
//! independently: two draws replace all of these interactions.

use crate::Generator;

/// Draws gaps between active interactions.
#[derive(Clone, Debug)]
pub(super) struct Gaps {
    arcs: f64,
    /// -1 / ln(1 - k / arcs) for small k, once it was needed; 0 before.
    scale: Vec<f64>,
}

impl Gaps {
    /// For a graph with this many arcs.
    pub(super) fn of(arcs: u64) -> Gaps {
        Gaps { arcs: arcs as f64, scale: vec![] }
    }

    /// As [`nulls`], with `k` arcs active.
    #[inline]
    pub(super) fn draw(&mut self, k: usize, coin: &mut Generator) -> u64 {
        match self.scale.get(k) {
            Some(&scale) if scale != 0.0 => (coin.exponential() * scale) as u64,
            _ => self.draw_anew(k, coin),
        }
    }

    #[cold]
    fn draw_anew(&mut self, k: usize, coin: &mut Generator) -> u64 {
        const REMEMBERED: usize = 4096;
        if k >= REMEMBERED || k as f64 >= self.arcs {
            return nulls(coin, k as f64 / self.arcs);
        }
        self.scale.resize(self.scale.len().max(k + 1), 0.0);
        self.scale[k] = -1.0 / (-(k as f64) / self.arcs).ln_1p();
        (coin.exponential() * self.scale[k]) as u64
    }
}

/// The number of failures before the first success, of probability `p`: the integer part of an exponential number is geometric.
#[inline]
pub(crate) fn nulls(coin: &mut Generator, p: f64) -> u64 {
    if p >= 1.0 {
        return 0;
    }
    (-coin.exponential() / (-p).ln_1p()) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts how often each gap comes, with `k` of 20 arcs active, and compares with p (1 - p)^gap.
    #[test]
    fn gaps_are_geometric() {
        for k in [1, 2, 7, 19, 20] {
            let mut coin = Generator::new(k as u64);
            let mut gaps = Gaps::of(20);
            let (draws, p) = (400_000, k as f64 / 20.0);
            let mut seen = [0u32; 60];
            for _ in 0..draws {
                if let Some(seen) = seen.get_mut(gaps.draw(k, &mut coin) as usize) {
                    *seen += 1;
                }
            }
            for (gap, &seen) in seen.iter().enumerate() {
                let expected = f64::from(draws) * p * (1.0 - p).powi(gap as i32);
                let off = f64::from(seen) - expected;
                assert!(off.abs() <= 5.0 * expected.sqrt() + 5.0, "{k} of 20, gap {gap}: {seen}, not {expected}");
            }
        }
    }
}
