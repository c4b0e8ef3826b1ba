//! Who decides what happens next. A verdict or a figure means nothing without its scheduler's name.

use std::fmt;
use std::str::FromStr;

/// A scheduler, or a class of schedules over which a claim is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scheduler {
    /// Every step uniformly at random among arcs, processes or enabled choices.
    Random,
    /// A step that can be taken infinitely often is taken infinitely often.
    GloballyFair,
    /// An action that is enabled infinitely often is taken infinitely often.
    LocallyFair,
    /// Every process is scheduled infinitely often; steps that change nothing count.
    Fair,
    /// Any schedule of enabled steps.
    Unfair,
    /// Between two steps of a process each of its neighbours steps exactly once.
    Alternating,
    /// One after the other, around and around.
    RoundRobin,
    /// All at once.
    Synchronous,
    /// Any of the enabled processes at once, at least one.
    Distributed,
    /// Processes loop at their own speeds in [α, β]; messages take their links' time.
    Timed,
}

impl Scheduler {
    /// All of them.
    pub const ALL: [Scheduler; 10] = [
        Scheduler::Random,
        Scheduler::GloballyFair,
        Scheduler::LocallyFair,
        Scheduler::Fair,
        Scheduler::Unfair,
        Scheduler::Alternating,
        Scheduler::RoundRobin,
        Scheduler::Synchronous,
        Scheduler::Distributed,
        Scheduler::Timed,
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Scheduler::Random => "random",
            Scheduler::GloballyFair => "globally-fair",
            Scheduler::LocallyFair => "locally-fair",
            Scheduler::Fair => "fair",
            Scheduler::Unfair => "unfair",
            Scheduler::Alternating => "alternating",
            Scheduler::RoundRobin => "round-robin",
            Scheduler::Synchronous => "synchronous",
            Scheduler::Distributed => "distributed",
            Scheduler::Timed => "timed",
        }
    }

    /// What it does, in a few words.
    pub fn describe(self) -> &'static str {
        match self {
            Scheduler::Random => "uniformly random",
            Scheduler::GloballyFair => "globally fair",
            Scheduler::LocallyFair => "locally fair",
            Scheduler::Fair => "fair: every process is scheduled infinitely often",
            Scheduler::Unfair => "unfair: any schedule of enabled steps",
            Scheduler::Alternating => "alternating: between two steps of a process each neighbour steps once",
            Scheduler::RoundRobin => "round robin",
            Scheduler::Synchronous => "synchronous: all at once",
            Scheduler::Distributed => "distributed: any set of enabled processes at once",
            Scheduler::Timed => "timed: loops take between alpha and beta, messages what their links take",
        }
    }
}

impl fmt::Display for Scheduler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Scheduler {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        Scheduler::ALL.into_iter().find(|s| s.name() == text).ok_or_else(|| {
            let names: Vec<_> = Scheduler::ALL.iter().map(|s| s.name()).collect();
            format!("no scheduler is called {text:?}; there are {}", names.join(", "))
        })
    }
}
