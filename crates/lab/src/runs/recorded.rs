//! A run as a page of its own: one file with the player and all frames, which needs no server.

use crate::Refused;
use crate::page;
use crate::runs::archive::Archive;
use crate::runs::look;
use crate::runs::replayed;
use crate::runs::setup::{Setup, Subject};
use crate::runs::story::{Act, Frame, Range, Story};
use ringleader_catalog::Catalog;
use ringleader_report::json::OptionalFields as _;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;

/// The most frames of a page; of a longer run it holds every second, third, .. frame.
const MOST_FRAMES: u64 = 12_000;
/// The most steps of a run.
pub(crate) const MOST_STEPS: u64 = 20_000_000;

/// A run to be saved as a page.
///
/// ```
/// use ringleader_catalog::Catalog;
/// use ringleader_lab::{Recording, Setup};
///
/// let setup = Setup { algorithm: "yokota-ring".into(), size: 8, seed: 3, ..Setup::default() };
/// let page = Recording::new(setup).html(&Catalog::builtin())?;
/// assert!(page.starts_with("<!doctype html>") && !page.contains("src=\"http"));
/// # Ok::<(), ringleader_lab::Refused>(())
/// ```
#[derive(Clone, Debug)]
pub struct Recording {
    pub(crate) story: Story,
    /// The number of steps; until a little after the goal is reached if it is not chosen.
    pub steps: Option<u64>,
    /// The failure that a check found on this run.
    pub(crate) found: Option<String>,
}

impl Recording {
    /// Whether a file is the page of a recording.
    pub fn detect(page: &str) -> bool {
        page.contains(page::RECORDING)
    }

    /// The run that `ringleader elect` shows with this setup.
    #[must_use]
    pub fn new(setup: Setup) -> Recording {
        Recording { story: Story { setup, ..Story::default() }, steps: None, found: None }
    }

    /// The run of a trace, such as `ringleader check --save` writes. The page says about it what is verified when it is written, and
    /// which failure a check has `found` on it, if the caller has just made that check.
    pub fn replay(trace: &str, found: Option<&str>) -> Result<Recording, Refused> {
        let story = replayed::story(trace)?;
        let steps = story.script.as_ref().map(|script| script.steps.len() as u64);
        Ok(Recording { story, steps, found: found.map(String::from) })
    }

    /// Corrupts these agents after `at` steps.
    pub fn strike(&mut self, at: u64, agents: &[usize]) {
        self.story.acts.push(Act { at, corrupt: agents.to_vec(), ..Act::default() });
    }

    /// The whole page.
    pub fn html(&self, catalog: &Catalog) -> Result<String, Refused> {
        let subject = self.story.setup.build(catalog)?;
        self.written(&subject, &Archive::new(|| Duration::ZERO), |_| true)
    }

    /// The whole page; `goes_on` is told the number of steps so far.
    pub(crate) fn written(
        &self,
        subject: &Subject,
        archive: &Archive,
        goes_on: impl Fn(u64) -> bool,
    ) -> Result<String, Refused> {
        let steps = match self.steps {
            Some(steps) => steps.max(1),
            None => self.until_reached(subject, archive)?,
        };
        let every = steps.div_ceil(MOST_FRAMES).max(1);
        let (mut from, mut frames, mut texts, mut stopped) = (0, Vec::<Frame>::new(), BTreeMap::new(), None);
        while from <= steps && stopped.is_none() {
            let told = self.story.frames(subject, Range { from, to: steps, every }, archive)?;
            if !goes_on(told.so_far) {
                return Err(Refused::new("cancelled"));
            }
            stopped = told.stopped;
            let Some(last) = told.frames.last() else { continue };
            from = last.step + every;
            frames.extend(told.frames);
            texts.extend(told.texts);
        }
        let moments: Vec<_> =
            (0..frames.len()).map(|i| difference(i.checked_sub(1).map(|j| &frames[j]), &frames[i])).collect();
        let recording = json!({
            "subject": look::subject(&self.story.setup, subject), "story": self.story, "every": every, "moments": moments,
            "texts": texts, "stopped": stopped, "verified": self.story.verified(subject, archive)?, "found": self.found,
        });
        let setup = &self.story.setup;
        let which = if self.story.script.is_some() { "a recorded run".into() } else { format!("seed {}", setup.seed) };
        let (name, size, members) = (subject.card.name, subject.parameters.size, subject.card.kind.members());
        Ok(page::recorded(&format!("{name}, {size} {members}, {which}"), &recording))
    }

    /// The number of steps until a little after the goal is reached.
    fn until_reached(&self, subject: &Subject, archive: &Archive) -> Result<u64, Refused> {
        let (mut from, mut every) = (0, 1);
        while from < MOST_STEPS {
            let told = self.story.frames(subject, Range { from, to: from + 1000 * every, every }, archive)?;
            if let Some(frame) = told.frames.iter().find(|frame| frame.safe) {
                return Ok(frame.step + (frame.step / 8).max(10));
            }
            match told.frames.last() {
                Some(last) if told.stopped.is_some() => return Ok(last.step),
                Some(last) => from = last.step + 1,
                None if told.stopped.is_some() => break,
                None => {}
            }
            every = (every * 2).min(256);
        }
        Ok(from)
    }
}

/// The changes of a frame since the one before.
fn difference(before: Option<&Frame>, now: &Frame) -> Value {
    let old = |i: usize| before.map(|frame| (frame.states[i], frame.marks[i]));
    let changes: Vec<_> = (0..now.states.len())
        .filter(|&i| old(i) != Some((now.states[i], now.marks[i])))
        .map(|i| (i, now.states[i], now.marks[i]))
        .collect();
    let told = json!({"n": now.step, "c": changes, "l": now.leaders, "k": now.tokens, "f": u8::from(now.correct) + 2 * u8::from(now.safe)});
    told.with("t", now.taken.as_ref().map(|taken| json!(taken)))
        .with("e", (!now.edited.is_empty()).then(|| json!(now.edited)))
        .with("x", now.traffic.as_ref().map(|traffic| json!(traffic)))
}
