//! Traces, such as `ringleader check --save` writes, as stories.

use crate::Refused;
use crate::runs::setup::{AskedStart, Setup};
use crate::runs::story::{Move, Script, Story};
use ringleader_model::Graph;
use ringleader_model::graph::Family;
use ringleader_model::message_trace::MessageTrace;
use ringleader_model::trace::{Assumptions, Trace};

/// The story of a trace of either kind.
pub(crate) fn story(text: &str) -> Result<Story, Refused> {
    if MessageTrace::detect(text) {
        return Ok(of_messages(MessageTrace::parse(text).map_err(Refused::new)?));
    }
    let trace = Trace::parse(text).map_err(Refused::new)?;
    let setup = Setup {
        algorithm: trace.start.algorithm.clone(),
        size: trace.start.size,
        parameters: trace.start.parameters.iter().cloned().collect(),
        start: AskedStart::of_file(&trace.start.print()),
        graph: trace.assumptions.graph.as_deref().map(|words| graph(trace.start.size, words)).transpose()?.flatten(),
        ..Setup::default()
    };
    let steps = trace.steps.iter().map(|step| Move::of(&step.actor, step.inputs, &step.coin)).collect();
    let strategy = (!trace.strategy.is_empty()).then(|| trace.print_strategy());
    let Assumptions { scheduler, fairness, oracle, coins, .. } = trace.assumptions;
    let scheduler = scheduler.map(|scheduler| scheduler.name().to_string());
    let script = Script { steps, cycle: trace.cycle, scheduler, fairness, oracle, claim: None, coins, strategy };
    Ok(Story { setup, acts: vec![], script: Some(script) })
}

/// The graph of a trace: the name of its family, or its arcs, one per line. None is named that an algorithm has by itself.
fn graph(size: usize, words: &str) -> Result<Option<String>, Refused> {
    let family = words.replace(' ', "-");
    if family.parse::<Family>().is_ok() {
        return Ok(Some(family));
    }
    if !words.contains("->") {
        return Ok(None);
    }
    let graph = Graph::from_words(size, words).map_err(Refused::new)?;
    Ok(Some(graph.arcs().iter().map(|(u, v)| format!("{u} {v}\n")).collect()))
}

fn of_messages(trace: MessageTrace) -> Story {
    let setup = Setup {
        algorithm: trace.algorithm,
        size: trace.size,
        parameters: trace.parameters.into_iter().collect(),
        channels: Some(trace.channels.name().into()),
        ..Setup::default()
    };
    let steps = trace.steps.into_iter().map(Move::of_line).collect();
    Story { setup, acts: vec![], script: Some(Script { steps, ..Script::default() }) }
}
