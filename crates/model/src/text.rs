//! The text form of states and configurations.
//!
//! ```text
//! ringleader configuration 1
//! # a comment; blank lines do not count
//! algorithm yokota-ring
//! size 2
//! parameter bound 2
//! agent 0: leader=1 bullet=0 shield=1 signal=0 dist=0
//! agent 1: leader=0 bullet=2 shield=0 signal=0 dist=1
//! ```
//!
//! The first line names the form and its version. Then come the algorithm, the size and the algorithm's parameters, and
//! one line per agent (or process) with every variable of its state, in any order. On a ring, agent `i + 1` is to the
//! right of agent `i`.

use crate::{Domain, Name, ParseError, Process, Variables, Visitor};
use std::fmt::Write;

const FIRST_LINE: &str = "ringleader configuration 1";
/// More agents than this are refused: a file that asks for them is a mistake.
pub const MOST_AGENTS: usize = 1 << 24;

struct Print(String);

impl Visitor for Print {
    fn field(&mut self, name: Name<'_>, domain: Domain<'_>, value: u64) -> u64 {
        if !self.0.is_empty() {
            self.0.push(' ');
        }
        let _ = match domain {
            Domain::Range(..) => write!(self.0, "{name}={value}"),
            Domain::Symbols(words) => write!(self.0, "{name}={}", words.get(value as usize).unwrap_or(&"?")),
        };
        value
    }
}

/// A state as `name=value` pairs.
pub fn print_state<A: Variables + ?Sized>(algorithm: &A, state: &A::State) -> String {
    let mut print = Print(String::new());
    algorithm.variables(&mut state.clone(), &mut print);
    print.0
}

#[derive(Default)]
struct PrintMessage {
    kind: String,
    fields: Vec<String>,
}

impl Visitor for PrintMessage {
    fn field(&mut self, _: Name<'_>, domain: Domain<'_>, value: u64) -> u64 {
        self.fields.push(word(domain, value));
        value
    }

    fn kind_field(&mut self, domain: Domain<'_>, value: u64) -> u64 {
        self.kind = word(domain, value);
        value
    }
}

/// A value of a domain as text.
fn word(domain: Domain<'_>, value: u64) -> String {
    match domain {
        Domain::Range(..) => value.to_string(),
        Domain::Symbols(words) => (*words.get(value as usize).unwrap_or(&"?")).to_string(),
    }
}

/// A message as its kind and its values: `one(3, 1)`, or `(3, 1)` if there is only one kind.
pub fn print_message<P: Process>(algorithm: &P, message: &P::Message) -> String {
    let mut print = PrintMessage::default();
    algorithm.message_variables(&mut message.clone(), &mut print);
    format!("{}({})", print.kind, print.fields.join(", "))
}

struct Values(Vec<(String, u64)>);

impl Visitor for Values {
    fn field(&mut self, name: Name<'_>, _: Domain<'_>, value: u64) -> u64 {
        self.0.push((name.to_string(), value));
        value
    }
}

/// The variables of a state with their values in numbers; a word counts by its place in its domain, from 0.
pub fn values<A: Variables>(algorithm: &A, state: &A::State) -> Vec<(String, u64)> {
    let mut values = Values(vec![]);
    algorithm.variables(&mut state.clone(), &mut values);
    values.0
}

struct Pair<'a> {
    column: usize,
    name: &'a str,
    value: &'a str,
    used: bool,
}

struct Parse<'a> {
    line: usize,
    end: usize,
    pairs: Vec<Pair<'a>>,
    error: Option<ParseError>,
}

impl Parse<'_> {
    fn value(&mut self, name: Name<'_>, domain: Domain<'_>) -> Result<u64, ParseError> {
        let wanted = name.to_string();
        let Some(pair) = self.pairs.iter_mut().find(|p| p.name == wanted) else {
            return Err(ParseError::new(self.line, self.end, format!("{wanted} is missing ({domain})")));
        };
        pair.used = true;
        let value = match domain {
            Domain::Symbols(words) => words.iter().position(|w| *w == pair.value).map(|i| i as u64),
            Domain::Range(..) => pair.value.parse().ok().filter(|v| domain.contains(*v)),
        };
        value.ok_or_else(|| {
            let column = pair.column + pair.name.chars().count() + 1;
            ParseError::new(self.line, column, format!("{wanted} must be {domain}, not {:?}", pair.value))
        })
    }
}

