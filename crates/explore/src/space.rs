//! A state space that has been explored.

use crate::search::{Found, Kept, search};
use crate::system::{System, Tally};
use crate::{Alone, Failure, Options, Peers, Watch};
use ringleader_erased::{InvariantJudge, MessageInstance};
use ringleader_model::Channels;

mod explicit;
mod verify;
mod view;
mod way;

pub use verify::Verified;
pub use view::{StateView, StateViews};

/// Everything reachable, as far as it was kept.
pub struct Space<'a> {
    pub(crate) algorithm: &'a MessageInstance,
    pub(crate) system: System<'a>,
    pub(crate) found: Found,
    pub(crate) options: Options,
    judge: InvariantJudge<'a>,
    /// By invariant, whether it names no process by its place.
    alike: Vec<bool>,
}

impl<'a> Space<'a> {
    /// Explores everything that is reachable from the clean start.
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

    /// The same together with other processes, which all call this with the same algorithm and options; threads and memory may
    /// differ. Every process keeps the states that a hash gives it. All counts are those of the whole.
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

    /// How many processes explored it.
    pub fn processes(&self) -> usize {
        self.found.whole.processes
    }

    /// How many states this process keeps.
    pub fn kept_here(&self) -> u64 {
        self.found.len() as u64
    }

    /// How many states were sent from one process to another.
    pub fn sent(&self) -> u64 {
        self.found.whole.sent
    }

    /// How many bytes a state takes on its way to another process.
    pub fn bytes_per_sent_state(&self) -> u64 {
        4 * self.system.layout.words() as u64
    }

    /// What the channels are.
    pub fn channels(&self) -> Channels {
        self.options.channels
    }

    fn counts(&self) -> Option<&Tally> {
        (!self.options.confluence).then_some(&self.found.whole.counts)
    }

    /// How many states are reachable; unknown if a confluent transition hid some.
    pub fn states(&self) -> Option<u64> {
        self.counts().map(|counts| counts.states)
    }

    /// How many transitions they have: distinct pairs of action and target.
    pub fn transitions(&self) -> Option<u64> {
        self.counts().map(|counts| counts.transitions)
    }

    /// How many of them have no transition.
    pub fn deadlocks(&self) -> Option<u64> {
        self.counts().map(|counts| counts.deadlocks)
    }

    /// How many states are kept.
    pub fn stored(&self) -> u64 {
        self.found.whole.stored
    }

    /// How far the farthest kept state is from the start.
    pub fn depth(&self) -> u64 {
        self.found.levels() as u64 - 1
    }

    /// What the search took up at most.
    pub fn peak_bytes(&self) -> u64 {
        self.found.peak_bytes
    }

    /// How many bytes the entry of a kept state takes, without the index or empty places.
    pub fn entry_bytes(&self) -> u64 {
        match &self.found.kept {
            Kept::Plain(_) => 4 * self.system.layout.words() as u64,
            Kept::Compact(set) => set.entry_bytes(),
        }
    }

    /// How many bytes all kept states take, with everything that is needed to find them.
    pub fn stored_bytes(&self) -> u64 {
        self.found.whole.bytes
    }

    /// The same for every kept state.
    pub fn bytes_per_state(&self) -> f64 {
        self.stored_bytes() as f64 / self.stored().max(1) as f64
    }

    /// Whether the states are stored compactly.
    pub fn is_compact(&self) -> bool {
        matches!(self.found.kept, Kept::Compact(_))
    }

    /// How many kept states every rotation leaves as they are, if rotations are identified and nothing else.
    ///
    /// On a ring of prime size n all other classes have n states, so there are n times as many states as are stored, less
    /// n - 1 times these.
    pub fn invariant(&self) -> Option<u64> {
        self.counts().filter(|_| self.options.rotation).map(|counts| counts.invariant)
    }

    /// How many cells, that is local states with inboxes, were met.
    pub fn cells(&self) -> u64 {
        self.system.cells.len() as u64
    }
}
