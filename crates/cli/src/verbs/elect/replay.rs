//! `ringleader elect --replay`: plays back a run that was written down, such as a counterexample of `check --save`.

use crate::catalog;
use crate::terminal::exit::{FAILS, Failure};
use crate::terminal::{files, ring_width};
use ringleader_catalogue::Instance;
use ringleader_instance::{Number, Parameters};
use ringleader_model::message_trace::MessageTrace;
use ringleader_model::trace::{self, Step, Trace};
use ringleader_model::{Marks, ParseError, Population, Ring, Variables, View, text};
use ringleader_report::ring;
use ringleader_report::step::Taken;
use serde_json::json;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

mod messages;

/// Plays the trace in a file: exit code 0 if it is what it says it is, 1 if what should repeat does not.
pub(crate) fn run(path: &Path, json: bool) -> Result<ExitCode, Failure> {
    let name = path.display().to_string();
    let text = files::read(path)?;
    if MessageTrace::detect(&text) {
        return messages::run(&name, &text, json);
    }
    let trace = Trace::parse(&text).map_err(|e| Failure::usage(format!("{name}: {e}")))?;
    let start = &trace.start;
    let parameters = Parameters::read(start.size, &start.parameters)?;
    let replay = Replay { name: &name, trace: &trace, json };
    match catalog().instance(&start.algorithm, &parameters)? {
        Instance::Population(algorithm) => {
            let show = |c: &[Number]| c.iter().map(|s| algorithm.marks(s)).collect();
            replay.play(&algorithm, show, |states, step| trace::interact(&algorithm, states, step))
        }
        Instance::Ring(algorithm) => {
            let show =
                |c: &[Number]| (0..c.len()).map(|i| algorithm.marks(View::of(c, i, algorithm.chain()))).collect();
            replay.play(&algorithm, show, |states, step| trace::act(&algorithm, states, step))
        }
        Instance::Message(_) | Instance::Robust(_) => replay.elsewhere(),
    }
}

struct Replay<'a> {
    name: &'a str,
    trace: &'a Trace,
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

    fn play<A: Variables<State = Number>>(
        &self,
        algorithm: &A,
        show: impl Fn(&[Number]) -> Vec<Marks>,
        mut take: impl FnMut(&mut [Number], &Step) -> Result<Vec<u8>, ParseError>,
    ) -> Result<ExitCode, Failure> {
        let mut states = self.trace.start.states(algorithm).map_err(|e| self.error(e))?;
        let view = |states: &[Number]| Moment {
            states: states.iter().map(|s| text::print_state(algorithm, s)).collect(),
            marks: show(states),
        };
        let mut out = anstream::stdout().lock();
        let mut now = view(&states);
        self.opening(&mut out, &now)?;
        let mut repeats_from = None;
        for (at, step) in self.trace.steps.iter().enumerate() {
            if self.trace.cycle == Some(at) {
                repeats_from = Some(states.clone());
                if !self.json {
                    writeln!(out, "        for ever:")?;
                }
            }
            let rules = take(&mut states, step).map_err(|e| self.error(e))?;
            let next = view(&states);
            self.line(&mut out, at + 1, step, &rules, &now, &next)?;
            now = next;
        }
        let closes = repeats_from.map(|from| from == states);
        self.ending(&mut out, closes)
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

    fn ending(&self, out: &mut impl Write, closes: Option<bool>) -> Result<ExitCode, Failure> {
        if self.json {
            let mut line = json!({ "algorithm": self.trace.start.algorithm, "steps": self.trace.steps.len() });
            if let Some(closes) = closes {
                line["repeats"] = json!(closes);
            }
            writeln!(out, "{line}")?;
        } else {
            writeln!(
                out,
                "{}",
                match closes {
                    None => "the run ends here",
                    Some(true) => "the configuration is the same as where the cycle began: this repeats for ever",
                    Some(false) => "the configuration is not the one in which the cycle began: this does not repeat",
                }
            )?;
        }
        Ok(if closes == Some(false) { ExitCode::from(FAILS) } else { ExitCode::SUCCESS })
    }

    fn elsewhere(&self) -> Result<ExitCode, Failure> {
        let name = &self.trace.start.algorithm;
        Err(Failure::usage(format!(
            "{name} passes messages: a trace of it begins with \"ringleader message trace 1\" and has no agents"
        )))
    }
}
