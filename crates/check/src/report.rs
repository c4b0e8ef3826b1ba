//! The result of a check.

mod value;

pub use value::{Bounds, Value};

use ringleader_model::Promise;
use ringleader_model::text::Document;
use ringleader_model::trace::{self, Actor, Assumptions, Trace};

/// One step of a counterexample.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Step {
    /// The actor of the step.
    #[cfg_attr(feature = "serde", serde(serialize_with = "actor"))]
    pub actor: Actor,
    /// The detector's answers to the two agents.
    pub inputs: Option<(bool, bool)>,
    /// The outcomes of the coins and the scheduler's choices, in the order of the draws. Several processes come one
    /// after the other.
    pub coin: Vec<u32>,
    /// The rules that fired; empty where all processes step at once.
    pub rules: Vec<u8>,
    /// The local states after the step, by number.
    pub after: Vec<u32>,
}

/// In the notation of a trace: `arc 0 1`, `process 2`.
#[cfg(feature = "serde")]
fn actor<S: serde::Serializer>(actor: &Actor, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(actor)
}

/// One choice of the daemon. The coins decide the outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Choice {
    /// The actor of the step.
    #[cfg_attr(feature = "serde", serde(serialize_with = "actor"))]
    pub actor: Actor,
    /// The choices between rules, in the order of the draws. Several processes come one after the other.
    pub rules: Vec<u32>,
}

/// The strategy of a daemon in one configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Situation {
    /// The local states, by number.
    pub states: Vec<u32>,
    /// For alternating schedules: the processes that have the turn on the edge to their left.
    pub turns: Option<Vec<usize>>,
    /// The choices between which the daemon changes, in turn. For every outcome of the coins, each leads to a situation
    /// of the strategy. If there is none, no step changes anything.
    pub choices: Vec<Choice>,
}

#[cfg(feature = "serde")]
fn promise<S: serde::Serializer>(promise: &Promise, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(&format_args!("{promise:?}"))
}

/// An execution that shows a failure: the prefix, then the cycle for ever; or a strategy of the daemon.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Counterexample {
    /// The failure that it shows.
    pub shows: String,
    /// The local states it starts from, by number.
    pub start: Vec<u32>,
    /// The steps to the cycle; the whole execution if there is no cycle.
    pub prefix: Vec<Step>,
    /// The steps that repeat for ever.
    pub cycle: Vec<Step>,
    /// The number of configurations (with tokens or inputs, if any) in the recurring set.
    pub recurring: Option<u64>,
    /// Against fair coins, the strategy that keeps an execution in these configurations for ever. The prefix is then one
    /// execution of it, and there is no cycle.
    pub strategy: Vec<Situation>,
}

impl Counterexample {
    /// The execution as a trace, which [`crate::replay`] replays. `start` is the algorithm with the states it starts
    /// from, `states` writes the states of a configuration.
    pub fn trace(&self, start: Document, assumptions: Assumptions, states: impl Fn(&[u32]) -> Vec<String>) -> Trace {
        let step = |step: &Step| {
            let Step { actor, inputs, coin, .. } = step.clone();
            trace::Step { line: 0, actor, inputs, coin }
        };
        let steps = self.prefix.iter().chain(&self.cycle).map(step).collect();
        let chosen = |choice: &Choice| trace::Step {
            line: 0,
            actor: choice.actor.clone(),
            inputs: None,
            coin: choice.rules.clone(),
        };
        let situation = |situation: &Situation| {
            let steps = situation.choices.iter().map(chosen).collect();
            trace::Situation::new(states(&situation.states), situation.turns.clone(), steps)
        };
        let strategy = self.strategy.iter().map(situation).collect();
        Trace { start, assumptions, steps, cycle: (!self.cycle.is_empty()).then_some(self.prefix.len()), strategy }
    }
}

/// A set that the algorithm's proof names.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct SetReport {
    /// Its name.
    pub name: String,
    /// Where the paper claims that the set is closed.
    pub claim: String,
    /// The number of configurations in the set.
    pub configurations: u64,
    /// Whether no step leaves it.
    pub closed: bool,
    /// A step that leaves the set.
    pub counterexample: Option<Counterexample>,
}

/// The greatest number of rounds before the really safe set is entered, or between two visits. A round ends when every process
/// that was enabled at its start has moved or has become disabled.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Rounds {
    /// The number of rounds that begin: exact where the daemon alone decides, expected where coins or the scheduler are random.
    /// Absent if it has no bound.
    pub worst: Option<Value>,
    /// Whether the numbers are expectations.
    pub expected: bool,
    /// A configuration that attains it, by the numbers of the local states.
    pub worst_start: Vec<u32>,
    /// The mean over all starts, unless there is no bound. Between two visits, it is absent.
    pub mean: Option<Value>,
}

