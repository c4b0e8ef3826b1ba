//! Searches for proofs that an algorithm stabilizes on *every* ring from some size on.
//!
//! [`rules`] reads the moves of an algorithm ([`Rules`]) from its instances. [`prove`] examines all configurations of small rings. It
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
//! there), `measures` (quantities that decrease), `search` with `family` (failures at every size of a class); `complete` is the same
//! for complete graphs, and `values` for rings whose values grow with the size. `partners` changes rules so that coins choose the
//! partners.
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
//!     tosses: vec![],
//!     given: None,
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
mod family;
mod formulas;
mod hints;
mod lasting;
mod measures;
mod partners;
mod recurring;
mod rings;
mod rounds;
mod search;
mod values;
mod watch;

pub use algorithm::{Algorithm, NoRules, OwnGoal, rules};
pub use complete::prove_complete;
pub use hints::{BadHints, Hints};
pub use partners::{has_random_partners, random_partners};
pub use recurring::{recurring, token};
pub use ringleader_verify::{Certificate, CompleteCertificate, FailureCertificate, Rules};
pub use rings::example::Step;
pub use search::{LARGEST_FIRST, prove};
pub use values::{NoValues, NotProved, ValuesOutcome, ValuesProof, ValuesRefutation, prove_values, value_rules};
pub use watch::{Options, Progress};

use ringleader_verify::{Malformed, Rejection, State};
use thiserror::Error;

/// The end of a search for a proof `P`. Only [`Refuted`](Outcome::Refuted) means that the algorithm fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome<P = Proof> {
    /// Proved for every size; the certificate has been checked.
    Proved(Box<P>),
    /// Fails with this many agents, by exhaustive search over all configurations.
    Refuted(Refutation),
    /// No set was found that is safe on every ring. This is the flaw of the last candidate.
    SafeSetNotFound(Unsafe),
    /// The question includes a detector that may lie for a while, and no set of configurations was found in which
    /// leaders last. This is the flaw of the last candidate.
    NothingLasts(Unsafe),
    /// Locally fair: there is no proof of this kind, because it would include schedules that fail.
    ArcsFail(ArcFailure),
    /// The hints are not a proof, for this reason.
    HintsRejected(Rejection),
    /// The budget or the formulas are exhausted, or the search was cancelled.
    NotProved(Remainder),
}

/// A proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// The certificate that the checker accepts.
    pub certificate: Certificate,
    /// The sizes at which the certificate's safe set is exactly the really safe set, by exhaustive search.
    pub exact_at: Vec<usize>,
    /// For each measure, a step of a small ring that it decides: it is the first measure that changes, and it falls.
    pub examples: Vec<Option<Step>>,
}

/// A counterexample to the claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refutation {
    /// The number of agents.
    pub size: usize,
    /// A configuration from which the really safe set cannot be reached (unfair: may not be reached).
    pub start: Vec<State>,
    /// Whether no configuration is really safe at this size.
    pub nothing_is_safe: bool,
    /// A proof that the claim fails at every size of a class, if one was found; the checker has accepted it.
    pub family: Option<Box<FailureCertificate>>,
    /// Whether time ended the search for such a proof.
    pub cut_short: bool,
}

/// A schedule that fails although no arc on which something can change is unused for ever. Locally fair schedules may all succeed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArcFailure {
    /// The number of agents.
    pub size: usize,
    /// A configuration to which such an execution comes back again and again. It is not really safe.
    pub comes_back_to: Vec<State>,
    /// The largest size that was checked exhaustively. Up to this size all schedules succeed that are fair to the transitions of each arc.
    pub holds_up_to: usize,
}

/// The flaw of a candidate safe set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unsafe {
    /// This configuration of the set breaks the promise.
    Promise(Vec<State>),
    /// This step leaves the set.
    Leaves(Vec<State>, Vec<State>),
    /// This step changes a value that must stay.
    Moves(Vec<State>, Vec<State>),
    /// Its automata are too large.
    TooLarge,
}

