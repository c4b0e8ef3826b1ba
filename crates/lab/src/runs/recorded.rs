//! A run on a page of its own: one file with the player and every moment, for a lecture or a paper, without a server.

use crate::Refused;
use crate::page;
use crate::runs::archive::Archive;
use crate::runs::look;
use crate::runs::replayed;
use crate::runs::setup::{Setup, Start, Subject};
use crate::runs::story::{Act, Frame, Range, Story};
use ringleader_catalog::Catalog;
use ringleader_erased::Parameters;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A page holds so many moments at most; of a longer run it holds every second, third, .. one.
const MOST_MOMENTS: u64 = 12_000;
/// A run is looked at for so many steps at most.
const MOST_STEPS: u64 = 20_000_000;

/// A run to be put on a page of its own.
///
/// ```
/// use ringleader_catalog::Catalog;
/// use ringleader_erased::Parameters;
/// use ringleader_lab::Recording;
///
/// let page = Recording::new("yokota-ring", &Parameters::new(8), 3).html(&Catalog::builtin())?;
/// assert!(page.starts_with("<!doctype html>") && !page.contains("src=\"http"));
/// # Ok::<(), ringleader_lab::Refused>(())
/// ```
#[derive(Clone, Debug)]
pub struct Recording {
    story: Story,
    steps: Option<u64>,
}

impl Recording {
    /// The run of an algorithm of the catalog that `ringleader elect` shows with this seed, until it has reached its goal and
    /// a little longer.
    #[must_use]
    pub fn new(algorithm: &str, parameters: &Parameters, seed: u64) -> Recording {
        let given = parameters.given().into_iter().collect::<BTreeMap<_, _>>();
        let setup =
            Setup { algorithm: algorithm.into(), size: parameters.size, parameters: given, seed, ..Setup::default() };
        Recording { story: Story { setup, ..Story::default() }, steps: None }
    }

    /// From another start: `clean`, `all-leaders` or `no-leader`.
    #[must_use]
    pub fn starting(mut self, start: &str) -> Recording {
        self.story.setup.start = Start::Named(start.into());
        self
    }

    /// The run in a trace, such as `ringleader check --save` writes, of an algorithm of the catalog; `shows` says what it is a
    /// counterexample of, if it is one.
    pub fn replay(trace: &str, shows: Option<&str>) -> Result<Recording, Refused> {
        let story = replayed::story(trace, shows)?;
        let steps = story.script.as_ref().map(|script| script.steps.len() as u64);
        Ok(Recording { story, steps })
    }

    /// From the states of a configuration file.
    #[must_use]
    pub fn from_text(mut self, configuration: &str) -> Recording {
        self.story.setup.start = Start::Given(replayed::states(configuration));
        self
    }

    /// Under a scheduler, with an oracle, over channels, on the graph of a file's text: where they are not the algorithm's own.
    #[must_use]
    pub fn under(
        mut self,
        scheduler: Option<String>,
        oracle: Option<String>,
        channels: Option<String>,
        graph: Option<String>,
    ) -> Recording {
        let setup = &mut self.story.setup;
        (setup.scheduler, setup.oracle, setup.channels, setup.graph) = (scheduler, oracle, channels, graph);
        self
    }

    /// After so many steps these agents get arbitrary states.
    #[must_use]
    pub fn struck(mut self, at: u64, agents: &[usize]) -> Recording {
        self.story.acts.push(Act { at, corrupt: agents.to_vec(), ..Act::default() });
        self
    }

    /// For so many steps, however far it is then.
    #[must_use]
    pub fn lasting(self, steps: u64) -> Recording {
        Recording { steps: Some(steps), ..self }
    }

    /// What a page has shown, so many steps of it.
    pub(crate) fn of(story: Story, steps: u64) -> Recording {
        Recording { story, steps: Some(steps) }
    }

    /// The whole page.
    pub fn html(&self, catalog: &Catalog) -> Result<String, Refused> {
        let subject = self.story.setup.build(catalog)?;
        self.page(&subject, &Archive::default())
    }

    pub(crate) fn page(&self, subject: &Subject, archive: &Archive) -> Result<String, Refused> {
        let steps = match self.steps {
            Some(steps) => steps.max(1),
            None => self.until_reached(subject, archive)?,
        };
        let every = steps.div_ceil(MOST_MOMENTS).max(1);
        let (mut from, mut frames, mut texts, mut stopped) = (0, Vec::<Frame>::new(), BTreeMap::new(), None);
        while from <= steps && stopped.is_none() {
            let told = self.story.frames(subject, Range { from, to: steps, every }, archive)?;
            let Some(last) = told.frames.last() else { break };
            from = last.step + every;
            stopped = told.stopped;
            frames.extend(told.frames);
            texts.extend(told.texts);
        }
        let moments: Vec<_> =
            (0..frames.len()).map(|i| moment(i.checked_sub(1).map(|j| &frames[j]), &frames[i])).collect();
        let recording = json!({
            "subject": look::subject(&self.story.setup, subject), "story": self.story, "every": every, "moments": moments,
            "texts": texts, "stopped": stopped,
        });
        let setup = &self.story.setup;
        let which =
            if self.story.script.is_some() { "as a check found it".into() } else { format!("seed {}", setup.seed) };
        Ok(page::recorded(&format!("{}, {} agents, {which}", subject.card.name, subject.parameters.size), &recording))
    }

    /// After how many steps the goal is reached, and a little longer.
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
                None => break,
            }
            every = (every * 2).min(256);
        }
        Ok(from)
    }
}

/// What is new at a moment.
fn moment(before: Option<&Frame>, now: &Frame) -> Value {
    let old = |i: usize| before.map(|frame| (frame.states[i], frame.marks[i]));
    let changes: Vec<_> = (0..now.states.len())
        .filter(|&i| old(i) != Some((now.states[i], now.marks[i])))
        .map(|i| (i, now.states[i], now.marks[i]))
        .collect();
    let mut told = json!({"n": now.step, "c": changes, "l": now.leaders, "k": now.tokens, "f": u8::from(now.correct) + 2 * u8::from(now.safe)});
    if let Some(taken) = &now.taken {
        told["t"] = json!(taken);
    }
    if !now.edited.is_empty() {
        told["e"] = json!(now.edited);
    }
    if let Some(traffic) = &now.traffic {
        told["x"] = json!(traffic);
    }
    told
}
