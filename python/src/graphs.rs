//! `check` with `graph="all"` or `graph="trees"`: one verdict over every graph of a size.

use crate::algorithm::Algorithm;
use crate::check::{Asked, Job, ended, monitor};
use crate::errors::{refused, value};
use crate::found::Found;
use crate::work::{Done, Progress};
use pyo3::prelude::*;
use ringleader::Instance;
use ringleader::check::{Everywhere, Monitor, Question, Report, Stop};
use ringleader::erased::{Kind, Parameters, Topology};
use ringleader::model::graph::Census;
use ringleader::model::{Graph, Knowledge, Networked as _};
use ringleader::report::check::{AllGraphs, Looks};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

/// An algorithm on one of the graphs, with the question about it.
struct Case {
    parameters: Parameters,
    instance: Instance,
    question: Question,
}

impl Case {
    fn new(algorithm: &Algorithm, asked: &Asked, graph: &Graph) -> PyResult<Case> {
        let parameters = asked.setup.at(asked.size)?;
        let parameters = match algorithm.card.kind {
            Kind::Graph => parameters.on(graph.clone()),
            _ => parameters,
        };
        let instance = algorithm.catalog.instance(algorithm.card.name, &parameters).map_err(refused)?;
        let question = asked.whole_question(algorithm, &parameters, &instance)?;
        Ok(Case { parameters, instance, question })
    }

    /// The facts by which the algorithm and the question tell graphs apart.
    fn knowledge(&self, algorithm: &Algorithm, size: usize) -> PyResult<Knowledge> {
        let named = |places: bool| Knowledge { identities: places, ..Knowledge::NONE };
        let question = &self.question;
        match &self.instance {
            Instance::Population(instance) => {
                let topology = self.parameters.layers.topology(algorithm.card);
                if topology != Topology::Any {
                    let (name, kind) = (algorithm.card.name, topology.describe());
                    return Err(value(format!("{name} is for a {kind}, not for all graphs")));
                }
                Ok(named(ringleader::check::tells_agents_apart(instance, size, question)))
            }
            Instance::Graph(instance) => {
                let claimed = question.claims.iter().any(|claim| claim.places);
                let started = question.starting.as_ref().is_some_and(|starting| starting.places);
                Ok(instance.knowledge().and(named(claimed || started || !question.starts.is_empty())))
            }
            _ => Err(value(format!("{} takes no graph: its processes form a ring or a line", algorithm.card.name))),
        }
    }

    fn check(&self, graph: &Graph, monitor: &Monitor) -> Result<Report, Stop> {
        match &self.instance {
            Instance::Population(instance) => ringleader::check::population(instance, graph, &self.question, monitor),
            Instance::Graph(instance) => ringleader::check::graph(instance, &self.question, monitor),
            _ => Err(Stop::Interrupted),
        }
    }
}

/// Checks the algorithm on every graph. The report is that of the first graph on which it fails, or of the one on which it takes longest.
pub(crate) fn check(
    algorithm: &Algorithm,
    py: Python<'_>,
    asked: &Asked,
    census: Census,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Found> {
    let (card, size) = (algorithm.card, asked.size);
    if card.topology == Topology::Tree && census != Census::Trees {
        return Err(value(format!("{} is for trees: give graph=\"trees\"", card.name)));
    }
    let line = Graph::all_trees(size.min(Graph::MOST_OF_TREES)).map_err(value)?.remove(0);
    let knowledge = Case::new(algorithm, asked, &line)?.knowledge(algorithm, size)?;
    let graphs = census.graphs(size, knowledge).map_err(value)?;
    let cases = graphs.iter().map(|graph| Case::new(algorithm, asked, graph)).collect::<PyResult<Vec<_>>>()?;
    let (count, begun, monitor) = (graphs.len(), Instant::now(), monitor(asked));
    let done = Arc::new(AtomicU64::new(0));
    let (watching, counting) = (monitor.clone(), done.clone());
    let work = move || {
        let mut cases = cases.into_iter();
        let (found, ended) = Everywhere::check(&graphs, |graph| {
            let case = cases.next().ok_or(Stop::Interrupted)?;
            let report = case.check(graph, &watching)?;
            counting.fetch_add(1, Relaxed);
            Ok((report, case))
        });
        ended.map(|()| found)
    };
    let look = || Progress { phase: "graphs".into(), done: done.load(Relaxed), total: Some(count as u64) };
    let Done { result: found, interrupted } = ended(py, progress, &monitor, look, work)?;
    let Some(found) = found else {
        let known = json!({ "phase": "graphs", "done": done.load(Relaxed), "known": monitor.found(), "decided": null });
        return Ok(Found::new(&known).until(interrupted));
    };
    let Some(Everywhere { graph, report, with: Case { parameters, instance, question }, failing, .. }) = found else {
        return Err(value("there is no such graph"));
    };
    let all = AllGraphs { census, knowledge, count, failing };
    let job = Job { algorithm, parameters: &parameters, question: &question, all: Some(all), progress: None };
    let (words, time) = (graph.words(), begun.elapsed());
    let found = match &instance {
        Instance::Population(instance) => job.found(&report, words, Looks::population(instance), instance, time),
        Instance::Graph(instance) => job.found(&report, words, Looks::graph(instance), instance, time),
        _ => Err(value("there is no such graph")),
    };
    Ok(found?.until(interrupted))
}
