//! One election from start to goal, and again after every fault, on the kernel asked for.

mod choice;
mod error;
mod measure;
mod population;

use crate::kernel::arcs::Arena;
use crate::kernel::{End, Kernel, Progress, RingSteps, Watched};
use crate::start::{Instance, Repeated, Start, StartError};
use crate::{Generator, Oracle, still};
use measure::{measure, possible};
use population::Meetings;
use ringleader_erased::{PopulationInstance, RingInstance};
use ringleader_model::{Safety, Scheduler};
use std::fmt;
use std::sync::atomic::AtomicBool;

pub use choice::{KernelChoice, UnknownKernel};
pub use error::{ElectionError, Unfit};
pub use population::TABLE_BYTES;

/// Faults that hit a run once it has reached its goal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Faults {
    /// How many agents each corrupts.
    pub agents: usize,
    /// How many faults, one after the other has healed.
    pub times: usize,
    /// How many steps after the goal a fault comes: uniform in this range.
    pub after: (u64, u64),
}

/// What became of an election.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[must_use]
pub struct Election {
    /// How it ended, before any fault.
    pub end: End,
    /// After how many steps the output of an agent last changed before the goal was reached.
    pub last_output_change: u64,
    /// Steps to recover from each fault that healed.
    pub recoveries: Vec<u64>,
    /// After how many steps a recovery was given up; no more faults came then.
    pub unhealed: Option<u64>,
}

/// How long a run may take, and who may stop it.
#[derive(Clone, Copy, Debug)]
pub struct Limits<'a> {
    /// Give up after this many steps.
    pub steps: u64,
    /// Raised to interrupt.
    pub stop: &'a AtomicBool,
}

/// What is measured: the steps until when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// Until the configuration is in the algorithm's safe set, which cannot be left.
    Safe,
    /// Until it is correct. Nobody has said which configurations are safe, so it may have been correct before and may still
    /// lose it: the step is the last at which it became so before somebody looked.
    Correct,
}

impl fmt::Display for Basis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Basis::Safe => "safe",
            Basis::Correct => "correct",
        })
    }
}

/// An algorithm, ready for many elections.
///
/// ```
/// use ringleader_algorithms::population::yokota_ring::YokotaRing;
/// use ringleader_erased::PopulationInstance;
/// use ringleader_model::Shape;
/// use ringleader_simulate::{Arena, Elections, End, Faults, Generator, KernelChoice, Limits, Oracle, Start};
/// use std::sync::atomic::AtomicBool;
///
/// let protocol = PopulationInstance::new(YokotaRing { bound: 16 })?;
/// let arena = Arena::shaped(Shape::DirectedRing, 16)?;
/// let elections = Elections::population(protocol, arena, KernelChoice::Auto, Oracle::Perfect)?.starting(&Start::AllLeaders)?;
/// let limits = Limits { steps: 1 << 40, stop: &AtomicBool::new(false) };
/// let election = elections.run(Faults::default(), limits, Generator::new(1));
/// assert!(matches!(election.end, End::Reached(steps) if steps > 15));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Elections {
    electorate: Electorate,
    start: Repeated,
}

enum Electorate {
    Population(Meetings),
    Ring { algorithm: RingInstance, size: usize, scheduler: Scheduler },
}

impl Elections {
    /// Elections in a population. Compiles what there is to compile, and refuses a kernel that cannot run this.
    pub fn population(
        protocol: PopulationInstance,
        arena: Arena,
        choice: KernelChoice,
        oracle: Oracle,
    ) -> Result<Elections, ElectionError> {
        refuse_loose(&protocol)?;
        let meetings = Meetings::new(protocol, arena, choice, oracle)?;
        Ok(Elections { electorate: Electorate::Population(meetings), start: Repeated::Random(None) })
    }

    /// Elections on a ring or a line of so many processes, at least two, under the alternating, round-robin, random,
    /// synchronous or distributed scheduler.
    pub fn ring(algorithm: RingInstance, size: usize, scheduler: Scheduler) -> Result<Elections, ElectionError> {
        refuse_loose(&algorithm)?;
        if size < 2 {
            return Err(ElectionError::TooSmall(size));
        }
        if !RingSteps::SCHEDULERS.contains(&scheduler) {
            return Err(ElectionError::Scheduler(scheduler));
        }
        algorithm.check_declarations().map_err(ElectionError::Algorithm)?;
        algorithm.check_domain(size).map_err(ElectionError::LeavesDomain)?;
        let electorate = Electorate::Ring { algorithm, size, scheduler };
        Ok(Elections { electorate, start: Repeated::Random(None) })
    }

    /// The same from another start than an arbitrary one.
    pub fn starting(self, start: &Start) -> Result<Elections, StartError> {
        let start = start.repeated(self.instance(), self.size())?;
        Ok(Elections { start, ..self })
    }

    fn instance(&self) -> &dyn Instance {
        match &self.electorate {
            Electorate::Population(meetings) => meetings.protocol(),
            Electorate::Ring { algorithm, .. } => algorithm,
        }
    }

    /// How many agents there are.
    pub fn size(&self) -> usize {
        match &self.electorate {
            Electorate::Population(meetings) => meetings.size(),
            Electorate::Ring { size, .. } => *size,
        }
    }

    /// What is measured.
    pub fn basis(&self) -> Basis {
        match self.instance().promises() {
            (_, Safety::Unknown) => Basis::Correct,
            _ => Basis::Safe,
        }
    }

    /// In words, what `auto` and the others run on here.
    pub fn means(&self) -> String {
        match &self.electorate {
            Electorate::Population(meetings) => meetings.means().to_string(),
            Electorate::Ring { scheduler, .. } => format!("rule, {scheduler} scheduler"),
        }
    }

    /// About how many bytes an agent takes while a run lasts.
    pub fn bytes_per_agent(&self) -> usize {
        match &self.electorate {
            Electorate::Population(meetings) => meetings.bytes_per_agent(),
            Electorate::Ring { algorithm, .. } => 3 * algorithm.state_bytes() + 32,
        }
    }

    /// One election.
    pub fn run(&self, faults: Faults, limits: Limits<'_>, mut coin: Generator) -> Election {
        match &self.electorate {
            Electorate::Population(meetings) => meetings.run(&self.start, faults, limits, coin),
            Electorate::Ring { algorithm, size, scheduler } => {
                let states = self.start.states(algorithm, *size, &mut coin);
                let kernel = RingSteps::new(algorithm, &states, *scheduler, Progress::new(coin));
                let goal = |k: &RingSteps| possible(algorithm, k.progress()) && k.safe();
                let still = |k: &RingSteps, _| still::ring(algorithm, &k.configuration());
                measure(algorithm, kernel, &Watched { goal: &goal, still: Some(&still) }, faults, limits)
            }
        }
    }
}

/// What is safe only for long has no step from which it holds for ever.
fn refuse_loose(algorithm: &dyn Instance) -> Result<(), ElectionError> {
    match algorithm.promises() {
        (_, Safety::ForLong) => Err(ElectionError::Loose),
        _ => Ok(()),
    }
}
