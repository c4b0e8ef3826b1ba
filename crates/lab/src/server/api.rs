//! The requests of a page: a verb, and its argument as JSON.

use crate::Refused;
use crate::cluster::{self, Cluster};
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
use crate::server::Lab;
use ringleader_catalog::Catalog;
use ringleader_model::lock;
use ringleader_verify::Certificate;
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

/// The number of built algorithms that are kept.
const KEPT: usize = 16;

/// The engines, and the results that are kept for later requests.
pub(crate) struct Api {
    catalog: Catalog,
    text: Option<(String, String)>,
    file: Option<PathBuf>,
    tour: Option<String>,
    memory: u64,
    subjects: Mutex<Vec<(String, Arc<Subject>)>>,
    archive: Arc<Archive>,
    atlases: Atlases,
    jobs: Jobs,
    cluster: Cluster,
    watched: Vec<String>,
    certificate: Option<Certificate>,
    story: Option<Story>,
}

#[derive(Deserialize)]
struct OfSetup {
    setup: Setup,
}

#[derive(Deserialize)]
struct OfStory {
    story: Story,
    #[serde(flatten)]
    range: Range,
    /// Expressions that are evaluated in every frame.
    #[serde(default)]
    watch: Vec<String>,
}

#[derive(Deserialize)]
struct OfRun {
    story: Story,
}

#[derive(Deserialize)]
struct AtStep {
    story: Story,
    step: u64,
    /// The answers of the oracle to the two agents of the next step; the truth if left out.
    #[serde(default)]
    told: Option<(bool, bool)>,
}

#[derive(Deserialize)]
struct OfExpression {
    setup: Setup,
    text: String,
}

#[derive(Deserialize)]
struct ToSave {
    text: String,
    /// The text that the page last read from the file.
    before: String,
}

#[derive(Deserialize)]
struct OfText {
    text: String,
}

#[derive(Deserialize)]
struct OfJob {
    job: u64,
}

impl Api {
    pub(crate) fn new(lab: Lab) -> Api {
        let Lab { catalog, text, file, tour, memory, watched, certificate, story, .. } = lab;
        let (subjects, archive, atlases, jobs, cluster) = Default::default();
        Api {
            catalog,
            text,
            file,
            tour,
            memory,
            subjects,
            archive,
            atlases,
            jobs,
            cluster,
            watched,
            certificate,
            story,
        }
    }

    /// Answers a request of a page.
    pub(crate) fn call(&self, verb: &str, body: &[u8]) -> Result<String, Refused> {
        let told = match verb {
            "cards" => self.cards(),
            "open" => {
                let OfSetup { setup } = serde_json::from_slice(body)?;
                look::subject(&setup, &*self.subject(&setup)?)
            }
            "frames" => {
                let OfStory { story, range, watch } = serde_json::from_slice(body)?;
                let subject = self.subject(&story.setup)?;
                let mut frames = story.frames(&subject, range, &self.archive)?;
                frames.evaluate(&subject, &watch)?;
                return Ok(serde_json::to_string(&frames)?);
            }
            "choices" => {
                let AtStep { story, step, told } = serde_json::from_slice(body)?;
                let subject = self.subject(&story.setup)?;
                let states = story.states_at(&subject, step, &self.archive)?;
                let mut choices = look::choices(&subject, &states, told);
                let here = know::here(&self.atlases, &story.setup, &subject, &states, &mut choices);
                let certificate = self.certificate.as_ref();
                let measures = certificate.and_then(|c| proof::measures(c, &subject, &states, &mut choices));
                json!({"choices": choices, "here": here, "measures": measures})
            }
            "verify" => {
                let OfRun { story } = serde_json::from_slice(body)?;
                let subject = self.subject(&story.setup)?;
                json!({"verified": story.verified(&subject, &self.archive)?})
            }
            "graph" => {
                let OfSetup { setup } = serde_json::from_slice(body)?;
                know::graph(&self.atlases, &setup, &self.subject(&setup)?)?
            }
            "record" => {
                let AtStep { story, step, .. } = serde_json::from_slice(body)?;
                let subject = self.subject(&story.setup)?;
                record::begin(Recording::of(story, step), subject, self.archive.clone(), &self.jobs)?
            }
            "lint" => {
                let OfText { text } = serde_json::from_slice(body)?;
                lint(&text)
            }
            "check" => {
                let asked: checks::Asked = serde_json::from_slice(body)?;
                let subject = self.subject(&asked.setup)?;
                asked.begin(subject, &self.jobs, self.memory)?
            }
            "expression" => {
                let OfExpression { setup, text } = serde_json::from_slice(body)?;
                self.subject(&setup)?.condition(&text)?;
                json!({"fine": true})
            }
            "file" => json!({"text": self.read_file()?}),
            "save" => {
                let ToSave { text, before } = serde_json::from_slice(body)?;
                self.save(&text, &before)?
            }
            "cluster" => self.cluster.start(&self.catalog, serde_json::from_slice(body)?)?,
            "cluster-look" => self.cluster.look(&serde_json::from_slice(body)?)?,
            "cluster-act" => self.cluster.act(&serde_json::from_slice(body)?)?,
            "cluster-end" => self.cluster.end(),
            "watch" => cluster::watch(&self.watched),
            "measure" => {
                let asked: measure::Asked = serde_json::from_slice(body)?;
                asked.begin(&self.catalog, &self.jobs)?
            }
            "job" => {
                let OfJob { job } = serde_json::from_slice(body)?;
                self.jobs.look(job)?
            }
            "cancel" => {
                let OfJob { job } = serde_json::from_slice(body)?;
                self.jobs.cancel(job)?
            }
            other => return Err(Refused::new(format!("the lab has no verb {other:?}"))),
        };
        Ok(told.to_string())
    }

    /// All algorithms, and what was opened with the lab.
    fn cards(&self) -> Value {
        let mut told = look::cards(&self.catalog);
        told["watched"] = json!(self.watched);
        told["story"] = json!(self.story);
        told["tour"] = json!(self.tour);
        told["file"] = json!(self.file.is_some());
        (told["memory"], told["usual_memory"]) =
            (json!(self.memory >> 20), json!(checks::MEMORY.min(self.memory) >> 20));
        told["text"] = self.text.as_ref().map_or(Value::Null, |(name, text)| json!({"name": name, "text": text}));
        told
    }

    fn path(&self) -> Result<&PathBuf, Refused> {
        self.file.as_ref().ok_or_else(|| Refused::new("the lab was opened without a file"))
    }

    fn read_file(&self) -> Result<String, Refused> {
        let path = self.path()?;
        std::fs::read_to_string(path).map_err(|error| Refused::new(format!("{}: {error}", path.display())))
    }

    /// Saves a text to the file of the lab, unless another program has changed the file since the page read it.
    fn save(&self, text: &str, before: &str) -> Result<Value, Refused> {
        let path = self.path()?;
        if text.trim().is_empty() {
            return Err(Refused::new(format!("the text is empty: {} was not changed", path.display())));
        }
        if self.read_file().is_ok_and(|now| now != before && now != text) {
            return Err(Refused::new(format!("{} has changed on disk: nothing was saved", path.display())));
        }
        std::fs::write(path, text).map_err(|error| Refused::new(format!("{}: {error}", path.display())))?;
        Ok(json!({"saved": path.display().to_string()}))
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
