//! `simulate`: many elections of many sizes.

use crate::algorithm::Algorithm;
use crate::errors::{refused, value};
use crate::found::Found;
use crate::setup::{AskedGraph, Setup, scheduler};
use crate::work::{Board, Done, watched_or_left};
use pyo3::prelude::*;
use ringleader::Instance;
use ringleader::erased::{Kind, Parameters, Topology};
use ringleader::model::text::Document;
use ringleader::model::{Safety, Scheduler, Stabilizing as _};
use ringleader::report::experiment::{ExperimentReport, RunRecord, Setting};
use ringleader::simulate::{Arena, Contest, ElectionSeries, Elections, Faults, KernelChoice, Limits, Oracle, Start};
use std::sync::{Arc, Mutex, PoisonError};

/// The arguments of an experiment.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Asked {
    /// The settings: size, parameters, corrupted agents, and the value that varies.
    settings: Vec<(usize, Setup, usize, usize)>,
    axis: String,
    pub(crate) runs: u64,
    pub(crate) seed: u64,
    start: Option<String>,
    scheduler: Option<String>,
    graph: Option<AskedGraph>,
    pub(crate) kernel: String,
    repeat: usize,
    after: (u64, u64),
    pub(crate) limit: Option<u64>,
    threads: Option<usize>,
    /// The settings in words, for the report.
    said: Vec<(String, String)>,
}

/// The limit of a run if the user gives none; the same as on the command line.
const NO_LIMIT: u64 = u64::MAX;

/// The schedulers that choose at random, or have no choice.
const MEASURED: [Scheduler; 5] =
    [Scheduler::Alternating, Scheduler::Random, Scheduler::RoundRobin, Scheduler::Synchronous, Scheduler::Distributed];

/// The start of runs: a name, or the text of a configuration.
pub(crate) fn start(asked: Option<&str>, clean: bool) -> PyResult<Start> {
    match asked {
        None if clean => Ok(Start::Clean),
        None => Ok(Start::Arbitrary),
        Some(text) if text.contains('\n') => Document::parse(text).map(Start::Given).map_err(value),
        Some(name) => name.parse().map_err(|_| {
            value(format!("no start is called {name:?}: there are arbitrary, clean, all-leaders and no-leader; or give the text of a configuration"))
        }),
    }
}

/// The name of a start in reports.
pub(crate) fn called(start: &Start) -> String {
    match start {
        Start::Given(_) => "given".into(),
        named => named.to_string().replace('-', " "),
    }
}

/// One run as Python reads it: setting, number, reached, steps, last change, messages, rounds, recoveries, unhealed, seconds.
pub(crate) type Row =
    (usize, u64, bool, u64, Option<u64>, Option<u64>, Option<u64>, Vec<u64>, Option<u64>, Option<f64>);

