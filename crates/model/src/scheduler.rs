//! Schedulers. A verdict or a figure means nothing without the name of its scheduler.

use strum::{Display, EnumString, IntoStaticStr, VariantArray};

/// A scheduler, or a class of schedules over which a claim is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Display, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case", parse_err_ty = UnknownScheduler, parse_err_fn = unknown)]
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
    /// Any of the enabled processes at once, at least one, but no two neighbours.
    LocallyCentral,
    /// Any agent that can change something initiates an interaction; a fair coin chooses its partner among its neighbours.
    RandomPartner,
    /// Every agent initiates infinitely often, also where this changes nothing; a fair coin chooses its partner among its neighbours.
    FairRandomPartner,
    /// Processes loop at their own speeds in [α, β]; messages take their links' time.
    Timed,
}

/// No scheduler has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no scheduler is called {0:?}; there are {known}", known = names())]
pub struct UnknownScheduler(String);

fn names() -> String {
    Scheduler::VARIANTS.iter().map(|scheduler| scheduler.name()).collect::<Vec<_>>().join(", ")
}

fn unknown(name: &str) -> UnknownScheduler {
    UnknownScheduler(name.into())
}

impl Scheduler {
    /// The name on the command line.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Whether it chooses the initiators of interactions, and a fair coin their partners.
    pub fn picks_initiators(self) -> bool {
        matches!(self, Scheduler::RandomPartner | Scheduler::FairRandomPartner)
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
            Scheduler::LocallyCentral => "locally central: any set of enabled processes without two neighbours at once",
            Scheduler::RandomPartner => "random partner: any agent initiates, and a fair coin chooses its neighbour",
            Scheduler::FairRandomPartner => {
                "fair random partner: every agent initiates infinitely often, and a fair coin chooses its neighbour"
            }
            Scheduler::Timed => "timed: loops take between alpha and beta, messages what their links take",
        }
    }
}
