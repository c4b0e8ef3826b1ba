//! Durations as people write them.

use serde::de::Error;
use std::str::FromStr;
use std::time::Duration;

/// A duration such as `100ms`, `1.5s` or `2min`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span(pub(crate) Duration);

impl FromStr for Span {
    type Err = String;
    fn from_str(text: &str) -> Result<Span, String> {
        let complain = || format!("a duration is a number with a unit, such as 100ms, 1.5s or 2min, not {text:?}");
        let split = text.find(|c: char| c.is_ascii_alphabetic()).ok_or_else(complain)?;
        let (number, unit) = text.split_at(split);
        let number: f64 = number.trim().parse().map_err(|_| complain())?;
        let scale = match unit {
            "us" => 1e-6,
            "ms" => 1e-3,
            "s" => 1.0,
            "min" => 60.0,
            "h" => 3600.0,
            _ => return Err(complain()),
        };
        let nanos = (number * scale * 1e9).round();
        // NaN fails both comparisons.
        if !(0.0..=1e18).contains(&nanos) {
            return Err(complain());
        }
        Ok(Span(Duration::from_nanos(nanos as u64)))
    }
}

impl<'de> serde::Deserialize<'de> for Span {
    fn deserialize<D: serde::Deserializer<'de>>(source: D) -> Result<Span, D::Error> {
        String::deserialize(source)?.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_with_units() {
        let millis = |text: &str| text.parse::<Span>().map(|span| span.0.as_millis());
        assert_eq!(millis("100ms"), Ok(100));
        assert_eq!(millis("1.5 s"), Ok(1500));
        assert_eq!(millis("2min"), Ok(120_000));
        for wrong in ["", "5", "s", "-1s", "1d", "infs", "nans", "1e300h", "ms5"] {
            assert!(millis(wrong).is_err(), "{wrong}");
        }
    }
}