impl Visitor for Parse<'_> {
    fn field(&mut self, name: Name<'_>, domain: Domain<'_>, _: u64) -> u64 {
        self.value(name, domain).unwrap_or_else(|error| {
            self.error.get_or_insert(error);
            domain.low()
        })
    }
}

/// Words of a line with their columns, 1-based and shifted by `column - 1`.
fn words(text: &str, column: usize) -> impl Iterator<Item = (usize, &str)> {
    let mut at = column;
    text.split(|c: char| c.is_whitespace()).filter_map(move |word| {
        let here = at;
        at += word.chars().count() + 1;
        (!word.is_empty()).then_some((here, word))
    })
}

/// A line without its first word.
pub(crate) fn after_word(line: &str) -> &str {
    line.trim().split_once(char::is_whitespace).map_or("", |(_, rest)| rest.trim_start())
}

/// Reads a state from `name=value` pairs that stand at the given line and column of a file.
pub fn parse_state<A: Variables + ?Sized>(
    algorithm: &A,
    text: &str,
    line: usize,
    column: usize,
) -> Result<A::State, ParseError> {
    let mut pairs: Vec<Pair<'_>> = vec![];
    for (column, word) in words(text, column) {
        let Some((name, value)) = word.split_once('=') else {
            return Err(ParseError::new(line, column, format!("expected name=value, found {word:?}")));
        };
        if pairs.iter().any(|p| p.name == name) {
            return Err(ParseError::new(line, column, format!("{name} is given twice")));
        }
        pairs.push(Pair { column, name, value, used: false });
    }
    let mut parse = Parse { line, end: column + text.trim_end().chars().count(), pairs, error: None };
    let mut state = A::State::default();
    algorithm.variables(&mut state, &mut parse);
    if let Some(error) = parse.error {
        return Err(error);
    }
    match parse.pairs.iter().find(|p| !p.used) {
        None => Ok(state),
        Some(stray) => {
            let known = print_state(algorithm, &A::State::default());
            let known: Vec<_> = known.split(' ').filter_map(|p| p.split('=').next()).collect();
            let message = format!("no variable is called {:?}; there are {}", stray.name, known.join(", "));
            Err(ParseError::new(line, stray.column, message))
        }
    }
}

/// A configuration file whose states have not been read yet: that takes the algorithm it names.
///
/// ```
/// use ringleader_model::text::Document;
/// let document = Document::parse("ringleader configuration 1\nalgorithm x\nsize 2\nagent 0: a=1\nagent 1: a=0\n")?;
/// assert_eq!((document.algorithm.as_str(), document.size), ("x", 2));
/// # Ok::<(), ringleader_model::ParseError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// Which algorithm the states belong to.
    pub algorithm: String,
    /// How many agents there are.
    pub size: usize,
    /// The algorithm's parameters, in order.
    pub parameters: Vec<(String, String)>,
    agents: Vec<(usize, usize, String)>,
}

impl Document {
    /// A document with these states.
    pub fn new<A: Variables>(
        name: &str,
        algorithm: &A,
        parameters: Vec<(String, String)>,
        states: &[A::State],
    ) -> Document {
        let agents = states.iter().map(|s| (0, 0, print_state(algorithm, s))).collect();
        Document { algorithm: name.to_string(), size: states.len(), parameters, agents }
    }

