//! `check`: every configuration of a population protocol or a ring, every schedule of a class.

use crate::algorithm::Algorithm;
use crate::errors::{refused, stopped, value};
use crate::found::Found;
use crate::setup::{AskedGraph, Setup, scheduler};
use crate::work::{Done, Progress, watched_or_left};
use crate::{graphs, messages};
use pyo3::prelude::*;
use ringleader::Instance;
use ringleader::catalog::{ClaimError, WrittenClaim};
use ringleader::check::{
    Claim, Coins, Counterexample, Detector, Horizon, Level, Monitor, Promise, Question, Report, Start as Given,
    Starting, Stop,
};
use ringleader::erased::{Card, Kind, Number, Parameters};
use ringleader::model::text::Document;
use ringleader::model::trace::Actor;
use ringleader::model::{Scheduler, Stabilizing};
use ringleader::report::Subject;
use ringleader::report::canvas::Canvas;
use ringleader::report::check::{AllGraphs, CheckReport, Hints, Looks};
use ringleader::report::curve::Curve;
use ringleader::report::spacetime::{Caption, Event, Moment, diagram, shade};
use ringleader::simulate::{StabilizingInstance, StartError};
use serde_json::json;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The arguments of a check.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Asked {
    pub(crate) size: usize,
    pub(crate) setup: Setup,
    scheduler: Option<String>,
    graph: Option<AskedGraph>,
    fairness_level: Option<String>,
    coins: Option<String>,
    symmetry: bool,
    merge: bool,
    goal_only: bool,
    count_rounds: bool,
    count_moves: bool,
    /// `clean`, or the texts of configurations.
    starts: Vec<String>,
    /// The condition on the starts of all runs; `arbitrary` overrides that of a text.
    start: Option<String>,
    invariants: Vec<String>,
    eventually: Vec<String>,
    recurring: Vec<String>,
    response: Vec<String>,
    width: Option<f64>,
    pub(crate) memory: u64,
    pub(crate) threads: Option<usize>,
    pub(crate) channels: Option<String>,
    pub(crate) reading: Option<String>,
    pub(crate) within: Option<usize>,
    pub(crate) quantile: Option<f64>,
    pub(crate) against: Option<(String, String)>,
}

/// The most steps of a counterexample that is drawn.
const MOST_STEPS: usize = 4000;

