//! A run from the clean start, states and messages as text.

use ringleader_erased::MessageInstance;
use ringleader_model::message_trace::{self, Act, Line, Taken};
use ringleader_model::{Channels, Ensemble, ParseError, Port, Snapshot};

mod chart;

/// A message that a process receives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Received {
    /// Through which port.
    pub port: Port,
    /// Where it lay in its channel, the oldest being 0.
    pub index: usize,
    /// What it says.
    pub message: String,
}

/// One step of a run, states and messages as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Who moves.
    pub process: usize,
    /// What it receives; nothing if the step is of its own accord.
    pub received: Option<Received>,
    /// The random draws, in order.
    pub draws: Vec<u32>,
    /// The values that they stand for.
    pub drawn: Vec<u64>,
    /// What it sends.
    pub sent: Vec<(Port, String)>,
    /// Its state afterwards.
    pub after: String,
}

/// A run from the clean start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Where it begins.
    pub start: Snapshot<String, String>,
    /// What happens.
    pub steps: Vec<Step>,
    /// Where it ends; channels hold their messages oldest first, even if they are bags.
    pub end: Snapshot<String, String>,
    /// How many leaders there are then.
    pub leaders: usize,
    /// Whether nobody can do anything more.
    pub ended: bool,
}

impl Run {
    /// Plays the steps of a trace by the algorithm's own rules.
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
