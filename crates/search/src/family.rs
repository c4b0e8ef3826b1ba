//! The family of protocols to search, and their promise.

use ringleader_check::gib;
use ringleader_model::Scheduler;
use thiserror::Error;

/// The communication graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topology {
    /// Every agent initiates interactions with its right neighbour.
    DirectedRing,
    /// Any two agents may interact.
    Complete,
}

/// A family of population protocols with common properties, and their promise: from every configuration, eventually
/// exactly one agent is in a leader state, and it is the same agent for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Family {
    /// The number of states of an agent.
    pub states: usize,
    /// The number of leader states; any number if absent.
    pub leaders: Option<usize>,
    /// The communication graph.
    pub topology: Topology,
    /// The numbers of agents for which the promise must hold.
    pub sizes: Vec<usize>,
    /// Whether a perfect detector tells agents if there is a leader.
    pub detector: bool,
    /// Whether the initiator and the responder are interchangeable.
    pub symmetric: bool,
    /// The class of schedules.
    pub scheduler: Scheduler,
}

/// The reason why a family cannot be searched. Its message says what would be right.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum BadFamily {
    /// There are too few or too many states.
    #[error("the search supports 2 to {MOST_STATES} states per agent, not {0}")]
    States(usize),
    /// This number of leader states leaves no leader state or no other state.
    #[error(
        "of {states} states 1 to {} can be leader states, not {leaders}: at least one state must lead and one not",
        states - 1
    )]
    Leaders {
        /// The requested number of leader states.
        leaders: usize,
        /// The number of states.
        states: usize,
    },
    /// No size is given.
    #[error("no size is given; give at least one, such as 3")]
    NoSize,
    /// The size is below two or too large.
    #[error("sizes are 2 to {MOST_AGENTS}, not {0}")]
    Size(usize),
    /// The search does not support this scheduler.
    #[error(
        "the search does not support {0} schedules; it supports random, globally-fair and unfair (`check` supports more, for one protocol)"
    )]
    Scheduler(Scheduler),
    /// The steps of all configurations may need more memory than the limit.
    #[error(
        "the steps of {agents} agents may need {} GiB, and {} GiB may be used: try a smaller size",
        gib(*needed as u64, *allowed)[0],
        gib(*needed as u64, *allowed)[1]
    )]
    Memory {
        /// The number of agents.
        agents: usize,
        /// The approximate number of bytes.
        needed: f64,
        /// The limit in bytes.
        allowed: u64,
    },
}

/// The most agents: a check must be able to confirm the results.
const MOST_AGENTS: usize = 40;

/// More states would give too many tables for any search.
const MOST_STATES: usize = 6;

impl Family {
    /// Protocols without a detector, not symmetric, with any number of leader states, under the random scheduler.
    #[must_use]
    pub fn new(states: usize, topology: Topology, sizes: &[usize]) -> Family {
        let (leaders, detector, symmetric, scheduler) = (None, false, false, Scheduler::Random);
        let mut sizes = sizes.to_vec();
        sizes.sort_unstable();
        sizes.dedup();
        Family { states, leaders, topology, sizes, detector, symmetric, scheduler }
    }

    /// The same with a perfect leader detector.
    #[must_use]
    pub fn with_detector(self) -> Family {
        Family { detector: true, ..self }
    }

    /// The same, symmetric: the initiator and the responder are interchangeable.
    #[must_use]
    pub fn symmetric(self) -> Family {
        Family { symmetric: true, ..self }
    }

    /// The same under other schedules.
    #[must_use]
    pub fn under(self, scheduler: Scheduler) -> Family {
        Family { scheduler, ..self }
    }

    /// The same with `leaders` leader states.
    #[must_use]
    pub fn led_by(self, leaders: usize) -> Family {
        Family { leaders: Some(leaders), ..self }
    }

    /// Whether the family can be searched with `memory` bytes of memory.
    pub fn check(&self, memory: u64) -> Result<(), BadFamily> {
        if !(2..=MOST_STATES).contains(&self.states) {
            return Err(BadFamily::States(self.states));
        }
        if let Some(leaders) = self.leaders.filter(|leaders| !(1..self.states).contains(leaders)) {
            return Err(BadFamily::Leaders { leaders, states: self.states });
        }
        if let Some(&size) = self.sizes.iter().find(|&&size| !(2..=MOST_AGENTS).contains(&size)) {
            return Err(BadFamily::Size(size));
        }
        if !matches!(self.scheduler, Scheduler::Random | Scheduler::GloballyFair | Scheduler::Unfair) {
            return Err(BadFamily::Scheduler(self.scheduler));
        }
        let needed = |agents: usize| self.bytes(agents);
        match self.sizes.last() {
            None => Err(BadFamily::NoSize),
            Some(&agents) if needed(agents) > memory as f64 => {
                Err(BadFamily::Memory { agents, needed: needed(agents), allowed: memory })
            }
            Some(_) => Ok(()),
        }
    }

    /// The approximate number of bytes of the steps of `agents` agents, including the configurations while they are
    /// sorted into classes.
    fn bytes(&self, agents: usize) -> f64 {
        let (q, n) = (self.states as f64, agents as f64);
        match self.topology {
            Topology::DirectedRing => q.powf(n) * (8.0 + 4.0 * (q * q + 4.0)),
            // The number of multisets is the number of ways to choose the separators.
            Topology::Complete => {
                let multisets: f64 = (1..self.states).map(|i| (n + i as f64) / i as f64).product();
                multisets * (16.0 * q + q * q * 4.0 * (q * q + 4.0))
            }
        }
    }

    /// The numbers of leader states to try.
    pub(crate) fn leader_counts(&self) -> Vec<usize> {
        self.leaders.map_or_else(|| (1..self.states).collect(), |leaders| vec![leaders])
    }
}
