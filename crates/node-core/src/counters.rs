//! The counters of a node.

use crate::kind::PayloadKind;
use crate::wire::Rejection;
use std::collections::BTreeMap;
use std::time::Duration;

/// Counts since the start of the node.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counters {
    /// Datagrams accepted, by sender.
    pub received: Vec<u64>,
    /// Datagrams sent, by receiver.
    pub sent: Vec<u64>,
    /// Messages accepted, by kind.
    pub messages_received: BTreeMap<PayloadKind, u64>,
    /// Messages sent, by kind.
    pub messages_sent: BTreeMap<PayloadKind, u64>,
    /// Datagrams rejected, in the order of [`Rejection::ALL`].
    pub rejected: [u64; Rejection::ALL.len()],
    /// Datagrams rejected, by reason and by the sender they name, if that identity is below the size.
    pub rejected_of: BTreeMap<(usize, Rejection), u64>,
    /// The time of each peer's last accepted datagram, on the node's own clock.
    pub last_heard: Vec<Option<Duration>>,
    /// The microseconds by which each peer's clock is ahead of this node's, less the delay of its last datagram.
    pub clock_offset: Vec<Option<i64>>,
    /// Datagrams that the system refused to send.
    pub send_errors: u64,
    /// Changes of the leader that the node names.
    pub leader_changes: u64,
    /// Loop iterations.
    pub iterations: u64,
    /// Iterations that took longer than the algorithm assumes.
    pub late_iterations: u64,
    /// The delay of the last iteration.
    pub last_lateness: Duration,
    /// The greatest delay of an iteration.
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

    /// The number of datagrams rejected for this reason.
    pub fn rejected(&self, rejection: Rejection) -> u64 {
        self.rejected[rejection as usize]
    }
}