/// The state of an unsuccessful search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remainder {
    /// The largest number of configurations (unfair: steps) of the sample that measures solved.
    pub solved: usize,
    /// The number of configurations (unfair: steps) in the sample.
    pub of: usize,
    /// The largest size that was checked exhaustively, if any was; the algorithm holds up to this size.
    pub holds_up_to: Option<usize>,
    /// Whether the caller cancelled the search.
    pub cancelled: bool,
    /// Whether the budget was exhausted; otherwise the search tried everything.
    pub spent: bool,
    /// A part of the sample that the best measures leave open, if measures were tried.
    pub open: Option<Unsolved>,
}

/// A configuration on which no step lowers the measures that were found; unfair: a step that does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsolved {
    /// The configuration.
    pub before: Vec<State>,
    /// Unfair: the configuration after the step.
    pub after: Option<Vec<State>>,
    /// The agent that waits, in a search for measures of a recurring condition.
    pub waits: Option<usize>,
}

/// The end of a search for a proof that a condition recurs at every agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recurrence {
    /// Proved for every size; the certificate, with this claim, has been checked.
    Proved(Box<Certificate>),
    /// Fails on a small ring, by exhaustive search over the safe configurations.
    Fails(Starvation),
    /// The budget or the formulas are exhausted, or the search was cancelled.
    NotProved(Remainder),
}

/// An agent that waits for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Starvation {
    /// The number of agents.
    pub size: usize,
    /// A safe configuration from which the condition never holds at the agent (unfair: may never hold).
    pub start: Vec<State>,
    /// The agent.
    pub agent: usize,
}

/// The reason why a search cannot start.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Unsuitable {
    /// The rules are invalid.
    #[error(transparent)]
    Rules(#[from] Malformed),
    /// Some states are impossible at some places of a complete graph.
    #[error("some variables are given; a proof about complete graphs must allow every state of every agent")]
    Given,
    /// The goal, the assumption or the given safe set is not a formula over the rules' names, or has too many parts.
    #[error("`{0}` is not a formula over the variables, marks and rules, or has too many parts")]
    Goal(String),
    /// The sizes are invalid, or smaller than the widest move.
    #[error(
        "the smallest size must be between {least} (the number of agents of the widest move) and {most}; the modulus must be 1 to {most}"
    )]
    Sizes {
        /// The least size.
        least: usize,
        /// The largest first size, and the largest modulus.
        most: usize,
    },
    /// No configuration meets the assumption about all agents together.
    #[error("no configuration meets the condition on the starts, with up to {0} agents")]
    NoStart(usize),
    /// The result of a step is not a configuration: it changes given variables, or breaks the assumption about all agents together.
    #[error(
        "the step from {} to {} changes given variables to values that are not given, or leaves the configurations in which executions \
         start, so a proof would be meaningless; add a guard that disables the rule there, or start in a set that no step leaves",
        step[0],
        step[1]
    )]
    LeadsOut {
        /// The names of the states before and after the step.
        step: [String; 2],
    },
    /// Fair coins or agents that act at once, with rules for which proofs do not support them.
    #[error(
        "proofs support fair coins and agents that act at once without a leader detector; at once, each agent must change only its own state"
    )]
    Daemon,
    /// Fair coins or agents that act at once, with a recurring condition.
    #[error(
        "proofs of a recurring condition are for globally fair or unfair schedules of single steps, without fair coins"
    )]
    RecurringDaemon,
    /// Fair coins or agents that act at once, on complete graphs.
    #[error(
        "proofs about complete graphs are for globally fair or unfair schedules of single meetings, without fair coins"
    )]
    DaemonOnCompleteGraphs,
    /// The certificate to which a recurring condition should be added is not accepted.
    #[error("the certificate without the recurring condition is rejected: {0}")]
    Certificate(Rejection),
    /// There are too many states for one watched agent among the others.
    #[error(
        "{0} local states are too many for a proof about a recurring condition or fair schedules: at most {most}",
        most = recurring::MOST_WATCHED
    )]
    TooManyToWatch(usize),
    /// Even the smallest ring has too many configurations.
    #[error(
        "a ring of {size} has {configurations} configurations already; a search can examine {}",
        search::MOST_CONFIGURATIONS
    )]
    TooLarge {
        /// The smallest requested size.
        size: usize,
        /// The number of its configurations.
        configurations: usize,
    },
}

/// An error if something is so.
fn refuse_if<E>(so: bool, error: E) -> Result<(), E> {
    if so { Err(error) } else { Ok(()) }
}
