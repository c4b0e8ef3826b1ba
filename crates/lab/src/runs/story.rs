//! A run as a page describes it: a setup and the acts of the viewer. They determine the run, so a link can hold it.

use crate::runs::claim::StatedClaim;
use crate::runs::setup::Setup;
use ringleader_model::message_trace::{Act as Event, Line};
use ringleader_model::trace::Actor;
use ringleader_simulate::plain::ChosenStep;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// A run.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Story {
    pub setup: Setup,
    /// The acts of the viewer, in the order of time.
    pub acts: Vec<Act>,
    /// The steps of a recorded run; the scheduler chooses the later ones.
    pub script: Option<Script>,
}

/// The steps of a recorded run, and its assumptions. It holds no words: [`Story::verified`] finds out what it shows.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Script {
    pub steps: Vec<Move>,
    /// The step from which on they repeat for ever.
    #[serde(default)]
    pub cycle: Option<usize>,
    /// The class of schedules; that of the algorithm's claim if it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scheduler: Option<String>,
    /// The actions that local fairness distinguishes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fairness: Option<String>,
    /// The answers that a leader detector may give.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oracle: Option<String>,
    /// The claim that the run is about; the promise of the algorithm if it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim: Option<StatedClaim>,
    /// The outcomes of the coins, where a daemon chooses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coins: Option<String>,
    /// The strategy of the daemon against fair coins, in the form of a trace. The steps are one execution of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strategy: Option<String>,
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

/// An act of the viewer.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub(crate) struct Act {
    /// The number of steps before it.
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

/// A step: its agents or processes, and the outcomes of its coins.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub(crate) struct Move {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arc: Option<(usize, usize)>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub processes: Vec<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub all: Option<bool>,
    /// A message: the port through which it arrives, and its index in the channel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<(usize, usize)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inputs: Option<(bool, bool)>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub coin: Vec<u32>,
}

impl Move {
    /// The step in the form of the engine, if it is one.
    pub(crate) fn choice(&self) -> Option<ChosenStep> {
        let actor = match (self.arc, self.processes.as_slice(), self.all) {
            (Some((u, v)), ..) => Actor::Arc(u, v),
            (_, [one], _) => Actor::Process(*one),
            (_, [_, ..], _) => Actor::Processes(self.processes.clone()),
            (_, _, Some(true)) => Actor::All,
            _ => return None,
        };
        Some(ChosenStep { actor, inputs: self.inputs, coin: self.coin.clone() })
    }

    /// A step in the form of an engine or a check.
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

    /// A step of a process that passes messages.
    pub(crate) fn of_line(Line { process, act, coin, .. }: Line) -> Move {
        let message = if let Event::Receive { port, index } = act { Some((port, index)) } else { None };
        Move { processes: vec![process], message, coin, ..Move::default() }
    }

    /// What a process that passes messages does in this step.
    pub(crate) fn event(&self) -> Event {
        self.message.map_or(Event::Step, |(port, index)| Event::Receive { port, index })
    }
}

/// A configuration of a run.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Frame {
    pub step: u64,
    /// The numbers of the agents' states.
    pub states: Vec<u64>,
    /// The marks of the agents, as [`ringleader_model::Marks::bits`].
    pub marks: Vec<u16>,
    pub leaders: usize,
    pub tokens: usize,
    pub correct: bool,
    pub safe: bool,
    /// The step that led here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub taken: Option<StoryStep>,
    /// The agents that the viewer changed here.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub edited: Vec<usize>,
    /// The messages in transit, where messages are passed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub traffic: Option<Traffic>,
}

/// A step that was taken.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct StoryStep {
    #[serde(flatten)]
    pub step: Move,
    pub rules: Vec<u8>,
}

/// Frames of a run, and the texts of their states.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Frames {
    pub frames: Vec<Frame>,
    pub texts: BTreeMap<u64, String>,
    /// The number of steps that were computed; the first frame may be later.
    pub so_far: u64,
    /// Of each frame, the values of the watched expressions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub watched: Vec<Vec<Value>>,
    /// Why the run ends here, if it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<String>,
}

/// The frames that a page asks for.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(crate) struct Range {
    pub from: u64,
    pub to: u64,
    #[serde(default)]
    pub every: u64,
}

/// A message in transit.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Waiting {
    /// Counted in the order of sending.
    pub id: u64,
    /// The sender and the receiver.
    pub from: usize,
    pub to: usize,
    pub port: usize,
    /// Its index in the channel; the oldest has 0.
    pub index: usize,
    pub text: String,
    /// Whether it may arrive now.
    pub ready: bool,
    /// The step in which it was sent.
    pub sent: u64,
}

/// The messages of a configuration.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Traffic {
    pub waiting: Vec<Waiting>,
    /// The processes that may step without a message.
    pub ready: Vec<usize>,
    /// The message that arrived in the step that led here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub received: Option<Waiting>,
}