/// Checks the algorithm; `asked` has the names of the package's `check`.
#[pyfunction]
pub(crate) fn check(
    py: Python<'_>,
    algorithm: &Algorithm,
    asked: Asked,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Found> {
    if algorithm.card.kind == Kind::Message {
        asked.refuse_for_messages(algorithm.card)?;
        return messages::check(algorithm, py, Arc::new(asked), progress);
    }
    if asked.channels.is_some() || asked.reading.is_some() || asked.against.is_some() {
        let card = algorithm.card.name;
        return Err(value(format!(
            "channels, reading and against are for algorithms that pass messages; {card} passes none"
        )));
    }
    if let Some(census) = asked.graph.as_ref().and_then(AskedGraph::census) {
        return graphs::check(algorithm, py, &asked, census, progress);
    }
    let (parameters, words) = AskedGraph::under(asked.graph.as_ref(), algorithm.card, asked.setup.at(asked.size)?)?;
    let instance = algorithm.catalog.instance(algorithm.card.name, &parameters).map_err(refused)?;
    let question = Arc::new(asked.whole_question(algorithm, &parameters, &instance)?);
    let job = Job { algorithm, parameters: &parameters, question: &question, all: None, progress };
    let monitor = monitor(&asked);
    // The work owns all that it needs: it may be left alone.
    let (asked_question, watching) = (question.clone(), monitor.clone());
    match instance {
        Instance::Population(instance) => {
            let topology = parameters.layers.topology(algorithm.card);
            let (graph, words) = AskedGraph::resolve(asked.graph.as_ref(), algorithm.card, topology, asked.size)?;
            let checked = instance.clone();
            let work = move || ringleader::check::population(&checked, &graph, &asked_question, &watching);
            job.run(py, &monitor, words, Looks::population(&instance), &instance, work)
        }
        Instance::Ring(instance) => {
            if asked.graph.is_some() {
                return Err(value("its processes form a ring or a line: it takes no graph"));
            }
            let (checked, size) = (instance.clone(), asked.size);
            let work = move || ringleader::check::ring(&checked, size, &asked_question, &watching);
            job.run(py, &monitor, words, Looks::ring(&instance), &instance, work)
        }
        Instance::Graph(instance) => {
            let checked = instance.clone();
            let work = move || ringleader::check::graph(&checked, &asked_question, &watching);
            job.run(py, &monitor, words, Looks::graph(&instance), &instance, work)
        }
        Instance::Message(_) | Instance::Robust(_) => Err(value(format!(
            "check supports population protocols, processes on rings and graphs, and message passing that terminates; {} needs clocks: use \
             elect",
            algorithm.card.name
        ))),
    }
}

impl Asked {
    fn refuse_for_messages(&self, card: &Card) -> PyResult<()> {
        let given = [
            ("graph", self.graph.is_some()),
            ("fairness_level", self.fairness_level.is_some()),
            ("coins", self.coins.is_some()),
            ("symmetry", !self.symmetry),
            ("merge", !self.merge),
            ("goal_only", self.goal_only),
            ("count_rounds", self.count_rounds),
            ("count_moves", self.count_moves),
            ("starts", !self.starts.is_empty()),
            ("start", self.start.is_some()),
            ("width", self.width.is_some()),
            ("quantile", self.quantile.is_some()),
            ("scheduler", self.scheduler.as_deref().is_some_and(|name| name != "unfair")),
        ];
        match given.iter().find(|(_, given)| *given) {
            None => Ok(()),
            Some((flag, _)) => Err(value(format!(
                "{flag} is not for {}: it starts clean, and the check covers every scheduler",
                card.name
            ))),
        }
    }

    /// The question with its starts.
    pub(crate) fn whole_question(
        &self,
        algorithm: &Algorithm,
        parameters: &Parameters,
        instance: &Instance,
    ) -> PyResult<Question> {
        let mut question = self.question(algorithm, parameters)?;
        question.starts = match instance {
            Instance::Population(instance) => self.starts(algorithm.card, instance)?,
            Instance::Ring(instance) => self.starts(algorithm.card, instance)?,
            Instance::Graph(instance) => self.starts(algorithm.card, instance)?,
            _ => vec![],
        };
        question.starting = self.starting(algorithm, parameters)?;
        Ok(question)
    }

    fn question(&self, algorithm: &Algorithm, parameters: &Parameters) -> PyResult<Question> {
        let (card, layers) = (algorithm.card, parameters.layers);
        let scheduler = self.scheduler.as_deref().map_or(Ok(layers.checked_under(card)), scheduler)?;
        let mut question = Question::new(scheduler).within(self.memory);
        if let Some(name) = &self.fairness_level {
            let wrong = |_| value(format!("fairness_level {name:?}: it must be transition, rule or arc"));
            question.level = name.parse::<Level>().map_err(wrong)?;
            if scheduler != Scheduler::LocallyFair {
                return Err(value("fairness_level is for the scheduler locally-fair"));
            }
        }
        if let Some(name) = &self.coins {
            let wrong = |_| value(format!("coins {name:?}: it must be fair or adversarial"));
            question.coins = name.parse::<Coins>().map_err(wrong)?;
        }
        if let Some(oracle) = self.setup.oracle(card)? {
            let unknown = |_| {
                value(
                    "the checker supports the oracles perfect and eventually-correct, and the layers distance and timer",
                )
            };
            question.detector = oracle.parse::<Detector>().map_err(unknown)?;
        }
        (question.symmetry, question.merge, question.only_goal) = (self.symmetry, self.merge, self.goal_only);
        (question.rounds, question.moves, question.width) = (self.count_rounds, self.count_moves, self.width);
        let horizon = Horizon { steps: self.within.map(|steps| steps as u64), quantile: self.quantile };
        question.horizon = (horizon != Horizon::default()).then_some(horizon);
        if question.horizon.is_some() && self.own_claims().next().is_some() {
            return Err(value("within and quantile are about the goal: leave the claims out"));
        }
        if question.detector == Detector::Perfect {
            (question.claims, question.only_claims) = self.claims(algorithm, parameters)?;
        } else if self.own_claims().next().is_some() {
            return Err(value("invariants, eventually, recurring and response are checked with a perfect oracle"));
        }
        Ok(question)
    }

    /// The configurations whose expected steps are reported besides, by the numbers of their states.
    fn starts(&self, card: &Card, algorithm: &impl Stabilizing<State = Number>) -> PyResult<Vec<Given>> {
        let read = |(at, start): (usize, &String)| {
            let (name, states) = match start.as_str() {
                "clean" => {
                    let mut states = vec![Number(0); self.size];
                    algorithm.restore(&mut states);
                    ("clean".into(), states)
                }
                text => {
                    let document = Document::parse(text).map_err(|wrong| {
                        value(format!("starts: give \"clean\", a configuration, or the text of one: {wrong}"))
                    })?;
                    if document.algorithm != card.name || document.size != self.size {
                        let (of, there) = (&document.algorithm, document.size);
                        let (name, here) = (card.name, self.size);
                        return Err(value(format!("a start has {there} agents of {of}, not {here} agents of {name}")));
                    }
                    (format!("given {}", at + 1), document.states(algorithm).map_err(value)?)
                }
            };
            let mut restored = states.clone();
            algorithm.restore(&mut restored);
            if restored != states {
                return Err(value(StartError::ChangesGiven));
            }
            Ok(Given { name, states: states.iter().map(|state| state.0 as u32).collect() })
        };
        self.starts.iter().enumerate().map(read).collect()
    }

    /// The starts of all runs, if they are not arbitrary.
    fn starting(&self, algorithm: &Algorithm, parameters: &Parameters) -> PyResult<Option<Starting>> {
        let (catalog, name) = (&algorithm.catalog, algorithm.card.name);
        let text = match self.start.as_deref() {
            Some("arbitrary") => None,
            given => given.or_else(|| catalog.written_start(name, parameters.layers)),
        };
        text.map(|text| catalog.starting(name, parameters, "start", text).map_err(explained)).transpose()
    }

    /// The claims of the user.
    fn own_claims(&self) -> impl Iterator<Item = WrittenClaim> {
        let each = [
            (Promise::Invariant, "invariants", &self.invariants),
            (Promise::Eventually, "eventually", &self.eventually),
            (Promise::Recurring, "recurring", &self.recurring),
            (Promise::Response, "response", &self.response),
        ];
        each.into_iter().flat_map(|(promise, from, texts)| {
            texts.iter().map(move |text| WrittenClaim {
                promise,
                name: format!("`{text}`"),
                text: text.clone(),
                from: from.into(),
            })
        })
    }

    /// The claims of the user, or else those of the text.
    pub(crate) fn said(&self, algorithm: &Algorithm, parameters: &Parameters) -> Vec<WrittenClaim> {
        let own: Vec<_> = self.own_claims().collect();
        if own.is_empty() { algorithm.catalog.claims_at(algorithm.card.name, parameters) } else { own }
    }

    /// The claims, and whether only they are checked.
    fn claims(&self, algorithm: &Algorithm, parameters: &Parameters) -> PyResult<(Vec<Claim>, bool)> {
        let claim = |written| algorithm.catalog.claim(algorithm.card.name, parameters, &written).map_err(explained);
        let claims = self.said(algorithm, parameters).into_iter().map(claim).collect::<PyResult<_>>()?;
        Ok((claims, self.own_claims().next().is_some()))
    }
}

/// A claim that cannot be checked.
pub(crate) fn explained(error: ClaimError) -> PyErr {
    match error {
        ClaimError::Text(wrong) => value(wrong),
        ClaimError::Refused(refusal) => refused(refusal),
    }
}

/// The monitor of a check.
pub(crate) fn monitor(asked: &Asked) -> Arc<Monitor> {
    Arc::new(asked.threads.map_or_else(Monitor::default, Monitor::new))
}

/// Waits for a check. The result is `None` if it was interrupted.
pub(crate) fn ended<T: Send + 'static>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    monitor: &Monitor,
    look: impl Fn() -> Progress,
    work: impl FnOnce() -> Result<T, Stop> + Send + 'static,
) -> PyResult<Done<Option<T>>> {
    watched_or_left(py, progress, look, || monitor.stop(), work)?.unless_stopped(stopped)
}

