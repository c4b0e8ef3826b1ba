//! Checks of algorithms that pass messages: every reachable state from the clean start, under every scheduler.

use crate::Refused;
use crate::questions::jobs::{Job, Jobs};
use crate::runs::setup::{Runnable, Setup, Subject};
use crate::runs::story::{Move, Script, Story};
use ringleader_catalog::{Instance, WrittenClaim};
use ringleader_erased::{Parameter, ParameterKind, Parameters};
use ringleader_explore::{Alone, Failure, Options, Progress, Run, Space};
use ringleader_report::Subject as Named;
use ringleader_report::messages::{Findings, MessageReport, over_orders};
use serde_json::{Value, json};
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Starts the exploration.
pub(super) fn begin(setup: Setup, subject: Arc<Subject>, jobs: &Jobs, memory: u64) -> Result<Value, Refused> {
    if !matches!(subject.runnable, Runnable::Message(_)) {
        return Err(Refused::new("it passes no messages"));
    }
    let bound = subject.card.parameters.iter().find(|p| p.kind == ParameterKind::Bound);
    if let Some(bound) = bound.filter(|p| subject.parameters.word(p.name).is_none()) {
        return Err(Refused::new(format!("its states are unbounded: give a value for {}", bound.name)));
    }
    let states = Arc::new(AtomicU64::new(0));
    let shown = states.clone();
    jobs.begin(
        move || json!({"phase": "reachable states", "done": shown.load(Relaxed), "total": null, "found": []}),
        || (),
        move |job| {
            let watch = |found: Option<Progress>| {
                if let Some(found) = found {
                    states.store(found.stored, Relaxed);
                    job.pulse();
                }
                !job.stopped().load(Relaxed)
            };
            Exploration { setup: &setup, subject: &subject, job, memory, watch: &watch }.check()
        },
    )
}

/// Sums over the orders of the identities.
struct Sum {
    /// Whether every graph fits into memory.
    fits: bool,
    /// The number of final states, if known.
    finals: Option<u64>,
}

/// The exploration of every reachable state.
struct Exploration<'a> {
    setup: &'a Setup,
    subject: &'a Subject,
    job: &'a Job,
    /// The most bytes.
    memory: u64,
    watch: &'a (dyn Fn(Option<Progress>) -> bool + Sync),
}

