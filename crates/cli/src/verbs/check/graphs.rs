//! `ringleader check --graph all`: one verdict over every graph of a size.

use super::Asked;
use super::configurations::{Telling, refused};
use crate::catalog;
use crate::settings::graph;
use crate::terminal::exit::{Failure, INTERRUPTED};
use crate::terminal::progress::{Share, watched};
use ringleader_catalog::Instance;
use ringleader_check::{Monitor, Question, Report, Stop};
use ringleader_erased::{GraphInstance, Parameters, PopulationInstance, Topology};
use ringleader_model::graph::Census;
use ringleader_model::{Graph, Knowledge, Networked as _};
use ringleader_report::check::Looks;
use serde_json::{Map, json};
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
        return Err(Failure::usage(format!("{} is for trees: use --graph trees", card.name)));
    }
    let on = |graph: &Graph| asked.parameters.clone().on(graph.clone());
    let build = |parameters: &Parameters| match catalog().instance(card.name, parameters)? {
        Instance::Graph(algorithm) => Ok(algorithm),
        _ => Err(Failure::usage(format!("the card of {} says that it is for any graph", card.name))),
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
    let monitor = asked.arguments.limits.threads.map_or_else(Monitor::default, Monitor::new);
    let work = || {
        let (mut shown, mut failing): (Option<(&Graph, (Report, Question))>, _) = (None, 0);
        for graph in &graphs {
            let (report, question) = match check(graph, &monitor)? {
                Ok(found) => found,
                Err(stop) => return Ok(Err(stop)),
            };
            failing += usize::from(!report.holds);
            if shown.as_ref().is_none_or(|(_, (worst, _))| worse(&report, worst)) {
                shown = Some((graph, (report, question)));
            }
            done.fetch_add(1, Relaxed);
        }
        Ok(Ok((shown, failing)))
    };
    let found: Result<Result<_, Stop>, Failure> = watched(work, |progress| {
        let share = Share { done: done.load(Relaxed), of: count as u64, unit: "graphs" };
        if !progress.count(share, || monitor.progress().0.name.to_string()) {
            monitor.stop();
        }
    });
    let (shown, failing) = match found? {
        Ok(found) => found,
        Err(Stop::Interrupted) => {
            anstream::eprintln!("interrupted after {} of {count} graphs", done.load(Relaxed));
            return Ok(Err(ExitCode::from(INTERRUPTED)));
        }
        Err(Stop::Refused(refusal)) => return Err(refused(&refusal)),
        Err(stop) => return Err(Failure::usage(stop)),
    };
    let Some((graph, found)) = shown else { return Err(Failure::usage("there is no such graph")) };
    let verdict = match (failing, longest(&found.0)) {
        (0, Some(_)) => "holds on all of them. The graph on which it takes longest:".to_string(),
        (0, None) => "holds on all of them. No steps are counted under this scheduler. The first graph:".to_string(),
        (few, _) => format!("fails on {few} of them. The failing graph with the fewest edges:"),
    };
    let kind = if count == 1 { census.describe().trim_end_matches('s') } else { census.describe() };
    let (members, marks) = (asked.card.kind.members(), Census::marks(knowledge));
    let marks = if marks.starts_with("up to") { format!(", {marks}") } else { format!(" {marks}") };
    let preface = format!("{count} {kind} of {size} {members}{marks}: {verdict}\n\n");
    let Knowledge { identities, root, ports } = knowledge;
    let told = [(identities, "identities"), (root, "root"), (ports, "ports")];
    let told: Vec<_> = told.into_iter().filter(|(uses, _)| *uses).map(|(_, name)| name).collect();
    let fields = Map::from_iter([(
        "graphs".to_string(),
        json!({"kind": census.to_string(), "count": count, "failing": failing, "told_apart_by": told}),
    )]);
    Ok(Ok(Over { graph: graph.clone(), found, fields, preface, begun }))
}

/// The worst number of steps, of expected steps, or else of rounds, if it was computed; infinite if it has no bound.
fn longest(report: &Report) -> Option<f64> {
    let times = [report.expected_steps.as_ref(), report.steps.as_ref()].into_iter().flatten();
    let mut worst = times.filter_map(|times| times.to_really_safe.as_ref().or(times.to_own_safe.as_ref()));
    let unbounded = report.delay.as_ref().map(|_| f64::INFINITY);
    let rounds = || report.rounds.as_ref().map(|found| found.worst.as_ref().map_or(f64::INFINITY, |w| w.bounds().high));
    unbounded.or_else(|| worst.next().map(|time| time.worst.bounds().high)).or_else(rounds)
}

/// Whether a report is worse than an earlier one: it fails, or takes longer.
fn worse(report: &Report, than: &Report) -> bool {
    than.holds && (!report.holds || longest(report) > longest(than))
}
