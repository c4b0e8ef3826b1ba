//! JSON objects with fields that may be absent.

use serde_json::Value;

/// A JSON object with fields that may be absent.
pub trait OptionalFields {
    /// The object with one more field, if there is a value for it.
    ///
    /// ```
    /// use ringleader_report::json::OptionalFields;
    /// use serde_json::json;
    ///
    /// let object = json!({ "a": 1 }).with("b", Some(2)).with("c", None::<u64>);
    /// assert_eq!(object, json!({ "a": 1, "b": 2 }));
    /// ```
    #[must_use]
    fn with(self, name: &str, value: Option<impl Into<Value>>) -> Self;
}

impl OptionalFields for Value {
    fn with(mut self, name: &str, value: Option<impl Into<Value>>) -> Value {
        if let Some(value) = value {
            self[name] = value.into();
        }
        self
    }
}

/// A list as a value, unless it is empty.
pub(crate) fn unless_empty<T>(all: &[T], value: impl Fn(&T) -> Value) -> Option<Value> {
    (!all.is_empty()).then(|| all.iter().map(value).collect())
}
