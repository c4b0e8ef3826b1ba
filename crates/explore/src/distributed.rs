//! A search for reachable states, spread over several machines by timely dataflow.
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
//!     (space.states(), space.depth())
//! };
//! let (one, two) = std::thread::scope(|scope| {
//!     let one = scope.spawn(|| explore(0));
//!     (explore(1), one.join().expect("no panic"))
//! });
//! assert_eq!(one, two);
//! # Ok::<(), String>(())
//! ```

mod connect;
mod exchange;
mod list;
mod pulse;
mod words;

pub use list::Hosts;
pub use pulse::SILENCE;

use crate::{Failure, Peers};
use connect::Connections;
use exchange::Exchange;
use pulse::Pulse;
use std::time::Duration;

/// The processes of one search, seen from one of them.
pub struct Cluster {
    me: usize,
    processes: usize,
    exchange: Exchange,
    pulse: Pulse,
}

impl Cluster {
    /// Meets the other processes: those of the list, each of which calls this with its own number and the same digest of what
    /// is to be done. Waits so long for those that have not started yet, unless it is told not to keep going.
    pub fn join(
        hosts: &Hosts,
        me: usize,
        digest: u64,
        patience: Duration,
        keep_going: &dyn Fn() -> bool,
    ) -> Result<Cluster, String> {
        let processes = hosts.len();
        if me >= processes {
            return Err(format!("there is no process {me}: the list has {processes}, numbered from 0"));
        }
        let Connections { data, pulse } = connect::meet(hosts, me, digest, patience, keep_going)?;
        let pulse = Pulse::begin(pulse).map_err(|e| format!("cannot watch the other processes: {e}"))?;
        let exchange = Exchange::begin(data, me)?;
        Ok(Cluster { me, processes, exchange, pulse })
    }

    /// How many bytes were sent to other processes in letters, and how many letters.
    pub fn traffic(&self) -> (u64, u64) {
        self.exchange.traffic()
    }

    /// How long this process has waited for letters.
    pub fn waited(&self) -> Duration {
        self.exchange.waited()
    }

    /// What to say when letters cannot be exchanged any more.
    fn loss(&self, gone: Option<usize>) -> Failure {
        let process = gone.or_else(|| self.pulse.wait_for_loss()).unwrap_or(self.me);
        self.pulse.blame(process);
        Failure::Lost { process }
    }

    /// Ends it properly: what was sent arrives, and nobody misses this process.
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
}
