//! The error every text format of this crate reports: what is wrong, and where.

/// A refusal of some text, with the place that caused it.
///
/// ```
/// use ringleader_model::ParseError;
///
/// let error = ParseError::new(3, 7, "expected an agent");
/// assert_eq!(error.to_string(), "line 3, column 7: expected an agent");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct ParseError {
    /// The line, counted from 1.
    pub line: usize,
    /// The column, counted from 1 in characters (a tab is one character).
    pub column: usize,
    /// What is wrong there, without the place.
    pub message: String,
}

impl ParseError {
    /// An error at a 1-based `line` and `column`.
    pub fn new(line: usize, column: usize, message: impl Into<String>) -> Self {
        Self { line, column, message: message.into() }
    }
}
