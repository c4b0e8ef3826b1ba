//! `ringleader elect --replay`: replays a run from a file, such as a counterexample of `check --save`.

use crate::catalog;
use crate::settings::graph;
use crate::terminal::exit::{FAILS, Failure, bail, usage};
use crate::terminal::ring_width;
use crate::texts;
use ringleader_catalog::{Instance, stabilizing};
use ringleader_check::replay::{Played, Run, play, unfold};
use ringleader_erased::{Kind, Number, Parameters, Topology};
use ringleader_model::message_trace::MessageTrace;
use ringleader_model::text::{self, Document};
use ringleader_model::trace::Trace;
use ringleader_model::{Graph, Marks, ParseError};
use ringleader_report::json::OptionalFields as _;
use ringleader_report::ring;
use ringleader_report::step::StepLine;
use serde_json::json;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

pub(crate) mod messages;

/// The steps of a strategy that is played anew.
const PLAYED: usize = 100;

/// A trace of configurations that was replayed, whether or not it is the run that it claims.
pub(crate) struct PlayedTrace {
    pub(crate) trace: Trace,
    pub(crate) instance: Instance,
    pub(crate) run: Run,
    pub(crate) parameters: Parameters,
    /// The graph in words.
    graph: String,
}

impl PlayedTrace {
    /// Reads a trace and replays it by the algorithm's own rules. With a seed, the strategy of the trace is played anew.
    pub(crate) fn read(name: &str, text: &str, seed: Option<u64>) -> Result<PlayedTrace, Failure> {
        let error = |e: ParseError| usage!("{name}: {e}");
        let mut trace = Trace::parse(text).map_err(error)?;
        if seed.is_some() && trace.strategy.is_empty() {
            bail!("--seed is for a run with a strategy, and {name} has none: leave it out");
        }
        let start = &trace.start;
        let parameters = Parameters::read(start.size, &start.parameters)?;
        let topology = parameters.layers.topology(catalog().card(&start.algorithm)?);
        let words = trace.assumptions.graph.as_deref().unwrap_or(topology.at_hand().describe());
        if !matches!(topology, Topology::Any | Topology::Tree) && words != topology.describe() {
            bail!(
                "{name} is a run on {}, but {} is for {}",
                graph::a(words),
                start.algorithm,
                graph::a(topology.describe())
            );
        }
        let graph = words.to_string();
        let parameters = match catalog().card(&start.algorithm)?.kind {
            Kind::Graph => {
                let given = Graph::from_words(parameters.size, &graph);
                parameters.on(given.map_err(|e| usage!("{name}: {e}"))?)
            }
            _ => parameters,
        };
        let instance = catalog().instance(&start.algorithm, &parameters)?;
        let mut play = |played: &Played<'_>| {
            if let Some(seed) = seed {
                trace = unfold(played, &trace, seed, PLAYED)?;
            }
            play(played, &trace)
        };
        let run = match &instance {
            Instance::Population(algorithm) => {
                let graph = Graph::from_words(parameters.size, &graph);
                let graph = graph.map_err(|e| usage!("{name}: {e}"))?;
                play(&Played::Population(algorithm, &graph)).map_err(error)?
            }
            Instance::Ring(algorithm) => play(&Played::Ring(algorithm)).map_err(error)?,
            Instance::Graph(algorithm) => play(&Played::Graph(algorithm)).map_err(error)?,
            Instance::Message(_) | Instance::Robust(_) => {
                bail!(
                    "{} passes messages: a trace of it begins with \"ringleader message trace 1\" and has no agents",
                    trace.start.algorithm
                );
            }
        };
        Ok(PlayedTrace { trace, instance, run, parameters, graph })
    }

    /// The states of the agents as text, and their marks, after each number of steps.
    pub(crate) fn moments(&self) -> Vec<Moment> {
        let Some(algorithm) = stabilizing(&self.instance) else { return vec![] };
        let moment = |c: &Vec<Number>| {
            let state = |place: usize| text::print_state_at(algorithm, place, &c[place]);
            Moment { states: (0..c.len()).map(state).collect(), marks: algorithm.show(c) }
        };
        self.run.configurations.iter().map(moment).collect()
    }
}

