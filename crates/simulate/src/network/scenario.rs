//! How a network behaves, as data.

use crate::network::Link;
use ringleader_model::corrupt::Extreme;
use ringleader_model::{Domain, Name, Visitor};

/// How long a process's loop iterations take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// Between α and β, uniformly.
    Any,
    /// Always α.
    Fastest,
    /// Always β.
    Slowest,
    /// α or β.
    Extreme,
}

/// What befalls the network at some time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A process stops; what is in its buffers is lost.
    Crash(usize),
    /// A crashed process runs again, in an arbitrary state.
    Restart(usize),
    /// A process's variables take arbitrary values.
    Corrupt(usize),
    /// A process is asked in every iteration not to lead: it is being maintained, or not well.
    Withdraw(usize),
    /// It is asked no more.
    Return(usize),
    /// Links between the two sides lose everything: who is on the second side.
    Partition(Vec<bool>),
    /// The partition is over.
    Heal,
}

/// A variable that is set at the start. Algorithms without it are spared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overwrite {
    /// Whose.
    pub process: usize,
    /// Which.
    pub variable: Name<'static>,
    /// To what, as far as its domain allows.
    pub value: u64,
}

impl Visitor for Overwrite {
    fn field(&mut self, name: Name<'_>, domain: Domain<'_>, value: u64) -> u64 {
        if name == self.variable { self.value.clamp(domain.low(), domain.high()) } else { value }
    }
}

/// What the variables and links hold at the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contents {
    /// The algorithm's own start, empty links.
    Clean,
    /// Every variable any value of its type, and on every link up to three messages with any contents.
    Arbitrary,
    /// Every variable of every process at one end of its type, and so in one message on every link.
    Extreme(Extreme),
    /// Every variable of every process at one end of its type or the other, at random, and so in messages.
    Extremes,
}

/// A network: how its links and processes behave, and what befalls them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scenario {
    /// How many processes there are.
    pub size: usize,
    /// The link from `p` to `q` at `p * size + q`.
    pub links: Vec<Link>,
    /// Per process.
    pub paces: Vec<Pace>,
    /// In the order of time.
    pub faults: Vec<(u64, Fault)>,
    /// Where it starts.
    pub start: Contents,
}

impl Scenario {
    /// A network in which all is well but the start: every link timely, nobody crashes.
    pub fn benign(size: usize) -> Scenario {
        Scenario {
            size,
            links: vec![Link::Timely; size * size],
            paces: vec![Pace::Any; size],
            faults: vec![],
            start: Contents::Arbitrary,
        }
    }

    /// The link from `p` to `q`.
    pub fn link(&self, p: usize, q: usize) -> &Link {
        &self.links[p * self.size + q]
    }

    /// Replaces the link from `p` to `q`.
    pub fn set(&mut self, p: usize, q: usize, link: Link) {
        self.links[p * self.size + q] = link;
    }

    /// Adds a fault, keeping the order of time.
    pub fn befall(&mut self, at: u64, fault: Fault) {
        let place = self.faults.partition_point(|(time, _)| *time <= at);
        self.faults.insert(place, (at, fault));
    }

    /// Who is alive when all faults are over.
    pub fn survivors(&self) -> Vec<bool> {
        let mut alive = vec![true; self.size];
        for (_, fault) in &self.faults {
            match *fault {
                Fault::Crash(p) => alive[p] = false,
                Fault::Restart(p) => alive[p] = true,
                _ => {}
            }
        }
        alive
    }
}
