//! What a check found.

mod value;

pub use value::{Bounds, Value};

use crate::question::Promise;
use ringleader_model::text::Document;
use ringleader_model::trace::{self, Actor, Terms, Trace};

/// One step of a counterexample.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Step {
    /// Who takes it.
    #[cfg_attr(feature = "serde", serde(serialize_with = "actor"))]
    pub actor: Actor,
    /// What the two agents were told.
    pub inputs: Option<(bool, bool)>,
    /// What the coins show and the scheduler chooses, in the order of the draws; of several processes one after the other.
    pub coin: Vec<u32>,
    /// The rules that fired; none are listed where all processes step at once.
    pub rules: Vec<u8>,
    /// The local states after the step, by number.
    pub after: Vec<u32>,
}

/// As a trace writes it: `arc 0 1`, `process 2`.
#[cfg(feature = "serde")]
fn actor<S: serde::Serializer>(actor: &Actor, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(actor)
}

/// A run that shows a failure: after the prefix, the cycle for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Counterexample {
    /// What it shows.
    pub shows: String,
    /// The local states it starts from, by number.
    pub start: Vec<u32>,
    /// The way to the cycle; all there is if there is no cycle.
    pub prefix: Vec<Step>,
    /// What repeats for ever.
    pub cycle: Vec<Step>,
    /// How many configurations (with tokens or inputs where there are such) the recurring set has.
    pub recurring: Option<u64>,
}

impl Counterexample {
    /// The run as a trace, which [`crate::replay`] plays; `start` is the algorithm with the states it starts from.
    pub fn trace(&self, start: Document, terms: Terms) -> Trace {
        let step = |step: &Step| {
            let Step { actor, inputs, coin, .. } = step.clone();
            trace::Step { line: 0, actor, inputs, coin }
        };
        let steps = self.prefix.iter().chain(&self.cycle).map(step).collect();
        Trace { start, terms, steps, cycle: (!self.cycle.is_empty()).then_some(self.prefix.len()) }
    }
}

/// A set that the algorithm's proof names.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct SetReport {
    /// Its name.
    pub name: String,
    /// Where the paper claims it closed.
    pub claim: String,
    /// How many configurations it has.
    pub configurations: u64,
    /// Whether no step leaves it.
    pub closed: bool,
    /// A step that does.
    pub counterexample: Option<Counterexample>,
}

/// What became of a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClaimReport {
    /// What it is called.
    pub name: String,
    /// What it says of runs.
    pub promise: Promise,
    /// How many configurations it holds of.
    pub configurations: u64,
    /// A run that shows it wrong.
    pub counterexample: Option<Counterexample>,
}

/// How long it takes to a set.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Time {
    /// From the worst configuration.
    pub worst: Value,
    /// Its local states, by number.
    pub worst_start: Vec<u32>,
    /// For alternating schedules, whose turn it is first: the processes that it is the turn of on the edge to their left.
    pub worst_turns: Option<Vec<usize>>,
    /// The mean over all starts.
    pub mean: Value,
}

/// How long it takes to each of the two sets; a time that was not computed is absent.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Times {
    /// To the really safe set.
    pub to_really_safe: Option<Time>,
    /// To the algorithm's own safe set.
    pub to_own_safe: Option<Time>,
}

/// Which configurations were looked at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub enum Symmetry {
    /// Rotations of each other: on an anonymous ring.
    Rotation,
    /// Those with as many agents in each state: on a complete graph.
    Permutation,
}

/// Classes of configurations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Classes {
    /// How many there are.
    pub count: u64,
    /// What configurations of one class have in common.
    pub symmetry: Symmetry,
}

/// All that a check found.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Report {
    /// How many agents there are.
    pub agents: usize,
    /// How many local states an agent has.
    pub states: u64,
    /// How many configurations there are: all of them were checked.
    pub configurations: u64,
    /// How many there are up to a symmetry, if only these were looked at.
    pub classes: Option<Classes>,
    /// How many states the product with tokens or inputs has, where one was explored.
    pub product_states: Option<u64>,
    /// How many steps there are between all these; steps that change nothing count where the schedule counts them.
    pub transitions: u64,
    /// Whether the promise holds.
    pub holds: bool,
    /// Whether "every run" leaves out runs that have probability 0: those that the coins or the scheduler's draws make so.
    pub almost_surely: bool,
    /// Whether rules toss coins. Where the verdict is not one of probability, all that they can show counts as possible.
    pub tosses: bool,
    /// How many configurations are really safe: the promise is met now and cannot be broken.
    pub really_safe: u64,
    /// Whether the algorithm names a safe set of its own. If not, what is said of its own set is said of the really safe one.
    pub own_is_named: bool,
    /// How many are in the algorithm's own safe set.
    pub own_safe: u64,
    /// Whether all of those are really safe.
    pub own_is_really_safe: bool,
    /// Whether its own safe set cannot be left.
    pub own_is_closed: bool,
    /// Whether nobody is enabled in its own safe set.
    pub own_is_silent: bool,
    /// Whether its own safe set is reached by every run too; absent if that was not looked at.
    pub own_is_reached: Option<bool>,
    /// The closed sets of the proof.
    pub sets: Vec<SetReport>,
    /// What is claimed besides.
    pub claims: Vec<ClaimReport>,
    /// Worst-case steps.
    pub steps: Option<Times>,
    /// Expected steps.
    pub expected_steps: Option<Times>,
    /// Why it fails.
    pub counterexample: Option<Counterexample>,
}
