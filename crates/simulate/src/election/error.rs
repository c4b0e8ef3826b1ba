//! The reasons why elections cannot be held.

use crate::election::KernelChoice;
use ringleader_erased::{LeavesDomain, NoTable};
use ringleader_model::Scheduler;
use thiserror::Error;

/// The reason why elections cannot be held.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ElectionError {
    /// The algorithm's safe set can be left.
    #[error("its safe set holds only for long: there is no step from which it holds for ever")]
    Loose,
    /// The algorithm's declarations are wrong.
    #[error(transparent)]
    Algorithm(ringleader_erased::Unfit),
    /// The rule writes a value outside its variable's domain.
    #[error(transparent)]
    LeavesDomain(LeavesDomain),
    /// The requested kernel cannot run this algorithm.
    #[error("the {0} kernel cannot run this algorithm: {1}")]
    Kernel(KernelChoice, Unfit),
    /// A ring or a line needs more processes than these.
    #[error("a ring or a line needs at least two processes, not {0}")]
    TooSmall(usize),
    /// The scheduler allows many schedules without a probability distribution.
    #[error("the scheduler {0} allows many schedules and does not say how likely each is")]
    Scheduler(Scheduler),
    /// Rounds are counted for processes only.
    #[error(
        "rounds are counted for processes that read their neighbours; a population has parallel time, its steps divided by n"
    )]
    NoRounds,
    /// The caller stopped the preparation.
    #[error("interrupted")]
    Stopped,
}

/// The reason why a kernel cannot run a protocol.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Unfit {
    /// The detector is late or lies.
    #[error("with a detector that is late or lies, only the rule kernel is exact")]
    Misled,
    /// The kernel needs a table.
    #[error(transparent)]
    NoTable(NoTable),
    /// The kernel is for complete graphs.
    #[error("it is for complete graphs")]
    NotComplete,
    /// The kernel counts agents.
    #[error("the algorithm's goal is neither one leader nor a condition on the number of agents in each state")]
    NotCounts,
    /// The kernel is for rules without coins.
    #[error("the algorithm's rule tosses coins")]
    Tosses,
    /// The kernel is not for complete graphs.
    #[error("on a complete graph every agent touches all arcs; use count")]
    Complete,
}
