//! The adversaries: networks built against an algorithm, within or just outside its system.

use crate::Refused;
use crate::network::{Contents, Link, Overwrite, Pace, Scenario};
use ringleader_model::Timing;
use std::str::FromStr;

/// A network built against an algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display)]
#[strum(serialize_all = "kebab-case")]
pub enum Adversary {
    /// Theorem 4: all is timely until a leader is settled; then one link that the algorithm relies on delays everything.
    #[strum(serialize = "theorem-4")]
    Theorem4,
    /// Theorem 6: all is timely until a leader is settled; then everything sent to one follower is delayed.
    #[strum(serialize = "theorem-6")]
    Theorem6,
    /// Against communication-efficient algorithms in S1 (our own, as Theorem 8's proof is in another paper): the source,
    /// process 1, hears process 0 well and so falls silent; process 2 hears only the source, and no process hears it.
    #[strum(serialize = "theorem-8")]
    Theorem8,
    /// Against a one-level algorithm for S1: the last process hears only the source, the last but one, and no process hears it.
    Mute,
    /// The only source is slow and its messages take as long as they may; all other links are silent for long stretches.
    SlowSource,
    /// The same network from a clean start, but the source's own counter starts at this value.
    #[strum(to_string = "corrupted-counter={0}")]
    CorruptedCounter(u64),
    /// Against every algorithm in S0: all links lose everything. A process cannot tell this from a crash of all others,
    /// and must elect itself.
    Isolated,
}

impl Adversary {
    /// All of them.
    pub const ALL: [Adversary; 7] = [
        Adversary::Theorem4,
        Adversary::Theorem6,
        Adversary::Theorem8,
        Adversary::Mute,
        Adversary::SlowSource,
        Adversary::CorruptedCounter(1000),
        Adversary::Isolated,
    ];

    /// Whether it waits for a settled leader and strikes then: see [`TimedAlgorithm::relapse`](crate::TimedAlgorithm::relapse).
    pub fn waits(self) -> bool {
        matches!(self, Adversary::Theorem4 | Adversary::Theorem6)
    }

    /// The variables that it sets at the start.
    pub fn overwrites(self, size: usize) -> Vec<Overwrite> {
        let process = size - 1;
        match self {
            Adversary::CorruptedCounter(value) => {
                vec![Overwrite { process, variable: ("counter", process).into(), value }]
            }
            _ => vec![],
        }
    }

    /// The network of an adversary that never changes its mind; `None` for those that wait for a leader.
    pub fn scenario(self, size: usize, timing: Timing) -> Option<Scenario> {
        let mut scenario = Scenario::benign(size);
        let last = size - 1;
        match self {
            Adversary::Theorem4 | Adversary::Theorem6 => return None,
            Adversary::Theorem8 => {
                scenario.start = Contents::Clean;
                for p in (0..size).filter(|&p| p != 1) {
                    scenario.set(p, 2 % size, Link::Dead);
                    scenario.set(2 % size, p, Link::Dead);
                }
                scenario.set(2 % size, 1, Link::Dead);
            }
            Adversary::Mute => {
                for p in 0..last {
                    scenario.set(last, p, Link::Dead);
                    if p + 1 != last {
                        scenario.set(p, last, Link::Dead);
                    }
                }
            }
            Adversary::Isolated => scenario.links.fill(Link::Dead),
            Adversary::SlowSource | Adversary::CorruptedCounter(_) => {
                if self != Adversary::SlowSource {
                    scenario.start = Contents::Clean;
                }
                scenario.paces = vec![Pace::Fastest; size];
                scenario.paces[last] = Pace::Slowest;
                for (p, q) in (0..size).flat_map(|p| (0..size).map(move |q| (p, q))) {
                    let bad = Link::Bursty(20 * timing.delta, 20 * timing.delta);
                    scenario.set(p, q, if p == last { Link::Extreme } else { bad });
                }
            }
        }
        Some(scenario)
    }

    /// The network of a waiting adversary from `at` on, once `leader` is settled. Delayed messages arrive `late` units later.
    pub fn strike(self, calm: &Scenario, leader: usize, victim: usize, at: u64, late: u64) -> Scenario {
        let mut scenario = calm.clone();
        for p in (0..calm.size).filter(|&p| p != victim) {
            if self == Adversary::Theorem6 || p == leader {
                let delayed = Link::Until(at, Box::new(calm.link(p, victim).clone()), Box::new(Link::Late(late)));
                scenario.set(p, victim, delayed);
            }
        }
        scenario
    }
}

impl FromStr for Adversary {
    type Err = Refused;
    fn from_str(text: &str) -> Result<Self, Refused> {
        let (name, value) = text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)));
        let found = Adversary::ALL.into_iter().find(|a| a.to_string().split('=').next() == Some(name));
        match (found, value) {
            (Some(Adversary::CorruptedCounter(_)), Some(value)) => {
                let counter = value.parse().map_err(|_| Refused(format!("{value:?} is no 64-bit number")))?;
                Ok(Adversary::CorruptedCounter(counter))
            }
            (Some(adversary), None) => Ok(adversary),
            (Some(_), Some(_)) => Err(Refused(format!("{name} takes no value"))),
            (None, _) => {
                let all = Adversary::ALL.map(|adversary| adversary.to_string()).join(", ");
                Err(Refused(format!("no adversary is called {name:?}; there are {all}")))
            }
        }
    }
}

/// A settled run that an adversary tried to unsettle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Relapse {
    /// The settled leader.
    pub leader: usize,
    /// The process that the adversary cut off.
    pub victim: usize,
    /// When it began.
    pub struck: u64,
    /// The time at which a process changed its leader, if that happened within 20 timeouts.
    pub lost: Option<u64>,
}
