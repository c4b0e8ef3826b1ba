//! What a node counts.

use crate::kind::Kind;
use crate::wire::Rejection;
use std::collections::BTreeMap;
use std::time::Duration;

/// Counts since the node started.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counters {
    /// Datagrams taken, by sender.
    pub received: Vec<u64>,
    /// Datagrams sent, by receiver.
    pub sent: Vec<u64>,
    /// Messages taken, by kind.
    pub messages_received: BTreeMap<Kind, u64>,
    /// Messages sent, by kind.
    pub messages_sent: BTreeMap<Kind, u64>,
    /// Datagrams dropped, in the order of [`Rejection::ALL`].
    pub rejected: [u64; Rejection::ALL.len()],
    /// Datagrams dropped, by the sender they name, where that is a possible one.
    pub rejected_of: BTreeMap<(usize, Rejection), u64>,
    /// When each peer was last heard from, on the node's own clock.
    pub last_heard: Vec<Option<Duration>>,
    /// By how many microseconds each peer's clock is ahead of this node's, with what its last datagram took.
    pub clock_offset: Vec<Option<i64>>,
    /// Datagrams that the system refused to send.
    pub send_errors: u64,
    /// How often another leader was named.
    pub leader_changes: u64,
    /// Loop iterations.
    pub iterations: u64,
    /// Iterations that took longer than the algorithm assumes.
    pub late_iterations: u64,
    /// How late the latest iteration was.
    pub last_lateness: Duration,
    /// How late the worst iteration was.
    pub worst_lateness: Duration,
}

impl Counters {
    pub(crate) fn new(size: usize) -> Counters {
        Counters {
            received: vec![0; size],
            sent: vec![0; size],
            last_heard: vec![None; size],
            clock_offset: vec![None; size],
            ..Counters::default()
        }
    }

    pub(crate) fn reject(&mut self, sender: Option<usize>, rejection: Rejection) {
        self.rejected[rejection as usize] += 1;
        if let Some(sender) = sender.filter(|&sender| sender < self.received.len()) {
            *self.rejected_of.entry((sender, rejection)).or_default() += 1;
        }
    }

    /// Counts a message under its kind.
    pub(crate) fn count(messages: &mut BTreeMap<Kind, u64>, kind: Kind) {
        *messages.entry(kind).or_default() += 1;
    }

    /// How many datagrams were dropped for this reason.
    pub fn rejected(&self, rejection: Rejection) -> u64 {
        self.rejected[rejection as usize]
    }
}
