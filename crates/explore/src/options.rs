//! What to explore, how far, and who watches.

use crate::Visible;
use ringleader_model::Channels;
use ringleader_model::number::OutOfDomain;
use std::fmt;

/// How states are stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Storage {
    /// Plainly, and compactly from the start again if that does not fit.
    #[default]
    Automatic,
    /// As they are: in the order of discovery, so that states are numbered at no cost.
    Plain,
    /// As pairs of numbered halves, in a table that keeps no order: about a third of the room.
    Compact,
}

/// How to explore.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// What the channels are.
    pub channels: Channels,
    /// Keep one state of each class of rotations.
    pub rotation: bool,
    /// Keep only states without a confluent internal transition.
    pub confluence: bool,
    /// Which actions a reduction must keep.
    pub visible: Visible,
    /// How many threads work.
    pub threads: usize,
    /// How many bytes the search may take.
    pub memory: u64,
    /// How states are stored.
    pub set: Storage,
    /// Which of many hash functions places them. Tally do not depend on it.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            channels: Channels::Bag,
            rotation: false,
            confluence: false,
            visible: Visible::default(),
            threads: std::thread::available_parallelism().map_or(1, |n| n.get()),
            memory: 8 << 30,
            set: Storage::default(),
            seed: 0,
        }
    }
}

/// How far a search is.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// The distance from the start that is being worked on.
    pub depth: u64,
    /// How many states are stored.
    pub stored: u64,
    /// How many of them have been expanded.
    pub expanded: u64,
    /// What the search takes up now.
    pub bytes: u64,
    /// How many messages wait in the fullest channel, if they are more than two for every process: there may be no end to them,
    /// nor to the states.
    pub crowd: Option<usize>,
}

/// Sees how far a search is every few milliseconds; returning `false` ends it.
pub type Watch<'w> = &'w mut dyn FnMut(Progress) -> bool;

/// Why a search did not end as hoped.
#[derive(Clone, Debug, PartialEq)]
pub enum Failure {
    /// It was told to stop.
    Stopped,
    /// It would take more memory than allowed.
    Memory {
        /// How many states were stored by then.
        stored: u64,
        /// How many bytes were allowed.
        allowed: u64,
    },
    /// The local states and messages alone take more memory than allowed.
    Tables {
        /// How many cells, that is local states with inboxes, there were by then.
        cells: u64,
        /// How many bytes were set aside for them.
        allowed: u64,
    },
    /// A state does not fit into 128 bits.
    Width {
        /// How many processes there are.
        size: usize,
        /// How many bits the number of a cell takes.
        bits: u32,
    },
    /// Rotations were to be identified, but the processes differ or are not on a ring.
    NotSymmetric,
    /// Confluent transitions go around for ever.
    Circular,
    /// There is no process.
    Nobody,
    /// A process sends through a port that it does not have.
    NoPort {
        /// That port.
        port: usize,
        /// How many it has.
        ports: usize,
    },
    /// A process writes a value that its variable is not declared to take.
    OutOfDomain(OutOfDomain),
    /// Another process of the search is gone, or cannot be reached.
    Lost {
        /// The number of that process.
        process: usize,
    },
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Stopped => write!(f, "stopped"),
            Failure::Memory { stored, allowed } => write!(
                f,
                "the state space does not fit: {stored} states fill the {} MiB allowed, and there are more; reduce it, \
                 choose a smaller size or fewer identities, or allow more memory",
                allowed >> 20
            ),
            Failure::Tables { cells, allowed } => write!(
                f,
                "what single processes do does not fit: {cells} local states with inboxes fill the {} MiB set aside for them, \
                 and there are more, perhaps without end; choose a smaller size, or allow more memory",
                allowed >> 20
            ),
            Failure::Width { size, bits } => write!(
                f,
                "{size} processes with {bits} bits each do not fit into the 128 bits of a packed state; choose a smaller size"
            ),
            Failure::NotSymmetric => {
                write!(
                    f,
                    "rotations can be identified only if all processes behave alike, on a ring; this algorithm's do not"
                )
            }
            Failure::Nobody => write!(f, "there is no process, so nothing happens"),
            Failure::NoPort { port, ports } => {
                write!(f, "a process sends through port {port}, and has only ports 0 to {}", ports.saturating_sub(1))
            }
            Failure::OutOfDomain(written) => write!(f, "a process writes {written}"),
            Failure::Lost { process } => write!(f, "process {process} was lost"),
            Failure::Circular => {
                write!(
                    f,
                    "the confluent transitions of this algorithm go around for ever: explore without this reduction"
                )
            }
        }
    }
}

impl std::error::Error for Failure {}
