//! A run as a page tells it: a setup, and what the viewer did when. Nothing else decides it, so it can be sent, kept and told again.

use crate::Refused;
use crate::archive::Archive;
use crate::look;
use crate::messages::{self, Traffic};
use crate::setup::{Setup, Subject, System};
use ringleader_instance::Number;
use ringleader_model::text::parse_state;
use ringleader_model::trace::Actor;
use ringleader_simulate::plain::{Choice, Steered, Taken};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::{Duration, Instant};

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

/// So many states of agents in one answer, at most.
const MOST_STATES: usize = 1 << 20;
/// After this long an answer goes out with what there is.
const LONGEST: Duration = Duration::from_secs(2);
/// So far apart are the moments from which a run can be taken up again.
const SPACING: u64 = 256;

/// A run being told.
pub(crate) struct Telling<'a> {
    subject: &'a Subject,
    story: &'a Story,
    run: Box<dyn Steered + 'a>,
    /// How many of the acts are done.
    done: usize,
    taken: Option<Step>,
    edited: Vec<usize>,
}

impl Story {
    /// By which the archive knows a run: of the setup, and after each act.
    fn chapters(&self) -> Vec<u64> {
        let mut hasher = DefaultHasher::new();
        let mut add = |text: String| {
            text.hash(&mut hasher);
            hasher.finish()
        };
        let opening = serde_json::to_string(&(&self.setup, &self.script)).unwrap_or_default();
        let mut chapters = vec![add(opening)];
        chapters.extend(self.acts.iter().map(|act| add(serde_json::to_string(act).unwrap_or_default())));
        chapters
    }

    /// The moments that are wanted, each computed by the engine.
    pub(crate) fn frames(&self, subject: &Subject, range: Range, archive: &Archive) -> Result<Frames, Refused> {
        if !self.acts.is_sorted_by_key(|act| act.at) {
            return Err(Refused::new("what the viewer did is not in order of time"));
        }
        if let System::Message(algorithm) = &subject.system {
            return messages::frames(self, subject, &**algorithm, range);
        }
        let begun = Instant::now();
        let (every, chapters) = (range.every.max(1), self.chapters());
        let mut telling = Telling::begin(subject, self)?;
        telling.take_up(range.from, &chapters, archive);
        let mut told = Frames::default();
        let mut next = range.from;
        loop {
            if let Err(refused) = telling.edits() {
                told.stopped = Some(refused.to_string());
                break;
            }
            let now = telling.run.steps();
            if now >= next {
                told.frames.push(telling.frame());
                next = now.saturating_add(every);
            }
            let full = told.frames.len() * subject.parameters.size >= MOST_STATES;
            if now >= range.to || next > range.to || full || begun.elapsed() > LONGEST && !told.frames.is_empty() {
                break;
            }
            if now.is_multiple_of(SPACING) {
                archive.keep(chapters[telling.done], telling.run.checkpoint());
            }
            if let Err(refused) = telling.step() {
                told.stopped = Some(refused.to_string());
                break;
            }
        }
        archive.keep(chapters[telling.done], telling.run.checkpoint());
        for frame in &told.frames {
            for &state in &frame.states {
                told.texts.entry(state).or_insert_with(|| look::text(subject, state));
            }
        }
        Ok(told)
    }

    /// The states at a moment.
    pub(crate) fn states_at(&self, subject: &Subject, step: u64, archive: &Archive) -> Result<Vec<Number>, Refused> {
        let range = Range { from: step, to: step, every: 1 };
        let frames = self.frames(subject, range, archive)?;
        let frame = frames.frames.last().ok_or_else(|| Refused::new(format!("the run does not get to step {step}")))?;
        Ok(frame.states.iter().map(|&state| Number(state)).collect())
    }
}

impl<'a> Telling<'a> {
    fn begin(subject: &'a Subject, story: &'a Story) -> Result<Telling<'a>, Refused> {
        let run = story.setup.run(subject)?;
        Ok(Telling { subject, story, run, done: 0, taken: None, edited: vec![] })
    }

    /// Goes to the last moment before `from` that the archive knows: one step before it, so that its step is seen.
    fn take_up(&mut self, from: u64, chapters: &[u64], archive: &Archive) {
        let acts = &self.story.acts;
        for done in (0..=acts.len()).rev() {
            let began = if done == 0 { 0 } else { acts[done - 1].at };
            if began >= from {
                continue;
            }
            // Where this many acts are done and no more: before the next one.
            let until = acts.get(done).map_or(u64::MAX, |next| next.at).min(from.saturating_sub(1));
            if let Some(checkpoint) = archive.latest(chapters[done], began, until) {
                self.run.go_to(&checkpoint);
                self.done = done;
                return;
            }
        }
    }

    /// What the viewer changes at this moment.
    fn edits(&mut self) -> Result<(), Refused> {
        self.edited.clear();
        if self.story.acts.get(self.done).is_some_and(|act| act.at < self.run.steps()) {
            return Err(Refused::new("a change and the step after it are given in the wrong order"));
        }
        while let Some(act) = self.story.acts.get(self.done).filter(|act| act.at == self.run.steps()) {
            if act.next.choice().is_some() {
                break;
            }
            self.done += 1;
            let size = self.run.size();
            if let Some(&stray) = act.agent.iter().chain(&act.corrupt).find(|agent| **agent >= size) {
                return Err(Refused::new(format!("there is no agent {stray}: there are {size}")));
            }
            if let (Some(agent), Some(text)) = (act.agent, &act.state) {
                let state = read(self.subject, text)?;
                self.run.put(agent, state);
                self.edited.push(agent);
            }
            if !act.corrupt.is_empty() {
                self.run.corrupt(&act.corrupt);
                self.edited.extend(&act.corrupt);
            }
        }
        Ok(())
    }

    /// The next step: the viewer's, the script's or the scheduler's.
    fn step(&mut self) -> Result<(), Refused> {
        let now = self.run.steps();
        let chosen = self.story.acts.get(self.done).filter(|act| act.at == now).and_then(|act| act.next.choice());
        self.done += usize::from(chosen.is_some());
        let scripted = || self.story.script.as_ref()?.at(now)?.choice();
        let Taken { actor, inputs, rules, coin } = match chosen.or_else(scripted) {
            Some(choice) => self.run.take(&choice),
            None => self.run.advance(),
        }
        .map_err(Refused::new)?;
        self.taken = Some(Step { step: Move::of(&actor, inputs, &coin), rules });
        Ok(())
    }

    fn frame(&self) -> Frame {
        let numbers = self.run.numbers();
        let marks = self.run.marks();
        let judged = look::judged(self.subject, numbers);
        Frame {
            step: self.run.steps(),
            states: numbers.iter().map(|state| state.0).collect(),
            leaders: marks.iter().filter(|m| m.leader()).count(),
            tokens: marks.iter().filter(|m| m.token()).count(),
            marks: marks.into_iter().map(look::bits).collect(),
            correct: judged.0,
            safe: judged.1,
            taken: self.taken.clone(),
            edited: self.edited.clone(),
            traffic: None,
        }
    }
}

/// Reads a state of an algorithm.
pub(crate) fn read(subject: &Subject, text: &str) -> Result<Number, Refused> {
    let state = match &subject.system {
        System::Population(instance, _) => parse_state(instance, text, 1, 1),
        System::Ring(instance) => parse_state(instance, text, 1, 1),
        System::Message(_) => return Err(Refused::new("the states of processes that pass messages cannot be edited")),
    };
    state.map_err(|wrong| Refused::new(wrong.message))
}
