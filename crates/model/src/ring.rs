//! Rings and lines of processes with composite atomicity: a process reads its neighbours and itself, and writes itself.

use crate::{Coin, Marks, Variables};

/// Whether a process is distinguished, by where it stands. An anonymous algorithm does not look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// Process 0, which runs other code in algorithms that need a distinguished process (or the leader of a lower layer).
    Bottom,
    /// Any process between the two.
    Other,
    /// Process n - 1: the other end of a line, the left neighbour of the bottom on a ring.
    Top,
}

impl Place {
    /// Every place, in the order of the processes.
    pub const ALL: [Place; 3] = [Place::Bottom, Place::Other, Place::Top];

    /// The place of a process among so many.
    pub fn of(process: usize, size: usize) -> Place {
        match process {
            0 => Place::Bottom,
            p if p + 1 == size => Place::Top,
            _ => Place::Other,
        }
    }

    /// Whether this is the bottom process.
    pub fn is_bottom(self) -> bool {
        self == Place::Bottom
    }
}

/// What a process sees when it acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View<S> {
    /// Where it stands.
    pub at: Place,
    /// Its left neighbour's state; at the left end of a line, its own.
    pub left: S,
    /// Its own state.
    pub own: S,
    /// Its right neighbour's state; at the right end of a line, its own. Only what [`Reads::BothSides`] may look at it.
    pub right: S,
}

impl<S: Copy> View<S> {
    /// What a process of a configuration sees.
    pub fn of(configuration: &[S], process: usize, shape: Chain) -> View<S> {
        let n = configuration.len();
        let (left, right) = shape.neighbours(process, n);
        let [left, own, right] = [left, process, right].map(|i| configuration[i]);
        View { at: Place::of(process, n), left, own, right }
    }

    /// The same view of some part of the states.
    pub fn map<T>(self, part: impl Fn(S) -> T) -> View<T> {
        View { at: self.at, left: part(self.left), own: part(self.own), right: part(self.right) }
    }
}

/// How the processes stand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Chain {
    /// In a ring: the last is the left neighbour of the first.
    #[default]
    Ring,
    /// In a line with two ends.
    Line,
}

impl Chain {
    /// The left and the right neighbour of a process; where a line ends, itself.
    pub fn neighbours(self, process: usize, size: usize) -> (usize, usize) {
        let (first, last) = (process == 0, process + 1 == size);
        let around = |end: bool, other: usize, beside: usize| match (end, self) {
            (true, Chain::Ring) => other,
            (true, Chain::Line) => process,
            (false, _) => beside,
        };
        (around(first, size - 1, process.wrapping_sub(1)), around(last, 0, process + 1))
    }
}

/// Whose states a process reads besides its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reads {
    /// Its left neighbour's: the ring is unidirectional.
    #[default]
    Left,
    /// Both neighbours'.
    BothSides,
}

/// An algorithm for a ring or a line of processes.
pub trait Ring: Variables<State: Copy> {
    /// How the processes stand.
    fn chain(&self) -> Chain {
        Chain::Ring
    }

    /// What a process reads.
    fn reads(&self) -> Reads {
        Reads::Left
    }

    /// One step: the new state of a process. It is *enabled* if that differs from the old one.
    ///
    /// Where several rules are enabled, the scheduler takes one of them: [`Coin::choose`].
    fn act(&self, view: View<Self::State>, coin: &mut impl Coin) -> Self::State;

    /// What a process shows of itself; a token may be a relation to its neighbours.
    fn marks(&self, view: View<Self::State>) -> Marks;
}