/// The worst time between two visits inside the safe set, or between a condition and the one that must follow it.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Service {
    /// The number of steps: exact where the daemon alone decides, expected where coins or the scheduler are random. Absent
    /// if a daemon can wait as long as it wants.
    pub worst: Option<Value>,
    /// Whether `worst` is an expectation.
    pub expected: bool,
    /// The process that waits longest, if the claim is about each process.
    pub process: Option<usize>,
    /// The configuration from which the process waits longest, by the numbers of the local states.
    pub start: Vec<u32>,
    /// The execution that waits as long as the daemon wants, if there is no bound.
    pub delay: Option<Counterexample>,
    /// The rounds that begin from one visit on until the next, if the question asks for rounds. The process that waits most
    /// rounds may be another one than `process`.
    pub rounds: Option<Rounds>,
}

/// The result for a claim.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct ClaimReport {
    /// The name of the claim.
    pub name: String,
    /// The meaning of the claim for executions.
    #[cfg_attr(feature = "serde", serde(serialize_with = "promise"))]
    pub promise: Promise,
    /// The number of configurations in the claimed set. For a recurring claim, those of the safe set in which it was
    /// checked; for a response, those where some first condition holds.
    pub configurations: u64,
    /// Whether the claim holds.
    pub holds: bool,
    /// An execution that disproves the claim, if one was computed.
    pub counterexample: Option<Counterexample>,
    /// The worst time between two visits, or until the response, if the claim holds and the time was computed.
    pub service: Option<Service>,
    /// For a set that every execution must reach: when it is reached, and with which probability.
    pub reaching: Option<Reaching>,
}

impl ClaimReport {
    /// Whether the claim says nothing here: it is about the safe set, and no configuration is safe.
    #[must_use]
    pub fn is_void(&self) -> bool {
        self.promise == Promise::Recurring && self.configurations == 0
    }
}

/// The number of steps to a set.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Time {
    /// From the worst configuration.
    pub worst: Value,
    /// Its local states, by number.
    pub worst_start: Vec<u32>,
    /// For alternating schedules: the processes that have the turn on the edge to their left at the start.
    pub worst_turns: Option<Vec<usize>>,
    /// The mean over all starts.
    pub mean: Value,
    /// From each of the [starts](crate::Question::starts) of the question, in order; empty for worst-case steps.
    pub from: Vec<Value>,
}

/// The number of steps to each of the two sets. A time that was not computed is absent.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Times {
    /// To the really safe set.
    pub to_really_safe: Option<Time>,
    /// To the algorithm's own safe set.
    pub to_own_safe: Option<Time>,
}

/// The probability of reaching a set: ever, or within some number of steps.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Likely {
    /// From the worst start; within a number of steps, from the worst one for this number.
    pub worst: Bounds,
    /// The mean over all starts.
    pub mean: Bounds,
    /// From each of the [starts](crate::Question::starts) of the question, in order.
    pub from: Vec<Bounds>,
}

/// Whether and when the set of an `eventually` claim is reached. A number that was not computed is absent.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Reaching {
    /// Worst-case steps, if a daemon chooses and coins are not fair.
    pub steps: Option<Time>,
    /// Expected steps; where a daemon chooses, the largest over all daemons of the class.
    pub expected_steps: Option<Time>,
    /// The smallest expected steps over all daemons of the class, if coins are fair and the daemon chooses.
    pub best_expected_steps: Option<Time>,
    /// If the daemon can delay the set as long as it wants, although it cannot prevent it: the strategy of the delay.
    pub delay: Option<Counterexample>,
    /// The probability of reaching the set, if it is not 1 from every start; where a daemon chooses, the least one.
    pub least_probability: Option<Likely>,
    /// The same with the best daemon, where a daemon chooses.
    pub greatest_probability: Option<Likely>,
}

/// The least number of steps within which a probability is reached, against the worst daemon: as `[least, greatest]`, which
/// differ if rounding leaves it open. Absent if the probability was not reached before the search ended.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Quantile {
    /// The probability.
    pub probability: f64,
    /// The number of steps after which the search ended.
    pub searched: u64,
    /// From every start.
    pub worst: [Option<u64>; 2],
    /// From a configuration that is chosen uniformly at random.
    pub mean: [Option<u64>; 2],
    /// From each of the [starts](crate::Question::starts) of the question, in order.
    pub from: Vec<[Option<u64>; 2]>,
}

/// The probability that the really safe set is reached within t steps.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Reach {
    /// For t = 0, 1, ..: the least probability over all daemons of the class.
    pub least: Vec<Likely>,
    /// The greatest probability, if a daemon chooses. Its worst start is the start from which this probability is least.
    pub greatest: Option<Vec<Likely>>,
    /// The number of steps for the probability that the question names.
    pub quantile: Option<Quantile>,
}

