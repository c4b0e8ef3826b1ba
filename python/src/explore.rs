//! `explore`: all configurations, or all reachable states, counted; and the Markov chain or decision process as columns.

use crate::algorithm::Algorithm;
use crate::errors::{refused, stopped, unexplored, value};
use crate::found::Found;
use crate::messages::{build, channels, explored, ordered};
use crate::setup::{AskedGraph, Setup, scheduler};
use crate::work::{Board, Done, Progress, watched_or_left};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use ringleader::Instance;
use ringleader::check::{Configurations, Monitor, Question, Stop};
use ringleader::erased::{Kind, Parameters};
use ringleader::explore::{Equivalence, Failure, Options, Storage, Visible, minimize};
use ringleader::model::Scheduler;
use ringleader::report::Subject;
use ringleader::report::check::Looks;
use ringleader::report::exploration::{ConfigurationsReport, ExplorationReport};
use ringleader::report::export::{ConfigurationGraph, Exported, StateSpace};
use serde_json::json;
use std::io::Write as _;
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
    texts: Vec<Vec<String>>,
    groups: Vec<u8>,
    pointers: Vec<u8>,
    targets: Vec<u8>,
    probabilities: Vec<u8>,
    labels: Vec<(String, Vec<u8>)>,
    costs: Vec<(&'static str, Vec<u8>)>,
}

#[pymethods]
impl Matrices {
    /// The texts of some states, one part per agent; empty if there are too many states.
    fn texts(&self, start: usize, until: usize) -> Vec<Vec<String>> {
        self.texts.get(start..until.min(self.texts.len())).map(<[_]>::to_vec).unwrap_or_default()
    }

