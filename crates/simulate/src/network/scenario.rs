//! The behaviour of a network, as data.

use crate::Refused;
use crate::network::Link;
use ringleader_model::{Domain, Name, Visitor};

/// The duration of a process's loop iterations.
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

/// A fault of the network at some time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A process stops; the contents of its buffers are lost.
    Crash(usize),
    /// A crashed process runs again, in an arbitrary state.
    Restart(usize),
    /// A process's variables take arbitrary values.
    Corrupt(usize),
    /// A process is asked in every iteration not to lead, for example during maintenance.
    Withdraw(usize),
    /// The process is no longer asked not to lead.
    Return(usize),
    /// Links between the two sides lose everything; `true` marks the processes on the second side.
    Partition(Vec<bool>),
    /// The partition is over.
    Heal,
}

/// A variable that is set at the start; algorithms without this variable stay as they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overwrite {
    /// The process.
    pub process: usize,
    /// The variable.
    pub variable: Name<'static>,
    /// Its value, clamped to the variable's domain.
    pub value: u64,
}

impl Visitor for Overwrite {
    fn field(&mut self, name: Name<'_>, domain: Domain<'_>, value: u64) -> u64 {
        if name == self.variable { self.value.clamp(domain.low(), domain.high()) } else { value }
    }
}

/// The contents of variables and links at the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display, strum::EnumString)]
#[strum(serialize_all = "lowercase", parse_err_fn = unknown, parse_err_ty = Refused)]
pub enum Contents {
    /// The algorithm's own start, empty links.
    Clean,
    /// Arbitrary values in every variable, and some messages with arbitrary contents on every link: [`Scenario::strays`].
    Arbitrary,
    /// The least value in every variable, and in one message on every link.
    Low,
    /// The greatest value, likewise.
    High,
    /// The least or the greatest value at random, likewise.
    Extremes,
}

fn unknown(text: &str) -> Refused {
    Refused(format!("{text:?} is none of arbitrary, clean, low, high, extremes"))
}

/// A network: the behaviour of its links and processes, and its faults.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scenario {
    /// The number of processes.
    pub size: usize,
    /// The link from `p` to `q` at `p * size + q`.
    pub links: Vec<Link>,
    /// The pace of each process.
    pub paces: Vec<Pace>,
    /// The faults in the order of time.
    pub faults: Vec<(u64, Fault)>,
    /// The contents at the start.
    pub start: Contents,
    /// The most messages on a link at the start, where their contents are arbitrary.
    pub strays: u32,
}

impl Scenario {
    /// A network in which only the start is arbitrary: every link is timely, no process crashes.
    pub fn benign(size: usize) -> Scenario {
        Scenario {
            size,
            links: vec![Link::Timely; size * size],
            paces: vec![Pace::Any; size],
            faults: vec![],
            start: Contents::Arbitrary,
            strays: 3,
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

    /// For each process, whether it is alive when all faults are over.
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
