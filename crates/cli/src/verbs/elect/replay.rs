//! `ringleader elect --replay`: plays back a run that was written down, such as a counterexample of `check --save`.

use crate::catalog;
use crate::settings::graph;
use crate::terminal::exit::{FAILS, Failure};
use crate::terminal::ring_width;
use crate::texts;
use ringleader_catalog::Instance;
use ringleader_check::replay::{Played, Run, play};
use ringleader_erased::{Parameters, Topology};
use ringleader_model::message_trace::MessageTrace;
use ringleader_model::trace::{Step, Trace};
use ringleader_model::{Graph, Marks, ParseError, Population, Ring, View, text};
use ringleader_report::ring;
use ringleader_report::step::StepLine;
use serde_json::json;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

pub(crate) mod messages;

/// A trace of configurations that was played, whatever came out.
pub(crate) struct PlayedTrace {
    pub(crate) trace: Trace,
    pub(crate) instance: Instance,
    pub(crate) run: Run,
    pub(crate) parameters: Parameters,
    /// The graph in words.
    graph: String,
}

impl PlayedTrace {
    /// Reads a trace and plays it by the algorithm's own rules.
    pub(crate) fn read(name: &str, text: &str) -> Result<PlayedTrace, Failure> {
        let error = |e: ParseError| Failure::usage(format!("{name}: {e}"));
        let trace = Trace::parse(text).map_err(error)?;
        let start = &trace.start;
        let parameters = Parameters::read(start.size, &start.parameters)?;
        let topology = parameters.layers.topology(catalog().card(&start.algorithm)?);
        let words = trace.assumptions.graph.as_deref().unwrap_or(topology.at_hand().describe());
        if topology != Topology::Any && words != topology.describe() {
            return Err(Failure::usage(format!(
                "{name}: it is a run on {}, but {} is for {}",
                graph::a(words),
                start.algorithm,
                graph::a(topology.describe())
            )));
        }
        let instance = catalog().instance(&start.algorithm, &parameters)?;
        let run = match &instance {
            Instance::Population(algorithm) => {
                let graph = Graph::from_words(start.size, words);
                let graph = graph.map_err(|e| Failure::usage(format!("{name}: {e}")))?;
                play(&Played::Population(algorithm, &graph), &trace).map_err(error)?
            }
            Instance::Ring(algorithm) => play(&Played::Ring(algorithm), &trace).map_err(error)?,
            Instance::Message(_) | Instance::Robust(_) => {
                return Err(Failure::usage(format!(
                    "{} passes messages: a trace of it begins with \"ringleader message trace 1\" and has no agents",
                    start.algorithm
                )));
            }
        };
        let graph = words.to_string();
        Ok(PlayedTrace { trace, instance, run, parameters, graph })
    }

    /// What agents show, and their states as text, after so many steps.
    pub(crate) fn moment(&self, steps: usize) -> Moment {
        let c = &self.run.configurations[steps];
        match &self.instance {
            Instance::Ring(algorithm) => Moment {
                states: c.iter().map(|state| text::print_state(algorithm, state)).collect(),
                marks: (0..c.len()).map(|i| algorithm.marks(View::of(c, i, algorithm.chain()))).collect(),
            },
            Instance::Population(algorithm) => Moment {
                states: c.iter().map(|state| text::print_state(algorithm, state)).collect(),
                marks: algorithm.drawn(c),
            },
            Instance::Message(_) | Instance::Robust(_) => unreachable!("they have traces of another kind"),
        }
    }
}

/// Plays the trace in a file: exit code 0 if it is what it says it is, 1 if it is a run but not such a one.
pub(crate) fn run(path: &Path, json: bool) -> Result<ExitCode, Failure> {
    let name = path.display().to_string();
    let text = texts::run_file(path)?;
    if MessageTrace::detect(&text) {
        return messages::run(&name, &text, json);
    }
    let played = PlayedTrace::read(&name, &text)?;
    Replay { name: &name, trace: &played.trace, graph: &played.graph, json }.tell(&played)
}

