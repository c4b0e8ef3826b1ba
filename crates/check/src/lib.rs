//! The checker: every configuration of a population protocol or of processes on a ring, a line or a graph, every schedule of a class, exact numbers.
//!
//! [`population`], [`ring`] and [`graph`] take a type-erased algorithm (`ringleader-erased`), a [`Question`] and a [`Monitor`]; a [`Subject`]
//! is any of the three.
//! The question names the schedules, the detector and the memory limit. Through the monitor another thread follows the
//! check and may stop it.
//!
//! The result is a [`Report`]: the verdict, the number of safe configurations, worst-case and expected steps. If the
//! algorithm fails, the report has a [`Counterexample`] that can be replayed. A check that cannot be done as requested
//! ends with a [`Stop`].
//!
//! ```
//! use ringleader_algorithms::population::fischer_jiang_ring::FischerJiangRing;
//! use ringleader_check::{Monitor, Question, Value, population};
//! use ringleader_erased::PopulationInstance;
//! use ringleader_model::{Graph, Scheduler};
//!
//! let algorithm = PopulationInstance::new(FischerJiangRing)?;
//! let three = Graph::directed_ring(3)?;
//! let report = population(&algorithm, &three, &Question::new(Scheduler::Random), &Monitor::default())?;
//! assert!(report.holds && report.almost_surely);
//! assert_eq!((report.configurations, report.really_safe), (512, 126));
//! let time = report.expected_steps.and_then(|times| times.to_really_safe).expect("it holds");
//! assert_eq!(time.worst, Value::Exact(19.into(), 1.into()));
//!
//! // Even rings fail if the scheduler is only locally fair. The counterexample shows why.
//! let four = Graph::directed_ring(4)?;
//! let report = population(&algorithm, &four, &Question::new(Scheduler::LocallyFair), &Monitor::default())?;
//! let run = report.counterexample.expect("it fails");
//! assert!(!run.cycle.is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # How it works
//!
//! A configuration is a number, the rules are tables, and a step adds a looked-up difference: nothing is hashed, and no
//! graph is stored. The modules, in the order in which a check uses them:
//!
//! - `verdict` selects the engine and calls it;
//! - `survey` compiles the `rules` and determines the sets of every configuration (`space`);
//! - `merge` finds classes of local states that nothing distinguishes;
//! - `schedule` has the graphs of schedulers that are more than one step of one agent;
//! - `search` finds closed sets, recurring sets, longest executions and rounds; `expectation` finds expected steps;
//! - `decision` has fair coins against a daemon: end components, probabilities, expected steps, rounds and moves;
//! - `configurations` is the graph itself, for exports;
//! - `device` checks directed rings on a GPU, with the feature `cuda`;
//! - `witness` turns a node that shows a failure into a readable counterexample;
//! - [`replay`] verifies a recorded counterexample with the algorithm's own rules only.

mod atlas;
mod configurations;
mod decision;
#[cfg(any(feature = "cuda", all(test, unix)))]
mod device;
mod everywhere;
mod expectation;
mod memory;
mod merge;
mod monitor;
mod question;
pub mod replay;
mod report;
mod rules;
mod schedule;
mod search;
mod space;
mod stop;
mod survey;
mod verdict;
mod witness;

pub use atlas::{Atlas, Here, Worst};
pub use configurations::{Configurations, Transition};
#[cfg(feature = "cuda")]
pub use device::{DeviceUse, OnDevice, population_on, refuse_on_device};
pub use everywhere::Everywhere;
pub use monitor::{Monitor, Phase};
pub use question::{
    Bitmap, Claim, Claimed, Coins, Condition, Detector, Each, Horizon, Level, Question, Start, Starting,
};
pub use report::{
    Bounds, Choice, ClaimReport, Classes, Counterexample, Likely, Quantile, Reach, Reaching, Report, Rounds, Service,
    SetReport, Situation, Step, Symmetry, Time, Times, Value,
};
pub use ringleader_model::Promise;
pub use stop::{Stop, Uncheckable, gib};
pub use survey::places::{Asymmetry, tells_agents_apart};
pub use survey::subject::Subject;
pub use verdict::{graph, population, ring};
pub use witness::leaders_for_ever;

use survey::Survey;

/// The engine's parts, for its own tests and benchmarks. They are not a stable interface.
#[doc(hidden)]
pub mod parts {
    pub use crate::decision::{
        Choices, EndComponent, Extreme, LikelyRounds, Outcome, Outcomes, Probabilities, Rewards, Totals,
        end_components, greatest_probability,
    };
    pub use crate::expectation::{Effort, Expected, Rows, Successors, bounded};
    pub use crate::merge::{Merged, Partition, Rules};
    pub use crate::rules::{Marked, Site, System};
    pub use crate::schedule::{Alternating, Daemon, ProcessByProcess, Together, count_steps};
    pub use crate::search::{
        Fairness, Longest, Recurrence, Rounds, WorstRounds, can_reach, longest, longest_by, really_safe,
    };
    pub use crate::space::{Bits, Edge, INCORRECT, Markov, MixedRadix, Reversible, Rotations, StateGraph, Symmetries};
    pub use crate::survey::{NamedSet, Survey};
    pub use crate::verdict::check;
    pub use crate::verdict::merged::check as check_merged;
    pub use crate::verdict::multisets::check as check_multisets;
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
