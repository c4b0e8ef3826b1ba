//! `ringleader check --graph all`: one verdict over every graph of a size.

use super::Asked;
use super::configurations::{Telling, refused};
use crate::settings::graph;
use crate::terminal::exit::{Failure, INTERRUPTED};
use crate::terminal::progress::{Share, watched};
use ringleader_check::{Monitor, Question, Report, Stop};
use ringleader_erased::{PopulationInstance, Topology};
use ringleader_model::{Graph, GraphError};
use ringleader_report::check::Looks;
use serde_json::{Map, json};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

/// All graphs of a kind, up to isomorphism.
#[derive(Clone, Copy, strum::Display, strum::EnumString)]
#[strum(serialize_all = "kebab-case")]
pub(super) enum Census {
    /// Every connected graph.
    All,
    /// Every tree.
    Trees,
}

impl Census {
    fn graphs(self, size: usize) -> Result<Vec<Graph>, GraphError> {
        match self {
            Census::All => Graph::all_connected(size),
            Census::Trees => Graph::all_trees(size),
        }
    }

    /// Checks the algorithm on each graph. Prints the report of the first graph on which it fails, or of the one on which it takes
    /// longest.
    pub(super) fn run(
        self,
        asked: &Asked<'_>,
        question: &Question,
        algorithm: &PopulationInstance,
    ) -> Result<ExitCode, Failure> {
        let (size, topology) = (asked.parameters.size, asked.parameters.layers.topology(asked.card));
        if topology != Topology::Any {
            return Err(graph::unsuitable(asked.card, topology, "all graphs"));
        }
        if ringleader_check::tells_agents_apart(algorithm, size, question) {
            return Err(Failure::usage(format!(
                "--graph {self} checks one of several isomorphic graphs, but {} or a claim tells agents apart by their numbers: \
                 check it on one graph at a time",
                asked.card.name
            )));
        }
        let graphs = self.graphs(size).map_err(Failure::usage)?;
        let (count, done, begun) = (graphs.len(), AtomicU64::new(0), Instant::now());
        let monitor = asked.arguments.limits.threads.map_or_else(Monitor::default, Monitor::new);
        let work = || {
            let (mut shown, mut failing): (Option<(&Graph, Report)>, _) = (None, 0);
            for graph in &graphs {
                let report = ringleader_check::population(algorithm, graph, question, &monitor)?;
                failing += usize::from(!report.holds);
                if shown.as_ref().is_none_or(|(_, worst)| worse(&report, worst)) {
                    shown = Some((graph, report));
                }
                done.fetch_add(1, Relaxed);
            }
            Ok((shown, failing))
        };
        let found = watched(work, |progress| {
            let share = Share { done: done.load(Relaxed), of: count as u64, unit: "graphs" };
            if !progress.count(share, || monitor.progress().0.name.to_string()) {
                monitor.stop();
            }
        });
        let (shown, failing) = match found {
            Ok(found) => found,
            Err(Stop::Interrupted) => {
                anstream::eprintln!("interrupted after {} of {count} graphs", done.load(Relaxed));
                return Ok(ExitCode::from(INTERRUPTED));
            }
            Err(Stop::Refused(refusal)) => return Err(refused(&refusal)),
            Err(stop) => return Err(Failure::usage(stop)),
        };
        let Some((graph, report)) = shown else { return Err(Failure::usage("there is no such graph")) };
        let kind = match self {
            Census::All => "connected graphs",
            Census::Trees => "trees",
        };
        let verdict = match (failing, longest(&report)) {
            (0, Some(_)) => "holds on all of them. The graph on which it takes longest:".to_string(),
            (0, None) => {
                "holds on all of them. No steps are counted under this scheduler. The first graph:".to_string()
            }
            (few, _) => format!("fails on {few} of them. The failing graph with the fewest edges:"),
        };
        let preface = format!("{count} {kind} of {size} agents, up to isomorphism: {verdict}\n\n");
        let fields = Map::from_iter([(
            "graphs".to_string(),
            json!({"kind": self.to_string(), "count": count, "failing": failing}),
        )]);
        let looks = Looks::population(algorithm);
        Telling { asked, question, graph: graph.words(), looks, begun, told: false }
            .conclude(&report, &fields, &preface)
    }
}

/// The worst number of steps, or of expected steps, if it was computed; infinite if it has no bound.
fn longest(report: &Report) -> Option<f64> {
    let times = [report.expected_steps.as_ref(), report.steps.as_ref()].into_iter().flatten();
    let mut worst = times.filter_map(|times| times.to_really_safe.as_ref().or(times.to_own_safe.as_ref()));
    let unbounded = report.delay.as_ref().map(|_| f64::INFINITY);
    unbounded.or_else(|| worst.next().map(|time| time.worst.bounds().high))
}

/// Whether a report is worse than an earlier one: it fails, or takes longer.
fn worse(report: &Report, than: &Report) -> bool {
    than.holds && (!report.holds || longest(report) > longest(than))
}
