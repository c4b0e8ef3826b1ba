//! The text form of a run of a message-passing algorithm from its clean start.
//!
//! ```text
//! ringleader message trace 1
//! algorithm franklin-no-bit
//! size 3
//! parameter ids 3
//! channels bag
//! step 0 coin 2
//! receive 1 left 0
//! ```
//!
//! `step P` is a step of process P's own accord; `receive P PORT INDEX` its reception of a message through a port (`left`,
//! `right`, or the peer's number on a complete network), the oldest waiting there having index 0. `coin D ..` says what the
//! coins show, in the order of the draws.

use crate::ensemble::Sent;
use crate::{Channels, Coin, Ensemble, LEFT, ParseError, Port, RIGHT, Terminating};
use std::fmt::Write;

const FIRST_LINE: &str = "ringleader message trace 1";

/// What a process does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// A step of its own accord.
    Step,
    /// It receives a message.
    Receive {
        /// Through which port.
        port: Port,
        /// Where the message lies, the oldest being 0.
        index: usize,
    },
}

/// One step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Where it stands, for messages; 0 if it was not read from a file.
    pub line: usize,
    /// Who moves.
    pub process: usize,
    /// What it does.
    pub act: Act,
    /// What the coins show.
    pub coin: Vec<u32>,
}

/// A run.
///
/// ```
/// use ringleader_model::message_trace::{Act, MessageTrace};
/// let text = "ringleader message trace 1\nalgorithm x\nsize 2\nchannels fifo\nstep 0 coin 1\nreceive 1 left 0\n";
/// let trace = MessageTrace::parse(text)?;
/// assert_eq!(trace.steps[0].act, Act::Step);
/// assert_eq!(trace.print(), text);
/// assert!(MessageTrace::parse("ringleader message trace 1\nalgorithm x\nsize 2\nfly\n").is_err());
/// # Ok::<(), ringleader_model::ParseError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageTrace {
    /// Which algorithm it is a run of.
    pub algorithm: String,
    /// How many processes there are.
    pub size: usize,
    /// The algorithm's parameters, in order.
    pub parameters: Vec<(String, String)>,
    /// What the channels are.
    pub channels: Channels,
    /// What happens.
    pub steps: Vec<Line>,
}

impl MessageTrace {
    /// Whether a file begins like a trace of messages.
    pub fn detect(text: &str) -> bool {
        significant(text).next().is_some_and(|(_, line)| line.trim_end() == FIRST_LINE)
    }

    /// Reads a trace.
    pub fn parse(text: &str) -> Result<MessageTrace, ParseError> {
        let mut lines = significant(text);
        match lines.next() {
            Some((_, line)) if line.trim_end() == FIRST_LINE => {}
            Some((number, _)) => return Err(ParseError::new(number, 1, format!("expected {FIRST_LINE:?}"))),
            None => return Err(ParseError::new(1, 1, format!("the file is empty; it must begin with {FIRST_LINE:?}"))),
        }
        let (mut algorithm, mut size, mut channels) = (None, None, None);
        let (mut parameters, mut steps) = (vec![], vec![]);
        for (number, line) in lines {
            let words: Vec<&str> = line.split_whitespace().collect();
            let error = |message: String| Err(ParseError::new(number, 1, message));
            match (words.as_slice(), size) {
                // The path of a text protocol may have spaces.
                (["algorithm", _, ..], _) if algorithm.is_none() => {
                    algorithm = Some(crate::text::after_word(line).to_string());
                }
                (["size", word], None) => match word.parse() {
                    Ok(n) if (1..=crate::text::MOST_AGENTS).contains(&n) => size = Some(n),
                    _ => return error(format!("size must be a whole number of processes, not {word:?}")),
                },
                (["parameter", name, value], _) => parameters.push(((*name).to_string(), (*value).to_string())),
                (["channels", word], _) if channels.is_none() => match word.parse() {
                    Ok(kind) => channels = Some(kind),
                    Err(message) => return error(message),
                },
                (["step" | "receive", ..], Some(size)) => match step(number, &words, size) {
                    Ok(step) => steps.push(step),
                    Err(message) => return error(message),
                },
                _ => {
                    return error(format!(
                        "expected algorithm, size, parameter, channels, step or receive, found {line:?}"
                    ));
                }
            }
        }
        let missing =
            |what: &str| ParseError::new(text.lines().count() + 1, 1, format!("the file ends without {what}"));
        Ok(MessageTrace {
            algorithm: algorithm.ok_or_else(|| missing("\"algorithm NAME\""))?,
            size: size.ok_or_else(|| missing("\"size N\""))?,
            parameters,
            channels: channels.unwrap_or(Channels::Bag),
            steps,
        })
    }

