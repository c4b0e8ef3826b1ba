//! `check` and `explore` of algorithms that pass messages: every reachable state from the clean start.

use crate::algorithm::Algorithm;
use crate::check::{Asked, explained};
use crate::errors::{refused, unexplored, value};
use crate::found::Found;
use crate::work::{Board, Done, watched_or_left};
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use ringleader::Instance;
use ringleader::erased::{Card, MessageInstance, Parameter, ParameterKind, Parameters};
use ringleader::explore::{Alone, Claim, DecisionGraph, Elections, Failure, Options, Progress, Space};
use ringleader::model::{Channels, Terminating};
use ringleader::report::curve::Curve;
use ringleader::report::messages::{Findings, MessageReport, over_orders};
use ringleader::report::{OWN_STEPS, Subject, chart};
use serde_json::json;
use std::sync::Arc;
use std::time::Instant;

/// The algorithm in the steps of a reading, or in its own.
pub(crate) fn build(
    algorithm: &Algorithm,
    parameters: &Parameters,
    reading: Option<&str>,
) -> PyResult<MessageInstance> {
    let card = algorithm.card;
    if let Some(reading) = reading.filter(|reading| *reading != OWN_STEPS) {
        if card.readings.is_empty() {
            return Err(value(format!("{} has no readings: leave reading out", card.name)));
        }
        return algorithm.catalog.read(card.name, parameters, reading).map_err(refused);
    }
    let missing = |p: &&Parameter| p.kind == ParameterKind::Bound && parameters.word(p.name).is_none();
    if let Some(parameter) = card.parameters.iter().find(missing) {
        return Err(value(format!(
            "{} has infinitely many states: bound its {name}, as in {name}=3",
            card.name,
            name = parameter.name
        )));
    }
    match algorithm.catalog.instance(card.name, parameters).map_err(refused)? {
        Instance::Message(instance) => Ok(instance),
        Instance::Robust(_) => Err(value(format!(
            "this is for algorithms that start clean and terminate; {} runs on clocks and never ends: simulate measures it",
            card.name
        ))),
        _ => Err(value(format!("{} is a {}", card.name, card.kind.describe()))),
    }
}

/// The parameter for the order of the identities, if there are identities and the user gave no order.
fn unordered(card: &Card, parameters: &Parameters) -> Option<&'static str> {
    let unnamed = |p: &&Parameter| p.kind == ParameterKind::Identities && parameters.word(p.name).is_none();
    card.parameters.iter().find(unnamed).map(|parameter| parameter.name)
}

/// The parameters with the identities in ascending order, unless the user gave an order.
pub(crate) fn ordered(card: &Card, parameters: Parameters) -> Parameters {
    match unordered(card, &parameters) {
        Some(name) => parameters.with(name, "ascending"),
        None => parameters,
    }
}

/// Explores, up to rotation if that is asked and the processes are identical.
pub(crate) fn explored<'a>(
    model: &'a MessageInstance,
    mut options: Options,
    insist: bool,
    board: &Board,
) -> Result<Space<'a>, Failure> {
    loop {
        let mut watch = |found: Progress| {
            board.note(format!("depth {}: {} states", found.depth, found.stored), found.expanded, None)
        };
        match Space::explore(model, &options, &mut watch) {
            Err(Failure::NotSymmetric) if options.rotation && !insist => options.rotation = false,
            ended => return ended,
        }
    }
}

pub(crate) fn channels(asked: Option<&str>, model: &MessageInstance) -> PyResult<Channels> {
    asked.map_or(Ok(model.channels()), |name| name.parse().map_err(value))
}

