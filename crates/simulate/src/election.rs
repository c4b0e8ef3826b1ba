//! One election from start to goal, and again after every fault, on the chosen kernel.

mod choice;
mod error;
mod measure;
mod population;

use crate::kernel::arcs::Arena;
use crate::kernel::{Counted, End, Kernel, ProcessSteps, Progress, Watched};
use crate::stabilizing::StabilizingInstance;
use crate::start::{Repeated, Start, StartError};
use crate::{Composite, Generator, Oracle};
use measure::{measure, possible};
use population::Meetings;
use ringleader_erased::{GraphInstance, Kind, PopulationInstance, RingInstance};
use ringleader_model::{Marks, Safety, Scheduler};
use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;

pub use choice::KernelChoice;
pub use error::{ElectionError, Unfit};
pub use population::TABLE_BYTES;

/// Faults that hit a run once it has reached its goal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Faults {
    /// The number of agents that each fault corrupts.
    pub agents: usize,
    /// The number of faults, each after recovery from the one before.
    pub times: usize,
    /// The number of steps between the goal and a fault: uniform in this range.
    pub after: (u64, u64),
}

/// The result of an election.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[must_use]
pub struct Election {
    /// The end of the election, before any fault.
    pub end: End,
    /// The number of steps until the output of an agent last changed before the goal: 0 if none changed, also where there are no outputs
    /// ([`Elections::have_outputs`]).
    pub last_output_change: u64,
    /// The rounds and moves before the goal, if they were counted.
    pub counted: Option<Counted>,
    /// Steps to recover from each fault that healed.
    pub recoveries: Vec<u64>,
    /// The number of steps after which a recovery hit the limit; no more faults came then.
    pub unhealed: Option<u64>,
}

/// The schedulers that can run a model. Each chooses at random, or has no choice.
pub fn schedulers(kind: Kind) -> &'static [Scheduler] {
    match kind {
        Kind::Population => &[Scheduler::Random, Scheduler::RoundRobin],
        Kind::Ring | Kind::Graph => &ProcessSteps::SCHEDULERS,
        Kind::Message => &[Scheduler::Random],
        Kind::Robust => &[Scheduler::Timed],
    }
}

/// The limits of a run.
#[derive(Clone, Copy, Debug)]
pub struct Limits<'a> {
    /// The step limit.
    pub steps: u64,
    /// The flag that interrupts the run.
    pub stop: &'a AtomicBool,
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
    /// Whether agents of an arbitrary configuration show an output.
    outputs: OnceLock<bool>,
}

enum Electorate {
    Population(Meetings),
    Processes { algorithm: Composite, size: usize, scheduler: Scheduler, counting: bool },
}

impl Elections {
    /// Elections in a population. Compiles the rule where the kernel needs it, and refuses a kernel that cannot run this.
    pub fn population(
        protocol: PopulationInstance,
        arena: Arena,
        choice: KernelChoice,
        oracle: Oracle,
    ) -> Result<Elections, ElectionError> {
        Elections::population_until(protocol, arena, choice, oracle, &AtomicBool::new(false))
    }

    /// The same, until the flag is raised: a large table takes seconds.
    pub fn population_until(
        protocol: PopulationInstance,
        arena: Arena,
        choice: KernelChoice,
        oracle: Oracle,
        stop: &AtomicBool,
    ) -> Result<Elections, ElectionError> {
        refuse_loose(&protocol)?;
        Ok(Elections::of(Electorate::Population(Meetings::new(protocol, arena, choice, oracle, stop)?)))
    }

    /// Elections on a ring or a line of `size` processes, at least two, under the alternating, round-robin, random,
    /// synchronous or distributed scheduler.
    pub fn ring(algorithm: RingInstance, size: usize, scheduler: Scheduler) -> Result<Elections, ElectionError> {
        if size < 2 {
            return Err(ElectionError::TooSmall(size));
        }
        algorithm.check_declarations().map_err(ElectionError::Algorithm)?;
        algorithm.check_domain(size).map_err(ElectionError::LeavesDomain)?;
        Elections::processes(Composite::Ring(algorithm), size, scheduler)
    }

    fn processes(algorithm: Composite, size: usize, scheduler: Scheduler) -> Result<Elections, ElectionError> {
        refuse_loose(algorithm.instance())?;
        if !ProcessSteps::SCHEDULERS.contains(&scheduler) {
            return Err(ElectionError::Scheduler(scheduler));
        }
        Ok(Elections::of(Electorate::Processes { algorithm, size, scheduler, counting: false }))
    }

    fn of(electorate: Electorate) -> Elections {
        Elections { electorate, start: Repeated::Drawn(Start::Arbitrary), outputs: OnceLock::new() }
    }

    /// The same elections, which also count rounds and moves: of a ring, a line or a graph of processes.
    pub fn counting(self) -> Result<Elections, ElectionError> {
        match self.electorate {
            Electorate::Population(_) => Err(ElectionError::NoRounds),
            Electorate::Processes { algorithm, size, scheduler, .. } => {
                let electorate = Electorate::Processes { algorithm, size, scheduler, counting: true };
                Ok(Elections { electorate, ..self })
            }
        }
    }

