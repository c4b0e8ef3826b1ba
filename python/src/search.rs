//! `search`: all protocols of a family that elect a leader.

use crate::errors::value;
use crate::found::Found;
use crate::setup::scheduler;
use crate::work::{Done, Progress, watched};
use pyo3::prelude::*;
use ringleader::report::discovery::Discovery;
use ringleader::search::{Control, Family, Options, Topology, discover};
use std::time::{Duration, Instant};

/// The arguments of a search.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Asked {
    states: usize,
    graph: String,
    sizes: Vec<usize>,
    leaders: Option<usize>,
    detector: bool,
    symmetric: bool,
    scheduler: String,
    top: Option<usize>,
    fastest: bool,
    budget: Option<f64>,
    memory: u64,
    threads: Option<usize>,
}

/// Searches; the text of each protocol comes with the result.
#[pyfunction]
pub(crate) fn search(
    py: Python<'_>,
    asked: Asked,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<(Found, Vec<String>)> {
    let topology = match asked.graph.as_str() {
        "directed-ring" | "ring" => Topology::DirectedRing,
        "complete" => Topology::Complete,
        _ => return Err(value("the graph is ring or complete")),
    };
    let mut family = Family::new(asked.states, topology, &asked.sizes).under(scheduler(&asked.scheduler)?);
    (family.leaders, family.detector, family.symmetric) = (asked.leaders, asked.detector, asked.symmetric);
    let mut options = Options::default();
    options.keep = asked.top.unwrap_or(usize::MAX);
    options.fastest = asked.fastest;
    let budget = |seconds: f64| Duration::try_from_secs_f64(seconds).map_err(value);
    options.budget = asked.budget.map(budget).transpose()?;
    options.memory = asked.memory;
    options.patience = Some(Duration::from_millis(20));
    options.threads = asked.threads.unwrap_or(options.threads);
    family.check(options.memory).map_err(value)?;
    let (begun, control) = (Instant::now(), Control::default());
    let look = || {
        let phase = format!("{} found, {} tables examined", control.protocols(), control.looked_at());
        Progress { phase, done: (control.share() * 1000.0) as u64, total: Some(1000) }
    };
    let work = || discover(&family, &options, &control);
    let done = watched(py, progress, look, || control.stop(), work)?;
    let Done { result: outcome, interrupted } = done.unless_failed(value)?;
    let results = Discovery {
        family: &family,
        outcome: &outcome,
        saved: &[],
        time: begun.elapsed(),
        interrupted: interrupted.is_some(),
    };
    let texts = outcome.found.iter().enumerate().map(|(at, found)| {
        let name = format!("{}-{}-states-{:02}", asked.graph, asked.states, at + 1);
        let text = found.protocol.text(&name);
        ringleader::language::format(&name, &text).unwrap_or(text)
    });
    let found = Found::new(&results.json()).with_text(|out| results.text(out))?;
    Ok((found.until(interrupted), texts.collect()))
}
