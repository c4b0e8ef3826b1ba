//! `ringleader check --graph all`: one verdict over every graph of a size.

use super::Asked;
use super::configurations::{Telling, refused};
use crate::catalog;
use crate::settings::graph;
use crate::terminal::exit::{Failure, bail, usage};
use crate::terminal::progress::{Share, watched};
use ringleader_catalog::Instance;
use ringleader_check::{Everywhere, Monitor, Question, Report, Stop};
use ringleader_erased::{GraphInstance, Parameters, PopulationInstance, Topology};
use ringleader_model::graph::Census;
use ringleader_model::{Graph, Knowledge, Networked as _};
use ringleader_report::check::{AllGraphs, Looks};
use serde_json::Map;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

/// The facts about a graph that claims and starts use, if they name agents by their places.
fn named(places: bool) -> Knowledge {
    Knowledge { identities: places, ..Knowledge::NONE }
}

/// Checks a population protocol on each graph.
pub(super) fn population(
    asked: &Asked<'_>,
    census: Census,
    question: &Question,
    algorithm: &PopulationInstance,
) -> Result<ExitCode, Failure> {
    let (size, topology) = (asked.parameters.size, asked.parameters.layers.topology(asked.card));
    if topology != Topology::Any {
        return Err(graph::unsuitable(asked.card, topology, "all graphs"));
    }
    let knowledge = named(ringleader_check::tells_agents_apart(algorithm, size, question));
    let work = |graph: &Graph, monitor: &Monitor| {
        Ok(ringleader_check::population(algorithm, graph, question, monitor).map(|report| (report, question.clone())))
    };
    let Over { graph, found: (report, question), fields, preface, begun } = match over(asked, census, knowledge, work)?
    {
        Ok(found) => found,
        Err(code) => return Ok(code),
    };
    let looks = Looks::population(algorithm);
    Telling { asked, question: &question, graph: graph.words(), looks, begun, told: false }
        .conclude(&report, &fields, &preface)
}

/// Checks an algorithm for the processes of any graph on each graph. `question` gives the claims and starts on one of them.
pub(super) fn processes(
    asked: &Asked<'_>,
    census: Census,
    question: impl Fn(&Asked<'_>, &GraphInstance) -> Result<Question, Failure> + Sync,
) -> Result<ExitCode, Failure> {
    let (arguments, card) = (asked.arguments, asked.card);
    if card.topology == Topology::Tree && census != Census::Trees {
        bail!("{} is for trees: use --graph trees", card.name);
    }
    let on = |graph: &Graph| asked.parameters.clone().on(graph.clone());
    let build = |parameters: &Parameters| match catalog().instance(card.name, parameters)? {
        Instance::Graph(algorithm) => Ok(algorithm),
        _ => Err(usage!("the card of {} says that it is for any graph", card.name)),
    };
    let prepared = |parameters: &Parameters| {
        let algorithm = build(parameters)?;
        let question = question(&Asked { arguments, card, parameters, place: None }, &algorithm)?;
        Ok::<_, Failure>((algorithm, question))
    };
    let line = Graph::all_trees(asked.parameters.size.min(Graph::MOST_OF_TREES)).map_err(Failure::usage)?.remove(0);
    let (algorithm, first) = prepared(&on(&line))?;
    let claimed = first.claims.iter().any(|claim| claim.places);
    let started = !first.starts.is_empty() || first.starting.is_some_and(|starting| starting.places);
    let knowledge = algorithm.knowledge().and(named(claimed || started));
    let work = |graph: &Graph, monitor: &Monitor| {
        let (algorithm, question) = prepared(&on(graph))?;
        Ok(ringleader_check::graph(&algorithm, &question, monitor).map(|report| (report, question)))
    };
    let Over { graph, found: (report, question), fields, preface, begun } = match over(asked, census, knowledge, work)?
    {
        Ok(found) => found,
        Err(code) => return Ok(code),
    };
    let parameters = &on(&graph);
    let asked = &Asked { arguments, card, parameters, place: None };
    let algorithm = build(parameters)?;
    let looks = Looks::graph(&algorithm);
    Telling { asked, question: &question, graph: graph.words(), looks, begun, told: false }
        .conclude(&report, &fields, &preface)
}

/// The result of a check on all graphs.
struct Over {
    /// The graph that is shown: the first on which the algorithm fails, or the one on which it takes longest.
    graph: Graph,
    found: (Report, Question),
    fields: Map<String, serde_json::Value>,
    preface: String,
    begun: Instant,
}

/// Checks each graph that processes with this knowledge can tell apart. An interrupted check ends with an exit code.
fn over(
    asked: &Asked<'_>,
    census: Census,
    knowledge: Knowledge,
    check: impl Fn(&Graph, &Monitor) -> Result<Result<(Report, Question), Stop>, Failure> + Sync,
) -> Result<Result<Over, ExitCode>, Failure> {
    let size = asked.parameters.size;
    let graphs = census.graphs(size, knowledge).map_err(Failure::usage)?;
    let (count, done, begun) = (graphs.len(), AtomicU64::new(0), Instant::now());
    let monitor = asked.arguments.limits.monitor();
    let work = || {
        let (found, ended) = Everywhere::check(&graphs, |graph| {
            let found = check(graph, &monitor).map_err(Err)?.map_err(Ok);
            done.fetch_add(1, Relaxed);
            found
        });
        match ended {
            Ok(()) => Ok((found, Ok(()))),
            Err(Ok(stop)) => Ok((found, Err(stop))),
            Err(Err(failure)) => Err(failure),
        }
    };
    let found: Result<(_, Result<(), Stop>), Failure> = watched(work, |progress| {
        let share = Share { done: done.load(Relaxed), of: count as u64, unit: "graphs" };
        if !progress.count(share, || monitor.progress().0.name.to_string()) {
            monitor.stop();
        }
    });
    let (shown, ended) = found?;
    match ended {
        Ok(()) => {}
        Err(Stop::Interrupted) => {
            let phase = format!("the verdict on graph {} of {count}", done.load(Relaxed) + 1);
            let known: Vec<_> = shown.as_ref().map(known).into_iter().collect();
            return asked.interrupted(Some(&phase), &known).map(Err);
        }
        Err(Stop::Refused(refusal)) => return Err(refused(&refusal)),
        Err(stop) => return Err(Failure::usage(stop)),
    }
    let Some(Everywhere { graph, report, with: question, failing, .. }) = shown else {
        bail!("there is no such graph");
    };
    let all = AllGraphs { census, knowledge, count, failing };
    let preface = all.text(size, asked.card.kind.members(), &report);
    let fields = Map::from_iter([("graphs".to_string(), all.json())]);
    Ok(Ok(Over { graph, found: (report, question), fields, preface, begun }))
}

/// The result on the graphs before an interruption.
fn known(before: &Everywhere<Question>) -> String {
    let Everywhere { graph, report, failing, .. } = before;
    let shown = graph.words();
    match (failing, report.longest()) {
        (0, Some(_)) => format!("it holds on the graphs before, and takes longest on: {shown}"),
        (0, None) => "it holds on the graphs before".into(),
        (failing, _) => format!("it fails on {failing} of the graphs before, first on: {shown}"),
    }
}
