//! Rounds that live in a word and heal: round r is led by r mod n, and whoever hears of a round ahead of its own joins it.
//!
//! Rounds from [`IMPLAUSIBLE`] on count for nothing, and near there they are compared around the corner: a round of the
//! first [`CORNER`] is ahead of one of the last. Otherwise the order is that of the integers.

use std::cmp::Ordering;

/// No round gets here within any lifetime, one timeout at a time.
pub const IMPLAUSIBLE: u64 = 1 << 48;
/// How many rounds at either end of the plausible ones are compared around the corner.
pub const CORNER: u64 = 1 << 20;

/// How round `k` stands to the plausible round `r`: `Greater` if it is ahead.
pub fn compare(k: u64, r: u64) -> Ordering {
    let (first, last) = (0..CORNER, IMPLAUSIBLE - CORNER..IMPLAUSIBLE);
    match () {
        () if k >= IMPLAUSIBLE || last.contains(&k) && first.contains(&r) => Ordering::Less,
        () if first.contains(&k) && last.contains(&r) => Ordering::Greater,
        () => k.cmp(&r),
    }
}

/// The round after a plausible one.
pub fn next(round: u64) -> u64 {
    (round + 1) % IMPLAUSIBLE
}

/// The round itself if it is plausible, otherwise an early one with the same leader.
pub fn plausible(round: u64, size: usize) -> u64 {
    if round < IMPLAUSIBLE { round } else { round % size as u64 }
}

/// Who leads a round.
pub fn leader(round: u64, size: usize) -> usize {
    (round % size as u64) as usize
}