/// Checks one algorithm at one size: one order of its identities, or every order up to rotation.
pub(crate) fn check(
    algorithm: &Algorithm,
    py: Python<'_>,
    asked: Arc<Asked>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Found> {
    let card = algorithm.card;
    let parameters = asked.setup.at(asked.size)?;
    let unordered = unordered(card, &parameters);
    if let (Some(name), true) = (unordered, asked.within.is_some()) {
        return Err(value(format!(
            "within needs one order of the identities, but {} has many: give {name}=\"ascending\", or another order",
            card.name
        )));
    }
    // A wrong parameter is refused before the work.
    let other = asked.against.as_ref().map(|(name, word)| parameters.clone().with(name, word));
    for one in [Some(&parameters), other.as_ref()].into_iter().flatten() {
        build(algorithm, &ordered(card, one.clone()), asked.reading.as_deref())?;
    }
    let (begun, board) = (Instant::now(), Arc::new(Board::default()));
    // The work owns all that it needs: it may be left alone.
    let (job, given) =
        (Job { algorithm: algorithm.again(), asked: asked.clone(), board: board.clone() }, parameters.clone());
    let work = move || match unordered {
        Some(name) => job.all_orders(&given, name),
        None => job.one_order(&given, other.as_ref()),
    };
    let Done { result, interrupted } = watched_or_left(py, progress, || board.look(), || board.stop(), work)?;
    let known = |findings: &Findings| {
        let subject = Subject { card, parameters: &parameters };
        let report = MessageReport { subject, reading: asked.reading.as_deref(), findings };
        let broken = findings.properties.iter().find_map(|property| property.broken.as_ref());
        let title = format!("{}, {} processes", card.name, parameters.size);
        let picture = match broken {
            Some(run) => Some(chart::picture(run, &title)),
            None => (!findings.curves.is_empty()).then(|| Curve::picture(&title, "a leader", &findings.curves)),
        };
        let mut json = report.json();
        json["seconds"] = begun.elapsed().as_secs_f64().into();
        // Orders that were not checked may fail.
        if interrupted.is_some() && findings.orders.is_some() && report.holds() {
            (json["verdict"], json["holds"]) = ("interrupted".into(), serde_json::Value::Null);
        }
        let found = Found::new(&json).with_text(|mut out| report.text(&mut out, 80))?;
        Ok::<_, PyErr>(found.with_trace(report.trace().map(|trace| trace.print())).with_picture(picture))
    };
    match result.unwrap_or(Err(Ended::Stopped(None))) {
        Ok(findings) | Err(Ended::Stopped(Some(findings))) => Ok(known(&findings)?.until(interrupted)),
        Err(Ended::Stopped(None)) => {
            let board = board.look();
            Ok(Found::new(&json!({ "phase": board.phase, "done": board.done, "known": [] })).until(interrupted))
        }
        Err(Ended::Refused(raised)) => Err(interrupted.unwrap_or(raised)),
    }
}

/// Why a check ended without all findings.
enum Ended {
    /// Interrupted, with the findings until then, if the states were explored.
    Stopped(Option<Box<Findings>>),
    Refused(PyErr),
}

impl From<Failure> for Ended {
    fn from(failure: Failure) -> Ended {
        unexplored(failure).map_or(Ended::Stopped(None), Ended::Refused)
    }
}

impl From<PyErr> for Ended {
    fn from(raised: PyErr) -> Ended {
        Ended::Refused(raised)
    }
}

/// The graph of the states does not fit into memory.
fn too_large(words: String) -> Ended {
    Ended::Refused(PyMemoryError::new_err(words))
}

struct Job {
    algorithm: Algorithm,
    asked: Arc<Asked>,
    board: Arc<Board>,
}

impl Job {
    /// Every order of the identities up to rotation, or as many as the limit allows.
    fn all_orders(&self, parameters: &Parameters, name: &str) -> Result<Box<Findings>, Ended> {
        let begun = Instant::now();
        let find = |order: &str| self.one_order(&parameters.clone().with(name, order), None).map(|found| *found);
        let (found, ended) = over_orders(parameters.size, |_| false, find);
        match ended {
            // Orders that were checked before count.
            Err(Ended::Stopped(_)) => return Err(Ended::Stopped(found.map(Box::new))),
            ended => ended?,
        }
        let mut findings = found.map(Box::new).ok_or(Ended::Stopped(None))?;
        findings.time = begun.elapsed();
        Ok(findings)
    }

    fn explore<'m>(&self, model: &'m MessageInstance, claims: &[Claim]) -> Result<Space<'m>, Ended> {
        let mut options = Options {
            channels: channels(self.asked.channels.as_deref(), model)?,
            rotation: self.algorithm.catalog.may_rotate(self.algorithm.card.name, model, claims),
            memory: self.asked.memory,
            ..Options::default()
        };
        options.threads = self.threads();
        Ok(explored(model, options, false, &self.board)?)
    }

    fn threads(&self) -> usize {
        self.asked.threads.unwrap_or(Options::default().threads).clamp(1, 64)
    }

    fn build(&self, parameters: &Parameters) -> PyResult<MessageInstance> {
        build(&self.algorithm, parameters, self.asked.reading.as_deref())
    }

    /// One order of the identities; `other` are parameters for a second curve.
    fn one_order(&self, parameters: &Parameters, other: Option<&Parameters>) -> Result<Box<Findings>, Ended> {
        let (begun, card) = (Instant::now(), self.algorithm.card);
        let model = self.build(parameters)?;
        let claim = |claim| {
            let claim = self.algorithm.catalog.process_claim(card.name, parameters, &model, &claim);
            claim.map_err(explained)
        };
        let said = self.asked.said(&self.algorithm, parameters);
        let claims = said.into_iter().map(claim).collect::<PyResult<Vec<_>>>()?;
        let space = self.explore(&model, &claims)?;
        let mut findings =
            Box::new(Findings { states: space.states(), stored: space.stored(), ..Findings::new(space.channels()) });
        let keep_going = || self.board.goes_on();
        self.board.note(format!("the graph of {} stored states", space.stored()), 0, None);
        let graph = self.graph(&space).transpose().ok_or(Ended::Stopped(None))?;
        self.board.note(format!("the properties of {} stored states", space.stored()), 0, None);
        let properties = space.properties(graph.as_ref().ok(), &claims, &mut Alone::default(), &keep_going);
        (findings.properties, findings.undecided) = properties?;
        findings.time = begun.elapsed();
        let graph = match graph {
            Ok(graph) => graph,
            Err(words) if self.asked.within.is_some() => return Err(too_large(words)),
            Err(words) => {
                findings.no_numbers = Some(words);
                return Ok(findings);
            }
        };
        let elections = Elections::new(&graph).while_told(&keep_going);
        let Some(figures) = elections.figures(&mut |what| self.board.note(what, 0, None)) else {
            return Err(Ended::Stopped(Some(findings)));
        };
        (findings.elected, findings.steps, findings.messages) =
            (Some(figures.elected), figures.steps, figures.messages);
        if let Some(horizon) = self.asked.within {
            let name = self.asked.against.as_ref().map(|(name, _)| {
                let word = parameters
                    .word(name)
                    .or_else(|| card.parameters.iter().find(|p| p.name == name).map(|p| p.default));
                format!("{name}={}", word.unwrap_or_default())
            });
            let name = name.unwrap_or_else(|| card.name.to_string());
            match self.curve(&graph, name, horizon) {
                Some(curve) => findings.curves.push(curve),
                None => return Err(Ended::Stopped(Some(findings))),
            }
            if let (Some(other), Some((name, word))) = (other, &self.asked.against) {
                let twin = self.build(other)?;
                let space = self.explore(&twin, &claims)?;
                let graph = self.graph(&space).map_err(too_large)?;
                let curve = graph.and_then(|graph| self.curve(&graph, format!("{name}={word}"), horizon));
                match curve {
                    Some(curve) => findings.curves.push(curve),
                    None => return Err(Ended::Stopped(Some(findings))),
                }
            }
        }
        findings.time = begun.elapsed();
        Ok(findings)
    }

    /// The graph, if it fits into memory; `None` if it was interrupted.
    fn graph(&self, space: &Space<'_>) -> Result<Option<DecisionGraph>, String> {
        let bytes = space.graph_bytes();
        if bytes + space.peak_bytes() <= self.asked.memory {
            return Ok(space.graph_while(&|| self.board.goes_on()));
        }
        let (stored, mib) = (space.stored(), bytes >> 20);
        Err(format!("the graph of {stored} stored states takes up to {mib} MiB more, which exceeds the limit"))
    }

    fn curve(&self, graph: &DecisionGraph, name: String, horizon: usize) -> Option<Curve> {
        let tell = |step: usize| self.board.note("the probability of an election", step as u64, Some(horizon as u64));
        let points = Elections::new(graph).within(horizon, self.threads(), tell)?;
        Some(Curve::three(name, points))
    }
}
