//! `elect`: one election, sampled; and its space-time diagram.

use crate::algorithm::Algorithm;
use crate::errors::{refused, value};
use crate::found::Found;
use crate::setup::{AskedGraph, Setup, scheduler};
use crate::simulate::{called, start};
use crate::work::{Board, Done, watched_or_left};
use pyo3::prelude::*;
use ringleader::Instance;
use ringleader::catalog::{BeginError, Beginning};
use ringleader::erased::{Kind, Parameters};
use ringleader::model::{Channels, Graph, Marks, Scheduler, Terminating};
use ringleader::report::spacetime::{Caption, Event, Look, Moment, diagram};
use ringleader::simulate::plain::{RunEnd, SimulatedRun, Story, StoryEvent, StoryOutcome};
use ringleader::simulate::{Generator, Oracle, Start};
use serde_json::json;
use std::convert::Infallible;
use std::sync::Arc;

/// The arguments of one election.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Asked {
    size: usize,
    setup: Setup,
    seed: u64,
    start: Option<String>,
    scheduler: Option<String>,
    graph: Option<AskedGraph>,
    channels: Option<String>,
    corrupt: usize,
    faults: usize,
    limit: u64,
    rows: usize,
}

/// A moment of a run as Python reads it: steps, states, the leaders.
pub(crate) type Sample = (u64, Vec<String>, Vec<usize>);

/// Runs one election; `asked` has the names of the package's `elect`. The samples come with the result.
#[pyfunction]
pub(crate) fn elect(
    py: Python<'_>,
    algorithm: &Algorithm,
    asked: Asked,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<(Found, Vec<Sample>)> {
    let (asked, board) = (Arc::new(asked), Arc::new(Board::default()));
    // The work owns all that it needs: while a large graph is built, it is left alone.
    let work = {
        let (algorithm, asked, board) = (algorithm.again(), asked.clone(), board.clone());
        move || Election::new(&algorithm, &asked)?.run(&board).map_err(value)
    };
    let Done { result, interrupted } = watched_or_left(py, progress, || board.look(), || board.stop(), work)?;
    let told = match result {
        Some(Ok(told)) => told,
        Some(Err(refused)) => return Err(interrupted.unwrap_or(refused)),
        None => return Ok((Found::new(&json!({ "phase": "the graph and the start" })).until(interrupted), vec![])),
    };
    let card = algorithm.card;
    let title = format!("{}, {} agents, seed {}", card.name, asked.size, asked.seed);
    let agents = if card.kind == Kind::Population { "agent" } else { "process" };
    let caption = Caption { title: &title, agents, event: told.first.map(Event::Reached) };
    let picture = (asked.size <= MOST_AGENTS).then(|| diagram(&told.moments, &caption));
    let found = Found::new(&told.json).with_picture(picture).until(interrupted);
    Ok((found, told.samples))
}

/// The most agents in a picture.
const MOST_AGENTS: usize = 2000;

struct Election<'a> {
    algorithm: &'a Algorithm,
    asked: &'a Asked,
    parameters: Parameters,
    instance: Instance,
    graph: Option<Graph>,
    start: Start,
    scheduler: Scheduler,
    oracle: Option<Oracle>,
    channels: Option<Channels>,
}

/// All that is kept of a run.
struct Told {
    json: serde_json::Value,
    moments: Vec<Moment>,
    samples: Vec<Sample>,
    first: Option<u64>,
}