    /// Reads the frame of a configuration file.
    pub fn parse(text: &str) -> Result<Document, ParseError> {
        let mut lines = text
            .lines()
            .enumerate()
            .map(|(i, line)| (i + 1, line))
            .filter(|(_, line)| !line.trim().is_empty() && !line.trim_start().starts_with('#'));
        match lines.next() {
            Some((_, line)) if line.trim_end() == FIRST_LINE => {}
            Some((number, _)) => return Err(ParseError::new(number, 1, format!("expected {FIRST_LINE:?}"))),
            None => return Err(ParseError::new(1, 1, format!("the file is empty; it must begin with {FIRST_LINE:?}"))),
        }
        let mut frame = Frame::default();
        for (number, line) in lines {
            frame.line(number, line)?;
        }
        frame.finish(text.lines().count() + 1)
    }

    /// Reads the states, now that the algorithm is known.
    pub fn states<A: Variables>(&self, algorithm: &A) -> Result<Vec<A::State>, ParseError> {
        self.agents.iter().map(|(line, column, text)| parse_state(algorithm, text, *line, *column)).collect()
    }

    /// The whole file as text.
    pub fn print(&self) -> String {
        let mut text = format!("{FIRST_LINE}\nalgorithm {}\nsize {}\n", self.algorithm, self.size);
        for (name, value) in &self.parameters {
            let _ = writeln!(text, "parameter {name} {value}");
        }
        for (index, (_, _, state)) in self.agents.iter().enumerate() {
            let _ = writeln!(text, "agent {index}: {state}");
        }
        text
    }
}

#[derive(Default)]
struct Frame {
    algorithm: Option<String>,
    size: Option<usize>,
    parameters: Vec<(String, String)>,
    agents: Vec<(usize, usize, String)>,
}

impl Frame {
    fn line(&mut self, number: usize, line: &str) -> Result<(), ParseError> {
        let found: Vec<(usize, &str)> = words(line, 1).collect();
        let error = |column, message: String| Err(ParseError::new(number, column, message));
        match *found.as_slice() {
            // The path of a text protocol may have spaces.
            [(_, "algorithm"), _, ..] if self.algorithm.is_none() => self.algorithm = Some(after_word(line).into()),
            [(_, "size"), (column, size)] if self.size.is_none() => match size.parse() {
                Ok(size) if (1..=MOST_AGENTS).contains(&size) => self.size = Some(size),
                _ => return error(column, format!("size must be a number in 1..{MOST_AGENTS}, not {size:?}")),
            },
            [(_, "parameter"), (_, name), (_, value)] => self.parameters.push((name.into(), value.into())),
            [(_, "agent"), (column, _), ..] => return self.agent(number, column, line),
            [(column, word @ ("algorithm" | "size" | "parameter")), ..] => {
                return error(column, format!("{word:?} stands here twice, or with too few or too many words"));
            }
            [(column, word), ..] => {
                return error(column, format!("expected algorithm, size, parameter or agent, found {word:?}"));
            }
            [] => {}
        }
        Ok(())
    }

    fn agent(&mut self, number: usize, column: usize, line: &str) -> Result<(), ParseError> {
        let expected = self.agents.len();
        let Some((head, state)) = line.split_once(':') else {
            return Err(ParseError::new(number, column, format!("expected \"agent {expected}: name=value ..\"")));
        };
        let index = head.split_whitespace().nth(1).unwrap_or_default();
        if head.split_whitespace().count() != 2 || index.parse() != Ok(expected) {
            let message = format!("expected agent {expected} here, found {:?}", head.trim());
            return Err(ParseError::new(number, column, message));
        }
        let indent = state.chars().take_while(|c| c.is_whitespace()).count();
        self.agents.push((number, head.chars().count() + 2 + indent, state.trim().to_string()));
        Ok(())
    }

    fn finish(self, end: usize) -> Result<Document, ParseError> {
        let missing = |what: &str| ParseError::new(end, 1, format!("the file ends without {what}"));
        let algorithm = self.algorithm.ok_or_else(|| missing("\"algorithm NAME\""))?;
        let size = self.size.ok_or_else(|| missing("\"size N\""))?;
        if self.agents.len() != size {
            let message = format!("size is {size}, but there are {} agents", self.agents.len());
            return Err(ParseError::new(end, 1, message));
        }
        Ok(Document { algorithm, size, parameters: self.parameters, agents: self.agents })
    }
}
