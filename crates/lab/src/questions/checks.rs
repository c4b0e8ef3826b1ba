//! Checks for a page: the verdict, and a counterexample that the page can play.

mod messages;

use crate::Refused;
use crate::questions::jobs::{Job, Jobs};
use crate::runs::claim::{StatedClaim, keyword};
use crate::runs::look;
use crate::runs::setup::{AskedStart, Runnable, Setup, Subject};
use crate::runs::story::{Move, Script, Story};
use anstream::adapter::strip_str;
use ringleader_check::{
    Bounds, Counterexample, Detector, Horizon, Likely, Monitor, Question, Report, Stop, Value as Steps,
};
use ringleader_erased::Topology;
use ringleader_model::trace::Trace;
use ringleader_model::{Safety, Scheduler};
use ringleader_report::Subject as Named;
use ringleader_report::check::{CheckReport, Hints, Looks, measured};
use ringleader_report::curve::Curve;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;

/// The bytes of a check, unless the page asks for more.
pub(crate) const MEMORY: u64 = 2 << 30;

/// A check that a page asks for.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Asked {
    pub setup: Setup,
    scheduler: Option<String>,
    lies: bool,
    /// The most MiB; within the limit of the lab.
    memory: Option<u64>,
    /// Claims besides the promise. If there are any, only they are checked.
    claims: Vec<StatedClaim>,
    /// The outcomes of the coins under a daemon: fair or adversarial.
    coins: Option<String>,
    /// Whether to count rounds and moves, too.
    rounds: bool,
    moves: bool,
    /// The probability of the goal within this many steps, and the steps for this probability.
    within: Option<u64>,
    quantile: Option<f64>,
    /// The starts of executions: a condition or counts of local states. Those of the text if there are none.
    start: Option<String>,
}

/// The most steps within which probabilities are computed.
const MOST_WITHIN: u64 = 100_000;

impl Asked {
    /// Starts the check.
    pub(crate) fn begin(self, subject: Arc<Subject>, jobs: &Jobs, limit: u64) -> Result<Value, Refused> {
        let memory = self.memory.map_or(MEMORY.min(limit), |mebibytes| mebibytes.saturating_mul(1 << 20));
        if memory > limit {
            let gib = limit as f64 / (1 << 30) as f64;
            return Err(Refused::new(format!(
                "the lab may use {gib:.1} GiB; `ringleader lab --memory GIB` may use more"
            )));
        }
        // An exploration of messages covers every schedule.
        if matches!(subject.runnable, Runnable::Message(_)) {
            if !self.claims.is_empty() {
                return Err(Refused::new("claims about messages are checked on the command line: check --invariant"));
            }
            return messages::begin(self.setup, subject, jobs, memory);
        }
        let scheduler = match self.scheduler.as_deref() {
            None | Some("") => look::checked_under(&subject),
            Some(name) => name.parse::<Scheduler>().map_err(|unknown| Refused::new(unknown.to_string()))?,
        };
        let mut question = Question::new(scheduler).within(memory);
        question.claims = self.claims.iter().map(|claim| claim.read(&subject)).collect::<Result<_, _>>()?;
        question.only_claims = !question.claims.is_empty();
        if let Some(name) = &self.coins {
            question.coins = name.parse().map_err(|_| Refused::new("coins are fair or adversarial"))?;
        }
        (question.rounds, question.moves) = (self.rounds, self.moves);
        question.starting = subject.starting(self.start.as_deref().map(str::trim).filter(|start| !start.is_empty()))?;
        question.horizon = self.horizon()?;
        if question.horizon.is_some() && !self.claims.is_empty() {
            return Err(Refused::new("probabilities within a time are about the goal: leave the claims out"));
        }
        if self.lies {
            question.detector = Detector::EventuallyCorrect;
        } else if self.claims.is_empty() {
            let written = subject.shelf.claims_at(subject.card.name, &subject.parameters);
            question.claims = written.iter().map(|claim| subject.claim(claim)).collect::<Result<_, _>>()?;
        }
        let pulse = jobs.host.pulse;
        let monitor = Arc::new(Monitor::default().observed(move |monitor| pulse(&|| progress(monitor))));
        let (watched, stopped) = (monitor.clone(), monitor.clone());
        jobs.begin(
            move || progress(&watched),
            move || stopped.stop(),
            move |job| self.check(&subject, &question, &monitor, job),
        )
    }