/// The symmetry under which one representative of each class was checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub enum Symmetry {
    /// Rotation of an anonymous ring.
    Rotation,
    /// Automorphisms of a graph of processes.
    Automorphism,
    /// Permutation of the agents of a complete graph: configurations with equally many agents in each state.
    Permutation,
}

/// Classes of configurations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Classes {
    /// The number of classes.
    pub count: u64,
    /// The symmetry between configurations of one class.
    pub symmetry: Symmetry,
}

/// The complete result of a check.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Report {
    /// The number of agents.
    pub agents: usize,
    /// The number of local states of an agent; the largest, if agents differ.
    pub states: u64,
    /// The least number of local states of an agent, if agents differ.
    pub fewest_states: Option<u64>,
    /// The number of classes of local states, if states that nothing distinguishes were merged.
    pub state_classes: Option<u64>,
    /// The number of configurations; from given starts, of those that executions reach. All of them were checked.
    pub configurations: u64,
    /// The number of starts, if executions do not start everywhere. Times and probabilities are then about these starts.
    pub starts: Option<u64>,
    /// The number of classes, if only one representative of each was checked.
    pub classes: Option<Classes>,
    /// The number of states of the product with tokens or inputs, if one was explored.
    pub product_states: Option<u64>,
    /// The number of steps. Steps that change nothing count if the schedule counts them.
    pub transitions: u64,
    /// Whether the promise holds.
    pub holds: bool,
    /// Whether the verdict ignores executions of probability 0, by the coins of the rules or by the scheduler's random
    /// choices.
    pub almost_surely: bool,
    /// Whether a daemon chooses, while coins are fair.
    pub against_daemon: bool,
    /// Whether rules toss coins. If the verdict is not probabilistic, every outcome of the coins counts as possible.
    pub tosses: bool,
    /// The number of really safe configurations: the promise is met now and cannot be broken.
    pub really_safe: u64,
    /// Whether the algorithm names a safe set of its own. If not, the fields about its own set describe the really safe
    /// one.
    pub own_is_named: bool,
    /// The number of configurations in the algorithm's own safe set.
    pub own_safe: u64,
    /// Whether all configurations of its own safe set are really safe.
    pub own_is_really_safe: bool,
    /// Whether its own safe set cannot be left.
    pub own_is_closed: bool,
    /// Whether no process is enabled in its own safe set.
    pub own_is_silent: bool,
    /// Whether every execution reaches its own safe set too; absent if not checked.
    pub own_is_reached: Option<bool>,
    /// The closed sets of the proof.
    pub sets: Vec<SetReport>,
    /// The results for the additional claims.
    pub claims: Vec<ClaimReport>,
    /// Worst-case steps.
    pub steps: Option<Times>,
    /// Worst-case rounds, if the question asks for them and every execution converges.
    pub rounds: Option<Rounds>,
    /// Worst-case moves, if the question asks for them. A step of several processes is several moves.
    pub moves: Option<Times>,
    /// Expected moves; under a daemon that chooses freely, the largest over all daemons of the class.
    pub expected_moves: Option<Times>,
    /// Expected steps; under a daemon that chooses freely, the largest over all daemons of the class.
    pub expected_steps: Option<Times>,
    /// The smallest expected steps over all daemons of the class, if coins are fair and the daemon chooses.
    pub best_expected_steps: Option<Times>,
    /// If the daemon can delay convergence as long as it wants, although it cannot prevent it: the strategy of the delay.
    /// Then the largest expected steps have no bound.
    pub delay: Option<Counterexample>,
    /// The same for the algorithm's own safe set, if `delay` is absent.
    pub own_delay: Option<Counterexample>,
    /// The strategy of the most expected steps to the really safe set, from the worst start, if the question asks for it and they are
    /// bounded.
    pub worst_strategy: Option<Counterexample>,
    /// The probability of convergence, if it is not 1 from every start; where a daemon chooses, the least over all daemons of
    /// the class.
    pub least_probability: Option<Likely>,
    /// The same with the best daemon, where a daemon chooses.
    pub greatest_probability: Option<Likely>,
    /// The probability of the really safe set within some steps, if the question asks for it.
    pub reach: Option<Reach>,
    /// The reason for the failure.
    pub counterexample: Option<Counterexample>,
    /// If it fails and there is no counterexample: why none can be computed.
    pub unshown: Option<String>,
}

impl Report {
    /// The number of configurations in which an execution may start.
    pub(crate) fn beginnings(&self) -> u64 {
        self.starts.unwrap_or(self.configurations)
    }
}
