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
        Summary {
            states: self.states(),
            transitions: self.transitions(),
            deadlocks: self.deadlocks(),
            invariant: self.invariant(),
            stored: self.stored(),
            depth: self.depth(),
            cells: self.cells(),
            set: if self.is_compact() { "compact" } else { "plain" },
            entry_bytes: self.entry_bytes(),
            stored_bytes: self.stored_bytes(),
        }
    }
}
