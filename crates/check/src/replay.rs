//! Replays a recorded execution: each step by the algorithm's own rules, the schedule by its class, the cycle closed.
//!
//! This module uses none of the checker's tables or searches, so a mistake in them cannot hide itself.
//!
//! ```
//! use ringleader_algorithms::population::fischer_jiang_ring::FischerJiangRing;
//! use ringleader_check::replay::{Played, play};
//! use ringleader_erased::PopulationInstance;
//! use ringleader_model::{Graph, trace::Trace};
//!
//! let run = "ringleader trace 1\nalgorithm fischer-jiang-ring\nsize 3\nscheduler fair\n\
//!     agent 0: bullet=0 leader=0 shield=0\nagent 1: bullet=0 leader=0 shield=0\nagent 2: bullet=0 leader=0 shield=0\n\
//!     step arc 2 1\n";
//! let algorithm = PopulationInstance::new(FischerJiangRing)?;
//! let graph = Graph::directed_ring(3)?;
//! let refusal = play(&Played::Population(&algorithm, &graph), &Trace::parse(run)?).unwrap_err();
//! assert_eq!(refusal.to_string(), "line 8, column 6: the directed ring has no arc from 2 to 1");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod fairness;
mod schedule;
mod strategy;

pub use strategy::{strategy_configurations, unfold};

use crate::question::{Detector, Level};
use ringleader_erased::{GraphInstance, LeavesDomain, Number, PopulationInstance, RingInstance, Verdict};
use ringleader_model::text::Document;
use ringleader_model::trace::{Actor, Script, Step, Trace};
use ringleader_model::{
    Coin, Goal, Graph, Marks, Odometer, ParseError, Population as _, Reads, Ring as _, Stabilizing as _, Told, View,
};
use std::str::FromStr;
use strum::VariantNames;

/// The algorithm that is replayed.
#[derive(Clone, Copy, Debug)]
pub enum Played<'a> {
    /// A population protocol on a graph.
    Population(&'a PopulationInstance, &'a Graph),
    /// A ring or a line of processes.
    Ring(&'a RingInstance),
    /// The processes of a graph.
    Graph(&'a GraphInstance),
}

/// An execution that was replayed to its end.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Run {
    /// The configurations, one more than there are steps.
    pub configurations: Vec<Vec<Number>>,
    /// The rules that fired in each step.
    pub rules: Vec<Vec<u8>>,
    /// Whether the cycle, if there is one, ends in the configuration where it began.
    pub closes: Option<bool>,
    /// The verified claims of the trace, in words.
    pub verified: Vec<String>,
    /// The claims that were not checked, in words.
    pub open: Vec<String>,
    /// The reason why the execution is not the one that the trace claims.
    pub broken: Option<Broken>,
}

/// The reason why an execution is not the one that its trace claims.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Broken(String);

fn broken<T>(why: impl Into<String>) -> Result<T, Broken> {
    Err(Broken(why.into()))
}

/// Replays an execution and checks the claims of its trace.
///
/// # Errors
///
/// If the trace is no execution of the algorithm: an unknown state, or a step that the graph or the rules do not have.
pub fn play(played: &Played<'_>, trace: &Trace) -> Result<Run, ParseError> {
    let mut states = played.start(&trace.start)?;
    let (mut configurations, mut rules) = (vec![states.clone()], vec![]);
    for step in &trace.steps {
        rules.push(played.take(&mut states, step)?);
        configurations.push(states.clone());
    }
    let closes = trace.cycle.map(|at| configurations[at] == states);
    let level = named("fairness", trace.assumptions.fairness.as_deref())?;
    let detector = named("oracle", trace.assumptions.oracle.as_deref())?;
    let lasso = Lasso { played, trace, level, detector, configurations: &configurations };
    let mut findings = Findings::default();
    let broken = lasso.judge(&mut findings).err();
    Ok(Run { closes, verified: findings.verified, open: findings.open, broken, configurations, rules })
}

/// The findings about an execution.
#[derive(Debug, Default)]
struct Findings {
    verified: Vec<String>,
    open: Vec<String>,
}

fn named<T: Default + FromStr + VariantNames>(what: &str, word: Option<&str>) -> Result<T, ParseError> {
    let Some(word) = word else { return Ok(T::default()) };
    let unknown =
        |_| ParseError::new(1, 1, format!("no {what} is called {word:?}: there are {}", T::VARIANTS.join(", ")));
    word.parse().map_err(unknown)
}

/// A replayed execution with its claims.
struct Lasso<'a> {
    played: &'a Played<'a>,
    trace: &'a Trace,
    level: Level,
    detector: Detector,
    configurations: &'a [Vec<Number>],
}

