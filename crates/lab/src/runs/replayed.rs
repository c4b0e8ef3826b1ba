//! Traces, such as `ringleader check --save` writes, as stories.

use crate::Refused;
use crate::runs::setup::{AskedStart, Setup};
use crate::runs::story::{Move, Script, Story};
use ringleader_model::message_trace::{Act, MessageTrace};
use ringleader_model::trace::Trace;

/// The story of a trace of either kind; `shows` says what it is a counterexample to, if it is one.
pub(crate) fn story(text: &str, shows: Option<&str>) -> Result<Story, Refused> {
    let shows = shows.map(String::from);
    if MessageTrace::detect(text) {
        return Ok(of_messages(MessageTrace::parse(text).map_err(Refused::new)?, shows));
    }
    let trace = Trace::parse(text).map_err(Refused::new)?;
    let setup = Setup {
        algorithm: trace.start.algorithm.clone(),
        size: trace.start.size,
        parameters: trace.start.parameters.iter().cloned().collect(),
        start: AskedStart::Given(states(&trace.start.print())),
        ..Setup::default()
    };
    let steps = trace.steps.iter().map(|step| Move::of(&step.actor, step.inputs, &step.coin)).collect();
    Ok(Story { setup, acts: vec![], script: Some(Script { steps, cycle: trace.cycle, shows }) })
}

/// The states of a configuration file, in the order of the agents.
pub(crate) fn states(configuration: &str) -> Vec<String> {
    let lines = configuration.lines().filter_map(|line| line.strip_prefix("agent ")?.split_once(": "));
    lines.map(|(_, state)| state.to_string()).collect()
}

fn of_messages(trace: MessageTrace, shows: Option<String>) -> Story {
    let setup = Setup {
        algorithm: trace.algorithm,
        size: trace.size,
        parameters: trace.parameters.into_iter().collect(),
        channels: Some(trace.channels.name().into()),
        ..Setup::default()
    };
    let steps = trace.steps.into_iter().map(|line| Move {
        processes: vec![line.process],
        message: if let Act::Receive { port, index } = line.act { Some((port, index)) } else { None },
        coin: line.coin,
        ..Move::default()
    });
    Story { setup, acts: vec![], script: Some(Script { steps: steps.collect(), cycle: None, shows }) }
}
