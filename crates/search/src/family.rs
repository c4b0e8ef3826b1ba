//! Which protocols are looked at, and what they must do.

use ringleader_model::Scheduler;
use thiserror::Error;

/// Who meets whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topology {
    /// Every agent initiates meetings with the one to its right.
    DirectedRing,
    /// Everyone meets everyone.
    Complete,
}

/// A family of population protocols, given by what all of them have in common, and the promise that is asked of them: from every
/// configuration, in the end exactly one agent is in a leader state, for ever the same.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Family {
    /// How many states an agent has.
    pub states: usize,
    /// How many of these are leader states; any number if absent.
    pub leaders: Option<usize>,
    /// Who meets whom.
    pub topology: Topology,
    /// With so many agents each the promise must be kept.
    pub sizes: Vec<usize>,
    /// Whether agents are told if there is a leader, by a perfect detector.
    pub detector: bool,
    /// Whether it makes no difference who initiates a meeting.
    pub symmetric: bool,
    /// Under which schedules.
    pub scheduler: Scheduler,
}

/// Why a family cannot be searched; its text says what would be right.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum BadFamily {
    /// Too few or too many states.
    #[error("agents have 2 to {MOST_STATES} states here, not {0}")]
    States(usize),
    /// A number of leader states that leaves nobody to lead, or nobody to follow.
    #[error(
        "of {states} states 1 to {} can be leader states, not {leaders}: some agents must lead and some not",
        states - 1
    )]
    Leaders {
        /// How many were asked for.
        leaders: usize,
        /// Of how many states.
        states: usize,
    },
    /// There must be at least one size.
    #[error("there must be a size for which the promise is to hold, such as 3")]
    NoSize,
    /// A meeting takes two.
    #[error("a meeting takes two agents: the least size is 2, and the largest searched for {MOST_AGENTS}, not {0}")]
    Size(usize),
    /// Another scheduler than those that can be searched for.
    #[error(
        "{0} schedules cannot be searched for: random, globally-fair or unfair; `check` knows others, one protocol at a time"
    )]
    Scheduler(Scheduler),
    /// The steps of all configurations may need more memory than may be used.
    #[error(
        "the steps of {agents} agents may need {:.1} GiB, and {:.1} GiB may be used: try a smaller size",
        needed / f64::from(1 << 30),
        *allowed as f64 / f64::from(1 << 30)
    )]
    Memory {
        /// The size that needs it.
        agents: usize,
        /// How many bytes, about.
        needed: f64,
        /// How many bytes may be used.
        allowed: u64,
    },
}

/// How many agents there may be: what is found is confirmed by a check.
const MOST_AGENTS: usize = 40;

/// More would be too many tables for any search.
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

    /// The same, symmetric: it makes no difference who initiates.
    #[must_use]
    pub fn symmetric(self) -> Family {
        Family { symmetric: true, ..self }
    }

    /// The same under other schedules.
    #[must_use]
    pub fn under(self, scheduler: Scheduler) -> Family {
        Family { scheduler, ..self }
    }

    /// The same with so many leader states.
    #[must_use]
    pub fn led_by(self, leaders: usize) -> Family {
        Family { leaders: Some(leaders), ..self }
    }

    /// Whether it can be searched with so many bytes of memory.
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

    /// About how many bytes the steps of so many agents take, the configurations while they are sorted into classes included.
    fn bytes(&self, agents: usize) -> f64 {
        let (q, n) = (self.states as f64, agents as f64);
        match self.topology {
            Topology::DirectedRing => q.powf(n) * (8.0 + 4.0 * (q * q + 4.0)),
            // As many multisets as ways to put n - 1 fences between n + q - 1 places.
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
