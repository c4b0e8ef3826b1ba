//! An execution from the clean start, with states and messages as text.

use ringleader_erased::MessageInstance;
use ringleader_model::message_trace::{self, Act, Line, Taken};
use ringleader_model::{Channels, Ensemble, ParseError, Port, Snapshot};

mod chart;

/// A message that a process receives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Received {
    /// The port.
    pub port: Port,
    /// Its position in the channel; the oldest message is 0.
    pub index: usize,
    /// The message.
    pub message: String,
}

/// One step of an execution, with states and messages as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The process.
    pub process: usize,
    /// The message that it receives; none if it takes a step of its own.
    pub received: Option<Received>,
    /// The random draws, in order.
    pub draws: Vec<u32>,
    /// The values of the draws.
    pub drawn: Vec<u64>,
    /// The messages that it sends.
    pub sent: Vec<(Port, String)>,
    /// Its state after the step.
    pub after: String,
}

/// An execution from the clean start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The initial configuration.
    pub start: Snapshot<String, String>,
    /// The steps.
    pub steps: Vec<Step>,
    /// The final configuration. Channels list their oldest message first, even if they are bags.
    pub end: Snapshot<String, String>,
    /// The number of leaders at the end.
    pub leaders: usize,
    /// Whether no process can take a step.
    pub ended: bool,
}

impl Run {
    /// Executes the steps of a trace by the algorithm's own rules.
    pub fn play(algorithm: &MessageInstance, channels: Channels, lines: &[Line]) -> Result<Run, ParseError> {
        let mut now = Ensemble::new(algorithm);
        let (start, mut steps) = (now.print(), vec![]);
        for line in lines {
            let Taken { received, sent, drawn } = message_trace::take(&mut now, channels, line)?;
            let received = match (received, line.act) {
                (Some(message), Act::Receive { port, index }) => Some(Received { port, index, message }),
                _ => None,
            };
            let (process, draws) = (line.process, line.coin.clone());
            steps.push(Step { process, received, draws, drawn, sent, after: now.state(process) });
        }
        let leaders = now.marks().iter().filter(|marks| marks.leader()).count();
        Ok(Run { start, steps, end: now.print(), leaders, ended: now.all_choices(channels).is_empty() })
    }

    /// The steps as lines of a trace.
    pub fn lines(&self) -> Vec<Line> {
        let line = |step: &Step| {
            let receive = |received: &Received| Act::Receive { port: received.port, index: received.index };
            let act = step.received.as_ref().map_or(Act::Step, receive);
            Line { line: 0, process: step.process, act, coin: step.draws.clone() }
        };
        self.steps.iter().map(line).collect()
    }
}
