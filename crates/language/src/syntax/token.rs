//! The tokenizer.

use crate::diagnostic::{Diagnostic, Span};

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Word,
    Number(i64),
    /// A text in quotation marks; the span includes the marks.
    Text,
    /// Operators and brackets, in the one spelling that the formatter writes.
    Sign(&'static str),
    Comment,
    Newline,
    End,
}

#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) span: Span,
}

impl Token {
    pub(crate) fn is(&self, sign: &str) -> bool {
        matches!(self.kind, Kind::Sign(s) if s == sign)
    }
}

/// The signs of two characters, other spellings of signs, and the signs of one character. The order matters: a sign can be the
/// beginning of another one.
const LONG_SIGNS: &[&str] = &[":=", "->", "=>", "!=", "<=", ">=", ".."];
const SPELLINGS: &[(&str, &str)] = &[
    ("==", "="),
    ("&&", "and"),
    ("||", "or"),
    ("←", ":="),
    ("→", "->"),
    ("⇒", "=>"),
    ("≠", "!="),
    ("≤", "<="),
    ("≥", ">="),
    ("∧", "and"),
    ("∨", "or"),
    ("¬", "not"),
    ("∈", "in"),
    ("!", "not"),
    ("%", "mod"),
];
const SHORT_SIGNS: &[&str] =
    &["=", "<", ">", "+", "-", "*", "/", "^", "(", ")", "[", "]", "{", "}", ",", ";", ":", "."];

/// The sign at the beginning of a text: its length, and the one spelling that the formatter writes.
fn sign(text: &str) -> Option<(usize, &'static str)> {
    let plain = |signs: &'static [&'static str]| signs.iter().map(|sign| (*sign, *sign));
    let mut all = plain(LONG_SIGNS).chain(SPELLINGS.iter().copied()).chain(plain(SHORT_SIGNS));
    all.find(|(sign, _)| text.starts_with(sign)).map(|(sign, read)| (sign.len(), read))
}

/// Words that are operators.
const OPERATORS: &[&str] = &["and", "or", "not", "mod", "in"];

/// The largest number that a text may contain.
pub(crate) const MOST: i64 = 1 << 53;

fn is_letter(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Splits a text into tokens, including comments and line ends. Invalid characters are reported and skipped.
pub(crate) fn tokens(text: &str, problems: &mut Vec<Diagnostic>) -> Vec<Token> {
    let mut found = vec![];
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let run = |good: fn(char) -> bool| rest.find(|c| !good(c)).unwrap_or(rest.len());
        let (kind, length) = match c {
            '\n' => (Some(Kind::Newline), 1),
            _ if c.is_whitespace() => (None, c.len_utf8()),
            '#' => (Some(Kind::Comment), rest.find('\n').unwrap_or(rest.len())),
            '"' => quoted(rest, at, problems),
            _ if c.is_ascii_digit() => number(&rest[..run(|c| c.is_ascii_digit())], at, problems),
            _ if is_letter(c) => {
                let word = &rest[..run(is_letter)];
                let operator = OPERATORS.iter().find(|operator| **operator == word);
                (Some(operator.map_or(Kind::Word, |operator| Kind::Sign(operator))), word.len())
            }
            _ => match sign(rest) {
                Some((length, read)) => (Some(Kind::Sign(read)), length),
                None => {
                    problems.push(Diagnostic::error(at..at + c.len_utf8(), format!("unexpected character {c:?}")));
                    (None, c.len_utf8())
                }
            },
        };
        found.extend(kind.map(|kind| Token { kind, span: at..at + length }));
        at += length;
    }
    found.push(Token { kind: Kind::End, span: at..at });
    found
}

fn quoted(rest: &str, at: usize, problems: &mut Vec<Diagnostic>) -> (Option<Kind>, usize) {
    let line = rest.find('\n').unwrap_or(rest.len());
    match rest[1..line].find('"') {
        Some(end) => (Some(Kind::Text), end + 2),
        None => {
            let problem = Diagnostic::error(at..at + line, "this text is not closed");
            problems.push(problem.help("close it with \" on the same line; consecutive texts are joined"));
            (None, line)
        }
    }
}

fn number(digits: &str, at: usize, problems: &mut Vec<Diagnostic>) -> (Option<Kind>, usize) {
    let value = digits.parse().ok().filter(|value| *value <= MOST);
    if value.is_none() {
        problems.push(Diagnostic::error(at..at + digits.len(), "this number is larger than 2^53"));
    }
    (Some(Kind::Number(value.unwrap_or(0))), digits.len())
}

/// Whether a statement cannot end with this token.
fn goes_on(token: &Token) -> bool {
    matches!(token.kind, Kind::Sign(s) if !matches!(s, ")" | "]" | "}" | ":"))
}

/// Whether no statement begins with this token.
pub(crate) fn continues(token: &Token) -> bool {
    token.kind == Kind::Text || matches!(token.kind, Kind::Sign(s) if !matches!(s, "(" | "not" | "-" | "{" | "in"))
}

/// Removes comments, and keeps line ends only where a statement ends: not inside brackets, nor where a line continues
/// in the next.
pub(crate) fn significant(tokens: &[Token]) -> Vec<Token> {
    let mut kept: Vec<Token> = vec![];
    let mut depth = 0usize;
    let plain: Vec<&Token> = tokens.iter().filter(|t| t.kind != Kind::Comment).collect();
    for (i, token) in plain.iter().enumerate() {
        match token.kind {
            Kind::Sign("(" | "[" | "{") => depth += 1,
            Kind::Sign(")" | "]" | "}") => depth = depth.saturating_sub(1),
            Kind::Newline => {
                let from = plain[i..].iter().position(|t| t.kind != Kind::Newline).map_or(plain.len(), |at| i + at);
                let next = plain.get(from);
                // An unclosed bracket must not consume the rest of the file: the next item or numbered rule ends it.
                let item = next.is_some_and(|t| t.span.start == line_start(tokens, t));
                let rule = next.is_some_and(|t| matches!(t.kind, Kind::Number(_)))
                    && plain.get(from + 1).is_some_and(|t| t.is(":"));
                let more = (depth > 0 || kept.last().is_some_and(goes_on)) && !item && !rule;
                if more || next.is_some_and(|t| continues(t)) {
                    continue;
                }
                depth = 0;
                if kept.last().is_none_or(|t| t.kind == Kind::Newline) {
                    continue;
                }
            }
            _ => {}
        }
        kept.push((*token).clone());
    }
    kept
}

/// The beginning of the line of a token.
fn line_start(tokens: &[Token], token: &Token) -> usize {
    let before = tokens.partition_point(|t| t.span.start < token.span.start);
    tokens[..before].iter().rev().find(|t| t.kind == Kind::Newline).map_or(0, |t| t.span.end)
}
