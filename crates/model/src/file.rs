//! The common parts of all text forms: a first line, comments, a heading, and words with their columns.

use crate::ParseError;
use std::fmt::Write;

/// The maximum number of agents of a file.
pub(crate) const MOST_AGENTS: usize = 1 << 24;

/// The lines of a text that are neither blank nor comments, with their numbers from 1.
fn significant(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.lines().enumerate().map(|(i, line)| (i + 1, line));
    lines.filter(|(_, line)| !line.trim().is_empty() && !line.trim_start().starts_with('#'))
}

/// Whether a text has this first line, which names its form.
pub(crate) fn begins_with(text: &str, first_line: &str) -> bool {
    significant(text).next().is_some_and(|(_, line)| line.trim_end() == first_line)
}

/// The lines after the first line, which must be `first_line`.
pub(crate) fn body<'a>(text: &'a str, first_line: &str) -> Result<impl Iterator<Item = (usize, &'a str)>, ParseError> {
    let mut lines = significant(text);
    match lines.next() {
        Some((_, line)) if line.trim_end() == first_line => Ok(lines),
        Some((number, _)) => Err(ParseError::new(number, 1, format!("expected {first_line:?}"))),
        None => Err(ParseError::new(1, 1, format!("the file is empty; it must begin with {first_line:?}"))),
    }
}

/// The lines that every form has: the algorithm, the size and the parameters.
#[derive(Default)]
pub(crate) struct Heading {
    algorithm: Option<String>,
    pub(crate) size: Option<usize>,
    parameters: Named,
}

/// Parameters and their values, in order.
type Named = Vec<(String, String)>;

impl Heading {
    /// Reads one line. `others` lists the other words with which a line may begin.
    pub(crate) fn read(&mut self, number: usize, line: &str, others: &str) -> Result<(), ParseError> {
        let found: Vec<(usize, &str)> = words(line, 1).collect();
        let error = |column, message: String| Err(ParseError::new(number, column, message));
        match *found.as_slice() {
            // The path of a text protocol may have spaces.
            [(_, "algorithm"), _, ..] if self.algorithm.is_none() => {
                self.algorithm = line.trim().split_once(char::is_whitespace).map(|(_, name)| name.trim_start().into());
            }
            [(_, "size"), (column, size)] if self.size.is_none() => match size.parse() {
                Ok(size) if (1..=MOST_AGENTS).contains(&size) => self.size = Some(size),
                _ => return error(column, format!("size must be a number in 1..{MOST_AGENTS}, not {size:?}")),
            },
            [(_, "parameter"), (_, name), (_, value)] => self.parameters.push((name.into(), value.into())),
            [(column, word @ ("algorithm" | "size" | "parameter")), ..] => {
                return error(column, format!("{word:?} stands here twice, or with too few or too many words"));
            }
            [(column, word), ..] => {
                return error(column, format!("expected algorithm, size, parameter{others}, found {word:?}"));
            }
            [] => {}
        }
        Ok(())
    }

    /// The algorithm, the size and the parameters, once the whole text has been read.
    pub(crate) fn finish(self, text: &str) -> Result<(String, usize, Named), ParseError> {
        let missing =
            |what: &str| ParseError::new(text.lines().count() + 1, 1, format!("the file ends without {what}"));
        let algorithm = self.algorithm.ok_or_else(|| missing("\"algorithm NAME\""))?;
        Ok((algorithm, self.size.ok_or_else(|| missing("\"size N\""))?, self.parameters))
    }
}

/// The first line and the heading as text.
pub(crate) fn print_heading(first_line: &str, algorithm: &str, size: usize, parameters: &[(String, String)]) -> String {
    let mut text = format!("{first_line}\nalgorithm {algorithm}\nsize {size}\n");
    for (name, value) in parameters {
        let _ = writeln!(text, "parameter {name} {value}");
    }
    text
}

/// The end of a line that lists the sides that the coins show.
pub(crate) fn print_coin(text: &mut String, coin: &[u32]) {
    text.push_str(if coin.is_empty() { "" } else { " coin" });
    for side in coin {
        let _ = write!(text, " {side}");
    }
    text.push('\n');
}

/// The words of a line with their columns; the line begins at `column`.
pub(crate) fn words(text: &str, column: usize) -> impl Iterator<Item = (usize, &str)> {
    let mut at = column;
    text.split(char::is_whitespace).filter_map(move |word| {
        let here = at;
        at += word.chars().count() + 1;
        (!word.is_empty()).then_some((here, word))
    })
}

/// The words of a line, read from left to right.
pub(crate) struct LineReader<'a> {
    pub(crate) line: usize,
    words: std::iter::Peekable<std::vec::IntoIter<(usize, &'a str)>>,
    end: usize,
}

impl<'a> LineReader<'a> {
    pub(crate) fn new(line: usize, text: &'a str) -> LineReader<'a> {
        let words = words(text, 1).collect::<Vec<_>>().into_iter().peekable();
        LineReader { line, words, end: text.trim_end().chars().count() + 1 }
    }

    pub(crate) fn error(&self, column: usize, message: impl Into<String>) -> ParseError {
        ParseError::new(self.line, column, message)
    }

    pub(crate) fn peek(&mut self) -> Option<(usize, &'a str)> {
        self.words.peek().copied()
    }

    /// The next word with its column.
    pub(crate) fn take(&mut self, what: &str) -> Result<(usize, &'a str), ParseError> {
        self.words.next().ok_or_else(|| self.error(self.end, format!("expected {what}, but the line ends")))
    }

    /// Skips a word if it comes next, and tells whether it did.
    pub(crate) fn take_if(&mut self, word: &str) -> bool {
        self.words.next_if(|(_, next)| *next == word).is_some()
    }

    pub(crate) fn end(&mut self) -> Result<(), ParseError> {
        match self.words.next() {
            None => Ok(()),
            Some((column, word)) => Err(self.error(column, format!("nothing may follow here, but {word:?} does"))),
        }
    }

    /// A value that passes a test.
    pub(crate) fn value<T: std::str::FromStr>(
        &mut self,
        what: &str,
        accept: impl Fn(&T) -> bool,
    ) -> Result<T, ParseError> {
        let (column, word) = self.take(what)?;
        let value = word.parse().ok().filter(accept);
        value.ok_or_else(|| self.error(column, format!("expected {what}, found {word:?}")))
    }

    /// The number of an agent or of a process.
    pub(crate) fn number(&mut self, what: &str, size: usize) -> Result<usize, ParseError> {
        self.value(&format!("{what} in 0..{}", size - 1), |&number| number < size)
    }

    /// The end of a line: the sides that the coins show, if any.
    pub(crate) fn coin(&mut self) -> Result<Vec<u32>, ParseError> {
        let (mut coin, mut more) = (vec![], self.take_if("coin"));
        while more {
            coin.push(self.value("the side that a coin shows", |_| true)?);
            more = self.peek().is_some();
        }
        self.end()?;
        Ok(coin)
    }
}