    /// The first row of each state, and the number of rows: 64-bit integers.
    fn groups<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.groups)
    }

    /// The first entry of each row, and the number of entries: 64-bit integers.
    fn pointers<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.pointers)
    }

    /// The column of each entry: 32-bit integers.
    fn targets<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.targets)
    }

    /// The value of each entry: doubles.
    fn probabilities<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.probabilities)
    }

    /// The named sets of states: a byte per state, 1 if it belongs to the set.
    fn labels<'py>(&self, py: Python<'py>) -> Vec<(String, Bound<'py, PyBytes>)> {
        self.labels.iter().map(|(name, bytes)| (name.clone(), PyBytes::new(py, bytes))).collect()
    }

    /// The costs of each row: doubles.
    fn costs<'py>(&self, py: Python<'py>) -> Vec<(&'static str, Bound<'py, PyBytes>)> {
        self.costs.iter().map(|(name, bytes)| (*name, PyBytes::new(py, bytes))).collect()
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

/// What an exploration is to return.
#[derive(Clone, Copy)]
enum Wanted {
    Counts,
    Columns,
}

/// What it returned.
enum Answer {
    Counts(serde_json::Value, Vec<u8>),
    Columns(Box<Matrices>),
    Stopped,
}

/// Counts all configurations or reachable states; `asked` has the names of the package's `explore`.
#[pyfunction]
pub(crate) fn explore(
    py: Python<'_>,
    algorithm: &Algorithm,
    asked: Asked,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Found> {
    let (answer, known, interrupted) = algorithm.explored(py, &asked, progress, &Wanted::Counts)?;
    match answer {
        Answer::Counts(json, text) => {
            Ok(Found::new(&json).with_text(|out| out.write_all(&text))?.until(interrupted))
        }
        _ => Ok(Found::new(&stopped_at(&known)).until(interrupted)),
    }
}

/// The Markov chain or decision process of the same exploration; the progress until then if it was interrupted.
#[pyfunction]
pub(crate) fn matrices(
    py: Python<'_>,
    algorithm: &Algorithm,
    asked: Asked,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<(Option<Matrices>, Found)> {
    let (answer, known, interrupted) = algorithm.explored(py, &asked, progress, &Wanted::Columns)?;
    let matrices = match answer {
        Answer::Columns(matrices) if interrupted.is_none() => Some(*matrices),
        _ => None,
    };
    Ok((matrices, Found::new(&stopped_at(&known)).until(interrupted)))
}

/// The progress of an exploration that was interrupted.
fn stopped_at(known: &Progress) -> serde_json::Value {
    json!({ "phase": known.phase, "done": known.done, "known": [] })
}

impl Algorithm {
    fn explored(
        &self,
        py: Python<'_>,
        asked: &Asked,
        progress: Option<&Bound<'_, PyAny>>,
        wanted: &Wanted,
    ) -> PyResult<(Answer, Progress, Option<PyErr>)> {
        let (parameters, _) = AskedGraph::under(asked.graph.as_ref(), self.card, asked.setup.at(asked.size)?)?;
        let parameters = ordered(self.card, parameters);
        match self.card.kind {
            Kind::Population | Kind::Ring | Kind::Graph => {
                self.configurations(py, asked, &parameters, progress, wanted)
            }
            _ => self.reachable(py, asked, &parameters, progress, wanted),
        }
    }

    fn configurations(
        &self,
        py: Python<'_>,
        asked: &Asked,
        parameters: &Parameters,
        progress: Option<&Bound<'_, PyAny>>,
        wanted: &Wanted,
    ) -> PyResult<(Answer, Progress, Option<PyErr>)> {
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
        let (size, wanted, parameters) = (asked.size, *wanted, parameters.clone());
        let (watching, noting) = (monitor.clone(), board.clone());
        let work = move || -> Result<Answer, Stop> {
            let (monitor, board) = (watching, noting);
            let (all, looks) = match (&instance, &graph) {
                (Instance::Population(algorithm), Some(graph)) => {
                    (Configurations::population(algorithm, graph, &question, &monitor)?, Looks::population(algorithm))
                }
                (Instance::Ring(algorithm), _) => {
                    (Configurations::ring(algorithm, size, &question, &monitor)?, Looks::ring(algorithm))
                }
                (Instance::Graph(algorithm), _) => {
                    (Configurations::graph(algorithm, &question.without_symmetry(), &monitor)?, Looks::graph(algorithm))
                }
                _ => unreachable!("the card says what it is"),
            };
            let report = ConfigurationsReport {
                subject: Subject { card, parameters: &parameters },
                all: &all,
                time: begun.elapsed(),
                peak_bytes: None,
            };
            Ok(match wanted {
                Wanted::Counts => {
                    let mut text = vec![];
                    let _ = report.text(&mut text);
                    Answer::Counts(report.json(), text)
                }
                Wanted::Columns => match Matrices::of(&ConfigurationGraph { all: &all, looks }, &board) {
                    Some(matrices) => Answer::Columns(Box::new(matrices)),
                    None => Answer::Stopped,
                },
            })
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
        let Done { result, interrupted } = watched_or_left(py, progress, look, stop, work)?;
        match result.unwrap_or(Err(Stop::Interrupted)) {
            Ok(answer) => Ok((answer, look(), interrupted)),
            Err(Stop::Interrupted) => Ok((Answer::Stopped, look(), interrupted)),
            Err(stop) => Err(interrupted.unwrap_or_else(|| stopped(stop))),
        }
    }

    fn reachable(
        &self,
        py: Python<'_>,
        asked: &Asked,
        parameters: &Parameters,
        progress: Option<&Bound<'_, PyAny>>,
        wanted: &Wanted,
    ) -> PyResult<(Answer, Progress, Option<PyErr>)> {
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
        let (verify, wanted, parameters, noting) = (asked.verify, *wanted, parameters.clone(), board.clone());
        let reading = reading.map(String::from);
        let work = move || -> Result<Answer, Failure> {
            let board = noting;
            let space = explored(&model, options, true, &board)?;
            let verified = if verify { space.verify(&|| board.goes_on()) } else { None };
            let graph = match (by, wanted) {
                (None, Wanted::Counts) => None,
                _ => match space.graph_while(&|| board.goes_on()) {
                    None => return Ok(Answer::Stopped),
                    graph => graph,
                },
            };
            if let (Wanted::Columns, Some(graph)) = (wanted, &graph) {
                let matrices = Matrices::of(&StateSpace::new(&space, graph, &[]), &board);
                return Ok(matrices.map_or(Answer::Stopped, |matrices| Answer::Columns(Box::new(matrices))));
            }
            let quotient = by.zip(graph.as_ref());
            let quotient = quotient.and_then(|(by, graph)| Some((by, minimize(graph, by, &mut || board.goes_on())?)));
            if !board.goes_on() {
                return Ok(Answer::Stopped);
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
            let mut text = vec![];
            let _ = report.text(&mut text);
            Ok(Answer::Counts(report.json(), text))
        };
        let Done { result, interrupted } = watched_or_left(py, progress, || board.look(), || board.stop(), work)?;
        match result.unwrap_or(Err(Failure::Stopped)) {
            Ok(answer) => Ok((answer, board.look(), interrupted)),
            Err(Failure::Stopped) => Ok((Answer::Stopped, board.look(), interrupted)),
            Err(failure) => Err(interrupted.unwrap_or_else(|| unexplored(failure))),
        }
    }
}
