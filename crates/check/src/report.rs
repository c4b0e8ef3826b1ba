//! The result of a check.

mod value;

pub use value::{Bounds, Value};

use crate::question::Promise;
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

/// An execution that shows a failure: the prefix, then the cycle for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
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
}

impl Counterexample {
    /// The execution as a trace, which [`crate::replay`] replays. `start` is the algorithm with the states it starts
    /// from.
    pub fn trace(&self, start: Document, assumptions: Assumptions) -> Trace {
        let step = |step: &Step| {
            let Step { actor, inputs, coin, .. } = step.clone();
            trace::Step { line: 0, actor, inputs, coin }
        };
        let steps = self.prefix.iter().chain(&self.cycle).map(step).collect();
        Trace { start, assumptions, steps, cycle: (!self.cycle.is_empty()).then_some(self.prefix.len()) }
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

/// The result for a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct ClaimReport {
    /// The name of the claim.
    pub name: String,
    /// The meaning of the claim for executions.
    pub promise: Promise,
    /// The number of configurations in the claimed set.
    pub configurations: u64,
    /// An execution that disproves the claim.
    pub counterexample: Option<Counterexample>,
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

/// The symmetry under which one representative of each class was checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub enum Symmetry {
    /// Rotation of an anonymous ring.
    Rotation,
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
    /// The number of local states of an agent.
    pub states: u64,
    /// The number of configurations. All of them were checked.
    pub configurations: u64,
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
    /// Expected steps.
    pub expected_steps: Option<Times>,
    /// The reason for the failure.
    pub counterexample: Option<Counterexample>,
}
