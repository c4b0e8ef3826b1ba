//! Numbers, out of JSON and for people.

use ringleader_report::number::grouped;
use serde_json::Value;

/// The number at this place of a JSON text, such as `quotient.states`.
pub(super) fn number(value: &Value, path: &str) -> Option<f64> {
    path.split('.')
        .try_fold(value, |value, key| match key.parse::<usize>() {
            Ok(index) => value.get(index),
            Err(_) => value.get(key),
        })?
        .as_f64()
}

/// The same, as a whole number with its thousands apart, or a dash.
pub(super) fn whole(value: &Value, path: &str) -> String {
    number(value, path).map_or("–".into(), |n| grouped(n as u64))
}

/// The same, with so many decimals, or a dash.
pub(super) fn decimal(value: &Value, path: &str, places: usize) -> String {
    number(value, path).map_or("–".into(), |n| format!("{n:.places$}"))
}

/// The word at a key, or a dash.
pub(super) fn word<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or("–")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_are_found_and_grouped() {
        let value = json!({"quotient": {"states": 1_393_967_976u64}, "list": [{"a": 2.5}]});
        assert_eq!(whole(&value, "quotient.states"), "1,393,967,976");
        assert_eq!(decimal(&value, "list.0.a", 2), "2.50");
        assert_eq!(whole(&value, "quotient.transitions"), "–");
    }
}
