//! `explore`: all configurations, or all reachable states, counted, or read as the columns of a Markov chain or decision process.

use crate::algorithm::Algorithm;
use crate::errors::{refused, stopped, unexplored, value};
use crate::found::Found;
use crate::messages::{build, channels, explored, ordered};
use crate::setup::{AskedGraph, Setup, scheduler};
use crate::work::{Board, Done, Progress, watched_or_left};
use pyo3::prelude::*;
use ringleader::Instance;
use ringleader::check::{Configurations, Monitor, Question, Stop, Subject as Checked};
use ringleader::erased::{Kind, Parameters};
use ringleader::explore::{Equivalence, Failure, Options, Storage, Visible, minimize};
use ringleader::model::Scheduler;
use ringleader::report::Subject;
use ringleader::report::check::Looks;
use ringleader::report::exploration::{ConfigurationsReport, ExplorationReport};
use ringleader::report::export::{ConfigurationGraph, Exported, StateSpace};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Instant;

/// The arguments of an exploration.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Asked {
    size: usize,
    setup: Setup,
    scheduler: Option<String>,
    graph: Option<AskedGraph>,
    rotation: bool,
    confluence: bool,
    channels: Option<String>,
    reading: Option<String>,
    minimize: Option<String>,
    visible: Option<String>,
    compact: Option<bool>,
    verify: bool,
    memory: u64,
    threads: Option<usize>,
    /// Whether to read the columns instead of the counts.
    columns: bool,
}

/// The most states whose texts are kept.
const MOST_TEXTS: usize = 1 << 20;

