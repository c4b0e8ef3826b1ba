//! `ringleader check --graph all`: one verdict over every graph of a size.

use super::Asked;
use super::configurations::{Prepared, Telling, Told, refused};
use crate::settings::graph;
use crate::terminal::exit::{Failure, bail, usage};
use crate::terminal::progress::{Share, watched};
use ringleader_catalog::Placed;
use ringleader_check::{Everywhere, Question, Stop};
use ringleader_erased::{Kind, Topology};
use ringleader_model::graph::Census;
use ringleader_model::{Graph, Knowledge, Networked as _};
use ringleader_report::check::AllGraphs;
use serde_json::Map;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

/// The facts about a graph that claims and starts use, if they name agents by their places.
fn named(places: bool) -> Knowledge {
    Knowledge { identities: places, ..Knowledge::NONE }
}

/// Checks an algorithm for any graph on each graph that it can tell apart. `settings` is the question without claims and starts.
pub(super) fn run(asked: &Asked<'_>, census: Census, settings: &Question) -> Result<ExitCode, Failure> {
    let (card, size, begun) = (asked.card, asked.parameters.size, Instant::now());
    let topology = asked.parameters.layers.topology(card);
    if card.kind == Kind::Population && topology != Topology::Any {
        return Err(graph::unsuitable(card, topology, "all graphs"));
    }
    if topology == Topology::Tree && census != Census::Trees {
        bail!("{} is for trees: use --graph trees", card.name);
    }
    let line = Graph::all_trees(size.min(Graph::MOST_OF_TREES)).map_err(Failure::usage)?.remove(0);
    let first = Prepared::new(asked, Some(line), settings)?;
    let Question { claims, starts, starting, .. } = &first.question;
    let knowledge = match &first.algorithm {
        Placed::Graph(algorithm) => {
            let claimed = claims.iter().any(|claim| claim.places);
            let started = !starts.is_empty() || starting.as_ref().is_some_and(|starting| starting.places);
            algorithm.knowledge().and(named(claimed || started))
        }
        Placed::Population(algorithm, _) => {
            named(ringleader_check::tells_agents_apart(algorithm, size, &first.question))
        }
        Placed::Ring(..) => Knowledge::NONE,
    };
    let on = |graph: &Graph| match &first.algorithm {
        Placed::Population(algorithm, _) => {
            Ok(Prepared { algorithm: Placed::Population(algorithm.clone(), graph.clone()), ..first.clone() })
        }
        _ => Prepared::new(asked, Some(graph.clone()), settings),
    };
    let (found, told) = over(asked, census, knowledge, on)?;
    Telling::new(asked, &found.with, found.graph.words(), begun).conclude(&found.report, &told)
}

/// Checks each graph that processes with this knowledge can tell apart: the graph that is shown, and what is said of all.
fn over(
    asked: &Asked<'_>,
    census: Census,
    knowledge: Knowledge,
    on: impl Fn(&Graph) -> Result<Prepared, Failure> + Sync,
) -> Result<(Everywhere<Prepared>, Told), Failure> {
    let size = asked.parameters.size;
    let graphs = census.graphs(size, knowledge).map_err(Failure::usage)?;
    let (count, done) = (graphs.len(), AtomicU64::new(0));
    let monitor = asked.arguments.limits.monitor();
    let work = || {
        let (found, ended) = Everywhere::check(&graphs, |graph| {
            let check = on(graph).map_err(Err)?;
            let found = check.algorithm.check(&check.question, &monitor).map_err(Ok);
            done.fetch_add(1, Relaxed);
            Ok((found?, check))
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
            return Err(asked.interrupted(Some(&phase), &known));
        }
        Err(stop) => return Err(refused(&stop)),
    }
    let found = shown.ok_or_else(|| usage!("there is no such graph"))?;
    let all = AllGraphs { census, knowledge, count, failing: found.failing };
    let preface = all.text(size, asked.card.kind.members(), &found.report);
    Ok((found, Told { fields: Map::from_iter([("graphs".to_string(), all.json())]), preface }))
}

/// The result on the graphs before an interruption.
fn known(before: &Everywhere<Prepared>) -> String {
    let Everywhere { graph, report, failing, .. } = before;
    let shown = graph.words();
    match (failing, report.longest()) {
        (0, Some(_)) => format!("it holds on the graphs before, and takes longest on: {shown}"),
        (0, None) => "it holds on the graphs before".into(),
        (failing, _) => format!("it fails on {failing} of the graphs before, first on: {shown}"),
    }
}
