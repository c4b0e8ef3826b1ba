//! The simple reference engine of population protocols and of processes on rings and graphs; those for messages and for networks are in
//! the tests. And single runs of any model, to be watched.

mod run;
mod steered;
mod story;
mod timed;

pub use run::StabilizingRun;
pub use steered::{Checkpoint, ChosenStep, NotTaken, TakenStep};
pub use story::{RunEnd, Story, StoryEvent, StoryOutcome, run_to_goal};
pub use timed::TimedRun;

pub use crate::still::LookTimes;

use ringleader_erased::LeavesDomain;
use ringleader_model::Marks;
use std::convert::Infallible;

/// A run of any model, as `elect` and the tests drive it.
pub trait SimulatedRun {
    /// The number of agents.
    fn size(&self) -> usize;
    /// The number of steps taken: interactions, scheduled steps, choices or loop iterations.
    fn steps(&self) -> u64;
    /// Takes one step, or returns `false` if none can be taken: nothing is left to do, or the rule is [wrong](Self::wrong).
    fn step(&mut self) -> bool;
    /// The marks of each agent.
    fn marks(&self) -> Vec<Marks>;
    /// The number of steps until the goal was reached, if it is reached now.
    fn reached(&self) -> Option<u64>;
    /// Gives these agents arbitrary states.
    fn corrupt(&mut self, agents: &[usize]);
    /// The state of every agent, in the text form.
    fn states(&self) -> Vec<String>;
    /// The agents whose states the last step changed, where the engine records them.
    fn wrote(&self) -> &[usize] {
        &[]
    }

    /// The leader that each process names, where processes know each other.
    fn followed(&self) -> Option<Vec<usize>> {
        None
    }

    /// The value outside its variable's domain that the rule wrote, if the run ended with that.
    fn wrong(&self) -> Option<&LeavesDomain> {
        None
    }

    /// Whether no step can ever change anything, whatever is drawn. It asks at most `questions` questions about single steps;
    /// `false` if they do not decide it. Call it when [`LookTimes`] says so.
    fn still(&self, questions: u64) -> bool {
        let _ = questions;
        false
    }

    /// Runs until the goal is reached, nothing can happen, or `limit` steps have been taken in all.
    fn run_until_reached(&mut self, limit: u64) -> Option<u64> {
        let Ok(_) = run_to_goal(self, limit, |_| Ok::<_, Infallible>(true));
        self.reached()
    }
}
