//! Numbers of steps, as far as they are known.

use num_bigint::BigInt;

/// A number that is known to lie between two others.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Bounds {
    /// At least this.
    pub low: f64,
    /// At most this.
    pub high: f64,
}

/// A number of steps.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub enum Value {
    /// Exactly this fraction.
    Exact(
        #[cfg_attr(feature = "serde", serde(serialize_with = "digits"))] BigInt,
        #[cfg_attr(feature = "serde", serde(serialize_with = "digits"))] BigInt,
    ),
    /// Somewhere between.
    Between(Bounds),
    /// A whole number of steps or the mean of whole numbers.
    Steps(f64),
}

/// No number of JSON holds thousands of digits.
#[cfg(feature = "serde")]
fn digits<S: serde::Serializer>(number: &BigInt, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(number)
}

impl Value {
    /// Bounds that hold for it.
    pub fn bounds(&self) -> Bounds {
        match self {
            Value::Between(bounds) => *bounds,
            Value::Steps(x) => Bounds { low: *x, high: *x },
            Value::Exact(p, q) => bounds(p, q),
        }
    }
}

/// Bounds of a nonnegative fraction, to the last bits of a double.
fn bounds(p: &BigInt, q: &BigInt) -> Bounds {
    const SCALE: u32 = 64;
    let scaled: BigInt = (p << SCALE) / q;
    // The quotient has at most 1 / 2^64 cut off; a double rounds it by one part in 2^53.
    let text = scaled.to_string();
    let value = text.parse::<f64>().unwrap_or(f64::INFINITY) / 2_f64.powi(SCALE as i32);
    let exact = q.magnitude() == &num_bigint::BigUint::from(1_u32) && value < 2_f64.powi(53);
    if exact {
        return Bounds { low: value, high: value };
    }
    Bounds { low: value * (1.0 - f64::EPSILON), high: value * (1.0 + f64::EPSILON) + 2_f64.powi(-(SCALE as i32)) }
}
