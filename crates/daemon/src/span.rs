//! Durations with a unit, as in `100ms`.

use serde::de::Error;
use std::str::FromStr;
use std::time::Duration;

/// A duration such as `100ms`, `1.5s` or `2min`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span(pub Duration);

/// About thirty years, so that no clock overflows.
const LONGEST: Duration = Duration::from_secs(1_000_000_000);

/// The error of a text that is not a duration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a duration is a number with a unit, such as 100ms, 1.5s or 2min, not {0:?}")]
pub struct NoSpan(String);

impl FromStr for Span {
    type Err = NoSpan;
    fn from_str(text: &str) -> Result<Span, NoSpan> {
        let parsed = humantime::parse_duration(text).ok().filter(|duration| *duration <= LONGEST);
        parsed.map(Span).ok_or_else(|| NoSpan(text.into()))
    }
}

impl serde::Serialize for Span {
    fn serialize<S: serde::Serializer>(&self, target: S) -> Result<S::Ok, S::Error> {
        target.collect_str(&humantime::format_duration(self.0))
    }
}

impl<'de> serde::Deserialize<'de> for Span {
    fn deserialize<D: serde::Deserializer<'de>>(source: D) -> Result<Span, D::Error> {
        source.deserialize_any(SpanVisitor)
    }
}

/// Reads a text. A number gets an error that says what to write.
struct SpanVisitor;

impl serde::de::Visitor<'_> for SpanVisitor {
    type Value = Span;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a duration such as \"100ms\", \"1.5s\" or \"2min\"")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Span, E> {
        text.parse().map_err(E::custom)
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Span, E> {
        Err(E::custom(NoUnit(number as f64)))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Span, E> {
        Err(E::custom(NoUnit(number)))
    }
}

/// The error of a number without a unit.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("a duration has a unit and quotation marks: write \"{0}s\" for {0} seconds, or \"{0}ms\" for {0} milliseconds")]
struct NoUnit(f64);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_without_a_unit_is_refused_with_the_right_text() {
        #[derive(Debug, serde::Deserialize)]
        struct File {
            #[allow(dead_code)]
            heartbeat: Span,
        }
        let refusal = |text: &str| toml::from_str::<File>(text).unwrap_err().to_string();
        assert!(refusal("heartbeat = 1").contains("write \"1s\" for 1 seconds"), "{}", refusal("heartbeat = 1"));
        assert!(refusal("heartbeat = 0.5").contains("\"0.5s\""));
        assert!(refusal("heartbeat = true").contains("a duration such as"));
        assert!(refusal("heartbeat = \"1\"").contains("a number with a unit"));
    }

    #[test]
    fn a_duration_is_a_number_with_a_unit() {
        let millis = |text: &str| text.parse::<Span>().map(|span| span.0.as_millis());
        assert_eq!(millis("100ms"), Ok(100));
        assert_eq!(millis("1.5 s"), Ok(1500));
        assert_eq!(millis("2min"), Ok(120_000));
        assert_eq!(millis("1h 30min"), Ok(5_400_000));
        for wrong in ["", "5", "s", "-1s", "1x", "infs", "nans", "1e300h", "ms5", "40y", "99999999999999999999s"] {
            assert!(millis(wrong).is_err(), "{wrong}");
        }
    }
}