/// Holds the elections; `asked` has the names of the package's `simulate`. The runs come with the report.
#[pyfunction]
pub(crate) fn simulate(
    py: Python<'_>,
    algorithm: &Algorithm,
    asked: Asked,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<(Found, Vec<Row>)> {
    let card = algorithm.card;
    let asked = Arc::new(asked);
    let plan = Plan::new(algorithm, &asked)?;
    let (board, held) = (Arc::new(Board::default()), Arc::new(Mutex::new(Held::default())));
    let total = plan.settings.len() as u64 * asked.runs;
    board.note("elections", 0, Some(total));
    // The work owns all that it needs: while a large graph is built, it is left alone.
    let work = {
        let (algorithm, asked, board, held) = (algorithm.again(), asked.clone(), board.clone(), held.clone());
        move || Plan::new(&algorithm, &asked)?.hold_elections(&board, &held)
    };
    let Done { result, interrupted } = watched_or_left(py, progress, || board.look(), || board.stop(), work)?;
    if let (Some(Err(failure)), None) = (result, &interrupted) {
        return Err(failure);
    }
    let Held { mut records, kernel } = std::mem::take(&mut *held.lock().unwrap_or_else(PoisonError::into_inner));
    let kernel = if kernel.is_empty() { asked.kernel.clone() } else { kernel };
    records.sort_by_key(|record: &RunRecord| (record.point, record.run));
    let report = ExperimentReport {
        card,
        start: called(&plan.start),
        said: asked.said.clone(),
        seed: asked.seed,
        kernel: &kernel,
        oracle: card.oracle.map(|_| plan.oracle.to_string()),
        until: plan.until,
        axis: &asked.axis,
        settings: &plan.settings,
        records: &records,
        interrupted: interrupted.is_some(),
    };
    let found = Found::new(&report.json())
        .with_text(|out| report.text(out))?
        .with_picture(records.iter().any(|record| record.reached).then(|| report.plot("")))
        .until(interrupted);
    let row = |r: RunRecord| {
        (
            r.point,
            r.run,
            r.reached,
            r.steps,
            r.last_output_change,
            r.messages,
            r.rounds,
            r.recoveries,
            r.unhealed,
            r.cpu,
        )
    };
    Ok((found, records.into_iter().map(row).collect()))
}

/// The elections until now.
#[derive(Default)]
struct Held {
    records: Vec<RunRecord>,
    /// The means by which they were held.
    kernel: String,
}

/// The promise about safe configurations at some parameters.
fn safety(algorithm: &Algorithm, parameters: &Parameters) -> PyResult<Safety> {
    Ok(match algorithm.catalog.instance(algorithm.card.name, parameters).map_err(refused)? {
        Instance::Population(protocol) => protocol.safety(),
        Instance::Ring(algorithm) => algorithm.safety(),
        Instance::Graph(algorithm) => algorithm.safety(),
        Instance::Message(_) | Instance::Robust(_) => Safety::ForEver,
    })
}

/// The validated runs.
pub(crate) struct Plan<'a> {
    pub(crate) algorithm: &'a Algorithm,
    pub(crate) asked: &'a Asked,
    pub(crate) settings: Vec<Setting>,
    pub(crate) start: Start,
    pub(crate) scheduler: Scheduler,
    oracle: Oracle,
    kernel: KernelChoice,
    pub(crate) threads: usize,
    /// The event until which steps are counted.
    until: &'static str,
}

