//! The options of an exploration, its progress, and the reasons why it fails.

use crate::Visible;
use crate::action::UnknownName;
use ringleader_model::Channels;
use ringleader_model::number::OutOfDomain;
use strum::EnumString;
use thiserror::Error;

/// The representation of stored states.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, EnumString)]
#[strum(serialize_all = "lowercase", parse_err_fn = unknown_storage, parse_err_ty = UnknownName)]
pub enum Storage {
    /// Plain. If that does not fit, the search starts again with compact storage.
    #[default]
    #[strum(disabled)]
    Automatic,
    /// Packed states in the order of discovery, so that states have numbers at no extra cost.
    Plain,
    /// Pairs of numbered halves in a table without order. Takes about a third of the memory.
    Compact,
}

fn unknown_storage(name: &str) -> UnknownName {
    UnknownName::new("storage", name, "plain and compact")
}

/// The options of an exploration.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The order in which channels deliver messages.
    pub channels: Channels,
    /// Whether to keep one representative of each rotation class.
    pub rotation: bool,
    /// Whether to keep only states without a confluent internal transition.
    pub confluence: bool,
    /// The actions that a reduction must preserve.
    pub visible: Visible,
    /// The number of threads.
    pub threads: usize,
    /// The memory limit in bytes.
    pub memory: u64,
    /// The representation of stored states.
    pub set: Storage,
    /// The seed of the hash function that places states. Counts do not depend on it.
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

/// The progress of a search.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// The distance of the present level from the start.
    pub depth: u64,
    /// The number of stored states.
    pub stored: u64,
    /// The number of expanded states.
    pub expanded: u64,
    /// The memory in use, in bytes.
    pub bytes: u64,
    /// The number of messages in the fullest channel, if there are more than two per process. Then the number of messages, and
    /// of states, may be unbounded.
    pub crowd: Option<usize>,
}

/// Receives the progress every few milliseconds. Returning `false` stops the search.
pub type Watch<'w> = &'w mut dyn FnMut(Progress) -> bool;

/// The reason why a search failed.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum Failure {
    /// The caller stopped it.
    #[error("stopped")]
    Stopped,
    /// The states need more memory than the limit.
    #[error(
        "the state space does not fit: {stored} states fill the {} MiB allowed, and there are more; reduce it, choose a smaller \
         size or fewer identities, or allow more memory",
        allowed >> 20
    )]
    Memory {
        /// The number of stored states.
        stored: u64,
        /// The limit in bytes.
        allowed: u64,
    },
    /// The tables of local states and messages need more memory than the limit.
    #[error(
        "the tables of single processes do not fit: {cells} local states with inboxes fill the {} MiB set aside for them, and there \
         are more, perhaps infinitely many; choose a smaller size, or allow more memory",
        allowed >> 20
    )]
    Tables {
        /// The number of cells, that is of local states with inboxes.
        cells: u64,
        /// The bytes set aside for the tables.
        allowed: u64,
    },
    /// A state does not fit into 128 bits.
    #[error(
        "{size} processes with {bits} bits each do not fit into the 128 bits of a packed state; choose a smaller size"
    )]
    Width {
        /// The number of processes.
        size: usize,
        /// The number of bits of a cell's number.
        bits: u32,
    },
    /// Rotations were to be identified, but the processes differ or do not form a ring.
    #[error(
        "rotations can be identified only on a ring of identical processes; the processes of this algorithm differ"
    )]
    NotSymmetric,
    /// Confluent transitions form a cycle.
    #[error("the confluent transitions of this algorithm form a cycle: explore without the reduction by confluence")]
    Circular,
    /// There is no process.
    #[error("there is no process, so there is nothing to explore")]
    Nobody,
    /// A process sends through a port that it does not have.
    #[error("a process sends through port {port}, but has only ports 0 to {}", ports.saturating_sub(1))]
    NoPort {
        /// The port.
        port: usize,
        /// The number of its ports.
        ports: usize,
    },
    /// A process writes a value outside the declared domain of its variable.
    #[error("a process writes {0}")]
    OutOfDomain(OutOfDomain),
    /// A claim is about whole executions, and there is no graph of them.
    #[error("{0} is a claim about whole executions, which needs the graph of all states")]
    NoGraph(String),
    /// A device cannot reduce by confluence.
    #[cfg(any(feature = "cuda", all(test, unix)))]
    #[error("a GPU keeps one state of each rotation class, but does not reduce by confluence: use the CPU for that")]
    NoConfluence,
    /// A device failed.
    #[cfg(any(feature = "cuda", all(test, unix)))]
    #[error("the GPU failed: {0}")]
    Device(String),
    /// Another process of the search ended or is unreachable.
    #[error("process {process} was lost")]
    Lost {
        /// The number of that process.
        process: usize,
    },
}
