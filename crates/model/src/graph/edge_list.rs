//! Edge lists: one arc, or one pair of opposite arcs, on each line.
//!
//! ```text
//! agents 3     # optional, first: how many agents there are
//! 0 1          # an arc from 0 (the initiator) to 1 (the responder)
//! 1 -> 2       // the same notation, spelled out
//! 2 -- 0       # both arcs; `2 <-> 0` says the same
//! ```
//!
//! A name is made of letters, digits and underscores. `agents` is reserved.

use std::borrow::Cow;

use super::Graph;
use super::builder::Builder;
use super::cursor::{Cursor, Position, quoted};
use crate::ParseError;

const HEADER: &str = "agents";

pub(super) fn parse(text: &str) -> Result<Graph, ParseError> {
    let mut cursor = Cursor::new(text);
    let mut builder = Builder::default();
    let mut first = true;
    loop {
        skip_blanks(&mut cursor);
        match cursor.peek() {
            None => return builder.finish(cursor.place()),
            Some('\n') => {
                cursor.bump();
                continue;
            }
            Some(_) => {}
        }
        let start = cursor.place();
        let word = word(&mut cursor, "an agent")?;
        if word == HEADER {
            if !first {
                return Err(start.error("`agents` must come first, and once"));
            }
            header(&mut cursor, &mut builder)?;
        } else {
            arc(word, start, &mut cursor, &mut builder)?;
        }
        first = false;
        end_of_line(&mut cursor)?;
    }
}

fn header(cursor: &mut Cursor<'_>, builder: &mut Builder<'_>) -> Result<(), ParseError> {
    skip_spaces(cursor);
    let at = cursor.place();
    let word = word(cursor, "the number of agents")?;
    if !word.bytes().all(|b| b.is_ascii_digit()) {
        return Err(at.error(format!("expected the number of agents, found {}", quoted(word))));
    }
    // Digits that overflow say a number past every limit, as the maximum does.
    builder.declare(word.parse().unwrap_or(usize::MAX), at)
}

fn arc<'a>(
    from: &'a str,
    start: Position,
    cursor: &mut Cursor<'a>,
    builder: &mut Builder<'a>,
) -> Result<(), ParseError> {
    skip_spaces(cursor);
    let both = cursor.eat("--") || cursor.eat("<->");
    let expected = if both || cursor.eat("->") { "an agent" } else { "`->`, `--`, `<->` or a second agent" };
    skip_spaces(cursor);
    let at = cursor.place();
    let to = word(cursor, expected)?;
    if to == HEADER {
        return Err(at.error("`agents` is reserved, and cannot name an agent"));
    }
    let from = builder.agent(Cow::Borrowed(from), start)?;
    let to = builder.agent(Cow::Borrowed(to), at)?;
    builder.link(from, to, both, start)
}

fn skip_spaces(cursor: &mut Cursor<'_>) {
    cursor.take_while(|c| c.is_whitespace() && c != '\n');
}

/// Skips spaces and a comment, but not the line break.
fn skip_blanks(cursor: &mut Cursor<'_>) {
    skip_spaces(cursor);
    if at_comment(cursor) {
        cursor.skip_line();
    }
}

fn at_comment(cursor: &Cursor<'_>) -> bool {
    cursor.looking_at("#") || cursor.looking_at("//")
}

fn word<'a>(cursor: &mut Cursor<'a>, expected: &str) -> Result<&'a str, ParseError> {
    let word = cursor.take_while(|c| c.is_alphanumeric() || c == '_');
    if word.is_empty() {
        return Err(unexpected(cursor, expected));
    }
    Ok(word)
}

fn end_of_line(cursor: &mut Cursor<'_>) -> Result<(), ParseError> {
    skip_blanks(cursor);
    match cursor.peek() {
        None | Some('\n') => Ok(()),
        Some(_) => Err(unexpected(cursor, "the end of the line")),
    }
}

fn unexpected(cursor: &Cursor<'_>, expected: &str) -> ParseError {
    let found = match cursor.peek() {
        None => "the end of the text".to_owned(),
        Some('\n') => "the end of the line".to_owned(),
        Some(_) if at_comment(cursor) => "a comment".to_owned(),
        Some(c) => quoted(c.encode_utf8(&mut [0; 4])),
    };
    cursor.place().error(format!("expected {expected}, found {found}"))
}
