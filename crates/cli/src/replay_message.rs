//! `ringleader elect --replay` for runs of algorithms that pass messages.

use crate::explore::model::{Job, Steps, with_model};
use crate::failure::Failure;
use ringleader_algorithms::{Parameters, catalog};
use ringleader_explore::Run;
use ringleader_model::message_trace::MessageTrace;
use ringleader_model::{Terminating, text};
use serde_json::json;
use std::io::Write;
use std::process::ExitCode;

/// Plays a trace and draws it as a chart.
pub(crate) fn run(name: &str, text: &str, json: bool) -> Result<ExitCode, Failure> {
    let trace = MessageTrace::parse(text).map_err(|e| Failure::usage(format!("{name}: {e}")))?;
    let card = catalog::card(&trace.algorithm)?;
    // Runs of Franklin in the steps of the tables say so.
    let steps = trace.parameters.iter().find(|(name, _)| name == READING).map(|(_, value)| value.parse::<Steps>());
    let steps = steps.transpose().map_err(Failure::usage)?.unwrap_or(Steps::Atomic);
    let own = trace.parameters.iter().filter(|(name, _)| name != READING);
    let parameters = own.fold(Parameters::new(trace.size), |all, (name, value)| all.with(name, value));
    with_model(card, &parameters, steps, "a message trace", Replay { name, trace: &trace, json })?
}

/// The parameter of a trace that says in which steps Franklin's algorithm runs.
pub(crate) const READING: &str = "reading";

struct Replay<'a> {
    name: &'a str,
    trace: &'a MessageTrace,
    json: bool,
}

impl Job for Replay<'_> {
    type Output = Result<ExitCode, Failure>;

    fn run<A: Terminating + 'static>(self, algorithm: A) -> Self::Output {
        let run = Run::replay(&algorithm, self.trace).map_err(|e| Failure::usage(format!("{}: {e}", self.name)))?;
        let marks = run.end.states.iter().enumerate().map(|(me, state)| algorithm.marks(me, state));
        let leaders = marks.filter(|marks| marks.leader()).count();
        let mut out = anstream::stdout().lock();
        if self.json {
            for (number, step) in run.steps.iter().enumerate() {
                let after = text::print_state(&algorithm, &step.after);
                writeln!(out, "{}", json!({ "step": number + 1, "process": step.process, "state": after }))?;
            }
            let name = &self.trace.algorithm;
            writeln!(out, "{}", json!({ "algorithm": name, "steps": run.steps.len(), "leaders": leaders }))?;
        } else {
            write!(out, "{}", run.chart(&algorithm))?;
            writeln!(out, "The run ends here, with {leaders} leaders.")?;
        }
        Ok(ExitCode::SUCCESS)
    }
}
