//! `ringleader elect --replay` for runs of algorithms that pass messages.

use crate::catalog;
use crate::settings::reading::{self, Read};
use crate::terminal::columns;
use crate::terminal::exit::{Failure, usage};
use ringleader_erased::Parameters;
use ringleader_explore::Run;
use ringleader_model::message_trace::MessageTrace;
use ringleader_model::{Channels, Terminating};
use ringleader_report::messages::READING;
use serde_json::json;
use std::io::Write;
use std::process::ExitCode;

/// A trace that was replayed.
pub(crate) struct PlayedMessages {
    pub(crate) trace: MessageTrace,
    pub(crate) run: Run,
    /// The channels that the algorithm's claim is about.
    claimed: Channels,
}

/// Reads a trace and replays it by the algorithm's own rules.
pub(crate) fn play(name: &str, text: &str) -> Result<PlayedMessages, Failure> {
    let trace = MessageTrace::parse(text).map_err(|e| usage!("{name}: {e}"))?;
    let card = catalog().card(&trace.algorithm)?;
    // A run in the steps of a published table names them.
    let steps = trace.parameters.iter().find(|(name, _)| name == READING).map(|(_, value)| value.as_str());
    let steps = reading::chosen(card, steps, None, "replayed")?;
    let own: Vec<_> = trace.parameters.iter().filter(|(name, _)| name != READING).cloned().collect();
    let parameters = Parameters::read(trace.size, &own)?;
    let algorithm = Read { card, parameters: &parameters, steps }.build("a message trace")?;
    let claimed = algorithm.channels();
    let run = Run::play(&algorithm, trace.channels, &trace.steps).map_err(|e| usage!("{name}: {e}"))?;
    Ok(PlayedMessages { trace, run, claimed })
}

/// Replays a trace and draws it as a chart.
pub(super) fn run(name: &str, text: &str, json: bool) -> Result<ExitCode, Failure> {
    let PlayedMessages { trace, run, claimed } = play(name, text)?;
    let mut out = anstream::stdout().lock();
    if json {
        for (number, step) in run.steps.iter().enumerate() {
            writeln!(out, "{}", json!({ "step": number + 1, "process": step.process, "state": step.after }))?;
        }
        let (algorithm, steps) = (&trace.algorithm, run.steps.len());
        writeln!(
            out,
            "{}",
            json!({ "algorithm": algorithm, "steps": steps,
            "channels": trace.channels.to_string(), "leaders": run.leaders, "ended": run.ended })
        )?;
    } else {
        write!(out, "{}", run.chart(columns()))?;
        let leaders = match run.leaders {
            0 => "without a leader".to_string(),
            1 => "with one leader".to_string(),
            many => format!("with {many} leaders"),
        };
        let ended = if run.ended { "no process can take another step" } else { "it could go on" };
        writeln!(out, "The run ends here, {leaders}: {ended}.")?;
        if trace.channels == Channels::Bag && claimed == Channels::Fifo {
            writeln!(out, "Its channels are unordered; the algorithm's claim is about FIFO channels only.")?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
