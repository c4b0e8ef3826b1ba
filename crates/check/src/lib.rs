//! The checker: every configuration of a population protocol or a ring, every schedule of a class, exact numbers.

mod expectation;
mod memory;
mod monitor;
mod question;
mod report;
mod rules;
mod schedule;
mod search;
mod space;
mod stop;
mod survey;
mod verdict;
mod witness;

pub use monitor::{Monitor, Phase};
pub use question::{Detector, Level, Question};
pub use report::{Bounds, Classes, Counterexample, Report, SetReport, Step, Symmetry, Time, Times, Value};
pub use stop::{Refusal, Stop};
pub use verdict::{population, ring};

use survey::Survey;

/// The engine's parts, for its own tests and benchmarks. No promise is made about them.
#[doc(hidden)]
pub mod parts {
    pub use crate::expectation::{Expected, Rows, Successors, bounded};
    pub use crate::rules::{Change, Leaders, Site, System, Table};
    pub use crate::schedule::{Alternating, Daemon, Together};
    pub use crate::search::{Fairness, Longest, Recurrence, can_reach, longest, really_safe};
    pub use crate::space::{Bits, Edge, INCORRECT, Markov, Reversible, Rotations, Space, StateGraph};
    pub use crate::survey::{NamedSet, Survey};
    pub use crate::verdict::check;
    pub use crate::verdict::multisets::check as check_multisets;
}
