//! Why an election cannot be held.

use crate::KernelChoice;
use ringleader_erased::{LeavesDomain, NoTable};
use ringleader_model::Scheduler;
use std::fmt;

/// Why elections cannot be held so.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ElectionError {
    /// What the algorithm calls safe does not hold for ever.
    Loose,
    /// The algorithm is not as it says.
    Algorithm(ringleader_erased::Unfit),
    /// The rule writes a value that its variable is not declared to take.
    LeavesDomain(LeavesDomain),
    /// The kernel asked for cannot run this.
    Kernel(KernelChoice, Unfit),
    /// A ring or a line of so many processes is none.
    TooSmall(usize),
    /// The scheduler allows many schedules and does not say how likely each is.
    Scheduler(Scheduler),
}

/// Why a kernel cannot run a protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unfit {
    /// The detector is late or lies.
    Misled,
    /// It needs a table.
    NoTable(NoTable),
    /// It is for complete graphs.
    NotComplete,
    /// It counts leaders.
    NotOneLeader,
    /// It is for rules without coins.
    Tosses,
    /// It is not for complete graphs.
    Complete,
}

impl fmt::Display for ElectionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ElectionError::Loose => {
                f.write_str("what it calls safe only holds for long, so there is no step from which it holds for ever")
            }
            ElectionError::Algorithm(unfit) => unfit.fmt(f),
            ElectionError::LeavesDomain(error) => error.fmt(f),
            ElectionError::TooSmall(size) => write!(f, "it takes at least two processes, not {size}"),
            ElectionError::Scheduler(scheduler) => {
                write!(f, "the scheduler {scheduler} allows many schedules and says not how likely each is")
            }
            ElectionError::Kernel(choice, why) => write!(f, "the {choice} kernel cannot run this algorithm: {why}"),
        }
    }
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Unfit::Misled => "with a detector that is late or lies, only the rule kernel is exact",
            Unfit::NoTable(why) => return why.fmt(f),
            Unfit::NotComplete => "it is for complete graphs",
            Unfit::NotOneLeader => "its goal is not one leader",
            Unfit::Tosses => "its rule tosses coins",
            Unfit::Complete => "on a complete graph every agent touches all arcs; use count",
        })
    }
}

impl std::error::Error for ElectionError {}
