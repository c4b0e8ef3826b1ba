//! The error every text format of this crate reports: what is wrong, and where.

use std::error::Error;
use std::fmt;

/// A refusal of some text, with the place that caused it.
///
/// ```
/// use ringleader_model::ParseError;
///
/// let error = ParseError::new(3, 7, "expected an agent");
/// assert_eq!(error.to_string(), "line 3, column 7: expected an agent");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
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

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.message)
    }
}

impl Error for ParseError {}
