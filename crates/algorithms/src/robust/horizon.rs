//! Bounds on the time to settle from any state, for the default variants: docs/robust.md derives them.
//!
//! `timeout` is in iterations, all other values are in units of time. Agreement that lasts for `worst.agreement` counts as settled. So for
//! Algorithms 2 and 3 and for S1, the bound is on the number of times that agreement ends, and on the time until it returns.

use crate::robust::repeats;
use ringleader_model::{Timing, Worst};

/// The bound as a word: with many processes and long timings it may exceed 64 bits, and counts as infinite then.
fn bounded(bound: u128) -> u64 {
    bound.try_into().unwrap_or(u64::MAX)
}

/// A [`Timing`] in 128 bits.
#[derive(Clone, Copy)]
struct Wide {
    beta: u128,
    delta: u128,
    repeats: u128,
}

impl Wide {
    fn of(timing: Timing) -> Wide {
        Wide { beta: timing.beta.into(), delta: timing.delta.into(), repeats: repeats(timing).into() }
    }

    /// The time until a message over a timely link is read.
    fn trip(self) -> u128 {
        self.delta + self.beta
    }

    /// The time after which a timer of this many iterations has fired.
    fn timer(self, timeout: u64) -> u128 {
        (u128::from(timeout) + 1) * self.beta
    }
}

/// Algorithm 1: old messages are gone, some process elects itself, and the least leader is heard.
pub fn s5(timing: Timing, timeout: u64) -> u64 {
    let time = Wide::of(timing);
    bounded(time.timer(timeout) + 3 * time.trip() + 3 * (time.delta + time.trip()))
}

/// Algorithm 2: at most n rounds, and in each every process behind reaches a round of the bi-source.
pub fn s4(size: usize, timing: Timing, timeout: u64, worst: Worst) -> u64 {
    let (n, time) = (size as u128, Wide::of(timing));
    let catch_up = (n + 1) * time.timer(timeout) + 6 * time.trip();
    bounded(u128::from(worst.age) + time.trip() + n * (catch_up + u128::from(worst.agreement)))
}

/// The overlay: information about crashed processes travels over n - 1 slow hops, then expires.
pub fn s3(size: usize, timing: Timing, limit: u64, worst: Worst) -> u64 {
    let time = Wide::of(timing);
    let hop = u128::from(worst.age) + time.beta + (time.repeats + 1) * time.delta;
    bounded((size as u128 - 1) * hop + (u128::from(limit) + 2) * time.beta)
}

/// Algorithm 3: at most 2n accusations of the least process must arrive; enough of those sent do in all but one of 2^40 runs.
pub fn s2(size: usize, timing: Timing, timeout: u64, worst: Worst) -> u64 {
    let window = Wide::of(timing).timer(timeout);
    let [age, gap, odds, agreement] = [worst.age, worst.gap, worst.odds, worst.agreement].map(u128::from);
    let attempts = 2 * (2 * size as u128 + 28) * odds;
    bounded(age + 2 * window + attempts * (agreement + age + gap + 3 * window))
}

/// S1: every process finds every other one bad at most twice, and at most n rounds follow.
pub fn s1(size: usize, timing: Timing, timeout: u64, worst: Worst) -> u64 {
    let (n, time) = (size as u128, Wide::of(timing));
    let [age, gap, agreement] = [worst.age, worst.gap, worst.agreement].map(u128::from);
    let old = 2 * age + time.timer(timeout) + (time.repeats + 2) * time.delta;
    let spread = gap + age + time.timer(timeout) + 3 * time.trip();
    bounded(old + (2 * n * n + n + 1) * (spread + agreement))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The longest timings and the most processes: a bound that does not fit is the greatest number, not a small one.
    #[test]
    fn no_bound_wraps_around() {
        let most = 1 << 40;
        let timing = Timing { alpha: most / 2, beta: most - 1, delta: most };
        timing.validate().unwrap();
        let worst = Worst { age: 24 * most, gap: 268 * most, odds: 10, agreement: 200 * most };
        let small = Timing { alpha: 3, beta: 4, delta: 10 };
        let near = Worst { age: 240, gap: 2680, odds: 10, agreement: 2000 };
        assert_eq!(s1(1000, timing, 64, worst), u64::MAX);
        for bound in [s4, s3, s2, s1] {
            assert!(bound(1000, timing, 64, worst) >= bound(1000, small, 64, near));
            assert!(bound(5, timing, 64, worst) > most);
        }
    }
}
