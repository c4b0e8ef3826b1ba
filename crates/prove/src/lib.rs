//! Searches for proofs that an algorithm stabilizes on *every* ring from some size on.
//!
//! [`rules`] reads the moves of an algorithm ([`Rules`]) from its instances. [`prove`] looks at all configurations of small rings. It
//! refutes the claim there, or learns the safe set and searches for measures that decrease outside of it. A proof is a
//! [`Certificate`] that [`verify`](ringleader_verify::verify), which shares no code with the search, has accepted.
//!
//! ```
//! use ringleader_algorithms::population::fischer_jiang_ring::FischerJiangRing;
//! use ringleader_erased::PopulationInstance;
//! use ringleader_prove::{Options, Outcome, prove, rules};
//! use ringleader_verify::{Scheduler, Sizes, verify};
//!
//! let (sizes, algorithm) = (Sizes::from(3), PopulationInstance::new(FischerJiangRing)?);
//! let rules = rules(&sizes, |_| Ok(algorithm.clone().into()))?;
//! let outcome = prove("fischer-jiang-ring", &rules, &sizes, Scheduler::GloballyFair, &Options::seconds(600))?;
//! let Outcome::Proved(proof) = outcome else { panic!("{outcome:?}") };
//! assert!(verify(&proof.certificate).is_ok());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The modules, each using only those before it: `algorithm` (from an instance to its rules), `formulas` (formulas about an agent and
//! its neighbours), `decide` (automata over rings of every size), `rings` (all configurations of one size; the safe set is learned
//! there), `measures` (quantities that decrease), `search`; `complete` is the same for complete graphs.
//!
//! Rules can also be written by hand. On a ring where every agent but agent 0 copies its left neighbour's bit, all bits become equal
//! under every schedule:
//!
//! ```
//! use ringleader_prove::{Options, Outcome, prove};
//! use ringleader_verify::{Cell, Goal, Move, Place, Possible, Rules, Scheduler, Sizes, Variable, verify};
//!
//! let mut moves = Vec::new();
//! for place in [Place::Middle, Place::Top] {
//!     for (left, own) in [(0, 1), (1, 0)] {
//!         let copies = Cell { before: own, after: left };
//!         let sees = Cell { before: left, after: left };
//!         moves.push(Move { rule: 0, place: Some(place), seen: None, left: Some(sees), own: copies, right: None });
//!     }
//! }
//! let rules = Rules {
//!     states: vec!["0".into(), "1".into()],
//!     variables: vec![Variable { name: "x".into(), size: 2, values: vec![0, 1] }],
//!     marks: vec![],
//!     rules: vec!["copy".into()],
//!     moves,
//!     possible: Possible::all(2),
//!     detector: None,
//!     goal: Goal::Everywhere { formula: "x~0".into() },
//! };
//! let outcome = prove("copy", &rules, &Sizes::from(2), Scheduler::Unfair, &Options::seconds(60)).unwrap();
//! let Outcome::Proved(proof) = outcome else { panic!("{outcome:?}") };
//! assert!(verify(&proof.certificate).is_ok());
//! ```

mod algorithm;
mod complete;
mod decide;
mod formulas;
mod hints;
mod lasting;
mod measures;
mod rings;
mod search;
mod watch;

pub use algorithm::{Algorithm, NoRules, rules};
pub use complete::{CompleteOutcome, prove_complete};
pub use hints::Hints;
pub use ringleader_verify::{Certificate, CompleteCertificate, Rules};
pub use rings::example::Step;
pub use search::prove;
pub use watch::{Options, Progress};

use ringleader_verify::{Rejection, State};
use thiserror::Error;

/// How a search ended. None of these but [`Refuted`](Outcome::Refuted) says that the algorithm fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// For every size; the certificate has been checked.
    Proved(Box<Proof>),
    /// On a ring of this size, found by looking at all its configurations.
    Refuted(Refutation),
    /// No safe set was found that is safe on every ring; of the last that was tried this is wrong.
    SafeSetNotFound(Unsafe),
    /// A detector that may lie for a while was asked about, and no set of configurations was found in which leaders last
    /// all the same; of the last that was tried this is wrong.
    NothingLasts(Unsafe),
    /// What was given as a hint is no proof, and this is why.
    HintsRejected(Rejection),
    /// The budget is spent, or the formulas are, or it was cancelled.
    NotProved(Remainder),
}

/// A proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// What the checker accepts.
    pub certificate: Certificate,
    /// The sizes whose really safe sets are exactly the certificate's safe set, by looking at all configurations.
    pub exact_at: Vec<usize>,
    /// For each measure a step of a small ring that it decides: it is the first that changes, and it falls.
    pub examples: Vec<Option<Step>>,
}

/// Where the claim fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refutation {
    /// The number of agents.
    pub size: usize,
    /// A configuration from which the really safe set cannot be reached (unfair: need not be).
    pub start: Vec<State>,
    /// Whether nothing at all is really safe at this size.
    pub nothing_is_safe: bool,
}

/// What is wrong with a set that was thought to be safe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unsafe {
    /// This configuration of it is not as promised.
    Promise(Vec<State>),
    /// This step leaves it.
    Leaves(Vec<State>, Vec<State>),
    /// This step moves what must stay.
    Moves(Vec<State>, Vec<State>),
    /// Its automata are too large.
    TooLarge,
}

/// What is left of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Remainder {
    /// The most configurations (unfair: steps) of the sample that measures solved,
    pub solved: usize,
    /// and of how many.
    pub of: usize,
    /// The largest ring of which every configuration was looked at; the algorithm holds up to there.
    pub holds_up_to: usize,
    /// Whether somebody ended the search.
    pub cancelled: bool,
    /// Whether the budget was spent; otherwise all there is was tried.
    pub spent: bool,
}

/// Why a search cannot begin.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Unsuitable {
    /// The rules make no sense.
    #[error("{0}")]
    Rules(String),
    /// The goal, or the safe set that was given, is not a formula over the rules' names, or one with too many parts.
    #[error("`{0}` is no formula over the variables, marks and rules, or one with too many parts")]
    Goal(String),
    /// The sizes make no sense, or are smaller than the widest move.
    #[error("{0}")]
    Sizes(String),
    /// A step leads to a word of states that is no configuration.
    #[error(
        "the step from {} to {} changes what is given, which nothing may change: with such a rule no proof means anything; a guard \
         keeps the rule away from there",
        step[0],
        step[1]
    )]
    LeadsOut {
        /// The names of the states before it and after.
        step: [String; 2],
    },
    /// Even the smallest ring has too many configurations.
    #[error(
        "a ring of {size} has {configurations} configurations already; a search can look at {}",
        search::MOST_CONFIGURATIONS
    )]
    TooLarge {
        /// The smallest size that is spoken of.
        size: usize,
        /// Its configurations.
        configurations: usize,
    },
}
