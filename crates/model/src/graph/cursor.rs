//! A reading position in a text that knows its line and column.

use crate::ParseError;

/// The place of a character, counted from 1.
#[derive(Clone, Copy, Debug)]
pub(super) struct Position {
    pub(super) line: usize,
    pub(super) column: usize,
}

impl Position {
    pub(super) fn error(self, message: impl Into<String>) -> ParseError {
        ParseError::new(self.line, self.column, message)
    }
}

/// What is left to read of a text.
#[derive(Clone, Debug)]
pub(super) struct Cursor<'a> {
    rest: &'a str,
    place: Position,
}

impl<'a> Cursor<'a> {
    /// Starts at the first character, after a byte order mark if there is one.
    pub(super) fn new(text: &'a str) -> Self {
        Self { rest: text.strip_prefix('\u{feff}').unwrap_or(text), place: Position { line: 1, column: 1 } }
    }

    pub(super) fn place(&self) -> Position {
        self.place
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    pub(super) fn looking_at(&self, prefix: &str) -> bool {
        self.rest.starts_with(prefix)
    }

    /// Reads one character.
    pub(super) fn bump(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let c = chars.next()?;
        self.rest = chars.as_str();
        if c == '\n' {
            self.place.line += 1;
            self.place.column = 1;
        } else {
            self.place.column += 1;
        }
        Some(c)
    }

    /// Reads `prefix` if it comes next.
    pub(super) fn eat(&mut self, prefix: &str) -> bool {
        let found = self.looking_at(prefix);
        if found {
            for _ in prefix.chars() {
                self.bump();
            }
        }
        found
    }

    /// Reads the longest run of characters that all satisfy `keep`.
    pub(super) fn take_while(&mut self, mut keep: impl FnMut(char) -> bool) -> &'a str {
        let start = self.rest;
        while self.peek().is_some_and(&mut keep) {
            self.bump();
        }
        &start[..start.len() - self.rest.len()]
    }

    /// Reads up to the end of the line, leaving the line break.
    pub(super) fn skip_line(&mut self) {
        self.take_while(|c| c != '\n');
    }
}

/// `text` as error messages show it: between backquotes, short, and with
/// control characters escaped so that no input can garble a terminal.
pub(super) fn quoted(text: &str) -> String {
    const SHOWN: usize = 40;
    let mut shown: String = text.chars().take(SHOWN).flat_map(char::escape_debug).collect();
    if text.chars().nth(SHOWN).is_some() {
        shown.push_str("...");
    }
    format!("`{shown}`")
}