impl Exploration<'_> {
    /// The parameter for the order of the identities, if the page does not give it. The order that the seed draws is only one of many.
    fn unordered(&self) -> Option<&'static str> {
        let parameters = self.subject.card.parameters;
        let open = |p: &&Parameter| p.kind == ParameterKind::Identities && !self.setup.parameters.contains_key(p.name);
        parameters.iter().find(open).map(|p| p.name)
    }

    /// The findings for one order of the identities.
    fn findings(&self, parameters: &Parameters, sum: &mut Sum) -> Result<Findings, Refused> {
        let Subject { card, shelf, channels, .. } = self.subject;
        let Instance::Message(algorithm) = shelf.instance(card.name, parameters)? else {
            return Err(Refused::new("it passes no messages"));
        };
        let claim = |claim: &WrittenClaim| shelf.process_claim(card.name, parameters, &algorithm, claim);
        let written = shelf.written_claims(card.name, parameters.layers);
        let claims = written.iter().map(claim).collect::<Result<Vec<_>, _>>().map_err(Refused::new)?;
        let rotation = shelf.may_rotate(card.name, &algorithm, &claims);
        let mut options = Options { channels: *channels, rotation, memory: self.memory, ..Options::default() };
        let refused = |failure| match failure {
            Failure::Stopped => Refused::new("cancelled"),
            failure => Refused::new(failure),
        };
        let space = loop {
            match Space::explore(&algorithm, &options, &mut |found| (self.watch)(Some(found))) {
                Err(Failure::NotSymmetric) if options.rotation => options.rotation = false,
                found => break found.map_err(refused)?,
            }
        };
        let keep_going = || (self.watch)(None);
        let fits = space.graph_bytes() + space.peak_bytes() <= self.memory;
        sum.fits &= fits;
        sum.finals = sum.finals.zip(space.deadlocks()).map(|(all, more)| all + more);
        let graph =
            if fits { Some(space.graph_while(&keep_going).ok_or(Failure::Stopped).map_err(refused)?) } else { None };
        let properties = space.properties(graph.as_ref(), &claims, &mut Alone::default(), &keep_going);
        let (properties, undecided) = properties.map_err(refused)?;
        Ok(Findings {
            states: space.states(),
            stored: space.stored(),
            undecided,
            properties,
            no_numbers: Some("`ringleader check` computes them".into()),
            ..Findings::new(space.channels())
        })
    }

    /// Every order of the identities up to rotation, until one breaks a property or the limit of states is reached.
    fn all_orders(&self, name: &str, sum: &mut Sum) -> Result<Findings, Refused> {
        let broken = |found: &Findings| found.properties.iter().any(|property| property.broken.is_some());
        let given = &self.subject.parameters;
        let find = |order: &str| self.findings(&given.clone().with(name, order), sum);
        let (found, ended) = over_orders(given.size, broken, find);
        ended?;
        found.ok_or_else(|| Refused::new("there is no order of the identities"))
    }

    fn check(&self) -> Result<Value, Refused> {
        let mut sum = Sum { fits: true, finals: Some(0) };
        let mut findings = match self.unordered() {
            Some(name) => self.all_orders(name, &mut sum)?,
            None => self.findings(&self.subject.parameters, &mut sum)?,
        };
        findings.time = self.job.elapsed();
        // The report names the identities only if they were given.
        let given: Vec<_> = self.setup.parameters.clone().into_iter().collect();
        let parameters = Parameters::read(self.subject.parameters.size, &given)?;
        let named = Named { card: &self.subject.card, parameters: &parameters };
        let report = MessageReport { subject: named, reading: None, findings: &findings };
        let mut text = vec![];
        report.text(&mut text, 100).map_err(Refused::new)?;
        if !sum.fits {
            let missing =
                "Properties of whole executions are not checked: their graph needs more memory than the lab's.";
            writeln!(text, "{missing}").map_err(Refused::new)?;
        }
        let broken = findings.properties.iter().find_map(|property| Some((&property.name, property.broken.as_ref()?)));
        let run = broken.map(|(name, run)| {
            let shows = format!("it breaks “{name}”");
            let trace = report.trace().map(|trace| trace.print());
            json!({"shows": shows, "story": self.story(&findings, run), "prefix": run.steps.len(), "cycle": 0, "trace": trace})
        });
        let mut unchecked = vec![];
        if findings.undecided > 0 {
            unchecked.push(format!(
                "{} final states are undecided, because a parameter bounds their runs",
                findings.undecided
            ));
        }
        if !sum.fits {
            unchecked.push("properties of whole executions need more memory".to_string());
        }
        let figures = [
            ("reachable states", findings.states),
            ("stored, up to rotation", Some(findings.stored)),
            ("final states", sum.finals),
        ];
        let figures = figures.iter().filter_map(|(name, count)| Some((*name, (*count)?.to_string())));
        Ok(json!({
            "holds": report.holds(), "scheduler": "possible", "under": "every schedule", "run": run, "identities": self.about(&findings),
            "unchecked": unchecked,
            "report": String::from_utf8_lossy(&text), "figures": figures.collect::<Vec<_>>(), "seconds": self.job.elapsed().as_secs_f64(),
        }))
    }

    /// The orders of identities that the verdict is about, if there are identities.
    fn about(&self, findings: &Findings) -> Option<String> {
        let identities = self.subject.card.parameters.iter().find(|p| p.kind == ParameterKind::Identities)?;
        let Some(orders) = &findings.orders else {
            return Some(format!("for the identities {}", self.subject.parameters.word(identities.name)?));
        };
        Some(match (&orders.broken, orders.all) {
            (Some(order), _) => format!("for the identities {order}"),
            (None, _) if orders.whole() => "for every order of the identities".into(),
            (None, Some(all)) => {
                format!("for {} of {all} orders of the identities; the others are not checked", orders.taken)
            }
            (None, None) => format!("for {} orders of the identities; the others are not checked", orders.taken),
        })
    }

    /// The counterexample as a story.
    fn story(&self, findings: &Findings, run: &Run) -> Story {
        let mut setup = self.setup.clone();
        let broken = findings.orders.as_ref().and_then(|orders| orders.broken.clone());
        if let Some((name, order)) = self.unordered().zip(broken) {
            setup.parameters.insert(name.into(), order);
        }
        let script = Script { steps: run.lines().into_iter().map(Move::of_line).collect(), ..Script::default() };
        Story { setup, acts: vec![], script: Some(script) }
    }
}
