//! The leader that a node names, and how reliable that is.

use std::time::Duration;
use strum::Display;

/// The role of a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Display)]
#[strum(serialize_all = "lowercase")]
pub enum Role {
    /// It names itself and has settled: it acts as the leader.
    Leader,
    /// It names another node and hears from it.
    Follower,
    /// The leader that it names changed a moment ago, or is silent.
    #[default]
    Unsettled,
    /// It names itself, but no majority has granted it the lease: it does not act. Only with the guard. A follower of an
    /// unconfirmed node is unsettled.
    Unconfirmed,
}

/// The leader's identity if there is no leader, or if the algorithm does not tell a follower which node leads.
pub const NOBODY: usize = usize::MAX;

/// A node's view of the leadership at one moment. The views of all nodes agree only eventually: during a partition, and for a
/// moment after any fault, two nodes may both be [`Role::Leader`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leadership {
    /// The identity of the leader that the node names, or [`NOBODY`].
    pub leader: usize,
    /// The algorithm's own counter, phase or round. Advisory: it is not a fencing token.
    pub epoch: u64,
    /// The node's own role.
    pub state: Role,
    /// The time for which it has named this leader.
    pub stable_for: Duration,
    /// With the guard, while this node is the leader: the lease that a majority has granted.
    pub confirmation: Option<Confirmation>,
}

/// A lease that a majority has granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Confirmation {
    /// The end of the lease on the node's own clock, unless it is renewed.
    pub until: Duration,
    /// The fencing token, if the cluster has tokens: it grows from each confirmed leadership to the next.
    pub token: Option<u64>,
}

/// No leader is known.
impl Default for Leadership {
    fn default() -> Leadership {
        Leadership { leader: NOBODY, epoch: 0, state: Role::Unsettled, stable_for: Duration::ZERO, confirmation: None }
    }
}

impl Leadership {
    /// The identity of the leader, if the node names one.
    pub fn named(&self) -> Option<usize> {
        Some(self.leader).filter(|&leader| leader != NOBODY)
    }
}

/// The reason for a change of leadership.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Display)]
#[strum(serialize_all = "lowercase")]
pub enum Reason {
    /// The node has just started.
    Started,
    /// The leader was silent for too long.
    Silence,
    /// A leader with precedence was heard.
    Preferred,
    /// The same, but the other leader has precedence only because this node was accused of silence.
    Accused,
    /// The node resigned.
    Resigned,
    /// The leader has been named for the settling time.
    Settled,
    /// A test overwrote the variables.
    Corrupted,
    /// The leader handed over.
    Handover,
    /// The node's loop stood still for so long that other nodes may have given it up.
    Away,
    /// The settings of the members differ, and another node has acted for longer.
    Disputed,
    /// The node was asked not to lead: it is drained, or its check failed.
    Withdrawn,
    /// The network interface lost its carrier.
    Carrier,
    /// The leader has restarted.
    Restarted,
    /// The leader was removed from the list of members.
    Removed,
    /// No peer has answered the node since its start, and it holds back.
    Alone,
    /// The node's loop has ended.
    Stopped,
    /// A majority granted the lease.
    Confirmed,
    /// The lease was not renewed in time.
    Unconfirmed,
    /// The node holds the lease but hears nobody, so it handed over before the end of the lease.
    Deaf,
    /// A split has healed, and this node leads on.
    Healed,
}

/// A change of leadership.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// The view before.
    pub before: Leadership,
    /// The view after.
    pub after: Leadership,
    /// The reason.
    pub reason: Reason,
}
