//! How long a run may take to settle, from any state: the bounds that docs/robust.md derives, for the default variants.
//!
//! `timeout` is in iterations, everything else in units of time. Agreement that lasts for `worst.agreement` counts as settled,
//! so what is bounded for Algorithms 2 and 3 and for S1 is how often agreement can end, and how long it takes to return.

use crate::robust::repeats;
use ringleader_model::{Timing, Worst};

/// Sent over a timely link and read.
fn trip(timing: Timing) -> u64 {
    timing.delta + timing.beta
}

/// Algorithm 1: old messages are gone, somebody elects itself, the least leader is heard.
pub fn s5(timing: Timing, timeout: u64) -> u64 {
    (timeout + 1) * timing.beta + 3 * trip(timing) + 3 * (timing.delta + trip(timing))
}

/// Algorithm 2: at most n rounds, and in each everyone that lags behind climbs to a round of the bi-source's.
pub fn s4(size: usize, timing: Timing, timeout: u64, worst: Worst) -> u64 {
    let n = size as u64;
    let timer = (timeout + 1) * timing.beta;
    let catch_up = (n + 1) * timer + 6 * trip(timing);
    worst.age + trip(timing) + n * (catch_up + worst.agreement)
}

/// The overlay: news of the dead travel over n - 1 slow hops, then grow too old.
pub fn s3(size: usize, timing: Timing, limit: u64, worst: Worst) -> u64 {
    let hop = worst.age + timing.beta + (repeats(timing) + 1) * timing.delta;
    (size as u64 - 1) * hop + (limit + 2) * timing.beta
}

/// Algorithm 3: at most 2n accusations of the least process must arrive; of those sent, enough do in all but one of 2^40 runs.
pub fn s2(size: usize, timing: Timing, timeout: u64, worst: Worst) -> u64 {
    let window = (timeout + 1) * timing.beta;
    let attempts = 2 * (2 * size as u64 + 28) * worst.odds;
    worst.age + 2 * window + attempts * (worst.agreement + worst.age + worst.gap + 3 * window)
}

/// S1: everyone is found bad twice by everyone at most, and at most n rounds follow.
pub fn s1(size: usize, timing: Timing, timeout: u64, worst: Worst) -> u64 {
    let n = size as u64;
    let timer = (timeout + 1) * timing.beta;
    let old = 2 * worst.age + timer + (repeats(timing) + 2) * timing.delta;
    let spread = worst.gap + worst.age + timer + 3 * trip(timing);
    old + (2 * n * n + n + 1) * (spread + worst.agreement)
}
