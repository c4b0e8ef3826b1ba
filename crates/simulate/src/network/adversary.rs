//! The adversaries: networks built against an algorithm, within or just outside its system.

use crate::Generator;
use crate::network::{Contents, Link, Overwrite, Pace, Scenario, World};
use ringleader_model::{Timed, Timing};
use std::fmt;
use std::str::FromStr;

/// A way to be nasty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Adversary {
    /// Theorem 4: all is timely until a leader is settled; then one link that the algorithm relies on delays everything.
    Theorem4,
    /// Theorem 6: all is timely until a leader is settled; then everything sent to one follower is delayed.
    Theorem6,
    /// Against communication-efficient algorithms in S1 (our own, as Theorem 8's proof is in another paper): the source,
    /// process 1, hears process 0 well and so falls silent; process 2 hears only the source, and nobody hears it.
    Theorem8,
    /// Against a one-level algorithm for S1: the last process hears only the source, the last but one, and nobody hears it.
    Mute,
    /// The only source is slow and its messages take as long as they may; all other links are silent for long stretches.
    SlowSource,
    /// The same network from a clean start, but the source's own counter starts at this value.
    CorruptedCounter(u64),
    /// Against every algorithm in S0: all links lose everything. A process then sees what it sees if all others have crashed,
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

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Adversary::Theorem4 => "theorem-4",
            Adversary::Theorem6 => "theorem-6",
            Adversary::Theorem8 => "theorem-8",
            Adversary::Mute => "mute",
            Adversary::SlowSource => "slow-source",
            Adversary::CorruptedCounter(_) => "corrupted-counter",
            Adversary::Isolated => "isolated",
        }
    }

    /// Whether it waits for a settled leader and strikes then: see [`TimedAlgorithm::relapse`](crate::TimedAlgorithm::relapse).
    pub fn waits(self) -> bool {
        matches!(self, Adversary::Theorem4 | Adversary::Theorem6)
    }

    /// What it sets variables to at the start.
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

    /// What a waiting adversary does from `at` on, once `leader` is settled. Delayed messages do arrive, `late`r.
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

impl fmt::Display for Adversary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Adversary::CorruptedCounter(value) => f.pad(&format!("{}={value}", self.name())),
            _ => f.pad(self.name()),
        }
    }
}

/// Why a text names no adversary.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnknownAdversary {
    /// None has this name.
    Name(String),
    /// This value is no 64-bit number.
    Value(String),
    /// The adversary of this name takes no value.
    NoValue(&'static str),
}

impl fmt::Display for UnknownAdversary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UnknownAdversary::Name(name) => {
                let names: Vec<_> = Adversary::ALL.iter().map(|a| a.name()).collect();
                write!(f, "no adversary is called {name:?}; there are {}", names.join(", "))
            }
            UnknownAdversary::Value(value) => write!(f, "{value:?} is no 64-bit number"),
            UnknownAdversary::NoValue(name) => write!(f, "{name} takes no value"),
        }
    }
}

impl std::error::Error for UnknownAdversary {}

impl FromStr for Adversary {
    type Err = UnknownAdversary;
    fn from_str(text: &str) -> Result<Self, UnknownAdversary> {
        let (name, value) = text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)));
        let found = Adversary::ALL.into_iter().find(|a| a.name() == name);
        match (found, value) {
            (Some(Adversary::CorruptedCounter(_)), Some(value)) => {
                value.parse().map(Adversary::CorruptedCounter).map_err(|_| UnknownAdversary::Value(value.into()))
            }
            (Some(adversary), None) => Ok(adversary),
            (Some(adversary), Some(_)) => Err(UnknownAdversary::NoValue(adversary.name())),
            (None, _) => Err(UnknownAdversary::Name(name.into())),
        }
    }
}

/// A settled run that an adversary tried to unsettle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Relapse {
    /// Who led.
    pub leader: usize,
    /// Whom the adversary cut off.
    pub victim: usize,
    /// When it began.
    pub struck: u64,
    /// When somebody changed its leader, if that happened within 20 timeouts.
    pub lost: Option<u64>,
}

/// Settles the algorithm where all is timely, replays the very same run with a waiting adversary, and reports what it did;
/// `None` if the calm run did not settle.
pub(crate) fn relapse<P: Timed>(
    adversary: Adversary,
    algorithm: &P,
    calm: &Scenario,
    coin: &Generator,
) -> Option<Relapse> {
    let timing = algorithm.timing();
    let patience = 20 * algorithm.timeout() * timing.beta;
    let mut world = World::new(algorithm, calm, coin.clone());
    let settled = world.settle(1000 * timing.delta + 10 * patience).settled?;
    let (leader, struck) = (settled.leader, world.now());
    let victim = (0..calm.size).find(|&p| p != leader && world.is_alive(p))?;
    let scenario = adversary.strike(calm, leader, victim, struck, patience);
    let mut world = World::new(algorithm, &scenario, coin.clone());
    while world.now() < struck && world.step() {}
    while world.agreed() && world.now() < struck + patience && world.step() {}
    let lost = (!world.agreed()).then(|| world.now());
    Some(Relapse { leader, victim, struck, lost })
}
