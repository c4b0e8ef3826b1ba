//! Whom a node takes for the leader, and how far to trust it.

use std::fmt;
use std::time::Duration;

/// A node's part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// It takes itself for the leader, and has for a while.
    Leader,
    /// It takes another for the leader, and hears from it.
    Follower,
    /// It changed its mind a moment ago, or follows someone it does not hear from.
    Unsettled,
    /// It takes itself for the leader, but no majority has granted it the lease: it does not act. Only with the guard. Who follows such a
    /// one is unsettled.
    Unconfirmed,
}

impl Role {
    /// In lower case.
    pub fn name(self) -> &'static str {
        match self {
            Role::Leader => "leader",
            Role::Follower => "follower",
            Role::Unsettled => "unsettled",
            Role::Unconfirmed => "unconfirmed",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Named where no leader is, or where the algorithm does not tell a follower which of the others it is.
pub const NOBODY: usize = usize::MAX;

/// What a node knows of the leadership at one moment. Only eventually do all nodes say the same: during a partition, and
/// for a moment after any fault, two may both be [`Role::Leader`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leadership {
    /// The identity of the node that it takes for the leader, or [`NOBODY`].
    pub leader: usize,
    /// The algorithm's own counter, phase or round. Advisory: it is no fencing token.
    pub epoch: u64,
    /// Its own part.
    pub state: Role,
    /// For how long it has named this leader.
    pub stable_for: Duration,
    /// With the guard, while this node is the leader: what a majority has granted.
    pub confirmation: Option<Confirmation>,
}

/// A lease that a majority has granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Confirmation {
    /// Until when, on the node's own clock, if it is not renewed.
    pub until: Duration,
    /// The fencing token, where there are any: it grows from each confirmed leadership to the next.
    pub token: Option<u64>,
}

impl Leadership {
    /// The identity of the node that it takes for the leader, if it names one.
    pub fn named(&self) -> Option<usize> {
        Some(self.leader).filter(|&leader| leader != NOBODY)
    }
}

/// Why a node changed its mind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// It has just begun.
    Started,
    /// The leader was not heard from in time.
    Silence,
    /// It heard from a leader that goes before.
    Preferred,
    /// The same, of one that goes before only since this one was accused of silence.
    Accused,
    /// It resigned.
    Resigned,
    /// The leader stayed for as long as a leader must before it counts as one.
    Settled,
    /// A test overwrote its variables.
    Corrupted,
    /// The leader handed over.
    Handover,
    /// Its loop stood still for so long that others may have stopped waiting for it.
    Away,
    /// Members disagree about what they are told, and another has acted for longer.
    Disputed,
    /// It was asked not to lead: it is being maintained, or its check failed.
    Withdrawn,
    /// Its cable is out.
    Carrier,
    /// Its loop has ended.
    Stopped,
    /// A majority granted it the lease.
    Confirmed,
    /// The lease was not renewed in time.
    Unconfirmed,
}

impl Reason {
    /// In lower case.
    pub fn name(self) -> &'static str {
        match self {
            Reason::Started => "started",
            Reason::Silence => "silence",
            Reason::Preferred => "preferred",
            Reason::Accused => "accused",
            Reason::Resigned => "resigned",
            Reason::Settled => "settled",
            Reason::Corrupted => "corrupted",
            Reason::Handover => "handover",
            Reason::Away => "away",
            Reason::Disputed => "disputed",
            Reason::Withdrawn => "withdrawn",
            Reason::Carrier => "carrier",
            Reason::Stopped => "stopped",
            Reason::Confirmed => "confirmed",
            Reason::Unconfirmed => "unconfirmed",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One change of mind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// Before.
    pub before: Leadership,
    /// After.
    pub after: Leadership,
    /// Why.
    pub reason: Reason,
}