    /// The whole trace as text.
    pub fn print(&self) -> String {
        let mut text = format!("{FIRST_LINE}\nalgorithm {}\nsize {}\n", self.algorithm, self.size);
        for (name, value) in &self.parameters {
            let _ = writeln!(text, "parameter {name} {value}");
        }
        let _ = writeln!(text, "channels {}", self.channels);
        for step in &self.steps {
            let _ = match step.act {
                Act::Step => write!(text, "step {}", step.process),
                Act::Receive { port, index } => write!(text, "receive {} {} {index}", step.process, port_name(port)),
            };
            if !step.coin.is_empty() {
                text.push_str(" coin");
            }
            step.coin.iter().for_each(|digit| {
                let _ = write!(text, " {digit}");
            });
            text.push('\n');
        }
        text
    }
}

fn significant(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.lines().enumerate().map(|(i, line)| (i + 1, line));
    lines.filter(|(_, line)| !line.trim().is_empty() && !line.trim_start().starts_with('#'))
}

/// Ports 0 and 1 are left and right on a ring; a number means the same.
fn port_name(port: Port) -> String {
    match port {
        LEFT => "left".into(),
        RIGHT => "right".into(),
        port => port.to_string(),
    }
}

fn step(line: usize, words: &[&str], size: usize) -> Result<Line, String> {
    let number = |word: Option<&&str>, what: &str| -> Result<usize, String> {
        let word = word.ok_or_else(|| format!("expected {what}, but the line ends"))?;
        word.parse().map_err(|_| format!("expected {what}, found {word:?}"))
    };
    let process = number(words.get(1), "the number of a process")?;
    if process >= size {
        return Err(format!("there is no process {process}: the last one is {}", size - 1));
    }
    let (act, rest) = match (words[0], words.get(2)) {
        ("receive", Some(&"left")) => {
            (Act::Receive { port: LEFT, index: number(words.get(3), "an index")? }, &words[4..])
        }
        ("receive", Some(&"right")) => {
            (Act::Receive { port: RIGHT, index: number(words.get(3), "an index")? }, &words[4..])
        }
        ("receive", port) => {
            let port = number(port, "left, right or a port")?;
            (Act::Receive { port, index: number(words.get(3), "an index")? }, &words[4..])
        }
        _ => (Act::Step, &words[2..]),
    };
    let coin = match rest {
        [] => Ok(vec![]),
        ["coin", digits @ ..] if !digits.is_empty() => digits.iter().map(|digit| digit.parse()).collect(),
        _ => return Err("after a step may stand only \"coin\" and what the coins show".into()),
    };
    Ok(Line { line, process, act, coin: coin.map_err(|_| "a coin shows a whole number from 0".to_string())? })
}

/// A coin that shows what a trace says.
struct Script<'a> {
    digits: std::slice::Iter<'a, u32>,
    /// What they stand for.
    drawn: Vec<u64>,
    problem: Option<String>,
}

impl Coin for Script<'_> {
    fn below(&mut self, n: u32) -> u32 {
        match self.digits.next() {
            Some(&digit) if digit < n => {
                self.drawn.push(u64::from(digit) + 1);
                return digit;
            }
            Some(digit) => {
                self.problem.get_or_insert(format!("the coin has {n} sides, it cannot show {digit}"));
            }
            None if n == 1 => self.drawn.push(1),
            None => {
                self.problem
                    .get_or_insert(format!("the rule draws a coin of {n} sides; add \"coin\" and what it shows"));
            }
        }
        0
    }

    fn drew(&mut self, value: u64) {
        if let Some(last) = self.drawn.last_mut() {
            *last = value;
        }
    }
}

/// What a step was about, messages as text.
pub struct Taken {
    /// What was received, unless the step was of the process's own accord.
    pub received: Option<String>,
    /// What was sent.
    pub sent: Vec<(Port, String)>,
    /// What was drawn: the values, as the algorithm speaks of them.
    pub drawn: Vec<u64>,
}

/// Takes one step of a trace, if the algorithm and the channels allow it.
pub fn take<P: Terminating>(now: &mut Ensemble<'_, P>, channels: Channels, step: &Line) -> Result<Taken, ParseError> {
    let error = |message: String| ParseError::new(step.line, 1, message);
    let (process, mut received) = (step.process, None);
    if let Act::Receive { port, index } = step.act {
        if port >= now.network().ports() {
            return Err(error(format!("process {process} has no port {port}")));
        }
        let waiting = now.now().channel(process, port).len();
        if index >= waiting {
            return Err(error(format!("only {waiting} messages wait there, none has index {index}")));
        }
        if index > 0 && channels == Channels::Fifo {
            return Err(error("in a FIFO channel only the oldest message, of index 0, can be received".into()));
        }
        received = Some(now.message(process, port, index));
    }
    if !now.ready(process, step.act) {
        return Err(error(format!("process {process} does not take this event now")));
    }
    let mut coin = Script { digits: step.coin.iter(), drawn: vec![], problem: None };
    let mut sent = Sent::default();
    now.take(process, step.act, &mut coin, &mut sent);
    if coin.problem.is_none() && coin.digits.next().is_some() {
        coin.problem = Some("the rule draws fewer coins than are given".into());
    }
    match coin.problem {
        Some(problem) => Err(error(problem)),
        None => Ok(Taken { received, sent: now.print_sent(&sent), drawn: coin.drawn }),
    }
}