/// A check, to be reported.
pub(crate) struct Job<'a> {
    pub(crate) algorithm: &'a Algorithm,
    pub(crate) parameters: &'a Parameters,
    pub(crate) question: &'a Question,
    /// All graphs, if one of them is shown.
    pub(crate) all: Option<AllGraphs>,
    pub(crate) progress: Option<&'a Bound<'a, PyAny>>,
}

impl Job<'_> {
    fn run(
        &self,
        py: Python<'_>,
        monitor: &Monitor,
        graph: String,
        looks: Looks<'_>,
        instance: &dyn StabilizingInstance,
        work: impl FnOnce() -> Result<Report, Stop> + Send + 'static,
    ) -> PyResult<Found> {
        let begun = Instant::now();
        let look = || {
            let (phase, done) = monitor.progress();
            Progress { phase: phase.name, done, total: phase.total }
        };
        let Done { result: found, interrupted } = ended(py, self.progress, monitor, look, work)?;
        let found = match found {
            Some(found) => self.found(&found, graph, looks, instance, begun.elapsed())?,
            None => {
                let (phase, done) = monitor.progress();
                let decided = monitor.decided().map(|found| self.report(&found, graph, looks, begun.elapsed()).json());
                Found::new(&json!({ "phase": phase.name, "done": done, "known": monitor.found(), "decided": decided }))
            }
        };
        Ok(found.until(interrupted))
    }

    /// The result of a check.
    pub(crate) fn found(
        &self,
        found: &Report,
        graph: String,
        looks: Looks<'_>,
        instance: &dyn StabilizingInstance,
        time: Duration,
    ) -> PyResult<Found> {
        let report = self.report(found, graph, looks, time);
        let run = found.counterexample.as_ref().and_then(|run| self.picture(run, looks, instance));
        let curves = report.curves();
        let drawn = || Curve::picture(&report.title(), "a really safe configuration", &curves);
        let picture = run.or_else(|| (!curves.is_empty()).then(drawn));
        let (mut json, mut preface) = (report.json(), String::new());
        if let Some(all) = &self.all {
            json["graphs"] = all.json();
            preface = all.text(self.parameters.size, self.algorithm.card.kind.members(), found);
        }
        let text = |out: &mut Vec<u8>| {
            out.extend_from_slice(preface.as_bytes());
            report.text(out, 80, Hints::default())
        };
        let trace = report.trace().map(|trace| trace.print());
        Ok(Found::new(&json).with_text(text)?.with_trace(trace).with_picture(picture))
    }

    fn report<'r>(&'r self, found: &'r Report, graph: String, looks: Looks<'r>, time: Duration) -> CheckReport<'r> {
        let card = self.algorithm.card;
        CheckReport {
            subject: Subject { card, parameters: self.parameters },
            graph,
            looks,
            question: self.question,
            found,
            beyond_claim: self.algorithm.catalog.supports(card.name, self.parameters).err().map(|e| e.to_string()),
            time,
            peak_bytes: None,
        }
    }

    /// The counterexample as a space-time diagram.
    fn picture(&self, run: &Counterexample, looks: Looks<'_>, instance: &dyn StabilizingInstance) -> Option<Canvas> {
        let card = self.algorithm.card;
        let steps = run.prefix.iter().chain(&run.cycle);
        if steps.clone().count() > MOST_STEPS {
            return None;
        }
        let all = std::iter::once((&run.start, vec![])).chain(steps.map(|step| {
            let actors = match &step.actor {
                Actor::Arc(u, v) => vec![*u, *v],
                Actor::Process(p) => vec![*p],
                Actor::Processes(several) => several.clone(),
                Actor::All => (0..run.start.len()).collect(),
            };
            (&step.after, actors)
        }));
        let variable = self.parameters.layers.shade(card);
        let moment = |(at, (states, actors)): (usize, (&Vec<u32>, Vec<usize>))| {
            let numbers: Vec<_> = states.iter().map(|&state| Number(state.into())).collect();
            let shades = looks.states(states).iter().map(|state| shade(state, variable?)).collect();
            Moment { steps: at as u64, marks: instance.show(&numbers), shades, actors }
        };
        let moments: Vec<Moment> = all.enumerate().map(moment).collect();
        let agents = if card.kind == Kind::Population { "agent" } else { "process" };
        let title = format!("{}, n = {}", card.name, run.start.len());
        let event = (!run.cycle.is_empty()).then_some(Event::Repeats(run.prefix.len() as u64));
        Some(diagram(&moments, &Caption { title: &title, agents, event }))
    }
}
