//! Exact draws of binomial and hypergeometric numbers.
//!
//! Inversion from the mode outwards: about as many multiplications as the standard deviation, and no rejection. Where the standard
//! deviation is large, hypergeometric numbers come from a ratio of uniforms with a hat that does not depend on it (E. Stadlober: *The ratio
//! of uniforms approach for generating discrete random variates*, 1990). The weight of
//! the mode comes from Loader's saddle-point form of the binomial probability (C. Loader: *Fast and accurate computation
//! of binomial probabilities*, 2000), which keeps full precision for populations of any size.

use crate::Generator;
use std::f64::consts::{PI, TAU};

/// ln(x!) - (x ln x - x + ln(2 pi x) / 2): the error of Stirling's formula.
fn stirling_error(x: f64) -> f64 {
    if x < 16.0 {
        let factorial: f64 = (1..=x as u32).map(f64::from).product();
        return if x == 0.0 { 0.0 } else { factorial.ln() - (x + 0.5) * x.ln() + x - 0.5 * TAU.ln() };
    }
    let square = x * x;
    (1.0 / 12.0 - (1.0 / 360.0 - (1.0 / 1260.0 - 1.0 / (1680.0 * square)) / square) / square) / x
}

/// x ln(x / m) + m - x, without cancellation where x is near m.
fn deviance(x: f64, m: f64) -> f64 {
    if (x - m).abs() >= 0.1 * (x + m) {
        return x * (x / m).ln() + m - x;
    }
    let v = (x - m) / (x + m);
    let mut sum = (x - m) * v;
    let mut term = 2.0 * x * v;
    for j in 1..1000 {
        term *= v * v;
        let next = sum + term / f64::from(2 * j + 1);
        if next == sum {
            break;
        }
        sum = next;
    }
    sum
}

/// The probability of x successes in n trials of probability p = 1 - q.
fn binomial_weight(x: f64, n: f64, p: f64, q: f64) -> f64 {
    match () {
        () if p == 0.0 => f64::from(x == 0.0),
        () if q == 0.0 => f64::from(x == n),
        () if x == 0.0 || x == n => log_binomial_weight(x, n, p, q).exp(),
        () => {
            let error = stirling_error(n) - stirling_error(x) - stirling_error(n - x);
            let exponent = error - deviance(x, n * p) - deviance(n - x, n * q);
            exponent.exp() * (n / (2.0 * PI * x * (n - x))).sqrt()
        }
    }
}

/// Its logarithm, for a probability between 0 and 1.
fn log_binomial_weight(x: f64, n: f64, p: f64, q: f64) -> f64 {
    match () {
        () if x == 0.0 => n * if p < 0.1 { (-p).ln_1p() } else { q.ln() },
        () if x == n => n * if q < 0.1 { (-q).ln_1p() } else { p.ln() },
        () => {
            let error = stirling_error(n) - stirling_error(x) - stirling_error(n - x);
            error - deviance(x, n * p) - deviance(n - x, n * q) + 0.5 * (n / (TAU * x * (n - x))).ln()
        }
    }
}

/// Draws from a unimodal distribution on `low..=high`, given the weight of its mode and the ratio of the weight of x + 1 to
/// that of x.
fn from_mode(coin: &mut Generator, (low, high): (u64, u64), mode: u64, weight: f64, ratio: impl Fn(u64) -> f64) -> u64 {
    loop {
        let mut left = coin.fraction() - weight;
        if left <= 0.0 {
            return mode;
        }
        let (mut up, mut down) = ((mode, weight), (mode, weight));
        while up.0 < high || down.0 > low {
            if up.0 < high {
                up = (up.0 + 1, up.1 * ratio(up.0));
                left -= up.1;
                if left <= 0.0 {
                    return up.0;
                }
            }
            if down.0 > low {
                down = (down.0 - 1, down.1 / ratio(down.0 - 1));
                left -= down.1;
                if left <= 0.0 {
                    return down.0;
                }
            }
            // The rest is rounding error: the weights no longer count.
            if up.1 + down.1 < 1e-30 {
                break;
            }
        }
    }
}