impl Plan<'_> {
    pub(crate) fn new<'a>(algorithm: &'a Algorithm, asked: &'a Asked) -> PyResult<Plan<'a>> {
        let (card, catalog) = (algorithm.card, &algorithm.catalog);
        let setting = |(size, setup, corrupt, x): &(usize, Setup, usize, usize)| {
            let (parameters, _) = AskedGraph::under(asked.graph.as_ref(), card, setup.at(*size)?)?;
            catalog.supports(card.name, &parameters).map_err(refused)?;
            match corrupt > size {
                true => Err(value(format!("corrupt={corrupt}: there are only {size} agents"))),
                false => Ok(Setting { parameters, corrupt: *corrupt, x: *x }),
            }
        };
        let settings = asked.settings.iter().map(setting).collect::<PyResult<Vec<_>>>()?;
        let Some(first) = settings.first() else { return Err(value("there is no size to simulate")) };
        let safety = safety(algorithm, &first.parameters)?;
        let (clean, processes) = (card.kind == Kind::Message, matches!(card.kind, Kind::Ring | Kind::Graph));
        let scheduler = asked.scheduler.as_deref().map(scheduler).transpose()?;
        if let Some(scheduler) = scheduler {
            if !processes && scheduler != Scheduler::Random {
                return Err(value(format!("scheduler {scheduler}: only the random one has a distribution to measure")));
            }
            if !MEASURED.contains(&scheduler) {
                let known = MEASURED.map(|s| s.to_string()).join(", ");
                return Err(value(format!(
                    "scheduler {scheduler} allows many schedules without probabilities: simulate one of {known}, or check it"
                )));
            }
        }
        if asked.graph.is_some() && !matches!(card.kind, Kind::Population | Kind::Graph) {
            return Err(value("it takes no graph: its processes form a ring, or all know each other"));
        }
        let start = start(asked.start.as_deref(), clean)?;
        if clean && (start != Start::Clean || settings.iter().any(|setting| setting.corrupt > 0)) {
            return Err(value(format!("{} is not self-stabilizing: it starts clean and takes no faults", card.name)));
        }
        let own = Some(card.scheduler).filter(|own| MEASURED.contains(own)).unwrap_or(Scheduler::Random);
        let setup = &asked.settings[0].1;
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Ok(Plan {
            algorithm,
            asked,
            start,
            scheduler: scheduler.unwrap_or(own),
            oracle: setup.oracle(card)?.map_or(Ok(Oracle::Perfect), |oracle| oracle.parse().map_err(value))?,
            kernel: asked.kernel.parse().map_err(value)?,
            threads: asked.threads.unwrap_or(cores).max(1),
            until: if safety == Safety::Unknown { "the goal is first met" } else { "safe" },
            settings,
        })
    }

    /// Holds all elections.
    fn hold_elections(&self, board: &Board, held: &Mutex<Held>) -> PyResult<()> {
        let asked = self.asked;
        let total = self.settings.len() as u64 * asked.runs;
        let held = || held.lock().unwrap_or_else(PoisonError::into_inner);
        for (index, setting) in self.settings.iter().enumerate().take_while(|_| board.goes_on()) {
            let contest = self.contest(setting, board).map_err(value)?;
            let faults = Faults { agents: setting.corrupt, times: asked.repeat, after: asked.after };
            let size = setting.parameters.size;
            let series = ElectionSeries {
                x: setting.x,
                threads: self.threads,
                ..ElectionSeries::new(asked.seed, size, asked.runs)
            };
            let limits = Limits { steps: asked.limit.unwrap_or(NO_LIMIT), stop: board.flag() };
            let elect = |coin| timed(|| contest.elect(faults, limits, coin));
            held().kernel = contest.means();
            series.hold([], board.flag(), elect, |run, record| {
                let mut held = held();
                held.records.extend(record.map(|record| RunRecord { point: index, run, ..record }));
                board.note(format!("size {size}"), held.records.len() as u64, Some(total))
            });
        }
        Ok(())
    }

    /// The graph of a population protocol.
    pub(crate) fn arena(&self, parameters: &Parameters) -> Result<Arena, String> {
        let card = self.algorithm.card;
        let topology = parameters.layers.topology(card);
        match &self.asked.graph {
            None => Arena::shaped(topology.shape(), parameters.size).map_err(|e| e.to_string()),
            asked => {
                let graph = AskedGraph::resolve(asked.as_ref(), card, topology, parameters.size);
                Ok(Arena::of(&graph.map_err(|e| e.to_string())?.0))
            }
        }
    }

    /// One setting, ready to elect.
    fn contest<'s>(&'s self, setting: &'s Setting, board: &Board) -> Result<Contest<'s>, String> {
        let Algorithm { catalog, card, .. } = self.algorithm;
        let parameters: &Parameters = &setting.parameters;
        let words = |error: &dyn std::fmt::Display| error.to_string();
        let elections = match catalog.instance(card.name, parameters).map_err(|e| words(&e))? {
            Instance::Message(algorithm) => return Ok(catalog.elections_by_messages(card, parameters, algorithm)),
            Instance::Population(algorithm) => {
                let arena = self.arena(parameters)?;
                Elections::population_until(algorithm, arena, self.kernel, self.oracle, board.flag())
            }
            Instance::Ring(algorithm) => Elections::ring(algorithm, parameters.size, self.scheduler),
            Instance::Graph(algorithm) => Elections::graph(algorithm, self.scheduler),
            Instance::Robust(_) => return Err(format!("{} is simulated in a network", card.name)),
        };
        let elections = elections.map_err(|e| words(&e))?;
        Ok(elections.starting(&self.start).map_err(|e| words(&e))?.into())
    }
}

/// Whether an algorithm is only loosely stabilizing at this size: its leader stays for long, but not for ever.
#[pyfunction]
pub(crate) fn loose(algorithm: &Algorithm, size: usize, setup: Setup) -> PyResult<bool> {
    let parameters = setup.at(size)?;
    // No graph makes an algorithm loosely stabilizing: the line is built fastest.
    let parameters = match algorithm.card.kind {
        Kind::Graph => parameters.on(Topology::Line.graph(size).map_err(value)?),
        _ => parameters,
    };
    Ok(safety(algorithm, &parameters)? == Safety::ForLong)
}

/// A record with the processor time that it took.
fn timed(elect: impl FnOnce() -> Option<RunRecord>) -> Option<RunRecord> {
    let before = thread_seconds();
    let record = elect()?;
    Some(RunRecord { cpu: before.zip(thread_seconds()).map(|(before, after)| after - before), ..record })
}

/// The processor time of this thread so far, where the system provides it.
fn thread_seconds() -> Option<f64> {
    #[cfg(unix)]
    {
        use nix::time::{ClockId, clock_gettime};
        let time = clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).ok()?;
        Some(std::time::Duration::from(time).as_secs_f64())
    }
    #[cfg(not(unix))]
    None
}
