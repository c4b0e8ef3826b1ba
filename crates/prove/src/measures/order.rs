//! The orders in which the values of a formula are compared.

use crate::formulas::expr::{Measure, Mode};
use crate::measures::pool::Pool;

/// Three orders; their reversals have the next three bits.
pub(crate) const MODES: [Mode; 3] = [Mode::Count, Mode::FromBottom, Mode::FromTop];

/// The orders in which one value falls to another (bits 0 to 2; reversed: 3 to 5), and those in which they are equal.
pub(crate) fn falling(before: u16, after: u16) -> (u8, u8) {
    let changed = before ^ after;
    if changed == 0 {
        return (0, 0b111_111);
    }
    let count = before.count_ones() as i32 - after.count_ones() as i32;
    let lowest = before >> changed.trailing_zeros() & 1;
    let highest = before >> (15 - changed.leading_zeros()) & 1;
    let falls = u8::from(count > 0) | (lowest as u8) << 1 | (highest as u8) << 2;
    let rises = u8::from(count < 0) | (1 - lowest as u8) << 1 | (1 - highest as u8) << 2;
    (falls | rises << 3, if count == 0 { 0b001_001 } else { 0 })
}

/// The measure of a candidate in one of the six orders.
pub(crate) fn measure(pool: &Pool, candidate: usize, order: usize) -> Measure {
    let expr = pool.candidates[candidate].expr.clone();
    Measure::Of(MODES[order % 3], vec![(1, if order < 3 { expr } else { expr.not() })])
}