/// Draws the number of successes in `n` trials, each with probability `p`.
pub(crate) fn binomial(coin: &mut Generator, n: u64, p: f64) -> u64 {
    if n == 0 || p <= 0.0 {
        return 0;
    }
    if p >= 1.0 {
        return n;
    }
    let mode = (((n + 1) as f64) * p).floor().min(n as f64) as u64;
    let weight = binomial_weight(mode as f64, n as f64, p, 1.0 - p);
    let odds = p / (1.0 - p);
    from_mode(coin, (0, n), mode, weight, |x| (n - x) as f64 / (x + 1) as f64 * odds)
}

/// The variance from which on a ratio of uniforms is faster than inversion.
const WIDE: f64 = 400.0;

/// Draws the number of marked items among `draws` of `total`, of which `marked` are marked, without replacement.
pub(crate) fn hypergeometric(coin: &mut Generator, total: u64, marked: u64, draws: u64) -> u64 {
    let low = (marked + draws).saturating_sub(total);
    let high = marked.min(draws);
    if low == high {
        return low;
    }
    let (n, k, m) = (total as f64, marked as f64, draws as f64);
    if m * (k / n) * ((n - k) / n) * ((n - m) / (n - 1.0)) > WIDE {
        return wide_hypergeometric(coin, total, marked, draws);
    }
    let mode = (u128::from(draws + 1) * u128::from(marked + 1) / u128::from(total + 2)) as u64;
    let mode = mode.clamp(low, high);
    let (n, k, m, x) = (total as f64, marked as f64, draws as f64, mode as f64);
    let (p, q) = (m / n, (n - m) / n);
    let weight = binomial_weight(x, k, p, q) * binomial_weight(m - x, n - k, p, q) / binomial_weight(m, n, p, q);
    let rest = total - marked;
    from_mode(coin, (low, high), mode, weight, |x| {
        let up = (marked - x) as f64 * (draws - x) as f64;
        let down = (x + 1) as f64 * ((rest + x + 1) - draws) as f64;
        up / down
    })
}

/// The same by a ratio of uniforms, in constant time.
fn wide_hypergeometric(coin: &mut Generator, total: u64, marked: u64, draws: u64) -> u64 {
    // At most half of the items are marked, and at most half are drawn: the others are counted otherwise.
    if marked > total / 2 {
        return draws - wide_hypergeometric(coin, total, total - marked, draws);
    }
    if draws > total / 2 {
        return marked - wide_hypergeometric(coin, total, marked, total - draws);
    }
    let (n, k, m) = (total as f64, marked as f64, draws as f64);
    let (p, q) = (m / n, (n - m) / n);
    let log_weight = |x: f64| log_binomial_weight(x, k, p, q) + log_binomial_weight(m - x, n - k, p, q);
    let mode = (u128::from(draws + 1) * u128::from(marked + 1) / u128::from(total + 2)) as f64;
    let at_mode = log_weight(mode);
    // The hat: 2 sqrt(2 / e) and 3 - 2 sqrt(3 / e).
    let deviation = (m * (k / n) * ((n - k) / n) * ((n - m) / (n - 1.0)) + 0.5).sqrt();
    let (centre, width) = (m * (k / n) + 0.5, 1.715_527_769_921_413_5 * deviation + 0.898_916_162_058_898_8);
    let end = k.min(m) + 1.0;
    loop {
        let (u, v) = (coin.fraction(), coin.fraction());
        let place = centre + width * (v - 0.5) / u;
        if place < 0.0 || place >= end {
            continue;
        }
        let x = place.floor();
        let log_ratio = log_weight(x) - at_mode;
        // Two quick tests that bracket 2 ln u.
        if u * (4.0 - u) - 3.0 <= log_ratio || (u * (u - log_ratio) < 1.0 && 2.0 * u.ln() <= log_ratio) {
            return x as u64;
        }
    }
}

