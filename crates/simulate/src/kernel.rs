//! Kernels: ways to run the same random process at different speeds.
//!
//! All are exact in distribution. They differ in how they use the generator, so one seed gives different runs on
//! different kernels, and always the same run on the same one. [`Elections`](crate::Elections) chooses among them; they are
//! public for benchmarks and for callers that drive one directly.

mod active;
pub mod arcs;
mod cells;
mod count;
mod gaps;
mod interactions;
mod message;
mod misled;
mod pace;
mod processes;
mod reach;
mod table;

pub use cells::{AgentStore, ByRule, Which};
pub use count::Count;
pub use interactions::{Interactions, Policy};
pub use message::MessageSteps;
pub use misled::Misled;
pub use pace::Counted;
pub use processes::ProcessSteps;
pub use reach::{End, Still, Watched, meet, reach};
pub use table::{ByTable, PackedTable};

use crate::Generator;
use ringleader_erased::Number;

/// How far a run has come; kernels hand it on to each other.
#[derive(Clone, Debug)]
pub struct Progress {
    /// Interactions so far, those that changed nothing included.
    pub steps: u64,
    /// The number of agents that output that they are the leader.
    pub leaders: u64,
    /// The number of steps until the output of an agent last changed; 0 if none did.
    pub last_output_change: u64,
    /// The source of the scheduler's choices.
    pub coin: Generator,
    /// The source of the rule's coins: separate, so that the scheduler can choose ahead.
    pub tosses: Generator,
}

impl Progress {
    /// The beginning.
    pub fn new(mut coin: Generator) -> Progress {
        let tosses = Generator::new(coin.word());
        Progress { steps: 0, leaders: 0, last_output_change: 0, coin, tosses }
    }

    /// Counts `steps` more steps; an output last changed in the `loud`-th of them, counted from 1, or in none if that is 0.
    #[inline]
    pub(crate) fn passed(&mut self, steps: u64, loud: u64) {
        if loud > 0 {
            self.last_output_change = self.steps + loud;
        }
        self.steps += steps;
    }
}

/// A way to run an algorithm.
///
/// `advance(a)` followed by `advance(b)` is the same as `advance(a + b)`, and a clone goes on exactly as the original does:
/// so [`reach`] can go back to find the exact step at which a run became safe.
pub trait Kernel: Clone {
    /// Runs on for some units of work: interactions, or in a kernel that skips, interactions that may change something.
    /// Returns the number of units done: fewer only if nothing can change any more.
    fn advance(&mut self, units: u64) -> u64;

    /// Runs on for one unit, as `advance(1)` does. Returns whether a state may have changed; `None` if nothing can change
    /// any more.
    fn one(&mut self) -> Option<bool> {
        (self.advance(1) == 1).then_some(true)
    }

    /// Runs on to exactly this step.
    fn run_to(&mut self, step: u64) {
        self.advance(step.saturating_sub(self.progress().steps));
    }

    /// The number of agents.
    fn agents(&self) -> usize;

    /// The number of agents that may act in a unit; a pair of them counts once.
    fn acting(&self) -> usize {
        1
    }

    /// The number of units between two copies of the run and looks at the whole configuration.
    fn stretch(&self) -> u64 {
        (4 * self.agents() as u64 + 32) / self.acting() as u64
    }

    /// How far the run has come.
    fn progress(&self) -> &Progress;

    /// The rounds and moves so far, if the kernel counts them.
    fn counted(&self) -> Option<Counted> {
        None
    }

    /// Whether nothing can ever change again, as far as the kernel knows it anyway.
    fn stuck(&self) -> bool {
        false
    }

    /// Whether the configuration is in the algorithm's safe set.
    fn safe(&self) -> bool;

    /// The configuration, as the numbers of its states.
    fn configuration(&self) -> Vec<Number>;

    /// Whether another run is in the same configuration.
    fn same(&self, other: &Self) -> bool {
        self.configuration() == other.configuration()
    }

    /// Sets the state of some agents, as a fault does.
    fn corrupt(&mut self, faults: &[(usize, Number)]);
}
