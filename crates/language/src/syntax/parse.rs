//! The parser: recursive descent, item by item, so that an error in one line hides no error in the next.

pub(crate) mod expr;
pub(crate) mod items;
pub(crate) mod rules;

use crate::diagnostic::{Diagnostic, Span};
use crate::syntax::ast::{At, Expr, File, Name};
use crate::syntax::token::{Kind, Token, significant, tokens};

/// An error was reported; the rest of the item is skipped.
#[derive(Debug)]
pub(crate) struct Reported;

pub(crate) type Parsed<T> = Result<T, Reported>;

pub(crate) struct Parser<'a> {
    pub(crate) text: &'a str,
    tokens: Vec<Token>,
    at: usize,
    pub(crate) depth: u32,
    pub(crate) problems: Vec<Diagnostic>,
}

/// A text without its byte order mark, which some editors write.
pub(crate) fn unmarked(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// Parses a text and reports its errors.
pub(crate) fn parse(text: &str) -> (File, Vec<Diagnostic>) {
    let mut problems = vec![];
    let tokens = significant(&tokens(text, &mut problems));
    let mut parser = Parser { text, tokens, at: 0, depth: 0, problems };
    let mut file = File::default();
    while parser.peek().kind != Kind::End {
        if parser.item(&mut file).is_err() {
            parser.skip_item();
        }
    }
    (file, parser.problems)
}

/// Parses a single expression.
pub(crate) fn expression(text: &str) -> Result<Expr, Vec<Diagnostic>> {
    only(text, |parser| parser.expr())
}

/// Parses `P leads to Q`.
pub(crate) fn response(text: &str) -> Result<[Expr; 2], Vec<Diagnostic>> {
    only(text, |parser| Ok([parser.expr()?, parser.follows()?]))
}

/// Parses a text that is nothing else.
fn only<T>(text: &str, read: impl FnOnce(&mut Parser<'_>) -> Parsed<T>) -> Result<T, Vec<Diagnostic>> {
    let mut problems = vec![];
    let tokens = significant(&tokens(text, &mut problems));
    let mut parser = Parser { text, tokens, at: 0, depth: 0, problems };
    let read = read(&mut parser).and_then(|read| parser.end_of_line().map(|()| read));
    if parser.peek().kind != Kind::End && parser.problems.is_empty() {
        let problem = Diagnostic::error(parser.peek().span.clone(), "there is more than one expression here");
        parser.problems.push(problem.help("join them with `and`"));
    }
    match read {
        Ok(read) if parser.problems.is_empty() => Ok(read),
        _ => Err(parser.problems),
    }
}

impl Parser<'_> {
    /// `leads to Q`
    pub(crate) fn follows(&mut self) -> Parsed<Expr> {
        self.expect_word("leads")?;
        self.expect_word("to")?;
        self.expr()
    }

    pub(crate) fn peek(&self) -> &Token {
        &self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    pub(crate) fn ahead(&self, steps: usize) -> &Token {
        &self.tokens[(self.at + steps).min(self.tokens.len() - 1)]
    }

    pub(crate) fn next(&mut self) -> Token {
        let token = self.peek().clone();
        self.at += 1;
        token
    }

    /// Whether a token is at the left margin, where items begin.
    pub(crate) fn at_margin(&self, token: &Token) -> bool {
        token.span.start == 0 || self.text.as_bytes()[token.span.start - 1] == b'\n'
    }

    pub(crate) fn words(&self, token: &Token) -> &str {
        &self.text[token.span.clone()]
    }

    pub(crate) fn is_word(&self, token: &Token, word: &str) -> bool {
        token.kind == Kind::Word && self.words(token) == word
    }

    /// Consumes a sign if it comes next, and tells whether it did.
    pub(crate) fn take(&mut self, sign: &str) -> bool {
        let here = self.peek().is(sign);
        self.at += usize::from(here);
        here
    }

    /// Consumes a word if it comes next, and tells whether it did.
    pub(crate) fn take_word(&mut self, word: &str) -> bool {
        let here = self.is_word(self.peek(), word);
        self.at += usize::from(here);
        here
    }

    pub(crate) fn fail<T>(&mut self, problem: Diagnostic) -> Parsed<T> {
        self.problems.push(problem);
        Err(Reported)
    }

    /// Reports an error with a proposed repair.
    pub(crate) fn refuse<T>(&mut self, span: Span, message: impl Into<String>, help: impl Into<String>) -> Parsed<T> {
        self.fail(Diagnostic::error(span, message).help(help))
    }

    /// A description of the next token, for a diagnostic.
    pub(crate) fn here(&self) -> String {
        match self.peek().kind {
            Kind::End => "the end of the file".into(),
            Kind::Newline => "the end of the line".into(),
            _ => format!("`{}`", self.words(self.peek())),
        }
    }

    pub(crate) fn expected<T>(&mut self, what: &str) -> Parsed<T> {
        let problem = Diagnostic::error(self.peek().span.clone(), format!("expected {what}, found {}", self.here()));
        self.fail(problem)
    }

    pub(crate) fn expect(&mut self, sign: &str) -> Parsed<Span> {
        if self.peek().is(sign) {
            return Ok(self.next().span);
        }
        self.expected(&format!("`{sign}`"))
    }

    pub(crate) fn expect_word(&mut self, word: &str) -> Parsed<()> {
        if self.take_word(word) { Ok(()) } else { self.expected(&format!("`{word}`")) }
    }

    pub(crate) fn name(&mut self, what: &str) -> Parsed<Name> {
        if self.peek().kind != Kind::Word {
            return self.expected(what);
        }
        let token = self.next();
        Ok(At::new(self.words(&token).to_string(), token.span))
    }

    /// One or more things, separated by commas.
    pub(crate) fn list<T>(&mut self, mut read: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut list = vec![read(self)?];
        while self.take(",") {
            list.push(read(self)?);
        }
        Ok(list)
    }

    /// A name that may contain hyphens: `directed-ring`.
    pub(crate) fn hyphenated(&mut self, what: &str) -> Parsed<Name> {
        let mut name = self.name(what)?;
        loop {
            let (hyphen, word) = (self.peek().clone(), self.ahead(1).clone());
            let close = hyphen.span.start == name.span.end && word.span.start == hyphen.span.end;
            if !hyphen.is("-") || !close || !matches!(word.kind, Kind::Word | Kind::Number(_)) {
                return Ok(name);
            }
            self.at += 2;
            name.span.end = word.span.end;
            name.it = self.text[name.span.clone()].to_string();
        }
    }

    pub(crate) fn end_of_line(&mut self) -> Parsed<()> {
        match self.peek().kind {
            Kind::End => Ok(()),
            Kind::Newline => {
                self.at += 1;
                Ok(())
            }
            _ => self.expected("the end of the line"),
        }
    }

    pub(crate) fn skip_item(&mut self) {
        while !matches!(self.peek().kind, Kind::Newline | Kind::End) {
            self.at += 1;
        }
        self.at += usize::from(self.peek().kind == Kind::Newline);
    }

    /// One or more texts, joined.
    pub(crate) fn texts(&mut self) -> Parsed<String> {
        let mut joined: Vec<String> = vec![];
        while self.peek().kind == Kind::Text {
            let token = self.next();
            joined.push(self.text[token.span.start + 1..token.span.end - 1].trim().to_string());
        }
        if joined.is_empty() { self.expected("a text in quotation marks") } else { Ok(joined.join(" ")) }
    }

    pub(crate) fn optional_texts(&mut self) -> Parsed<String> {
        if self.peek().kind == Kind::Text { self.texts() } else { Ok(String::new()) }
    }
}
