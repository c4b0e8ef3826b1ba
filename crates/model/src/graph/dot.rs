//! The part of Graphviz DOT that says which nodes are linked.

use std::borrow::Cow;

use super::Graph;
use super::builder::Builder;
use super::cursor::Position;
use super::dot_token::{Lexer, Token};
use crate::ParseError;

/// Whether the first word opens a DOT graph.
pub(super) fn detect(text: &str) -> bool {
    let opening = Lexer::new(text).next();
    matches!(opening, Ok((Token::Keyword("strict" | "graph" | "digraph"), _)))
}

pub(super) fn parse(text: &str) -> Result<Graph, ParseError> {
    let mut lexer = Lexer::new(text);
    let (token, place) = lexer.next()?;
    let mut parser = Parser { lexer, token, place, directed: true, builder: Builder::default() };
    parser.heading()?;
    while parser.token != Token::Punctuation('}') {
        parser.statement()?;
    }
    let closing = parser.place;
    parser.advance()?;
    if parser.token != Token::End {
        return Err(parser.unexpected("nothing after the graph's `}`"));
    }
    parser.builder.finish(closing)
}

struct Parser<'a> {
    lexer: Lexer<'a>,
    /// The token to be read next, and where it starts.
    token: Token<'a>,
    place: Position,
    directed: bool,
    builder: Builder<'a>,
}

impl<'a> Parser<'a> {
    /// Goes past the current token.
    fn advance(&mut self) -> Result<(), ParseError> {
        (self.token, self.place) = self.lexer.next()?;
        Ok(())
    }

    fn heading(&mut self) -> Result<(), ParseError> {
        if self.token == Token::Keyword("strict") {
            self.builder.merge_duplicates();
            self.advance()?;
        }
        self.directed = match self.token {
            Token::Keyword("digraph") => true,
            Token::Keyword("graph") => false,
            _ => return Err(self.unexpected("`graph` or `digraph`")),
        };
        self.advance()?;
        if matches!(self.token, Token::Word(_) | Token::Quoted(_) | Token::Html) {
            self.advance()?;
        }
        self.expect('{')
    }

    fn statement(&mut self) -> Result<(), ParseError> {
        match self.token {
            Token::Punctuation(';') => self.advance(),
            Token::Keyword("graph" | "node" | "edge") => {
                self.advance()?;
                if self.token != Token::Punctuation('[') {
                    return Err(self.unexpected("`[`, as the word before is a keyword"));
                }
                self.attributes()
            }
            Token::End => Err(self.unexpected("`}`")),
            _ => self.nodes(),
        }
    }

    /// Reads `a = b`, a node or a chain of nodes.
    fn nodes(&mut self) -> Result<(), ParseError> {
        let (name, mut at) = self.name()?;
        if self.token == Token::Punctuation('=') {
            self.advance()?;
            return self.value();
        }
        let mut from = self.agent(name, at)?;
        while matches!(self.token, Token::Arrow | Token::Line) {
            if self.directed != (self.token == Token::Arrow) {
                return Err(self.unexpected(if self.directed {
                    "`->`, as this is a `digraph`"
                } else {
                    "`--`, as this is a `graph`"
                }));
            }
            self.advance()?;
            let (name, to_at) = self.name()?;
            let to = self.agent(name, to_at)?;
            self.builder.link(from, to, !self.directed, at)?;
            (from, at) = (to, to_at);
        }
        while self.token == Token::Punctuation('[') {
            self.attributes()?;
        }
        Ok(())
    }

    fn name(&mut self) -> Result<(Cow<'a, str>, Position), ParseError> {
        let at = self.place;
        let name = match self.token.clone() {
            Token::Word(word) => Cow::Borrowed(word),
            Token::Quoted(text) => Cow::Owned(text),
            Token::Keyword("subgraph") | Token::Punctuation('{') => {
                return Err(at.error("subgraphs are not supported"));
            }
            Token::Html => return Err(at.error("HTML names are not supported")),
            Token::Keyword(word) => {
                return Err(at.error(format!("`{word}` is a keyword: as a name it must be quoted")));
            }
            _ => return Err(self.unexpected("a node")),
        };
        self.advance()?;
        Ok((name, at))
    }

    fn agent(&mut self, name: Cow<'a, str>, at: Position) -> Result<u32, ParseError> {
        if self.token == Token::Punctuation(':') {
            return Err(self.place.error("ports are not supported"));
        }
        self.builder.agent(name, at)
    }

    /// Skips `[...]`, refusing what cannot be in it: a forgotten `]` must not
    /// hide the edges that follow.
    fn attributes(&mut self) -> Result<(), ParseError> {
        let opening = self.place;
        self.advance()?;
        loop {
            match self.token {
                Token::Punctuation(']') => return self.advance(),
                Token::Punctuation('=' | ',' | ';' | '+') => self.advance()?,
                Token::End => return Err(opening.error("this `[` is never closed")),
                _ => self.value()?,
            }
        }
    }

    /// Skips the value or the name of an attribute.
    fn value(&mut self) -> Result<(), ParseError> {
        match self.token {
            Token::Word(_) | Token::Quoted(_) | Token::Html | Token::Keyword(_) => self.advance(),
            _ => Err(self.unexpected("an attribute")),
        }
    }

    fn expect(&mut self, wanted: char) -> Result<(), ParseError> {
        if self.token != Token::Punctuation(wanted) {
            return Err(self.unexpected(&format!("`{wanted}`")));
        }
        self.advance()
    }

    fn unexpected(&self, expected: &str) -> ParseError {
        let found = self.token.describe();
        self.place.error(format!("expected {expected}, found {found}"))
    }
}