    /// The bound on the time, if there is one.
    fn horizon(&self) -> Result<Option<Horizon>, Refused> {
        if self.within.is_some_and(|steps| steps > MOST_WITHIN) {
            return Err(Refused::new(format!("the page shows probabilities within at most {MOST_WITHIN} steps")));
        }
        if self.quantile.is_some_and(|p| !(p > 0.0 && p <= 1.0)) {
            return Err(Refused::new("a probability is greater than 0 and at most 1, such as 0.99"));
        }
        let horizon = Horizon { steps: self.within, quantile: self.quantile };
        Ok((horizon != Horizon::default()).then_some(horizon))
    }

    fn check(&self, subject: &Subject, question: &Question, monitor: &Monitor, job: &Job) -> Result<Value, Refused> {
        let (found, looks) = match &subject.runnable {
            Runnable::Population(instance, graph) => {
                (ringleader_check::population(instance, graph, question, monitor), Looks::population(instance))
            }
            Runnable::Ring(instance) => {
                (ringleader_check::ring(instance, subject.parameters.size, question, monitor), Looks::ring(instance))
            }
            Runnable::Graph(instance, _) => {
                (ringleader_check::graph(instance, question, monitor), Looks::graph(instance))
            }
            Runnable::Message(_) => return Err(Refused::new("it passes messages")),
        };
        let found = found.map_err(|stop| match stop {
            Stop::Interrupted => Refused::new("cancelled"),
            stop => Refused::new(stop),
        })?;
        let topology = subject.parameters.layers.topology(&subject.card);
        let graph = match &subject.runnable {
            Runnable::Graph(_, graph) => graph.words(),
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
            time: job.elapsed(),
            peak_bytes: None,
        };
        let mut text = vec![];
        let written = report.text(&mut text, 80, Hints { run: "", fraction: "" });
        written.map_err(Refused::new)?;
        let run = found.counterexample.as_ref().zip(report.trace()).map(|(run, trace)| {
            json!({
                "shows": run.shows, "story": self.story(subject, question, &found, run, &trace), "prefix": run.prefix.len(),
                "cycle": run.cycle.len(), "trace": trace.print(),
            })
        });
        Ok(json!({
            "holds": found.holds, "almost_surely": found.almost_surely, "scheduler": question.scheduler.name(), "under": question.scheduler.describe(),
            "only_claims": question.only_claims,
            "claims": found.claims.iter().map(|claim| json!([keyword(claim.promise), claim.name, claim.holds, measured(claim)])).collect::<Vec<_>>(),
            "oracle": subject.parameters.layers.oracle(&subject.card).map(|_| Into::<&str>::into(question.detector)),
            "coins": report.json()["coins"],
            "starts": question.starting.as_ref().map(|starting| &starting.name), "curves": curves(&report.curves()),
            "figures": figures(subject, &found), "run": run, "report": strip_str(&String::from_utf8_lossy(&text)).to_string(),
            "seconds": job.elapsed().as_secs_f64(),
        }))
    }

    /// The counterexample as a story.
    fn story(
        &self,
        subject: &Subject,
        question: &Question,
        found: &Report,
        run: &Counterexample,
        trace: &Trace,
    ) -> Story {
        let start = run.start.iter().enumerate().map(|(i, &state)| subject.text_at(i, state.into())).collect();
        let steps = run.prefix.iter().chain(&run.cycle);
        let steps = steps.map(|step| Move::of(&step.actor, step.inputs, &step.coin)).collect();
        let cycle = (!run.cycle.is_empty()).then_some(run.prefix.len());
        let setup = Setup { start: AskedStart::Given(start), ..self.setup.clone() };
        let named = |name: &str| Some(name.to_string());
        let asked = subject.parameters.layers.oracle(&subject.card).is_some();
        // The run disproves the claim that has it as its counterexample; otherwise it disproves the promise.
        let stated = if question.only_claims {
            self.claims.clone()
        } else {
            let written = subject.shelf.claims_at(subject.card.name, &subject.parameters);
            written.iter().map(StatedClaim::of).collect()
        };
        let claim = found.claims.iter().zip(stated).find(|(claim, _)| claim.counterexample.as_ref() == Some(run));
        let script = Script {
            steps,
            cycle,
            claim: claim.map(|(_, stated)| stated),
            scheduler: named(question.scheduler.name()),
            fairness: if question.scheduler == Scheduler::LocallyFair { named(question.level.into()) } else { None },
            oracle: if asked { named(question.detector.into()) } else { None },
            coins: trace.assumptions.coins.clone(),
            strategy: (!trace.strategy.is_empty()).then(|| trace.print_strategy()),
        };
        Story { setup, acts: vec![], script: Some(script) }
    }
}

