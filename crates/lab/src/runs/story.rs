//! A run as a page tells it: a setup, and what the viewer did when. Nothing else decides it, so it can be sent, kept and told again.

use crate::runs::setup::Setup;
use ringleader_model::trace::Actor;
use ringleader_simulate::plain::Choice;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A run, as a page describes it.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Story {
    pub setup: Setup,
    /// What the viewer did, in order of time.
    pub acts: Vec<Act>,
    /// The steps of a recorded run; what comes after is the scheduler's.
    pub script: Option<Script>,
}

/// Steps that were found by a check.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Script {
    pub steps: Vec<Move>,
    /// From where on they repeat for ever.
    pub cycle: Option<usize>,
    /// What the whole of it shows; nothing once the viewer has left it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shows: Option<String>,
}

impl Script {
    pub(crate) fn at(&self, step: u64) -> Option<&Move> {
        let (step, len) = (usize::try_from(step).ok()?, self.steps.len());
        match self.cycle {
            Some(first) if step >= len && first < len => self.steps.get(first + (step - first) % (len - first)),
            _ => self.steps.get(step),
        }
    }
}

/// Something that the viewer did.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub(crate) struct Act {
    /// After how many steps.
    pub at: u64,
    #[serde(flatten)]
    pub next: Move,
    /// This agent gets another state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// These agents get arbitrary states.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub corrupt: Vec<usize>,
}

/// Who takes a step, and with what luck.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub(crate) struct Move {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arc: Option<(usize, usize)>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub processes: Vec<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub all: Option<bool>,
    /// A message: through which port it comes, and where it lies in its channel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<(usize, usize)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inputs: Option<(bool, bool)>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub coin: Vec<u32>,
}

impl Move {
    /// As the engine takes it, if it is a step at all.
    pub(crate) fn choice(&self) -> Option<Choice> {
        let actor = match (self.arc, self.processes.as_slice(), self.all) {
            (Some((u, v)), ..) => Actor::Arc(u, v),
            (_, [one], _) => Actor::Process(*one),
            (_, [_, ..], _) => Actor::Processes(self.processes.clone()),
            (_, _, Some(true)) => Actor::All,
            _ => return None,
        };
        Some(Choice { actor, inputs: self.inputs, coin: self.coin.clone() })
    }

    /// What an engine or a check says that somebody did.
    pub(crate) fn of(actor: &Actor, inputs: Option<(bool, bool)>, coin: &[u32]) -> Move {
        let mut step = Move { inputs, coin: coin.to_vec(), ..Move::default() };
        match actor {
            Actor::Arc(u, v) => step.arc = Some((*u, *v)),
            Actor::Process(one) => step.processes = vec![*one],
            Actor::Processes(several) => step.processes = several.clone(),
            Actor::All => step.all = Some(true),
        }
        step
    }
}

/// One moment of a run.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Frame {
    pub step: u64,
    /// The numbers of the agents' states.
    pub states: Vec<u64>,
    /// What they show of themselves, as bits in the order of [`look::MARKS`].
    pub marks: Vec<u16>,
    pub leaders: usize,
    pub tokens: usize,
    pub correct: bool,
    pub safe: bool,
    /// The step that led here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub taken: Option<Step>,
    /// The agents that the viewer changed here.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub edited: Vec<usize>,
    /// What is under way, where messages are passed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub traffic: Option<Traffic>,
}

/// A step that was taken.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Step {
    #[serde(flatten)]
    pub step: Move,
    pub rules: Vec<u8>,
}

/// Moments of a run, and what the numbers of their states mean.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Frames {
    pub frames: Vec<Frame>,
    pub texts: BTreeMap<u64, String>,
    /// Why the run cannot go on, if it cannot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<String>,
}

/// Which moments are wanted.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(crate) struct Range {
    pub from: u64,
    pub to: u64,
    #[serde(default)]
    pub every: u64,
}

/// A message under way.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Waiting {
    /// Counted in the order of sending.
    pub id: u64,
    /// Who sent it, and who is to receive it.
    pub from: usize,
    pub to: usize,
    pub port: usize,
    /// Where it lies in its channel, the oldest being 0.
    pub index: usize,
    pub text: String,
    /// Whether it may arrive now.
    pub ready: bool,
    /// After which step it was sent.
    pub sent: u64,
}

/// What happens among processes at one moment, besides their states.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Traffic {
    pub waiting: Vec<Waiting>,
    /// The processes that may step of their own accord.
    pub ready: Vec<usize>,
    /// The message that arrived in the step that led here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub received: Option<Waiting>,
}
