//! The requests of a page: a verb, and its argument as JSON.

use crate::Refused;
use crate::host::{Host, Opening};
use crate::questions::checks;
use crate::questions::jobs::Jobs;
use crate::questions::know::{self, Atlases};
use crate::questions::lint::lint;
use crate::questions::{measure, proof, record};
use crate::runs::archive::Archive;
use crate::runs::look;
use crate::runs::recorded::Recording;
use crate::runs::setup::{Setup, Subject};
use crate::runs::story::{Range, Story};
use ringleader_catalog::Catalog;
use ringleader_model::lock;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use strum::VariantNames;

/// The number of built algorithms that are kept.
const KEPT: usize = 16;

/// The engines, and the results that are kept for later requests.
pub struct Engines {
    catalog: Catalog,
    opening: Opening,
    subjects: Mutex<Vec<(String, Arc<Subject>)>>,
    archive: Arc<Archive>,
    atlases: Atlases,
    jobs: Jobs,
}

/// The requests, each with the argument of its verb.
#[derive(Deserialize, VariantNames)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
enum Request {
    Open { setup: Setup },
    Frames(AskedFrames),
    Choices(AskedChoices),
    Verify { story: Story },
    Graph { setup: Setup },
    Record { story: Story, step: u64 },
    Lint { text: String },
    Check(Box<checks::Asked>),
    Expression { setup: Setup, text: String },
    Measure(measure::Asked),
    Job { job: u64 },
    Cancel { job: u64 },
}

#[derive(Deserialize)]
struct AskedFrames {
    story: Story,
    #[serde(flatten)]
    range: Range,
    /// Expressions that are evaluated in every frame.
    #[serde(default)]
    watch: Vec<String>,
}

#[derive(Deserialize)]
struct AskedChoices {
    story: Story,
    step: u64,
    /// The answers of the oracle to the two agents of the next step; the truth if left out.
    told: Option<(bool, bool)>,
}

/// The answer to a page. A refusal is an answer, not a failure of the page.
#[must_use]
pub fn told(result: Result<String, Refused>) -> String {
    result.unwrap_or_else(|refused| json!({"refused": refused.to_string()}).to_string())
}

impl Engines {
    /// The engines for the algorithms of a catalog.
    #[must_use]
    pub fn new(catalog: Catalog, opening: Opening, host: Host) -> Engines {
        let (subjects, archive) = (Mutex::default(), Arc::new(Archive::new(host.now)));
        Engines { catalog, opening, subjects, archive, atlases: Atlases::new(host), jobs: Jobs::new(host) }
    }

    /// Answers a request of a page: a verb, and its argument as JSON.
    #[must_use]
    pub fn answer(&self, verb: &str, body: &[u8]) -> String {
        told(self.call(verb, body))
    }

    /// Ends the work for which no page waits. A server calls it now and then.
    pub fn end_unattended(&self) {
        self.jobs.end_unattended();
        self.atlases.end_unattended();
    }

    fn call(&self, verb: &str, body: &[u8]) -> Result<String, Refused> {
        if verb == "cards" {
            return Ok(self.cards().to_string());
        }
        if !Request::VARIANTS.contains(&verb) {
            return Err(Refused::new(format!("the lab has no verb {verb:?}")));
        }
        let argument: Value = serde_json::from_slice(body)?;
        let told = match serde_json::from_value(json!({verb: argument}))? {
            Request::Open { setup } => look::subject(&setup, &*self.subject(&setup)?),
            Request::Frames(AskedFrames { story, range, watch }) => {
                let subject = self.subject(&story.setup)?;
                let mut frames = story.frames(&subject, range, &self.archive)?;
                frames.evaluate(&subject, &watch)?;
                return Ok(serde_json::to_string(&frames)?);
            }
            Request::Choices(AskedChoices { story, step, told }) => {
                let subject = self.subject(&story.setup)?;
                let states = story.states_at(&subject, step, &self.archive)?;
                let mut choices = look::choices(&subject, &states, told);
                let here = know::here(&self.atlases, &story.setup, &subject, &states, &mut choices);
                let certificate = self.opening.certificate.as_ref();
                let measures = certificate.and_then(|c| proof::measures(c, &subject, &states, &mut choices));
                json!({"choices": choices, "here": here, "measures": measures})
            }
            Request::Verify { story } => {
                json!({"verified": story.verified(&*self.subject(&story.setup)?, &self.archive)?})
            }
            Request::Graph { setup } => know::graph(&self.atlases, &setup, &self.subject(&setup)?)?,
            Request::Record { story, step } => {
                let subject = self.subject(&story.setup)?;
                let recording = Recording { story, steps: Some(step), found: None };
                record::begin(recording, subject, self.archive.clone(), &self.jobs)?
            }
            Request::Lint { text } => lint(&text),
            Request::Check(asked) => {
                let subject = self.subject(&asked.setup)?;
                asked.begin(subject, &self.jobs, self.opening.memory)?
            }
            Request::Expression { setup, text } => {
                drop(self.subject(&setup)?.watched(&text)?);
                json!({"fine": true})
            }
            Request::Measure(asked) => asked.begin(&self.catalog, &self.jobs)?,
            Request::Job { job } => self.jobs.look(job)?,
            Request::Cancel { job } => self.jobs.cancel(job)?,
        };
        Ok(told.to_string())
    }

    /// All algorithms, and what was opened with the lab.
    fn cards(&self) -> Value {
        let Opening { text, file, tour, memory, cluster, watched, story, .. } = &self.opening;
        let mut told = look::cards(&self.catalog);
        (told["watched"], told["cluster"], told["file"]) = (json!(watched), json!(cluster), json!(file));
        (told["story"], told["tour"]) = (json!(story), json!(tour));
        (told["memory"], told["usual_memory"]) = (json!(memory >> 20), json!(checks::MEMORY.min(*memory) >> 20));
        told["text"] = text.as_ref().map_or(Value::Null, |(name, text)| json!({"name": name, "text": text}));
        told
    }

    /// The algorithm that a setup describes, built once.
    fn subject(&self, setup: &Setup) -> Result<Arc<Subject>, Refused> {
        let bare = Setup { start: Default::default(), ..setup.clone() };
        let key = serde_json::to_string(&bare)?;
        if let Some((_, subject)) = lock(&self.subjects).iter().find(|(known, _)| *known == key) {
            return Ok(subject.clone());
        }
        let subject = Arc::new(setup.build(&self.catalog)?);
        let mut subjects = lock(&self.subjects);
        if subjects.len() >= KEPT {
            subjects.remove(0);
        }
        subjects.push((key, subject.clone()));
        Ok(subject)
    }
}

impl Drop for Engines {
    fn drop(&mut self) {
        self.atlases.end();
    }
}
