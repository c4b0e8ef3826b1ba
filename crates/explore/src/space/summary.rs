//! The counts of an explored state space.

use super::Space;

/// The counts of an explored state space, without its states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Summary {
    /// The number of reachable states; unknown if the reduction by confluence omits some.
    pub states: Option<u64>,
    /// The number of their transitions: distinct pairs of action and target.
    pub transitions: Option<u64>,
    /// The number of reachable states without transitions.
    pub deadlocks: Option<u64>,
    /// The number of kept states that every rotation leaves unchanged, if rotation is the only reduction.
    ///
    /// On a ring of prime size n all other classes have n states. So the number of states is n times the number of stored states,
    /// minus n - 1 times this number.
    pub invariant: Option<u64>,
    /// The number of kept states.
    pub stored: u64,
    /// The largest distance of a kept state from the start.
    pub depth: u64,
    /// The number of cells, that is of local states with inboxes.
    pub cells: u64,
    /// The representation of stored states: plain, compact, or a table (on a device).
    pub set: &'static str,
    /// The bytes of a kept state's entry, without the index and empty places.
    pub entry_bytes: u64,
    /// The bytes of all kept states, including the index and empty places.
    pub stored_bytes: u64,
}

impl Summary {
    /// The bytes of all kept states per kept state.
    #[must_use]
    pub fn bytes_per_state(&self) -> f64 {
        self.stored_bytes as f64 / self.stored.max(1) as f64
    }
}

impl Space<'_> {
    /// All counts.
    #[must_use]
    pub fn summary(&self) -> Summary {
        let (counts, found) = (self.counts(), &self.found);
        let compact = found.kept.entry_bytes();
        Summary {
            states: self.states(),
            transitions: counts.map(|counts| counts.transitions),
            deadlocks: self.deadlocks(),
            invariant: counts.filter(|_| self.options.rotation).map(|counts| counts.invariant),
            stored: self.stored(),
            depth: found.kept.levels() as u64 - 1,
            cells: self.system.cells.len() as u64,
            set: if compact.is_some() { "compact" } else { "plain" },
            entry_bytes: compact.unwrap_or(self.bytes_per_sent_state()),
            stored_bytes: found.whole.bytes,
        }
    }
}