impl Election<'_> {
    fn new<'a>(algorithm: &'a Algorithm, asked: &'a Asked) -> PyResult<Election<'a>> {
        let (card, catalog) = (algorithm.card, &algorithm.catalog);
        let (parameters, _) = AskedGraph::under(asked.graph.as_ref(), card, asked.setup.at(asked.size)?)?;
        catalog.supports(card.name, &parameters).map_err(refused)?;
        let parameters = parameters.with_identities(card, &mut Generator::stream(asked.seed, 2));
        let instance = catalog.instance(card.name, &parameters).map_err(refused)?;
        let (layers, clean) = (parameters.layers, card.kind == Kind::Message);
        let start = start(asked.start.as_deref(), clean)?;
        if clean && (start != Start::Clean || asked.corrupt > 0) {
            return Err(value(format!("{} is not self-stabilizing: it starts clean and takes no faults", card.name)));
        }
        if asked.corrupt > asked.size {
            return Err(value(format!("corrupt={}: there are only {} agents", asked.corrupt, asked.size)));
        }
        let graph = match card.kind {
            Kind::Graph => None,
            Kind::Population => {
                Some(AskedGraph::resolve(asked.graph.as_ref(), card, layers.topology(card), asked.size)?.0)
            }
            _ if asked.graph.is_some() => {
                return Err(value("it takes no graph: its processes form a ring, or all know each other"));
            }
            _ => None,
        };
        let channels = match (&instance, &asked.channels) {
            (Instance::Message(own), None) => Some(own.channels()),
            (Instance::Message(_), Some(name)) => Some(name.parse().map_err(value)?),
            (_, None) => None,
            (_, Some(_)) => return Err(value("only message passing that starts clean has channels to choose")),
        };
        let possible = ringleader::simulate::schedulers(card.kind);
        // Where the card names a class of schedules, the random schedule stands for it.
        let own = layers.scheduler(card);
        let own = if possible.contains(&own) { own } else { possible[0] };
        let scheduler = asked.scheduler.as_deref().map_or(Ok(own), scheduler)?;
        if !possible.contains(&scheduler) {
            let names: Vec<_> = possible.iter().map(|s| s.name()).collect();
            return Err(value(format!(
                "{} cannot run under the scheduler {scheduler}: choose one of {}",
                card.name,
                names.join(", ")
            )));
        }
        let oracle = asked.setup.oracle(card)?.map(|name| name.parse::<Oracle>().map_err(value)).transpose()?;
        let oracle = layers.oracle(card).map(|_| oracle.unwrap_or(Oracle::Perfect));
        Ok(Election { algorithm, asked, parameters, instance, graph, start, scheduler, oracle, channels })
    }

    /// The run at its start. Each call returns the same run.
    fn begin(&self) -> Result<Box<dyn SimulatedRun + '_>, BeginError> {
        let Election { asked, start, scheduler, oracle, channels, .. } = self;
        let beginning = Beginning {
            size: asked.size,
            start,
            scheduler: *scheduler,
            graph: self.graph.as_ref(),
            oracle: *oracle,
            channels: *channels,
            seed: asked.seed,
        };
        beginning.of(&self.instance)
    }

    /// The same run twice: once to learn how long it takes, and once to look at it.
    fn run(&self, board: &Board) -> Result<Told, String> {
        let words = |error: BeginError| error.to_string();
        let Asked { limit, corrupt, faults, seed, .. } = *self.asked;
        let mut run = self.begin().map_err(words)?;
        let watch = |run: &dyn SimulatedRun, _: StoryEvent<'_>| {
            let taken = run.steps();
            Ok::<_, Infallible>(if taken.is_multiple_of(256) {
                board.note("steps", taken, None)
            } else {
                board.goes_on()
            })
        };
        let Ok(outcome) = Story { limit, corrupt, faults, seed }.run(&mut *run, watch);
        if let Some(wrong) = run.wrong() {
            return Err(wrong.to_string());
        }
        let json = self.result(&*run, &outcome);
        let steps = run.steps();
        let look = Look {
            rows: self.asked.rows as u64,
            last: steps + (steps / 8).max(1),
            strikes: &outcome.strikes,
            shade: self.parameters.layers.shade(self.algorithm.card),
        };
        let mut samples = vec![];
        let mut moments = look.moments(
            &mut *self.begin().map_err(words)?,
            || board.goes_on(),
            |run| samples.push((run.steps(), run.states(), having(&run.marks(), Marks::LEADER))),
        );
        moments.dedup_by_key(|moment| moment.steps);
        samples.dedup_by_key(|(steps, ..)| *steps);
        Ok(Told { json, moments, samples, first: outcome.first })
    }

    fn result(&self, run: &dyn SimulatedRun, outcome: &StoryOutcome) -> serde_json::Value {
        let StoryOutcome { first, recoveries, end, .. } = outcome;
        let basis = match &self.instance {
            Instance::Population(_) | Instance::Ring(_) | Instance::Graph(_) => "safe-set",
            Instance::Message(_) => "terminated",
            Instance::Robust(_) => "settled",
        };
        let parameters: serde_json::Map<_, _> =
            self.parameters.given().into_iter().map(|(name, value)| (name, value.into())).collect();
        let mut line = json!({
            "algorithm": self.algorithm.card.name,
            "size": run.size(),
            "seed": self.asked.seed,
            "parameters": parameters,
            "start": called(&self.start),
            "scheduler": self.scheduler.name(),
            "reached": matches!(end, RunEnd::Reached(_)),
            "basis": basis,
            "leaders": having(&run.marks(), Marks::LEADER),
            "tokens": having(&run.marks(), Marks::TOKEN),
            "recoveries": recoveries,
            "steps": first.unwrap_or(run.steps()),
            "interrupted": *end == RunEnd::Interrupted,
        });
        let ended = match end {
            RunEnd::Reached(_) => "the goal is reached",
            RunEnd::Limit => "the limit of steps is reached",
            RunEnd::NoStep => "no step is possible",
            RunEnd::Still => "no step can change anything",
            RunEnd::Interrupted => "interrupted",
        };
        line["ended"] = ended.into();
        if let Some(oracle) = self.oracle {
            line["oracle"] = oracle.to_string().into();
        }
        if let Some(channels) = self.channels {
            line["channels"] = channels.name().into();
        }
        line
    }
}

/// The agents with a mark.
fn having(marks: &[Marks], mark: Marks) -> Vec<usize> {
    marks.iter().enumerate().filter(|(_, m)| m.contains(mark)).map(|(agent, _)| agent).collect()
}
