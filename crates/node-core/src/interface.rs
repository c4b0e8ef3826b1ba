//! What goes into a core and comes out of it: the time and orders in, commands and a status out.

use crate::counters::Counters;
use crate::key::Keys;
use crate::leadership::{Change, Leadership};
use crate::lease::Record;
use crate::trouble::{Notice, Notices};
use std::time::Duration;

/// The time by two clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Now {
    /// By a clock that never goes back.
    pub elapsed: Duration,
    /// Microseconds since 1970, by the clock of the host.
    pub unix_micros: u64,
}

/// What a runtime has to do for a core, in this order.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Command {
    /// Make this change of leadership known, before anything is sent: another node may lead as soon as it has read it.
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
    /// Store this for good, then say so by [`Order::Stored`].
    Store(Record),
    /// Log what is wrong with the cluster.
    Report(Notice),
}

/// What a core is told from outside.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Order {
    /// Hand the leadership over, where the algorithm has a rule for that.
    Resign,
    /// The hooks of a lost leadership have ended: a process that holds its place for its heir lets go.
    Release,
    /// Do not lead, from the next iteration on and for this reason; `None` ends that.
    Withdraw(Option<Withdrawal>),
    /// Take new members, by identity, and new keys.
    Reload {
        /// By identity, who is a member. Ignored with the guard.
        members: Vec<bool>,
        /// The keys that authenticate datagrams.
        keys: Keys,
    },
    /// A reload was refused: show that until one succeeds.
    ReloadRefused,
    /// A datagram to this peer met a closed port, according to a message that may be forged: ask the peer, and do nothing else.
    Refused(usize),
    /// The record of [`Command::Store`] is stored for good.
    Stored(Record),
    /// It could not be stored so far; the runtime tries again.
    NotStored,
    /// Overwrite every variable of the process.
    Corrupt(Corruption),
    /// The errand with this number has ended: the token may move on.
    ErrandDone(u64),
}

/// Why a process is not to lead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Withdrawal {
    /// It is being maintained.
    Drained,
    /// Its check fails.
    Unhealthy,
    /// It has no carrier: it stops leading at once.
    Carrier,
    /// It grants leases and never leads.
    Witness,
}

impl Withdrawal {
    /// In lower case.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// How a test overwrites the variables of a running process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Corruption {
    /// Every variable any value of its type.
    Random,
    /// Every variable its least value.
    Low,
    /// Every variable its greatest value.
    High,
}

/// What a core shows of itself.
#[derive(Clone, Debug)]
pub struct Status<'a> {
    /// The leader it names, and its own role.
    pub leadership: Leadership,
    /// Its counters.
    pub counters: &'a Counters,
    /// What is wrong with the cluster.
    pub notices: &'a Notices,
    /// The disagreement because of which another node acts instead of this one, if there is one.
    pub disputed: Option<Notice>,
    /// Why it is not to lead, if it is not.
    pub withdrawn: Option<Withdrawal>,
    /// With the guard: the digest of the settings that all members must share.
    pub guard: Option<u64>,
    /// Whether it has stopped acting and waits for [`Order::Release`].
    pub holding: bool,
    /// Where there is a token: whether it holds the token.
    pub token: Option<bool>,
    /// The errand that has to end before the token moves on: [`Order::ErrandDone`].
    pub errand: Option<u64>,
    /// The variables of an algorithm of neighbours, as text.
    pub variables: Option<String>,
}
