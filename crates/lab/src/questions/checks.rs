//! Checks for a page: the verdict, and a counterexample that the page can play.

mod messages;

use crate::Refused;
use crate::questions::jobs::Jobs;
use crate::runs::look;
use crate::runs::setup::{AskedStart, Runnable, Setup, Subject};
use crate::runs::story::{Move, Script, Story};
use ringleader_check::{Counterexample, Detector, Monitor, Question, Report, Stop, Value as Steps};
use ringleader_erased::Topology;
use ringleader_model::{Safety, Scheduler};
use ringleader_report::Subject as Named;
use ringleader_report::check::{CheckReport, Hints, Looks};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Instant;

/// The most bytes of a check.
const MEMORY: u64 = 2 << 30;

/// A check that a page asks for.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Asked {
    pub setup: Setup,
    #[serde(default)]
    scheduler: Option<String>,
    #[serde(default)]
    lies: bool,
}

impl Asked {
    /// Starts the check.
    pub(crate) fn begin(self, subject: Arc<Subject>, jobs: &Jobs) -> Result<Value, Refused> {
        // An exploration of messages covers every schedule.
        if matches!(subject.runnable, Runnable::Message(_)) {
            return messages::begin(self.setup, subject, jobs);
        }
        let scheduler = match self.scheduler.as_deref() {
            None | Some("") => look::checked_under(&subject),
            Some(name) => name.parse::<Scheduler>().map_err(|unknown| Refused::new(unknown.to_string()))?,
        };
        let mut question = Question::new(scheduler).within(MEMORY);
        if self.lies {
            question.detector = Detector::EventuallyCorrect;
        }
        let monitor = Arc::new(Monitor::default());
        let (watched, stopped) = (monitor.clone(), monitor.clone());
        jobs.begin(
            move || {
                let (phase, done) = watched.progress();
                json!({"phase": phase.name, "done": done, "total": phase.total, "found": watched.found()})
            },
            move || stopped.stop(),
            move |_| self.check(&subject, &question, &monitor),
        )
    }

    fn check(&self, subject: &Subject, question: &Question, monitor: &Monitor) -> Result<Value, Refused> {
        let begun = Instant::now();
        let (found, looks) = match &subject.runnable {
            Runnable::Population(instance, graph) => {
                (ringleader_check::population(instance, graph, question, monitor), Looks::population(instance))
            }
            Runnable::Ring(instance) => {
                (ringleader_check::ring(instance, subject.parameters.size, question, monitor), Looks::ring(instance))
            }
            Runnable::Message(_) => return Err(Refused::new("it passes messages")),
        };
        let found = found.map_err(|stop| match stop {
            Stop::Interrupted => Refused::new("cancelled"),
            stop => Refused::new(stop),
        })?;
        let topology = subject.parameters.layers.topology(&subject.card);
        let graph = match &subject.runnable {
            Runnable::Population(_, graph) if topology == Topology::Any => graph.words(),
            _ => topology.describe().into(),
        };
        let report = CheckReport {
            subject: Named { card: &subject.card, parameters: &subject.parameters },
            graph,
            looks,
            question,
            found: &found,
            beyond_claim: subject.beyond_claim.clone(),
            time: begun.elapsed(),
            peak_bytes: None,
        };
        let mut text = vec![];
        let written = report.text(&mut text, 80, Hints { run: "", fraction: "" });
        written.map_err(Refused::new)?;
        let run = found.counterexample.as_ref().map(|run| {
            json!({
                "shows": run.shows, "story": self.story(subject, run), "prefix": run.prefix.len(), "cycle": run.cycle.len(),
                "trace": report.trace().map(|trace| trace.print()),
            })
        });
        Ok(json!({
            "holds": found.holds, "almost_surely": found.almost_surely, "scheduler": question.scheduler.name(), "under": question.scheduler.describe(),
            "figures": figures(subject, &found), "run": run, "report": plain(&String::from_utf8_lossy(&text)),
            "seconds": begun.elapsed().as_secs_f64(),
        }))
    }

    /// The counterexample as a story.
    fn story(&self, subject: &Subject, run: &Counterexample) -> Story {
        let start = run.start.iter().map(|&state| subject.text(state.into())).collect();
        let steps = run.prefix.iter().chain(&run.cycle);
        let steps = steps.map(|step| Move::of(&step.actor, step.inputs, &step.coin)).collect();
        let cycle = (!run.cycle.is_empty()).then_some(run.prefix.len());
        let setup = Setup { start: AskedStart::Given(start), ..self.setup.clone() };
        Story { setup, acts: vec![], script: Some(Script { steps, cycle, shows: Some(run.shows.to_string()) }) }
    }
}

/// The main figures of a report.
fn figures(subject: &Subject, found: &Report) -> Vec<(String, String)> {
    let mut figures = vec![
        ("configurations".to_string(), found.configurations.to_string()),
        ("steps between them".to_string(), found.transitions.to_string()),
        ("really safe".to_string(), found.really_safe.to_string()),
    ];
    if subject.stabilizing().is_some_and(|algorithm| algorithm.safety() != Safety::Unknown) {
        figures.push(("in the proof's safe set".to_string(), found.own_safe.to_string()));
    }
    let times = [("steps at worst", &found.steps), ("expected steps, worst start", &found.expected_steps)];
    for (name, times) in times {
        if let Some(time) = times.as_ref().and_then(|times| times.to_really_safe.as_ref()) {
            figures.push((name.to_string(), steps(&time.worst)));
            figures.push(("mean over all starts".to_string(), steps(&time.mean)));
        }
    }
    figures
}

fn steps(value: &Steps) -> String {
    let bounds = value.bounds();
    let middle = f64::midpoint(bounds.low, bounds.high);
    if middle.fract().abs() < 1e-9 { format!("{middle:.0}") } else { format!("{middle:.2}") }
}

/// A report without its colours.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    let mut inside = false;
    for c in text.chars() {
        match c {
            '\u{1b}' => inside = true,
            'm' if inside => inside = false,
            c if !inside => plain.push(c),
            _ => {}
        }
    }
    plain
}
