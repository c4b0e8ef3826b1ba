//! The words of Graphviz DOT.

use super::cursor::{Cursor, Position, quoted};
use crate::ParseError;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// A word with a meaning of its own unless it is quoted, in lower case.
    Keyword(&'static str),
    /// An identifier or a number.
    Word(&'a str),
    /// A quoted identifier, without its quotes and escapes.
    Quoted(String),
    /// `<...>`, which may only be skipped.
    Html,
    /// `->`
    Arrow,
    /// `--`
    Line,
    Punctuation(char),
    End,
}

impl Token<'_> {
    /// The token as error messages show it.
    pub(super) fn describe(&self) -> String {
        match self {
            Self::Keyword(word) => quoted(word),
            Self::Word(word) => quoted(word),
            Self::Quoted(text) => quoted(text),
            Self::Html => "HTML".to_owned(),
            Self::Arrow => "`->`".to_owned(),
            Self::Line => "`--`".to_owned(),
            Self::Punctuation(c) => format!("`{c}`"),
            Self::End => "the end of the text".to_owned(),
        }
    }
}

#[derive(Debug)]
pub(super) struct Lexer<'a> {
    cursor: Cursor<'a>,
    /// Nothing but spaces since the line began: there, `#` opens a comment.
    at_line_start: bool,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { cursor: Cursor::new(text), at_line_start: true }
    }

    /// The next token, and where it starts.
    pub(super) fn next(&mut self) -> Result<(Token<'a>, Position), ParseError> {
        self.skip_blanks()?;
        self.at_line_start = false;
        let at = self.cursor.place();
        let Some(c) = self.cursor.peek() else {
            return Ok((Token::End, at));
        };
        let token = match c {
            '"' => self.quoted(at)?,
            '<' => self.html(at)?,
            '{' | '}' | '[' | ']' | '=' | ';' | ',' | ':' | '+' => {
                self.cursor.bump();
                Token::Punctuation(c)
            }
            _ if self.cursor.eat("->") => Token::Arrow,
            _ if self.cursor.eat("--") => Token::Line,
            '-' | '.' | '0'..='9' => self.number(at)?,
            _ if in_word(c) => keyword_or_word(self.cursor.take_while(in_word)),
            '#' => return Err(at.error("`#` opens a comment only where a line begins")),
            _ => {
                let shown = quoted(c.encode_utf8(&mut [0; 4]));
                return Err(at.error(format!("unexpected character {shown}")));
            }
        };
        Ok((token, at))
    }

    fn skip_blanks(&mut self) -> Result<(), ParseError> {
        loop {
            let at = self.cursor.place();
            match self.cursor.peek() {
                Some(c) if c.is_whitespace() => {
                    self.cursor.bump();
                    self.at_line_start |= c == '\n';
                }
                Some('#') if self.at_line_start => self.cursor.skip_line(),
                _ if self.cursor.looking_at("//") => self.cursor.skip_line(),
                _ if self.cursor.eat("/*") => {
                    self.at_line_start = false;
                    while !self.cursor.eat("*/") {
                        if self.cursor.bump().is_none() {
                            return Err(at.error("this comment is never closed"));
                        }
                    }
                }
                _ => return Ok(()),
            }
        }
    }

    /// As Graphviz does, unescapes quotes and line breaks only; `\\` is kept,
    /// but its second half escapes nothing.
    fn quoted(&mut self, at: Position) -> Result<Token<'a>, ParseError> {
        self.cursor.bump();
        let mut text = String::new();
        loop {
            if self.cursor.eat("\\\\") {
                text.push_str("\\\\");
            } else if self.cursor.eat("\\\"") {
                text.push('"');
            } else if !(self.cursor.eat("\\\n") || self.cursor.eat("\\\r\n")) {
                match self.cursor.bump() {
                    Some('"') => return Ok(Token::Quoted(text)),
                    Some(c) => text.push(c),
                    None => return Err(at.error("this quoted name is never closed")),
                }
            }
        }
    }

    fn html(&mut self, at: Position) -> Result<Token<'a>, ParseError> {
        let mut depth = 0_usize;
        loop {
            match self.cursor.bump() {
                Some('<') => depth += 1,
                Some('>') => depth -= 1,
                Some(_) => {}
                None => return Err(at.error("this `<` is never closed")),
            }
            if depth == 0 {
                return Ok(Token::Html);
            }
        }
    }

    fn number(&mut self, at: Position) -> Result<Token<'a>, ParseError> {
        let mut sign_may_come = true;
        let word = self.cursor.take_while(|c| {
            let sign = std::mem::take(&mut sign_may_come) && c == '-';
            sign || c == '.' || in_word(c)
        });
        let digits = word.strip_prefix('-').unwrap_or(word);
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let all_digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
        if whole.len() + fraction.len() > 0 && all_digits(whole) && all_digits(fraction) {
            Ok(Token::Word(word))
        } else {
            Err(at
                .error(format!("{} is neither a number nor an identifier: names like it must be quoted", quoted(word))))
        }
    }
}

/// DOT lets every character beyond ASCII into identifiers.
fn in_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || !(c.is_ascii() || c.is_whitespace())
}

fn keyword_or_word(word: &str) -> Token<'_> {
    ["strict", "graph", "digraph", "node", "edge", "subgraph"]
        .into_iter()
        .find(|keyword| word.eq_ignore_ascii_case(keyword))
        .map_or(Token::Word(word), Token::Keyword)
}