impl Lasso<'_> {
    /// The steps of the cycle, each with its number and the configuration in which it is taken.
    fn lap(&self) -> impl Iterator<Item = (usize, &Step, &Vec<Number>)> {
        let steps = self.trace.steps.iter().zip(self.configurations).enumerate();
        steps.skip(self.trace.cycle.unwrap_or(self.trace.steps.len())).map(|(i, (step, c))| (i + 1, step, c))
    }
}

/// A step that could be taken.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Possible {
    /// The actor: initiator and responder, or the process twice.
    actor: (usize, usize),
    /// The states that its rule reads.
    seen: Vec<Number>,
    /// The detector's answers to the two agents, if they ask.
    inputs: Option<(bool, bool)>,
    coin: Vec<u32>,
    /// The scheduler's choices among the draws of the coin.
    choices: Vec<u32>,
    rules: Vec<u8>,
    after: Vec<Number>,
}

/// Takes a step with these coins.
type Act<'a> = dyn Fn(&mut [Number], &mut Odometer) -> Result<(), LeavesDomain> + 'a;

impl Played<'_> {
    fn start(&self, document: &Document) -> Result<Vec<Number>, ParseError> {
        match self {
            Played::Population(algorithm, _) => document.states(*algorithm),
            Played::Ring(algorithm) => document.states(*algorithm),
            Played::Graph(algorithm) => document.states(*algorithm),
        }
    }

    /// The word for a process.
    fn member(&self) -> &'static str {
        if matches!(self, Played::Population(..)) { "agent" } else { "process" }
    }

    /// Takes one step, if the graph and the rules have it. Returns the rules that fired.
    pub fn take(&self, states: &mut [Number], step: &Step) -> Result<Vec<u8>, ParseError> {
        let mut coin = Script::new(&step.coin);
        self.apply(states, step, &mut coin)?;
        Ok(coin.finish(step.line)?.rules)
    }

    /// Takes one step with other coins.
    fn apply(&self, states: &mut [Number], step: &Step, mut coin: &mut dyn Coin) -> Result<(), ParseError> {
        let refuse = |message: String| ParseError::new(step.line, 6, message);
        let outside = |error: LeavesDomain| refuse(error.to_string());
        match (self, &step.actor) {
            (Played::Population(algorithm, graph), &Actor::Arc(u, v)) => {
                if !graph.arcs().contains(&(u as u32, v as u32)) {
                    return Err(refuse(format!("the {} has no arc from {u} to {v}", graph.shape())));
                }
                if step.inputs.is_some() && !algorithm.hears() {
                    return Err(refuse("the algorithm asks no leader detector, so there are no inputs".into()));
                }
                let truth = self.led(states);
                let (x, y) = step.inputs.unwrap_or((truth, truth));
                let after = algorithm.try_interact(states[u].0, states[v].0, Told::each(x, y), &mut coin);
                let (a, b) = after.map_err(outside)?;
                (states[u], states[v]) = (Number(a), Number(b));
            }
            (Played::Population(..), _) => return Err(refuse("this algorithm's steps are \"step arc U V\"".into())),
            (Played::Ring(_) | Played::Graph(_), Actor::Arc(..)) => {
                let steps = "\"step process P\", \"step processes P Q ..\" or \"step all\"";
                return Err(refuse(format!("this algorithm's steps are {steps}")));
            }
            (Played::Ring(_) | Played::Graph(_), _) if step.inputs.is_some() => {
                return Err(refuse("processes ask no leader detector, so there are no inputs".into()));
            }
            (Played::Ring(_) | Played::Graph(_), actor) => {
                let before = states.to_vec();
                for p in acting(actor, states.len()) {
                    states[p] = self.act(&before, p, coin).map_err(outside)?;
                }
            }
        }
        Ok(())
    }

    fn act(&self, states: &[Number], process: usize, coin: &mut dyn Coin) -> Result<Number, LeavesDomain> {
        match self {
            Played::Population(..) => Ok(states[process]),
            Played::Ring(algorithm) => {
                let view = View::of(states, process, algorithm.chain()).map(|number| number.0);
                algorithm.try_act(view, coin).map(Number)
            }
            Played::Graph(algorithm) => algorithm.try_act(process, &algorithm.read(process, states), coin).map(Number),
        }
    }

    /// The states that a step of this arc or process reads.
    fn seen(&self, states: &[Number], (u, v): (usize, usize)) -> Vec<Number> {
        match self {
            Played::Population(..) => vec![states[u], states[v]],
            Played::Ring(algorithm) => {
                let View { left, own, right, .. } = View::of(states, v, algorithm.chain());
                if algorithm.reads() == Reads::BothSides { vec![left, own, right] } else { vec![left, own] }
            }
            Played::Graph(algorithm) => algorithm.read(v, states).into_iter().map(Number).collect(),
        }
    }

    /// Whether some agent outputs that it is leader.
    fn led(&self, states: &[Number]) -> bool {
        (0..states.len()).any(|i| self.marks(states, i).leader())
    }

    fn marks(&self, states: &[Number], i: usize) -> Marks {
        match self {
            Played::Population(algorithm, _) => algorithm.marks(&states[i]),
            Played::Ring(algorithm) => algorithm.marks(View::of(states, i, algorithm.chain())),
            Played::Graph(algorithm) => algorithm.marks_of(i, &algorithm.read(i, states)),
        }
    }

    /// Whether the agents ask a leader detector.
    fn hears(&self) -> bool {
        matches!(self, Played::Population(algorithm, _) if algorithm.hears())
    }

    /// Whether faults can produce a configuration. Also true of configurations too large to be judged.
    fn possible(&self, states: &[Number]) -> bool {
        self.judged(states).is_none_or(|verdict| verdict.possible)
    }

    /// Whether a configuration meets the goal; not if it is too large to be judged.
    fn correct(&self, states: &[Number]) -> bool {
        let goal = match self {
            Played::Population(algorithm, _) => algorithm.goal(),
            Played::Ring(algorithm) => algorithm.goal(),
            Played::Graph(algorithm) => algorithm.goal(),
        };
        let one = |mark: Marks| (0..states.len()).filter(|&i| self.marks(states, i).contains(mark)).count() == 1;
        let counted = match goal {
            Goal::OneLeader => one(Marks::LEADER),
            Goal::OneToken => one(Marks::TOKEN),
            Goal::Agreement | Goal::Holds(_) => true,
        };
        counted && self.judged(states).is_some_and(|verdict| verdict.correct)
    }

    fn judged(&self, states: &[Number]) -> Option<Verdict> {
        let digits: Option<Vec<u32>> = states.iter().map(|state| state.0.try_into().ok()).collect();
        let judge = match self {
            Played::Population(algorithm, _) => algorithm.judge(states.len()),
            Played::Ring(algorithm) => algorithm.judge(states.len()),
            Played::Graph(algorithm) => algorithm.judge(states.len()),
        };
        judge.zip(digits).map(|(mut judge, digits)| judge.judge(&digits))
    }

    /// Every step that one arc or one process can take, if the detector answers each agent with `told`. A rule that leaves its
    /// domain has no step.
    fn steps(&self, states: &[Number], told: impl Fn(usize) -> bool) -> Vec<Possible> {
        let mut all = vec![];
        let mut see = |actor, inputs, act: &Act<'_>| {
            Odometer::each(|coin| {
                let mut after = states.to_vec();
                if act(&mut after, coin).is_ok() {
                    let choices = coin.choices().unwrap_or_default().to_vec();
                    let (seen, coin, rules) = (self.seen(states, actor), coin.draws(), coin.rules().to_vec());
                    all.push(Possible { actor, seen, inputs, coin, choices, rules, after });
                }
            });
        };
        match self {
            Played::Population(algorithm, graph) => {
                for &(u, v) in graph.arcs() {
                    let (u, v) = (u as usize, v as usize);
                    let (x, y) = (told(u), told(v));
                    see((u, v), algorithm.hears().then_some((x, y)), &|after, coin| {
                        let (a, b) = algorithm.try_interact(states[u].0, states[v].0, Told::each(x, y), coin)?;
                        (after[u], after[v]) = (Number(a), Number(b));
                        Ok(())
                    });
                }
            }
            Played::Ring(_) | Played::Graph(_) => {
                for p in 0..states.len() {
                    see((p, p), None, &|after, coin| {
                        after[p] = self.act(states, p, coin)?;
                        Ok(())
                    });
                }
            }
        }
        all
    }

    /// The same with a perfect detector.
    fn true_steps(&self, states: &[Number]) -> Vec<Possible> {
        let truth = self.led(states);
        self.steps(states, |_| truth)
    }
}

/// The processes that step.
fn acting(actor: &Actor, size: usize) -> Vec<usize> {
    match actor {
        Actor::Arc(u, v) => vec![*u, *v],
        Actor::Process(p) => vec![*p],
        Actor::Processes(several) => several.clone(),
        Actor::All => (0..size).collect(),
    }
}
