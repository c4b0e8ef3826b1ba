//! Numbers of steps, exact or bounded.

use num_bigint::BigInt;
use std::fmt;

/// Bounds of a number.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Bounds {
    /// The lower bound.
    pub low: f64,
    /// The upper bound.
    pub high: f64,
}

impl Bounds {
    pub(crate) const ZERO: Bounds = Bounds { low: 0.0, high: 0.0 };
    pub(crate) const ONE: Bounds = Bounds { low: 1.0, high: 1.0 };

    /// Bounds of the greater number.
    pub(crate) fn max(self, other: Bounds) -> Bounds {
        Bounds { low: self.low.max(other.low), high: self.high.max(other.high) }
    }

    /// Bounds of the smaller number.
    pub(crate) fn min(self, other: Bounds) -> Bounds {
        Bounds { low: self.low.min(other.low), high: self.high.min(other.high) }
    }

    /// Bounds of the sum, not rounded outwards.
    pub(crate) fn plus(self, other: Bounds) -> Bounds {
        Bounds { low: self.low + other.low, high: self.high + other.high }
    }

    /// Bounds of the greatest of some nonnegative numbers and of their sum, not rounded outwards, with the first one whose upper bound is
    /// the greatest.
    pub(crate) fn greatest(numbers: impl Iterator<Item = (u32, Bounds)>) -> (Bounds, u32, Bounds) {
        let (mut greatest, mut of, mut sum) = (Bounds::ZERO, 0, Bounds::ZERO);
        for (number, bounds) in numbers {
            of = if bounds.high > greatest.high { number } else { of };
            greatest = greatest.max(bounds);
            sum = sum.plus(bounds);
        }
        (greatest, of, sum)
    }

    /// Bounds of a nonnegative number after roundings of this relative size.
    pub(crate) fn widened(self, rounding: f64) -> Bounds {
        Bounds { low: self.low * (1.0 - rounding), high: self.high * (1.0 + rounding) }
    }
}

/// A number of steps.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub enum Value {
    /// An exact fraction.
    Exact(
        #[cfg_attr(feature = "serde", serde(serialize_with = "digits"))] BigInt,
        #[cfg_attr(feature = "serde", serde(serialize_with = "digits"))] BigInt,
    ),
    /// A number between these bounds.
    Between(Bounds),
    /// A whole number of steps or the mean of whole numbers.
    Steps(f64),
}

/// A string, because numbers of JSON do not hold thousands of digits.
#[cfg(feature = "serde")]
fn digits<S: serde::Serializer>(number: &BigInt, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(number)
}

impl Value {
    /// Bounds of the number.
    pub fn bounds(&self) -> Bounds {
        match self {
            Value::Between(bounds) => *bounds,
            Value::Steps(x) => Bounds { low: *x, high: *x },
            Value::Exact(p, q) => bounds(p, q),
        }
    }
}

/// Decimals, and the fraction where it is short.
///
/// ```
/// use ringleader_check::Value;
/// assert_eq!(Value::Exact(19.into(), 1.into()).to_string(), "19");
/// assert_eq!(Value::Exact(13.into(), 6.into()).to_string(), "2.166667 = 13/6");
/// ```
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bounds = self.bounds();
        match self {
            Value::Exact(p, q) if *q == 1.into() => p.fmt(f),
            Value::Exact(p, q) => {
                let fraction = format!("{p}/{q}");
                match fraction.len() {
                    ..=20 => write!(f, "{:.6} = {fraction}", bounds.low),
                    _ => write!(f, "{:.6}", bounds.low),
                }
            }
            Value::Between(_) => write!(f, "{:.6} to {:.6}", bounds.low, bounds.high),
            Value::Steps(steps) => steps.fmt(f),
        }
    }
}

/// Bounds of a nonnegative fraction, to the last bits of a double.
fn bounds(p: &BigInt, q: &BigInt) -> Bounds {
    const SCALE: u32 = 64;
    let scaled: BigInt = (p << SCALE) / q;
    // The division cuts off at most 1 / 2^64; a double rounds by one part in 2^53.
    let text = scaled.to_string();
    let value = text.parse::<f64>().unwrap_or(f64::INFINITY) / 2_f64.powi(SCALE as i32);
    let exact = q.magnitude() == &num_bigint::BigUint::from(1_u32) && value < 2_f64.powi(53);
    if exact {
        return Bounds { low: value, high: value };
    }
    Bounds { low: value * (1.0 - f64::EPSILON), high: value * (1.0 + f64::EPSILON) + 2_f64.powi(-(SCALE as i32)) }
}