/// A Markov chain, or a decision process, as columns of numbers.
#[pyclass(frozen, module = "ringleader._engine")]
#[derive(Default)]
pub(crate) struct Matrices {
    /// Whether the scheduler is random, so that every state has one row.
    #[pyo3(get)]
    is_chain: bool,
    /// The number of states.
    #[pyo3(get)]
    states: usize,
    /// The state in which runs start, if there is only one.
    #[pyo3(get)]
    start: Option<u32>,
    /// The names of the choices, by row; empty for a chain.
    #[pyo3(get)]
    choice_names: Vec<String>,
    /// The first row of each state, and the number of rows: 64-bit integers.
    #[pyo3(get)]
    groups: Vec<u8>,
    /// The first entry of each row, and the number of entries: 64-bit integers.
    #[pyo3(get)]
    pointers: Vec<u8>,
    /// The column of each entry: 32-bit integers.
    #[pyo3(get)]
    targets: Vec<u8>,
    /// The value of each entry: doubles.
    #[pyo3(get)]
    probabilities: Vec<u8>,
    /// The named sets of states: a byte per state, 1 if it belongs to the set.
    #[pyo3(get)]
    labels: Vec<(String, Vec<u8>)>,
    /// The costs of each row: doubles.
    #[pyo3(get)]
    costs: Vec<(&'static str, Vec<u8>)>,
    texts: Vec<Vec<String>>,
}

#[pymethods]
impl Matrices {
    /// The texts of some states, one part per agent; empty if there are too many states.
    fn texts(&self, start: usize, until: usize) -> Vec<Vec<String>> {
        self.texts.get(start..until.min(self.texts.len())).map(<[_]>::to_vec).unwrap_or_default()
    }
}

impl Matrices {
    /// Reads all states of a system; `None` if it was stopped.
    fn of(system: &dyn Exported, board: &Board) -> Option<Matrices> {
        let mut all = Matrices { is_chain: system.is_chain(), states: system.states(), ..Matrices::default() };
        all.start = if let [start] = system.starts()[..] { Some(start) } else { None };
        all.labels = system.labels().into_iter().map(|name| (name, vec![])).collect();
        all.costs = system.costs().iter().map(|name| (*name, vec![])).collect();
        let (mut rows, mut entries) = (0u64, 0u64);
        for state in 0..all.states {
            if state % 1024 == 0 && !board.note("reading the transitions", state as u64, Some(all.states as u64)) {
                return None;
            }
            all.groups.extend(rows.to_ne_bytes());
            for (label, (_, bytes)) in all.labels.iter_mut().enumerate() {
                bytes.push(u8::from(system.labelled(state, label)));
            }
            if all.states <= MOST_TEXTS {
                all.texts.push(system.text(state));
            }
            for choice in system.choices(state) {
                rows += 1;
                all.pointers.extend(entries.to_ne_bytes());
                entries += choice.outcomes.len() as u64;
                for (target, probability) in choice.outcomes {
                    all.targets.extend(target.to_ne_bytes());
                    all.probabilities.extend(probability.to_ne_bytes());
                }
                for ((_, bytes), cost) in all.costs.iter_mut().zip(choice.costs) {
                    bytes.extend(cost.to_ne_bytes());
                }
                if !all.is_chain {
                    all.choice_names.push(choice.name);
                }
            }
        }
        all.groups.extend(rows.to_ne_bytes());
        all.pointers.extend(entries.to_ne_bytes());
        Some(all)
    }
}

/// The counts of an exploration, or its columns; `None` if it was stopped.
type Answer = Option<(Found, Option<Matrices>)>;

/// Explores all configurations or reachable states; `asked` has the names of the package's `explore`. If it was interrupted, the progress
/// until then takes the place of columns.
#[pyfunction]
pub(crate) fn explore(
    py: Python<'_>,
    algorithm: &Algorithm,
    asked: Asked,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<(Found, Option<Matrices>)> {
    let card = algorithm.card;
    let (parameters, _) = AskedGraph::under(asked.graph.as_ref(), card, asked.setup.at(asked.size)?)?;
    let parameters = ordered(card, parameters);
    let (Done { result, interrupted }, known) = match card.kind {
        Kind::Population | Kind::Ring | Kind::Graph => algorithm.configurations(py, &asked, &parameters, progress)?,
        _ => algorithm.reachable(py, &asked, &parameters, progress)?,
    };
    Ok(match result {
        Some((found, None)) => (found.until(interrupted), None),
        Some((found, matrices)) if interrupted.is_none() => (found, matrices),
        _ => {
            let known = json!({ "phase": known.phase, "done": known.done, "known": [] });
            (Found::new(&known).until(interrupted), None)
        }
    })
}

impl Algorithm {
    fn configurations(
        &self,
        py: Python<'_>,
        asked: &Asked,
        parameters: &Parameters,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<(Done<Answer>, Progress)> {
        let card = self.card;
        let means_nothing = [
            ("reading", asked.reading.is_some()),
            ("channels", asked.channels.is_some()),
            ("minimize", asked.minimize.is_some()),
            ("visible", asked.visible.is_some()),
            ("compact", asked.compact.is_some()),
            ("verify", asked.verify),
            ("confluence", asked.confluence),
        ];
        if let Some((name, _)) = means_nothing.iter().find(|(_, given)| *given) {
            let why = "it passes no messages, and every configuration is explored";
            return Err(value(format!("{name} is not for {}: {why}", card.name)));
        }
        if asked.setup.oracle(card)?.is_some_and(|oracle| oracle != "perfect") {
            return Err(value("explore supports a perfect oracle, or a layer that replaces it: distance or timer"));
        }
        let usual = Configurations::nearest(parameters.layers.checked_under(card));
        let scheduler = asked.scheduler.as_deref().map(scheduler).transpose()?.unwrap_or(usual);
        if asked.rotation && !matches!(scheduler, Scheduler::Random | Scheduler::Unfair) {
            return Err(value(format!(
                "reduction by rotation is for the schedulers random and unfair, not for {scheduler}"
            )));
        }
        let question = Question::new(scheduler).within(asked.memory);
        let question = if asked.rotation { question } else { question.without_symmetry() };
        let monitor = Arc::new(asked.threads.map_or_else(Monitor::default, Monitor::new));
        let (begun, board) = (Instant::now(), Arc::new(Board::default()));
        let instance = self.catalog.instance(card.name, parameters).map_err(refused)?;
        let graph = match &instance {
            Instance::Population(_) => {
                let topology = parameters.layers.topology(card);
                Some(AskedGraph::resolve(asked.graph.as_ref(), card, topology, asked.size)?.0)
            }
            Instance::Ring(_) if asked.graph.is_some() => {
                return Err(value("its processes form a ring or a line: it takes no graph"));
            }
            _ => None,
        };
        // The work owns all that it needs: it may be left alone.
        let (size, columns, parameters) = (asked.size, asked.columns, parameters.clone());
        let (watching, noting) = (monitor.clone(), board.clone());
        let work = move || -> Result<Answer, Stop> {
            let (monitor, board) = (watching, noting);
            let (all, looks) = match (&instance, &graph) {
                (Instance::Population(algorithm), Some(graph)) => (
                    Configurations::new(&Checked::Population(algorithm, graph), &question, &monitor)?,
                    Looks::population(algorithm),
                ),
                (Instance::Ring(algorithm), _) => {
                    (Configurations::new(&Checked::Ring(algorithm, size), &question, &monitor)?, Looks::ring(algorithm))
                }
                (Instance::Graph(algorithm), _) => (
                    Configurations::new(&Checked::Graph(algorithm), &question.without_symmetry(), &monitor)?,
                    Looks::graph(algorithm),
                ),
                _ => unreachable!("the card says what it is"),
            };
            let report = ConfigurationsReport {
                subject: Subject { card, parameters: &parameters },
                all: &all,
                time: begun.elapsed(),
                peak_bytes: None,
            };
            if columns {
                return Ok(of_columns(&ConfigurationGraph { all: &all, looks }, &board));
            }
            Ok(of_counts(&report.json(), |out| report.text(out)))
        };
        let look = || {
            let (phase, done) = monitor.progress();
            let reading = board.look();
            if reading.total.is_some() { reading } else { Progress { phase: phase.name, done, total: phase.total } }
        };
        let stop = || {
            monitor.stop();
            board.stop();
        };
        let Done { result, interrupted } = watched_or_left(py, progress, look, stop, work)?.unless_stopped(stopped)?;
        Ok((Done { result: result.flatten(), interrupted }, look()))
    }

    fn reachable(
        &self,
        py: Python<'_>,
        asked: &Asked,
        parameters: &Parameters,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<(Done<Answer>, Progress)> {
        let card = self.card;
        if asked.scheduler.is_some() || asked.graph.is_some() {
            return Err(value(format!(
                "scheduler and graph are not for {}: every order of messages is explored",
                card.name
            )));
        }
        let usual = card.readings.first().map(|reading| reading.name);
        let reading = asked.reading.as_deref().or(usual);
        let model = build(self, parameters, reading)?;
        let mut options = Options {
            channels: channels(asked.channels.as_deref(), &model)?,
            rotation: asked.rotation,
            confluence: asked.confluence,
            memory: asked.memory,
            ..Options::default()
        };
        options.threads = asked.threads.unwrap_or(options.threads).clamp(1, 64);
        if let Some(actions) = &asked.visible {
            options.visible = actions.parse::<Visible>().map_err(value)?;
        }
        options.set =
            asked.compact.map_or(Storage::Automatic, |compact| if compact { Storage::Compact } else { Storage::Plain });
        let by = asked.minimize.as_deref().map(|name| name.parse::<Equivalence>().map_err(value)).transpose()?;
        let (begun, board) = (Instant::now(), Arc::new(Board::default()));
        let (verify, columns, parameters, noting) = (asked.verify, asked.columns, parameters.clone(), board.clone());
        let reading = reading.map(String::from);
        let work = move || -> Result<Answer, Failure> {
            let board = noting;
            let space = explored(&model, options, true, &board)?;
            let verified = if verify { space.verify(&|| board.goes_on()) } else { None };
            let graph = (columns || by.is_some()).then(|| space.graph_while(&|| board.goes_on())).flatten();
            if let (true, Some(graph)) = (columns, &graph) {
                return Ok(of_columns(&StateSpace::new(&space, graph, &[]), &board));
            }
            let quotient = by.zip(graph.as_ref());
            let quotient = quotient.and_then(|(by, graph)| Some((by, minimize(graph, by, &mut || board.goes_on())?)));
            if !board.goes_on() {
                return Ok(None);
            }
            let report = ExplorationReport {
                subject: Subject { card, parameters: &parameters },
                reading: reading.as_deref(),
                options: &options,
                found: space.summary(),
                quotient: quotient.as_ref().map(|(by, quotient)| (*by, quotient)),
                verified,
                time: begun.elapsed(),
                peak_bytes: space.peak_bytes(),
                spread: None,
                device: None,
            };
            Ok(of_counts(&report.json(), |out| report.text(out)))
        };
        let done = watched_or_left(py, progress, || board.look(), || board.stop(), work)?;
        let Done { result, interrupted } = done.unless_stopped(unexplored)?;
        Ok((Done { result: result.flatten(), interrupted }, board.look()))
    }
}

fn of_columns(system: &dyn Exported, board: &Board) -> Answer {
    Matrices::of(system, board).map(|matrices| (Found::default(), Some(matrices)))
}

fn of_counts(json: &Value, write: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>) -> Answer {
    Found::new(json).with_text(write).ok().map(|found| (found, None))
}
