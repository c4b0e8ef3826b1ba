//! An explored state space.

use crate::search::{Found, search};
use crate::system::{System, Tally};
use crate::{Alone, Failure, Options, Peers, Watch};
use ringleader_erased::{InvariantJudge, MessageInstance};
use ringleader_model::Channels;

mod explicit;
mod summary;
mod verify;
mod view;
mod way;

pub use summary::Summary;
pub use verify::Verified;
pub use view::{StateView, StateViews};

/// The kept reachable states.
pub struct Space<'a> {
    pub(crate) algorithm: &'a MessageInstance,
    pub(crate) system: System<'a>,
    pub(crate) found: Found,
    pub(crate) options: Options,
    judge: InvariantJudge<'a>,
    /// For each invariant, whether it names no process by its place.
    alike: Vec<bool>,
}

impl<'a> Space<'a> {
    /// Explores all states that are reachable from the clean start.
    ///
    /// ```
    /// use ringleader_algorithms::message::franklin::Franklin;
    /// use ringleader_erased::MessageInstance;
    /// use ringleader_explore::{Options, Space};
    ///
    /// let franklin = MessageInstance::new(Franklin { size: 3, ids: 2, keeps_identity: false });
    /// let space = Space::explore(&franklin, &Options::default(), &mut |_| true)?;
    /// assert_eq!(space.stored(), space.states().unwrap());
    /// # Ok::<(), ringleader_explore::Failure>(())
    /// ```
    pub fn explore(algorithm: &'a MessageInstance, options: &Options, watch: Watch<'_>) -> Result<Self, Failure> {
        Space::explore_with(algorithm, options, watch, &mut Alone::default())
    }

    /// The same together with other processes. All of them call this with the same algorithm and options; threads and memory may
    /// differ. Every process keeps the states that a hash assigns to it. All counts are those of the whole search.
    pub fn explore_with(
        algorithm: &'a MessageInstance,
        options: &Options,
        watch: Watch<'_>,
        peers: &mut dyn Peers,
    ) -> Result<Self, Failure> {
        let (system, found) = search(algorithm, options, watch, peers)?;
        let (states, messages) = system.cells.rules.met();
        let judge = algorithm.judge(states, messages);
        let alike = algorithm.invariant_names().into_iter().map(|(_, alike)| alike).collect();
        Ok(Space { algorithm, system, found, options: *options, judge, alike })
    }

    /// The number of processes that explored it.
    pub fn processes(&self) -> usize {
        self.found.whole.processes
    }

    /// The number of states that this process keeps.
    pub fn kept_here(&self) -> u64 {
        self.found.kept.len() as u64
    }

    /// The number of states sent from one process to another.
    pub fn sent(&self) -> u64 {
        self.found.whole.sent
    }

    /// The bytes of a state in a letter to another process.
    pub fn bytes_per_sent_state(&self) -> u64 {
        4 * self.system.layout.words() as u64
    }

    /// The order in which channels deliver messages.
    pub fn channels(&self) -> Channels {
        self.options.channels
    }

    fn counts(&self) -> Option<&Tally> {
        (!self.options.confluence).then_some(&self.found.whole.counts)
    }

    /// The number of reachable states; unknown if the reduction by confluence omits some.
    pub fn states(&self) -> Option<u64> {
        self.counts().map(|counts| counts.states)
    }

    /// The number of reachable states without transitions.
    pub fn deadlocks(&self) -> Option<u64> {
        self.counts().map(|counts| counts.deadlocks)
    }

    /// The number of kept states.
    pub fn stored(&self) -> u64 {
        self.found.whole.stored
    }

    /// The peak memory of the search, in bytes.
    pub fn peak_bytes(&self) -> u64 {
        self.found.peak_bytes
    }
}
