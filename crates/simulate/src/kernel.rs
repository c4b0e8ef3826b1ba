//! Kernels: ways to run the same random process at different speeds.
//!
//! All are exact in distribution. They differ in how they use the generator, so one seed gives different runs on
//! different kernels, and always the same run on the same one. [`Elections`](crate::Elections) chooses among them; they are
//! public for those who want to hold one in their hands, such as a benchmark.

mod active;
pub mod arcs;
mod auto;
mod cells;
mod count;
mod message;
mod misled;
mod reach;
mod ring;
mod skip;
mod step;
mod table;

pub use auto::{Auto, Policy};
pub use cells::{ByRule, Cells, Which};
pub use count::Count;
pub use message::MessageSteps;
pub use misled::Misled;
pub use reach::{End, Still, Watched, meet, reach};
pub use ring::RingSteps;
pub use skip::Skip;
pub use step::Step;
pub use table::{ByTable, Table};

use crate::Generator;
use ringleader_erased::Number;

/// How far a run has come; kernels hand it on to each other.
#[derive(Clone, Debug)]
pub struct Progress {
    /// Interactions so far, those that changed nothing included.
    pub steps: u64,
    /// How many agents output that they are the leader.
    pub leaders: u64,
    /// After how many steps the output of an agent last changed; 0 if it never did.
    pub last_output_change: u64,
    /// Where the choices of the scheduler come from.
    pub coin: Generator,
    /// What the rule tosses: apart, so that the scheduler can choose ahead.
    pub tosses: Generator,
}

impl Progress {
    /// The beginning.
    pub fn new(mut coin: Generator) -> Progress {
        let tosses = Generator::new(coin.word());
        Progress { steps: 0, leaders: 0, last_output_change: 0, coin, tosses }
    }

    /// So many steps were taken; in the `loud`-th of them, from 1, an output last changed, unless that is 0.
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
/// that is what lets [`reach`] go back to find the very step at which a run became safe.
pub trait Kernel: Clone {
    /// Runs on for some units of work: interactions, or in a kernel that skips, interactions that may change something.
    /// Returns how many it did: less only if nothing can change any more.
    fn advance(&mut self, units: u64) -> u64;

    /// Runs on to this very step. Nothing need be known of how the work is cut here.
    fn run_to(&mut self, step: u64) {
        self.advance(step.saturating_sub(self.progress().steps));
    }

    /// How many agents there are.
    fn agents(&self) -> usize;

    /// How many units are worth the saving of a copy and a look at the whole configuration.
    fn stretch(&self) -> u64 {
        4 * self.agents() as u64 + 32
    }

    /// How far the run has come.
    fn progress(&self) -> &Progress;

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