    /// Elections among the processes of a graph, under the same schedulers.
    ///
    /// ```
    /// use ringleader_erased::GraphInstance;
    /// use ringleader_model::graph::Neighbours;
    /// use ringleader_model::{Coin, Goal, Graph, Marks, Networked, Scheduler, Stabilizing, Variables, Vicinity, Visitor};
    /// use ringleader_simulate::{Elections, End, Faults, Generator, Limits};
    /// use std::sync::atomic::AtomicBool;
    ///
    /// /// Everybody takes the greatest value around.
    /// struct Greatest(Neighbours);
    /// impl Variables for Greatest {
    ///     type State = u8;
    ///     fn variables(&self, x: &mut u8, v: &mut dyn Visitor) {
    ///         v.range("x", 0, 9, x);
    ///     }
    /// }
    /// impl Networked for Greatest {
    ///     fn neighbours(&self) -> &Neighbours {
    ///         &self.0
    ///     }
    ///     fn act(&self, view: Vicinity<'_, u8>, _: &mut impl Coin) -> u8 {
    ///         view.neighbours.iter().fold(view.own, |most, x| most.max(*x))
    ///     }
    ///     fn marks(&self, _: Vicinity<'_, u8>) -> Marks {
    ///         Marks::NONE
    ///     }
    /// }
    /// impl Stabilizing for Greatest {
    ///     fn goal(&self) -> Goal {
    ///         Goal::Agreement
    ///     }
    ///     fn correct(&self, c: &[u8]) -> bool {
    ///         c.iter().all(|x| *x == c[0])
    ///     }
    /// }
    ///
    /// let star = GraphInstance::new(Greatest(Graph::parse("0 1\n0 2\n0 3")?.neighbours()))?;
    /// let limits = Limits { steps: 10_000, stop: &AtomicBool::new(false) };
    /// let election = Elections::graph(star, Scheduler::Random)?.run(Faults::default(), limits, Generator::new(1));
    /// assert!(matches!(election.end, End::Reached(_)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn graph(algorithm: GraphInstance, scheduler: Scheduler) -> Result<Elections, ElectionError> {
        algorithm.check_declarations().map_err(ElectionError::Algorithm)?;
        algorithm.check_domain().map_err(ElectionError::LeavesDomain)?;
        let size = algorithm.size();
        Elections::processes(Composite::Graph(algorithm), size, scheduler)
    }

    /// The same elections from this start.
    pub fn starting(self, start: &Start) -> Result<Elections, StartError> {
        let start = start.repeated(self.instance(), self.size(), self.bytes_per_agent() > 0)?;
        Ok(Elections { start, ..self })
    }

    fn instance(&self) -> &dyn StabilizingInstance {
        match &self.electorate {
            Electorate::Population(meetings) => &meetings.protocol,
            Electorate::Processes { algorithm, .. } => algorithm.instance(),
        }
    }

    /// Whether agents show an output: a leader or a token.
    pub fn have_outputs(&self) -> bool {
        *self.outputs.get_or_init(|| self.instance().marks_seen().output() != Marks::NONE)
    }

    /// The number of agents.
    pub fn size(&self) -> usize {
        match &self.electorate {
            Electorate::Population(meetings) => meetings.size(),
            Electorate::Processes { size, .. } => *size,
        }
    }

    /// The kernel that runs these elections, in words.
    pub fn means(&self) -> String {
        match &self.electorate {
            Electorate::Population(meetings) => meetings.means().to_string(),
            Electorate::Processes { scheduler, .. } => format!("rule, {scheduler} scheduler"),
        }
    }

    /// The approximate number of bytes per agent during a run.
    pub fn bytes_per_agent(&self) -> usize {
        match &self.electorate {
            Electorate::Population(meetings) => meetings.bytes_per_agent(),
            Electorate::Processes { algorithm, counting, .. } => {
                // A graph keeps the output of each process.
                let outputs = if matches!(algorithm, Composite::Graph(_)) { 8 } else { 0 };
                3 * algorithm.state_bytes() + outputs + if *counting { 64 } else { 32 }
            }
        }
    }

    /// One election.
    pub fn run(&self, faults: Faults, limits: Limits<'_>, mut coin: Generator) -> Election {
        match &self.electorate {
            Electorate::Population(meetings) => meetings.run(&self.start, faults, limits, coin),
            Electorate::Processes { algorithm, size, scheduler, counting } => {
                let instance = algorithm.instance();
                let states = self.start.states(instance, *size, &mut coin);
                let kernel = ProcessSteps::new(algorithm.clone(), &states, *scheduler, Progress::new(coin));
                let kernel = if *counting { kernel.counting() } else { kernel };
                let goal = |k: &ProcessSteps| possible(instance, k.progress()) && k.safe();
                let still = |k: &ProcessSteps, _| algorithm.still(&k.configuration());
                measure(instance, kernel, &Watched { goal: &goal, still: Some(&still) }, faults, limits)
            }
        }
    }
}

/// Refuses loosely stabilizing algorithms: they have no step from which the safe set holds for ever.
fn refuse_loose(algorithm: &dyn StabilizingInstance) -> Result<(), ElectionError> {
    if algorithm.safety() == Safety::ForLong { Err(ElectionError::Loose) } else { Ok(()) }
}
