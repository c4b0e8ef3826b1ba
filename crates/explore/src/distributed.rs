//! A search for reachable states on several machines.
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
mod line;
mod list;

pub use line::SILENCE;
pub use list::{BadHosts, Hosts};

use crate::{Failure, Peers};
use connect::connect;
use line::{Line, Lost, Word};
use std::collections::VecDeque;
use std::io;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};
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
}

/// The processes of one search, from the point of view of one of them.
pub struct Cluster {
    me: usize,
    /// The connections by process; none to this one.
    lines: Vec<Option<Line>>,
    /// The letters to this process itself, of the rounds in transit.
    own: VecDeque<Vec<u32>>,
    lost: Lost,
    /// Disconnected when the threads of all connections have ended.
    threads: Receiver<()>,
    /// The bytes and the number of letters to other processes.
    traffic: (u64, u64),
    /// The time spent waiting for letters.
    waited: Duration,
}

/// The longest wait for the other processes at the end.
const LAST: Duration = Duration::from_secs(5);

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
        let (lost, (running, threads)) = (Lost::default(), channel());
        let mut lines = vec![];
        for (process, socket) in connect(hosts, me, digest, patience, keep_going)?.into_iter().enumerate() {
            lines.push(socket.map(|socket| Line::begin(process, socket, &lost, &running)).transpose()?);
        }
        Ok(Cluster { me, lines, own: VecDeque::new(), lost, threads, traffic: (0, 0), waited: Duration::ZERO })
    }

    /// The time that this process has waited for letters.
    pub fn waited(&self) -> Duration {
        self.waited
    }

    /// Tells the other processes of a loss that may become visible only after a moment, and leaves.
    fn loss(&mut self) -> Failure {
        let begun = Instant::now();
        while self.lost.get().is_none() && begun.elapsed() < SILENCE {
            std::thread::sleep(Duration::from_millis(20));
        }
        // Another process may name a number that is not in the list.
        let process = self.lost.get().copied().filter(|&process| process < self.lines.len()).unwrap_or(self.me);
        self.close(&Word::Blame(process));
        Failure::Lost { process }
    }

    /// Says a last word, and waits until all letters have arrived, for a limited time.
    fn close(&mut self, word: &Word) {
        for line in self.lines.iter_mut().filter_map(Option::take) {
            let _ = line.to.send(word.clone());
        }
        let _ = self.threads.recv_timeout(LAST);
    }

    /// Leaves the search: waits until the sent letters have arrived, and tells the other processes.
    pub fn leave(mut self) {
        self.close(&Word::Farewell);
    }
}

impl Peers for Cluster {
    fn processes(&self) -> usize {
        self.lines.len()
    }

    fn me(&self) -> usize {
        self.me
    }

    fn send(&mut self, letters: Vec<Vec<u32>>) -> Result<(), Failure> {
        let mut sent = true;
        for (line, letter) in self.lines.iter().zip(letters) {
            match line {
                None => self.own.push_back(letter),
                Some(line) => {
                    self.traffic = (self.traffic.0 + 4 * letter.len() as u64, self.traffic.1 + 1);
                    sent &= line.to.send(Word::Letter(letter)).is_ok();
                }
            }
        }
        if sent { Ok(()) } else { Err(self.loss()) }
    }

    fn receive(&mut self) -> Result<Vec<Vec<u32>>, Failure> {
        let begun = Instant::now();
        let next = |line: &Option<Line>| match line {
            None => self.own.pop_front(),
            Some(line) => line.receive(&self.lost),
        };
        let letters: Option<Vec<Vec<u32>>> = self.lines.iter().map(next).collect();
        self.waited += begun.elapsed();
        letters.ok_or_else(|| self.loss())
    }

    fn traffic(&self) -> (u64, u64) {
        self.traffic
    }

    fn leave(self: Box<Self>) {
        Cluster::leave(*self);
    }
}
