//! The frames of a story, computed by the engine.

use crate::Refused;
use crate::runs::archive::Archive;
use crate::runs::messages;
use crate::runs::setup::{Runnable, Subject};
use crate::runs::story::{Frame, Frames, Move, Range, Story, StoryStep};
use ringleader_erased::Number;
use ringleader_model::Marks;
use ringleader_simulate::plain::{SimulatedRun as _, StabilizingRun, TakenStep};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

/// The most states of agents in one answer.
const MOST_STATES: usize = 1 << 20;
/// The time after which an answer is sent with the frames so far.
const LONGEST: Duration = Duration::from_secs(2);
/// The number of steps between two checkpoints.
const SPACING: u64 = 256;
/// The last step of a run that is shown.
const LAST: u64 = 1_000_000_000;

/// A run of which frames are computed.
pub(crate) struct Telling<'a> {
    subject: &'a Subject,
    story: &'a Story,
    run: StabilizingRun<'a>,
    /// The number of acts that are done.
    done: usize,
    taken: Option<StoryStep>,
    edited: Vec<usize>,
}

impl Story {
    /// The keys of the archive: one for the setup, and one after each act.
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

    /// The frames in a range.
    pub(crate) fn frames(&self, subject: &Subject, range: Range, archive: &Archive) -> Result<Frames, Refused> {
        if !self.acts.is_sorted_by_key(|act| act.at) {
            return Err(Refused::new("the acts are not in the order of time"));
        }
        if range.from > LAST {
            return Err(Refused::new(format!("the lab follows a run to step {LAST}, no further")));
        }
        if let Runnable::Message(algorithm) = &subject.runnable {
            return messages::frames(self, subject, algorithm, range);
        }
        let begun = (archive.now)();
        let (every, chapters) = (range.every.max(1), self.chapters());
        let run = self.setup.run(subject)?;
        let mut telling = Telling { subject, story: self, run, done: 0, taken: None, edited: vec![] };
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
            // An answer takes at most two seconds; a page that is open asks for the rest.
            if now >= range.to || next > range.to || full || (archive.now)() - begun > LONGEST {
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
        told.so_far = telling.run.steps();
        for frame in &told.frames {
            for &state in &frame.states {
                told.texts.entry(state).or_insert_with(|| subject.text(state));
            }
        }
        Ok(told)
    }

    /// The states at a step.
    pub(crate) fn states_at(&self, subject: &Subject, step: u64, archive: &Archive) -> Result<Vec<Number>, Refused> {
        let range = Range { from: step, to: step, every: 1 };
        let frames = self.frames(subject, range, archive)?;
        let far = || match &frames.stopped {
            Some(_) => format!("the run does not reach step {step}"),
            None => format!("step {step} takes too long for one answer: ask for the frames before it first"),
        };
        let frame = frames.frames.last().ok_or_else(|| Refused::new(far()))?;
        Ok(frame.states.iter().map(|&state| Number(state)).collect())
    }
}

impl Frames {
    /// Evaluates expressions in every frame.
    pub(crate) fn evaluate(&mut self, subject: &Subject, expressions: &[String]) -> Result<(), Refused> {
        if expressions.is_empty() {
            return Ok(());
        }
        let watched = expressions.iter().map(|text| subject.watched(text)).collect::<Result<Vec<_>, _>>()?;
        let values = |frame: &Frame| {
            let states: Vec<u32> = frame.states.iter().map(|&state| state as u32).collect();
            watched.iter().map(|value| value(&states)).collect()
        };
        self.watched = self.frames.iter().map(values).collect();
        Ok(())
    }
}

impl Telling<'_> {
    /// Goes to the last checkpoint before `from`, so that the step that leads to `from` is seen.
    fn take_up(&mut self, from: u64, chapters: &[u64], archive: &Archive) {
        let acts = &self.story.acts;
        for done in (0..=acts.len()).rev() {
            let began = if done == 0 { 0 } else { acts[done - 1].at };
            if began >= from {
                continue;
            }
            // The checkpoint must be before the next act.
            let until = acts.get(done).map_or(u64::MAX, |next| next.at).min(from.saturating_sub(1));
            if let Some(checkpoint) = archive.latest(chapters[done], began, until) {
                self.run.go_to(&checkpoint);
                self.done = done;
                return;
            }
        }
    }

    /// Carries out the changes of the viewer at this step.
    fn edits(&mut self) -> Result<(), Refused> {
        self.edited.clear();
        if self.story.acts.get(self.done).is_some_and(|act| act.at < self.run.steps()) {
            return Err(Refused::new("a change of states comes after a step of the same time"));
        }
        while let Some(act) = self.story.acts.get(self.done).filter(|act| act.at == self.run.steps()) {
            if act.next.choice().is_some() {
                break;
            }
            self.done += 1;
            let size = self.run.size();
            if let Some(&stray) = act.agent.iter().chain(&act.corrupt).find(|agent| **agent >= size) {
                let (one, all) = (self.subject.card.kind.member(), self.subject.card.kind.members());
                return Err(Refused::new(format!("there is no {one} {stray}: the {all} are 0 to {}", size - 1)));
            }
            if let (Some(agent), Some(text)) = (act.agent, &act.state) {
                self.run.put(agent, self.subject.read(text)?);
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
        let TakenStep { actor, inputs, rules, coin } = match chosen.or_else(scripted) {
            Some(choice) => self.run.take(&choice),
            None => self.run.advance(),
        }
        .map_err(Refused::new)?;
        self.taken = Some(StoryStep { step: Move::of(&actor, inputs, &coin), rules });
        Ok(())
    }

    fn frame(&self) -> Frame {
        let numbers = self.run.numbers();
        let (marks, algorithm) = (self.run.marks(), self.subject.stabilizing());
        Frame {
            step: self.run.steps(),
            states: numbers.iter().map(|state| state.0).collect(),
            leaders: marks.iter().filter(|m| m.leader()).count(),
            tokens: marks.iter().filter(|m| m.token()).count(),
            marks: marks.into_iter().map(Marks::bits).collect(),
            correct: algorithm.is_some_and(|algorithm| algorithm.correct(numbers)),
            safe: algorithm.is_some_and(|algorithm| algorithm.safe(numbers)),
            taken: self.taken.clone(),
            edited: self.edited.clone(),
            traffic: None,
        }
    }
}
