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

use crate::file::{Heading, body, print_heading, words};
use crate::{Domain, Name, ParseError, Process, Variables, Visitor};
use std::fmt::Write;

const FIRST_LINE: &str = "ringleader configuration 1";

/// A state as `name=value` pairs.
pub fn print_state<A: Variables + ?Sized>(algorithm: &A, state: &A::State) -> String {
    printed(|print| algorithm.variables(&mut state.clone(), print))
}

/// The same for a process of a configuration, whose [pointers](Variables::variables_at) name other processes.
pub fn print_state_at<A: Variables + ?Sized>(algorithm: &A, process: usize, state: &A::State) -> String {
    printed(|print| algorithm.variables_at(process, &mut state.clone(), print))
}

fn printed(visit: impl FnOnce(&mut dyn Visitor)) -> String {
    let mut text = String::new();
    visit(&mut |name: Name<'_>, domain: Domain<'_>, value: u64| {
        let space = if text.is_empty() { "" } else { " " };
        let _ = write!(text, "{space}{name}={}", word(domain, value));
        value
    });
    text
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

/// The variables of a state with their values in numbers; a word counts by its place in its domain, from 0.
pub fn values<A: Variables + ?Sized>(algorithm: &A, state: &A::State) -> Vec<(String, u64)> {
    let mut values = vec![];
    algorithm.variables(&mut state.clone(), &mut |name: Name<'_>, _: Domain<'_>, value: u64| {
        values.push((name.to_string(), value));
        value
    });
    values
}

struct Pair<'a> {
    column: usize,
    name: &'a str,
    value: &'a str,
    used: bool,
}

/// The value of a variable among some pairs; a line of a file ends at column `end`.
fn read_value(
    pairs: &mut [Pair<'_>],
    (line, end): (usize, usize),
    name: Name<'_>,
    domain: Domain<'_>,
) -> Result<u64, ParseError> {
    let wanted = name.to_string();
    let Some(pair) = pairs.iter_mut().find(|p| p.name == wanted) else {
        return Err(ParseError::new(line, end, format!("{wanted} is missing ({domain})")));
    };
    pair.used = true;
    let value = match domain {
        Domain::Symbols(words) => words.iter().position(|w| *w == pair.value).map(|i| i as u64),
        Domain::Range(..) => pair.value.parse().ok().filter(|v| domain.contains(*v)),
    };
    value.ok_or_else(|| {
        let column = pair.column + pair.name.chars().count() + 1;
        ParseError::new(line, column, format!("{wanted} must be {domain}, not {:?}", pair.value))
    })
}

/// Reads a state from `name=value` pairs that stand at the given line and column of a file.
pub fn parse_state<A: Variables + ?Sized>(
    algorithm: &A,
    text: &str,
    line: usize,
    column: usize,
) -> Result<A::State, ParseError> {
    read_state(algorithm, text, line, column, |state, parse| algorithm.variables(state, parse))
}

/// The same for a process of a configuration, as [`print_state_at`] writes it.
pub fn parse_state_at<A: Variables + ?Sized>(
    algorithm: &A,
    process: usize,
    text: &str,
    line: usize,
    column: usize,
) -> Result<A::State, ParseError> {
    read_state(algorithm, text, line, column, |state, parse| algorithm.variables_at(process, state, parse))
}

fn read_state<A: Variables + ?Sized>(
    algorithm: &A,
    text: &str,
    line: usize,
    column: usize,
    visit: impl FnOnce(&mut A::State, &mut dyn Visitor),
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
    let end = column + text.trim_end().chars().count();
    let (mut state, mut error) = (A::State::default(), None);
    visit(&mut state, &mut |name: Name<'_>, domain: Domain<'_>, _: u64| {
        read_value(&mut pairs, (line, end), name, domain).unwrap_or_else(|wrong| {
            error.get_or_insert(wrong);
            domain.low()
        })
    });
    if let Some(error) = error {
        return Err(error);
    }
    match pairs.iter().find(|p| !p.used) {
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
    pub fn new<A: Variables + ?Sized>(
        name: &str,
        algorithm: &A,
        parameters: Vec<(String, String)>,
        states: &[A::State],
    ) -> Document {
        let agents = states.iter().enumerate().map(|(i, s)| (0, 0, print_state_at(algorithm, i, s))).collect();
        Document { algorithm: name.to_string(), size: states.len(), parameters, agents }
    }

    /// Reads a configuration file without its states.
    pub fn parse(text: &str) -> Result<Document, ParseError> {
        Document::read(text, FIRST_LINE, |_| false)
    }

    /// Reads a file with this first line; some of its lines are for others to read.
    pub(crate) fn read(text: &str, first_line: &str, is_other: impl Fn(&str) -> bool) -> Result<Document, ParseError> {
        let (mut heading, mut agents) = (Heading::default(), vec![]);
        for (number, line) in body(text, first_line)?.filter(|(_, line)| !is_other(line)) {
            match words(line, 1).take(2).collect::<Vec<_>>()[..] {
                [(_, "agent"), (column, _)] => agents.push(agent(agents.len(), number, column, line)?),
                _ => heading.read(number, line, " or agent")?,
            }
        }
        let (algorithm, size, parameters) = heading.finish(text)?;
        if agents.len() != size {
            let message = format!("size is {size}, but there are {} agents", agents.len());
            return Err(ParseError::new(text.lines().count() + 1, 1, message));
        }
        Ok(Document { algorithm, size, parameters, agents })
    }

    /// Reads the states, now that the algorithm is known.
    pub fn states<A: Variables + ?Sized>(&self, algorithm: &A) -> Result<Vec<A::State>, ParseError> {
        let agents = self.agents.iter().enumerate();
        agents.map(|(i, (line, column, text))| parse_state_at(algorithm, i, text, *line, *column)).collect()
    }

    /// The whole file as text.
    pub fn print(&self) -> String {
        self.print_with(FIRST_LINE, "")
    }

    /// The same with another first line, and with more lines before the states.
    pub(crate) fn print_with(&self, first_line: &str, before_states: &str) -> String {
        let mut text = print_heading(first_line, &self.algorithm, self.size, &self.parameters) + before_states;
        for (index, (_, _, state)) in self.agents.iter().enumerate() {
            let _ = writeln!(text, "agent {index}: {state}");
        }
        text
    }
}

/// Reads the line of the next agent: the place and the text of its state.
fn agent(next: usize, number: usize, column: usize, line: &str) -> Result<(usize, usize, String), ParseError> {
    let Some((head, state)) = line.split_once(':') else {
        return Err(ParseError::new(number, column, format!("expected \"agent {next}: name=value ..\"")));
    };
    let index = head.split_whitespace().nth(1).unwrap_or_default();
    if head.split_whitespace().count() != 2 || index.parse() != Ok(next) {
        let message = format!("expected agent {next} here, found {:?}", head.trim());
        return Err(ParseError::new(number, column, message));
    }
    let indent = state.chars().take_while(|c| c.is_whitespace()).count();
    Ok((number, head.chars().count() + 2 + indent, state.trim().to_string()))
}
