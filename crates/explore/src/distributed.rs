//! A search for reachable states on several machines, by timely dataflow.
//!
//! ```
//! use ringleader_algorithms::message::franklin::Franklin;
//! use ringleader_erased::MessageInstance;
//! use ringleader_explore::{Options, Space};
//! use ringleader_explore::distributed::{Cluster, Hosts};
//! use std::time::Duration;
//!
//! // Two processes, here as two threads.
//! let hosts: Hosts = "localhost:47101\nlocalhost:47102".parse()?;
//! let explore = |me: usize| {
//!     let mut cluster = Cluster::join(&hosts, me, 7, Duration::from_secs(30), &|| true).expect("both are there");
//!     let franklin = MessageInstance::new(Franklin { size: 3, ids: 2, keeps_identity: false });
//!     let space = Space::explore_with(&franklin, &Options::default(), &mut |_| true, &mut cluster).expect("it fits");
//!     assert!(space.kept_here() < space.stored());
//!     cluster.leave();
//!     (space.states(), space.summary().depth)
//! };
//! let (one, two) = std::thread::scope(|scope| {
//!     let one = scope.spawn(|| explore(0));
//!     (explore(1), one.join().expect("no panic"))
//! });
//! assert_eq!(one, two);
//! # Ok::<(), ringleader_explore::distributed::BadHosts>(())
//! ```

mod connect;
mod exchange;
mod list;
mod pulse;
mod words;

pub use list::{BadHosts, Hosts};
pub use pulse::SILENCE;

use crate::{Failure, Peers};
use connect::Connections;
use exchange::Exchange;
use pulse::Pulse;
use std::io;
use std::time::Duration;
use thiserror::Error;

/// The reason why a process cannot join a search.
#[derive(Debug, Error)]
pub enum JoinError {
    /// The list has no process of this number.
    #[error("there is no process {process}: the list has {processes}, numbered from 0")]
    NoSuchProcess {
        /// The number of this process.
        process: usize,
        /// The number of processes.
        processes: usize,
    },
    /// This process cannot listen at its address.
    #[error("cannot listen at {address}, the address of this process: {error}")]
    Listen {
        /// The address.
        address: String,
        /// The reason.
        error: io::Error,
    },
    /// Another process was started for other work.
    #[error(
        "process {process} at {address} does other work: start all with the same program, arguments and list of hosts"
    )]
    OtherWork {
        /// Its number.
        process: u64,
        /// Its address.
        address: String,
    },
    /// Another program listens at the address of a process.
    #[error("another program listens at {address}, the address of process {process}")]
    OtherProgram {
        /// The number of the process.
        process: usize,
        /// Its address.
        address: String,
    },
    /// The caller ended the wait for the other processes.
    #[error("interrupted while waiting for the other processes")]
    Interrupted,
    /// Some processes did not connect in time.
    #[error("no connection in time with process {}", absent.join(", "))]
    Absent {
        /// Their numbers and addresses.
        absent: Vec<String>,
    },
    /// A connection cannot be used.
    #[error("cannot use the connections: {0}")]
    Connection(#[from] io::Error),
    /// The dataflow does not start.
    #[error("the dataflow does not start: {0}")]
    Dataflow(String),
}

/// The processes of one search, from the point of view of one of them.
pub struct Cluster {
    me: usize,
    processes: usize,
    exchange: Exchange,
    pulse: Pulse,
}

impl Cluster {
    /// Connects to the other processes of the list. Each of them calls this with its own number and the same digest of the work.
    /// Waits at most `patience` for processes that have not started yet; ends if `keep_going` returns `false`.
    pub fn join(
        hosts: &Hosts,
        me: usize,
        digest: u64,
        patience: Duration,
        keep_going: &dyn Fn() -> bool,
    ) -> Result<Cluster, JoinError> {
        let processes = hosts.len();
        if me >= processes {
            return Err(JoinError::NoSuchProcess { process: me, processes });
        }
        let Connections { data, pulse } = connect::connect(hosts, me, digest, patience, keep_going)?;
        let pulse = Pulse::begin(pulse).map_err(JoinError::Connection)?;
        let exchange = Exchange::begin(data, me)?;
        Ok(Cluster { me, processes, exchange, pulse })
    }

    /// The bytes of the letters sent to other processes, and the number of these letters.
    pub fn traffic(&self) -> (u64, u64) {
        self.exchange.traffic()
    }

    /// The time that this process has waited for letters.
    pub fn waited(&self) -> Duration {
        self.exchange.waited()
    }

    /// The failure when letters can no longer be exchanged.
    fn loss(&self, gone: Option<usize>) -> Failure {
        let process = gone.or_else(|| self.pulse.wait_for_loss()).unwrap_or(self.me);
        self.pulse.blame(process);
        Failure::Lost { process }
    }

    /// Leaves the search: waits until the sent letters have arrived, and tells the other processes.
    pub fn leave(self) {
        self.pulse.farewell();
        self.exchange.end();
    }
}

impl Peers for Cluster {
    fn processes(&self) -> usize {
        self.processes
    }

    fn me(&self) -> usize {
        self.me
    }

    fn send(&mut self, letters: Vec<Vec<u32>>) -> Result<(), Failure> {
        self.exchange.send(letters).map_err(|gone| self.loss(gone))
    }

    fn receive(&mut self) -> Result<Vec<Vec<u32>>, Failure> {
        let pulse = &self.pulse;
        self.exchange.receive(&|| pulse.lost()).map_err(|gone| self.loss(gone))
    }

    fn traffic(&self) -> (u64, u64) {
        Cluster::traffic(self)
    }

    fn leave(self: Box<Self>) {
        Cluster::leave(*self);
    }
}