/// A configuration as it is shown.
pub(crate) struct Moment {
    pub(crate) states: Vec<String>,
    pub(crate) marks: Vec<Marks>,
}

/// Replays the trace in a file: exit code 0 if it is the run that it claims, 1 if not.
pub(crate) fn run(path: &Path, seed: Option<u64>, json: bool) -> Result<ExitCode, Failure> {
    let name = path.display().to_string();
    let text = texts::run_file(path)?;
    if MessageTrace::detect(&text) {
        return messages::run(&name, &text, json);
    }
    let played = PlayedTrace::read(&name, &text, seed)?;
    if json {
        played.print_json()?
    } else {
        played.print(&name)?
    }
    Ok(if played.run.broken.is_some() { ExitCode::from(FAILS) } else { ExitCode::SUCCESS })
}

impl PlayedTrace {
    fn print_json(&self) -> Result<(), Failure> {
        let (mut out, Run { rules, broken, .. }) = (anstream::stdout().lock(), &self.run);
        for (at, Moment { states, .. }) in self.moments().iter().enumerate() {
            let rules = at.checked_sub(1).map(|before| json!(rules[before]));
            let line = json!({ "step": at, "states": states }).with("rules", rules);
            writeln!(out, "{line}")?;
        }
        let line = json!({ "algorithm": self.trace.start.algorithm, "steps": self.trace.steps.len(),
            "sound": broken.is_none(), "verified": self.run.verified, "not_verified": self.run.open });
        let line = line
            .with("repeats", self.run.closes.map(|closes| closes && broken.is_none()))
            .with("because", broken.as_ref().map(ToString::to_string));
        Ok(writeln!(out, "{line}")?)
    }

    fn print(&self, name: &str) -> Result<(), Failure> {
        let (mut out, moments) = (anstream::stdout().lock(), self.moments());
        let shown = moments.iter().flat_map(|moment| &moment.marks).fold(Marks::NONE, |all, marks| all | *marks);
        let Document { algorithm, size, .. } = &self.trace.start;
        let members = catalog().card(algorithm)?.kind.members();
        writeln!(out, "{algorithm}: {size} {members}, {name}\n{}\n", ring::legend(shown))?;
        writeln!(out, "{:>6}  {}", "start", ring::line(&moments[0].marks, None, ring_width()))?;
        for (i, state) in moments[0].states.iter().enumerate() {
            writeln!(out, "          {i}: {state}")?;
        }
        for (at, (step, pair)) in self.trace.steps.iter().zip(moments.windows(2)).enumerate() {
            if self.trace.cycle == Some(at) {
                writeln!(out, "        for ever:")?;
            }
            let (marks, before, after) = (&pair[1].marks, &pair[0].states, &pair[1].states);
            let (actor, inputs, rules) = (&step.actor, step.inputs, &self.run.rules[at]);
            let taken = StepLine { marks, actor, rules, inputs, before, after };
            writeln!(out, "{}", taken.line(at + 1, ring_width()))?;
        }
        match (&self.run.broken, self.run.closes) {
            (Some(broken), _) => writeln!(out, "this is not the run that the trace claims: {broken}")?,
            (None, None) if self.trace.strategy.is_empty() => writeln!(out, "the run ends here")?,
            (None, None) => {
                let count = self.trace.strategy.len();
                writeln!(out, "the strategy goes on in these {count} configurations for ever")?;
            }
            (None, Some(_)) => {
                writeln!(out, "this is the configuration in which the cycle began: the cycle repeats for ever")?;
            }
        }
        let steps = format!("every step follows the rules on the {}", self.graph);
        let verified: Vec<_> = std::iter::once(&steps).chain(&self.run.verified).map(String::as_str).collect();
        writeln!(out, "verified: {}", verified.join("; "))?;
        if !self.run.open.is_empty() {
            writeln!(out, "not verified: {}", self.run.open.join("; "))?;
        }
        Ok(())
    }
}
