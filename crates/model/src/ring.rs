//! Unidirectional rings with composite atomicity: a process reads its left neighbour and itself, and writes itself.

use crate::{Coin, Marks, Variables};

/// Whether a process is distinguished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The one process that runs other code, in algorithms that need one (process 0, or the leader of a lower layer).
    Bottom,
    /// Any other process. On an anonymous ring all processes are `Other`, whatever the engine says.
    Other,
}

impl Place {
    /// Whether this is the distinguished process.
    pub fn is_bottom(self) -> bool {
        self == Place::Bottom
    }
}

/// An algorithm for a unidirectional ring.
pub trait Ring: Variables<State: Copy> {
    /// One step: the new state of a process. It is *enabled* if that differs from the old one.
    fn act(&self, at: Place, left: Self::State, own: Self::State, coin: &mut impl Coin) -> Self::State;

    /// What a process shows of itself; a token may be a relation to its left neighbour.
    fn marks(&self, at: Place, left: &Self::State, own: &Self::State) -> Marks;
}
