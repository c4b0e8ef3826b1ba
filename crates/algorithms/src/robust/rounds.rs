//! Self-stabilizing rounds in a word: round r is led by r mod n, and a process that hears of a round ahead of its own joins it.

use std::cmp::Ordering;

/// The range of rounds. Rounds from `end` on are implausible. Near `end` the comparison wraps around: a round of the first `corner` is ahead of one
/// of the last. Otherwise the order is that of the integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rounds {
    /// The first implausible round.
    pub end: u64,
    /// The number of rounds at either end for which the comparison wraps around.
    pub corner: u64,
}

impl Rounds {
    /// No round reaches this end in practice, at one round per timeout.
    pub const WORD: Rounds = Rounds { end: 1 << 48, corner: 1 << 20 };

    /// Compares round `k` with the plausible round `r`: `Greater` if `k` is ahead.
    pub fn compare(self, k: u64, r: u64) -> Ordering {
        let (first, last) = (0..self.corner, self.end - self.corner..self.end);
        match () {
            () if k >= self.end || last.contains(&k) && first.contains(&r) => Ordering::Less,
            () if first.contains(&k) && last.contains(&r) => Ordering::Greater,
            () => k.cmp(&r),
        }
    }

    /// The round after a plausible one.
    pub fn next(self, round: u64) -> u64 {
        (round + 1) % self.end
    }

    /// The round itself if it is plausible, otherwise an early one with the same leader.
    pub fn plausible(self, round: u64, size: usize) -> u64 {
        if round < self.end { round } else { round % size as u64 }
    }
}

/// The leader of a round.
pub fn leader(round: u64, size: usize) -> usize {
    (round % size as u64) as usize
}