/// Splits `draws`, without replacement, over the kinds that `counts` holds, and removes them from it.
pub(crate) fn split(coin: &mut Generator, counts: &mut [u64], mut draws: u64, taken: &mut [u64]) {
    let mut total: u64 = counts.iter().sum();
    for (count, taken) in counts.iter_mut().zip(taken) {
        *taken = if draws == 0 { 0 } else { hypergeometric(coin, total, *count, draws) };
        total -= *count;
        draws -= *taken;
        *count -= *taken;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choose(n: u64, k: u64) -> f64 {
        (0..k).map(|i| (n - i) as f64 / (k - i) as f64).product()
    }

    /// Every weight against binomial coefficients, by chi-square over a hundred thousand draws.
    fn agrees(draw: impl Fn(&mut Generator) -> u64, weight: impl Fn(u64) -> f64, high: u64) {
        let mut coin = Generator::new(11);
        let runs = 100_000;
        let mut seen = vec![0u32; high as usize + 1];
        for _ in 0..runs {
            seen[draw(&mut coin) as usize] += 1;
        }
        let mut chi = 0.0;
        let mut cells = 0;
        for x in 0..=high {
            let expected = weight(x) * f64::from(runs);
            if expected > 5.0 {
                chi += (f64::from(seen[x as usize]) - expected).powi(2) / expected;
                cells += 1;
            }
        }
        // Mean and four standard deviations of chi-square.
        let cells = f64::from(cells);
        assert!(chi < cells + 4.0 * (2.0 * cells).sqrt() + 4.0, "{chi} over {cells}");
    }

    #[test]
    fn hypergeometric_numbers() {
        for (total, marked, draws) in [(20, 7, 9), (50, 25, 10), (300, 10, 150), (40, 38, 30), (12, 3, 11)] {
            let weight = |x| {
                if x + (total - marked) < draws {
                    0.0
                } else {
                    choose(marked, x) * choose(total - marked, draws - x) / choose(total, draws)
                }
            };
            agrees(|coin| hypergeometric(coin, total, marked, draws), weight, marked.min(draws));
        }
    }

    #[test]
    fn binomial_numbers() {
        for (n, p) in [(10, 0.3), (100, 0.02), (200, 0.7), (40, 0.95)] {
            let weight = |x: u64| choose(n, x) * f64::powi(p, x as i32) * f64::powi(1.0 - p, (n - x) as i32);
            agrees(|coin| binomial(coin, n, p), weight, n);
        }
    }

    /// The ratio of uniforms, also where most items are marked or drawn.
    #[test]
    fn wide_hypergeometric_numbers() {
        for (total, marked, draws) in [(8000, 4000, 4000), (9000, 2500, 3000), (9000, 7000, 3000), (9000, 2500, 8000)] {
            let (n, k, m) = (total as f64, marked as f64, draws as f64);
            let (p, q) = (m / n, (n - m) / n);
            let weight = |x: u64| {
                let x = x as f64;
                if x + (n - k) < m {
                    return 0.0;
                }
                binomial_weight(x, k, p, q) * binomial_weight(m - x, n - k, p, q) / binomial_weight(m, n, p, q)
            };
            agrees(|coin| wide_hypergeometric(coin, total, marked, draws), weight, marked.min(draws));
        }
        // 10^12 agents: mean and variance of a batch.
        let (total, marked, draws) = (1_000_000_000_000, 300_000_000_000, 1_000_000);
        let (mut coin, runs) = (Generator::new(3), 20_000);
        let drawn: Vec<f64> = (0..runs).map(|_| hypergeometric(&mut coin, total, marked, draws) as f64).collect();
        let mean = drawn.iter().sum::<f64>() / f64::from(runs);
        let variance = drawn.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / f64::from(runs - 1);
        assert!((mean - 300_000.0).abs() < 4.0 * (210_000.0 / f64::from(runs)).sqrt(), "{mean}");
        assert!((variance / 210_000.0 - 1.0).abs() < 4.0 * (2.0 / f64::from(runs)).sqrt(), "{variance}");
    }

    /// The weight of the mode keeps its precision at populations of 10^8: all weights still add up to one.
    #[test]
    fn large_populations_keep_precision() {
        let (n, k, m) = (1e8, 4e7, 2e4);
        let (p, q) = (m / n, (n - m) / n);
        let mode = 8000.0;
        let mut sum = 0.0;
        let mut x = mode - 800.0;
        while x < mode + 800.0 {
            sum += binomial_weight(x, k, p, q) * binomial_weight(m - x, n - k, p, q) / binomial_weight(m, n, p, q);
            x += 1.0;
        }
        assert!((sum - 1.0).abs() < 1e-11, "{sum}");
    }
}