struct Replay<'a> {
    name: &'a str,
    trace: &'a Trace,
    graph: &'a str,
    json: bool,
}

/// A configuration as it is shown.
pub(crate) struct Moment {
    pub(crate) states: Vec<String>,
    pub(crate) marks: Vec<Marks>,
}

impl Replay<'_> {
    fn tell(&self, played: &PlayedTrace) -> Result<ExitCode, Failure> {
        let mut out = anstream::stdout().lock();
        let mut now = played.moment(0);
        let all = (0..played.run.configurations.len()).flat_map(|at| played.moment(at).marks);
        self.opening(&mut out, &now, all.fold(Marks::NONE, |all, marks| all | marks))?;
        for (at, step) in self.trace.steps.iter().enumerate() {
            if self.trace.cycle == Some(at) && !self.json {
                writeln!(out, "        for ever:")?;
            }
            let next = played.moment(at + 1);
            self.line(&mut out, at + 1, step, &played.run.rules[at], &now, &next)?;
            now = next;
        }
        self.ending(&mut out, &played.run)
    }

    fn opening(&self, out: &mut impl Write, now: &Moment, shown: Marks) -> Result<(), Failure> {
        if self.json {
            writeln!(out, "{}", json!({ "step": 0, "states": now.states }))?;
            return Ok(());
        }
        let start = &self.trace.start;
        writeln!(out, "{}: {} agents, {}\n{}\n", start.algorithm, start.size, self.name, ring::legend(shown))?;
        writeln!(out, "{:>6}  {}", "start", ring::line(&now.marks, None, ring_width()))?;
        for (i, state) in now.states.iter().enumerate() {
            writeln!(out, "          {i}: {state}")?;
        }
        Ok(())
    }

    fn line(
        &self,
        out: &mut impl Write,
        number: usize,
        step: &Step,
        rules: &[u8],
        before: &Moment,
        after: &Moment,
    ) -> Result<(), Failure> {
        if self.json {
            writeln!(out, "{}", json!({ "step": number, "rules": rules, "states": after.states }))?;
            return Ok(());
        }
        let (actor, inputs) = (&step.actor, step.inputs);
        let (marks, before, after) = (&after.marks, &before.states, &after.states);
        let taken = StepLine { marks, actor, rules, inputs, before, after };
        Ok(writeln!(out, "{}", taken.line(number, ring_width()))?)
    }

    fn ending(&self, out: &mut impl Write, run: &Run) -> Result<ExitCode, Failure> {
        let broken = run.broken.as_ref();
        let code = if broken.is_some() { ExitCode::from(FAILS) } else { ExitCode::SUCCESS };
        if self.json {
            let (verified, open) = (&run.verified, &run.open);
            let mut line = json!({ "algorithm": self.trace.start.algorithm, "steps": self.trace.steps.len(),
                "sound": broken.is_none(), "verified": verified, "not_verified": open });
            if let Some(closes) = run.closes {
                line["repeats"] = json!(closes && broken.is_none());
            }
            if let Some(broken) = broken {
                line["because"] = json!(broken.to_string());
            }
            writeln!(out, "{line}")?;
            return Ok(code);
        }
        match (broken, run.closes) {
            (Some(broken), _) => writeln!(out, "this is not the run it claims to be: {broken}")?,
            (None, None) => writeln!(out, "the run ends here")?,
            (None, Some(_)) => {
                writeln!(out, "the configuration is the same as where the cycle began: this repeats for ever")?;
            }
        }
        let mut verified = vec![format!("every step is one of the rules' on the {}", self.graph)];
        verified.extend_from_slice(&run.verified);
        writeln!(out, "verified: {}", verified.join("; "))?;
        if !run.open.is_empty() {
            writeln!(out, "not verified: {}", run.open.join("; "))?;
        }
        Ok(code)
    }
}
