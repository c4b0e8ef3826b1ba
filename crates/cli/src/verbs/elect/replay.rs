//! `ringleader elect --replay`: plays back a run that was written down, such as a counterexample of `check --save`.

use crate::catalog;
use crate::settings::graph;
use crate::terminal::exit::{FAILS, Failure};
use crate::terminal::{files, ring_width};
use ringleader_catalogue::Instance;
use ringleader_check::replay::{Played, Run, play};
use ringleader_instance::{Number, Parameters};
use ringleader_model::message_trace::MessageTrace;
use ringleader_model::trace::{Step, Trace};
use ringleader_model::{Marks, ParseError, Population, Ring, Variables, View, text};
use ringleader_report::ring;
use ringleader_report::step::Taken;
use serde_json::json;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

mod messages;

/// Plays the trace in a file: exit code 0 if it is what it says it is, 1 if it is a run but not such a one.
pub(crate) fn run(path: &Path, json: bool) -> Result<ExitCode, Failure> {
    let name = path.display().to_string();
    let text = files::read(path)?;
    if MessageTrace::detect(&text) {
        return messages::run(&name, &text, json);
    }
    let trace = Trace::parse(&text).map_err(|e| Failure::usage(format!("{name}: {e}")))?;
    let start = &trace.start;
    let parameters = Parameters::read(start.size, &start.parameters)?;
    let topology = parameters.layers.topology(catalog().card(&start.algorithm)?).at_hand();
    let replay = Replay { name: &name, trace: &trace, graph: topology.describe(), json };
    if let Some(said) = trace.terms.graph.as_deref().filter(|said| *said != topology.describe()) {
        return Err(Failure::usage(format!(
            "{name}: it is a run on a {said}, but {} is for a {}",
            start.algorithm, replay.graph
        )));
    }
    match catalog().instance(&start.algorithm, &parameters)? {
        Instance::Population(algorithm) => {
            let graph = graph::of(topology, start.size)?;
            let show = |c: &[Number]| c.iter().map(|s| algorithm.marks(s)).collect();
            let run = play(&Played::Population(&algorithm, &graph), &trace).map_err(|e| replay.error(e))?;
            replay.tell(&algorithm, show, &run)
        }
        Instance::Ring(algorithm) => {
            let show =
                |c: &[Number]| (0..c.len()).map(|i| algorithm.marks(View::of(c, i, algorithm.chain()))).collect();
            let run = play(&Played::Ring(&algorithm), &trace).map_err(|e| replay.error(e))?;
            replay.tell(&algorithm, show, &run)
        }
        Instance::Message(_) | Instance::Robust(_) => replay.elsewhere(),
    }
}

struct Replay<'a> {
    name: &'a str,
    trace: &'a Trace,
    graph: &'static str,
    json: bool,
}

/// A configuration as it is shown.
struct Moment {
    states: Vec<String>,
    marks: Vec<Marks>,
}

impl Replay<'_> {
    fn error(&self, error: ParseError) -> Failure {
        Failure::usage(format!("{}: {error}", self.name))
    }

    fn tell<A: Variables<State = Number>>(
        &self,
        algorithm: &A,
        show: impl Fn(&[Number]) -> Vec<Marks>,
        run: &Run,
    ) -> Result<ExitCode, Failure> {
        let view = |states: &[Number]| Moment {
            states: states.iter().map(|s| text::print_state(algorithm, s)).collect(),
            marks: show(states),
        };
        let mut out = anstream::stdout().lock();
        let mut now = view(&run.configurations[0]);
        self.opening(&mut out, &now)?;
        for (at, step) in self.trace.steps.iter().enumerate() {
            if self.trace.cycle == Some(at) && !self.json {
                writeln!(out, "        for ever:")?;
            }
            let next = view(&run.configurations[at + 1]);
            self.line(&mut out, at + 1, step, &run.rules[at], &now, &next)?;
            now = next;
        }
        self.ending(&mut out, run)
    }

    fn opening(&self, out: &mut impl Write, now: &Moment) -> Result<(), Failure> {
        if self.json {
            writeln!(out, "{}", json!({ "step": 0, "states": now.states }))?;
            return Ok(());
        }
        let start = &self.trace.start;
        writeln!(out, "{}: {} agents, {}", start.algorithm, start.size, self.name)?;
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
        let taken = Taken { marks, actor, rules, inputs, before, after };
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
                line["because"] = json!(broken);
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

    fn elsewhere(&self) -> Result<ExitCode, Failure> {
        let name = &self.trace.start.algorithm;
        Err(Failure::usage(format!(
            "{name} passes messages: a trace of it begins with \"ringleader message trace 1\" and has no agents"
        )))
    }
}
