//! The interface of a core: the time and instructions in, commands and a status out.

use crate::key::Keys;
use crate::leadership::{Change, Leadership};
use crate::lease::{Lists, Record, Stage};
use crate::trouble::Notice;
use std::time::Duration;

/// The time by two clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Now {
    /// By a monotonic clock.
    pub elapsed: Duration,
    /// Microseconds since 1970, by the host's clock. A diagnostic, and one of the sources of random challenges: no decision depends on it.
    pub unix_micros: u64,
}

impl Now {
    /// The microseconds by the monotonic clock.
    pub(crate) fn micros(self) -> u64 {
        self.elapsed.as_micros() as u64
    }
}

/// A task of the runtime. The commands of a core are carried out in their order.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Command {
    /// Publish this change of leadership before the next datagram is sent: that datagram may make another node the leader.
    Announce(Change),
    /// Send a datagram to a peer.
    Send {
        /// The peer.
        to: usize,
        /// The datagram.
        datagram: Vec<u8>,
    },
    /// Send a datagram to the address that the received one came from.
    Reply(Vec<u8>),
    /// Store this record durably, then report [`Instruction::Stored`].
    Store(Record),
    /// Log a problem of the cluster.
    Report(Notice),
    /// Log where a change of members stands.
    Changing {
        /// The lists that this node has stored.
        lists: Lists,
        /// The stage of the change.
        stage: Stage,
    },
    /// Log that this node stores later lists of members, which the datagram of a peer has brought.
    Learned {
        /// The peer.
        from: usize,
        /// The lists that this node had.
        before: Lists,
        /// The lists of the peer.
        lists: Lists,
    },
    /// A split has healed: this node leads on, and the given peer, which led on the other side, follows it.
    Healed(usize),
}

/// An instruction of the runtime to a core.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Instruction {
    /// Hand the leadership over, if the algorithm has a rule for that.
    Resign,
    /// The hooks of a lost leadership have ended: a process that holds its place for its successor releases it.
    Release,
    /// Do not lead from the next iteration on, for this reason; `None` lifts the withdrawal.
    Withdraw(Option<Withdrawal>),
    /// Use new members and keys.
    Reload {
        /// For each identity, whether it is a member. With the guard this is a proposal, and ignored without state files.
        members: Vec<bool>,
        /// The keys that authenticate datagrams.
        keys: Keys,
    },
    /// A reload was refused: show a notice until one succeeds.
    ReloadRefused,
    /// A message that may be forged says that this peer's port is closed: ask the peer, and do nothing else.
    Refused(usize),
    /// The record of [`Command::Store`] is stored durably.
    Stored(Record),
    /// Storing the record failed; the runtime tries again.
    NotStored,
    /// Overwrite every variable of the process.
    Corrupt(Corruption),
    /// The errand with this number has ended: the token may move on.
    ErrandDone(u64),
}

/// The reason why a process must not lead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display)]
#[strum(serialize_all = "lowercase")]
pub enum Withdrawal {
    /// It is drained for maintenance.
    Drained,
    /// Its health check fails.
    Unhealthy,
    /// Its network interface has no carrier: it stops leading immediately.
    Carrier,
    /// It cannot hold the virtual addresses of the leader.
    Address,
    /// It is a witness: it grants leases and never leads.
    Witness,
    /// No peer has answered it since its start, and it holds back.
    Alone,
    /// Its state file is fresh, and it has not heard a majority of the members.
    Joining,
    /// It is not in the list of members. Without the guard: more than half of the others do not list it.
    Removed,
}

/// The values with which a test overwrites the variables of a running process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Corruption {
    /// A random value of its domain for every variable.
    Random,
    /// The least value for every variable.
    Low,
    /// The greatest value for every variable.
    High,
}

/// The observable state of a core.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Status {
    /// The leader that it names, and its own role.
    pub leadership: Leadership,
    /// Whether it leads, but stood still for so long that another node may lead by now: for at most a heartbeat nothing should rely on it. If
    /// no other leader is heard in that time, it has lost nothing.
    pub doubts: bool,
    /// The silence of the leader after which this process gives it up, if the algorithm adapts it to delays and losses.
    pub patience: Option<Duration>,
    /// The dispute because of which another node acts instead of this one.
    pub disputed: Option<Notice>,
    /// The reason why it must not lead.
    pub withdrawn: Option<Withdrawal>,
    /// With the guard: the digest of the settings that all members must share.
    pub guard: Option<u64>,
    /// With the guard: the lists of members, and the stage of their change.
    pub lists: Option<(Lists, Stage)>,
    /// Whether it has stopped acting and waits for [`Instruction::Release`].
    pub holding: bool,
    /// Whether it holds the token; `None` if the algorithm has no token.
    pub token: Option<bool>,
    /// The errand that has to end before the token moves on: [`Instruction::ErrandDone`].
    pub errand: Option<u64>,
    /// The variables of an algorithm of neighbours, as text.
    pub variables: Option<String>,
}
