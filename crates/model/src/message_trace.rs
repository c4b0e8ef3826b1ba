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

pub use crate::ensemble::Act;

use crate::ensemble::Sent;
use crate::file::{Heading, LineReader, begins_with, body, print_coin, print_heading};
use crate::process::UnknownChannels;
use crate::trace::Script;
use crate::{Channels, Ensemble, LEFT, ParseError, Port, RIGHT, Terminating};
use std::fmt::Write;

const FIRST_LINE: &str = "ringleader message trace 1";

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
    /// Whether a text is a message trace, judged by its first line.
    pub fn detect(text: &str) -> bool {
        begins_with(text, FIRST_LINE)
    }

    /// Reads a message trace.
    pub fn parse(text: &str) -> Result<MessageTrace, ParseError> {
        let (mut heading, mut channels, mut steps) = (Heading::default(), None, vec![]);
        for (number, line) in body(text, FIRST_LINE)? {
            let mut words = LineReader::new(number, line);
            match (words.peek(), heading.size) {
                (Some((_, "channels")), _) if channels.is_none() => {
                    words.take_if("channels");
                    let (column, word) = words.take("bag or fifo")?;
                    channels = Some(
                        word.parse().map_err(|unknown: UnknownChannels| words.error(column, unknown.to_string()))?,
                    );
                    words.end()?;
                }
                (Some((_, "step" | "receive")), Some(size)) => steps.push(step(words, size)?),
                _ => heading.read(number, line, ", channels, step or receive")?,
            }
        }
        let (algorithm, size, parameters) = heading.finish(text)?;
        Ok(MessageTrace { algorithm, size, parameters, channels: channels.unwrap_or(Channels::Bag), steps })
    }

    /// The whole trace as text.
    pub fn print(&self) -> String {
        let mut text = print_heading(FIRST_LINE, &self.algorithm, self.size, &self.parameters);
        let _ = writeln!(text, "channels {}", self.channels);
        for step in &self.steps {
            let _ = match step.act {
                Act::Step => write!(text, "step {}", step.process),
                Act::Receive { port, index } => write!(text, "receive {} {} {index}", step.process, port_name(port)),
            };
            print_coin(&mut text, &step.coin);
        }
        text
    }
}

fn port_name(port: Port) -> String {
    match port {
        LEFT => "left".into(),
        RIGHT => "right".into(),
        port => port.to_string(),
    }
}

fn step(mut words: LineReader<'_>, size: usize) -> Result<Line, ParseError> {
    let (_, kind) = words.take("step or receive")?;
    let process = words.number("a process", size)?;
    let act = if kind == "step" {
        Act::Step
    } else {
        let port = match () {
            () if words.take_if("left") => LEFT,
            () if words.take_if("right") => RIGHT,
            () => words.value("left, right or a port", |_| true)?,
        };
        Act::Receive { port, index: words.value("an index", |_| true)? }
    };
    Ok(Line { line: words.line, process, act, coin: words.coin()? })
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
    let mut coin = Script::new(&step.coin);
    let mut sent = Sent::default();
    now.take(process, step.act, &mut coin, &mut sent);
    let drawn = coin.finish(step.line)?.drawn;
    Ok(Taken { received, sent: now.print_sent(&sent), drawn })
}