/// The phase of a check, and how far it is.
fn progress(monitor: &Monitor) -> Value {
    let (phase, done) = monitor.progress();
    json!({"phase": phase.name, "done": done, "total": phase.total, "found": monitor.found()})
}

/// The main figures of a report.
fn figures(subject: &Subject, found: &Report) -> Vec<(String, String)> {
    let mut figures = vec![];
    let mut row = |name: &str, value: String| figures.push((name.to_string(), value));
    if let Some(starts) = found.starts {
        row("starts", starts.to_string());
    }
    row("configurations", found.configurations.to_string());
    row("steps between them", found.transitions.to_string());
    row("really safe", found.really_safe.to_string());
    if subject.stabilizing().is_some_and(|algorithm| algorithm.safety() != Safety::Unknown) {
        row("in the proof's safe set", found.own_safe.to_string());
    }
    let times = [
        ("steps at worst", &found.steps),
        ("expected steps, worst start", &found.expected_steps),
        ("with the best daemon, worst start", &found.best_expected_steps),
        ("moves at worst", &found.moves),
        ("expected moves, worst start", &found.expected_moves),
    ];
    for (name, times) in times {
        if let Some(time) = times.as_ref().and_then(|times| times.to_really_safe.as_ref()) {
            row(name, steps(&time.worst));
            row("mean over all starts", steps(&time.mean));
        }
    }
    if let Some(rounds) = &found.rounds {
        let name = if rounds.expected { "expected rounds, worst start" } else { "rounds at worst" };
        row(name, rounds.worst.as_ref().map_or("unbounded".into(), steps));
        if let Some(mean) = &rounds.mean {
            row("rounds, mean over all starts", steps(mean));
        }
    }
    if let Some(reach) = &found.reach {
        let last = reach.least.len() - 1;
        let chance = |bounds: &Bounds| format!("{:.6}", f64::midpoint(bounds.low, bounds.high));
        let mut likely = |daemon: &str, likely: &Likely| {
            let name = format!("probability of being safe within {last} steps{daemon}");
            row(&format!("{name}, worst start"), chance(&likely.worst));
            row(&format!("{name}, mean over all starts"), chance(&likely.mean));
        };
        // Where all processes step at once, the daemon mostly has no choice.
        match reach.greatest.as_ref().filter(|greatest| **greatest != reach.least) {
            None => likely("", &reach.least[last]),
            Some(greatest) => {
                likely(", worst daemon", &reach.least[last]);
                likely(", best daemon", &greatest[last]);
            }
        }
        if let Some(quantile) = &reach.quantile {
            let range = |[low, high]: [Option<u64>; 2]| match (low, high) {
                (Some(low), Some(high)) if low == high => low.to_string(),
                (Some(low), Some(high)) => format!("{low} to {high}"),
                _ => format!("more than {}", quantile.searched),
            };
            let name = format!("steps for probability {}", quantile.probability);
            row(&format!("{name}, worst start"), range(quantile.worst));
            row(&format!("{name}, mean over all starts"), range(quantile.mean));
        }
    }
    if found.delay.is_some() {
        row("expected steps, worst daemon", "unbounded".into());
    }
    if let Some(least) = &found.least_probability {
        let mean = f64::midpoint(least.mean.low, least.mean.high);
        let kind = if found.greatest_probability.is_some() { "least probability" } else { "probability" };
        row(&format!("{kind}, mean over all starts"), format!("{mean:.4}"));
    }
    figures
}

/// The curves of probabilities, and the same as CSV; `None` if there are none.
fn curves(curves: &[Curve]) -> Option<Value> {
    let one = |curve: &Curve| json!({"name": curve.name, "kinds": curve.kinds, "points": curve.points});
    let all: Vec<_> = curves.iter().map(one).collect();
    (!all.is_empty()).then(|| json!({"lines": all, "csv": Curve::csv(curves)}))
}

fn steps(value: &Steps) -> String {
    let bounds = value.bounds();
    let middle = f64::midpoint(bounds.low, bounds.high);
    if middle.fract().abs() < 1e-9 { format!("{middle:.0}") } else { format!("{middle:.2}") }
}
