//! What an agent shows of itself.

use std::ops::{BitOr, BitOrAssign};

/// A set of marks: the agent's output (leader, token) and what else a picture of it shows.
///
/// ```
/// use ringleader_model::Marks;
/// let m = Marks::LEADER | Marks::SHIELD;
/// assert!(m.leader() && !m.token());
/// assert_eq!(m.output(), Marks::LEADER);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Marks(u16);

impl Marks {
    /// Nothing: a plain follower.
    pub const NONE: Marks = Marks(0);
    /// Outputs that it is the leader.
    pub const LEADER: Marks = Marks(1);
    /// Holds the token or privilege.
    pub const TOKEN: Marks = Marks(1 << 1);
    /// Carries a bullet that kills.
    pub const BULLET: Marks = Marks(1 << 2);
    /// Carries a bullet that does not kill.
    pub const DUMMY: Marks = Marks(1 << 3);
    /// Is shielded.
    pub const SHIELD: Marks = Marks(1 << 4);
    /// Carries a signal.
    pub const SIGNAL: Marks = Marks(1 << 5);
    /// Still competes.
    pub const ACTIVE: Marks = Marks(1 << 6);
    /// Has given up and relays.
    pub const PASSIVE: Marks = Marks(1 << 7);
    /// Has begun to count, or will challenge: a candidate that is not yet sure.
    pub const BEGINNER: Marks = Marks(1 << 8);
    /// Carries a probe.
    pub const PROBE: Marks = Marks(1 << 9);
    /// Takes the next agent for its successor.
    pub const FORWARD: Marks = Marks(1 << 10);
    /// Takes the agent before it for its successor.
    pub const BACKWARD: Marks = Marks(1 << 11);

    /// Whether every mark of `other` is in this set.
    pub const fn contains(self, other: Marks) -> bool {
        self.0 & other.0 == other.0
    }

    /// The set as a number: bit 0 is [`Marks::LEADER`], bit 11 is [`Marks::BACKWARD`].
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// Whether it outputs that it is the leader.
    pub const fn leader(self) -> bool {
        self.contains(Marks::LEADER)
    }

    /// Whether it holds the token.
    pub const fn token(self) -> bool {
        self.contains(Marks::TOKEN)
    }

    /// These marks if `condition`, otherwise none.
    pub const fn when(self, condition: bool) -> Marks {
        if condition { self } else { Marks::NONE }
    }

    /// Only what the specification speaks of: leader and token.
    pub const fn output(self) -> Marks {
        Marks(self.0 & (Marks::LEADER.0 | Marks::TOKEN.0))
    }
}

impl BitOr for Marks {
    type Output = Marks;
    fn bitor(self, other: Marks) -> Marks {
        Marks(self.0 | other.0)
    }
}

impl BitOrAssign for Marks {
    fn bitor_assign(&mut self, other: Marks) {
        self.0 |= other.0;
    }
}
