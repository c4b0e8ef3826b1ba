//! A split that heals: a node that led on one side tells the leader of the other side that it follows it now.

use super::Core;
use crate::interface::{Command, Now};
use crate::leadership::{Leadership, Reason, Role};
use crate::tempo::ITERATIONS;
use crate::wire::Purpose;
use std::time::Duration;

/// The reports about one leadership, one a heartbeat, since datagrams are lost.
const REPORTS: u32 = 5;
/// The heartbeats after which a node that leads without being confirmed counts as a leader of its side.
const UNCONFIRMED: u32 = 3;
/// A new leader sends five datagrams to every peer in the first half of a heartbeat.
const UNHEARD: u32 = 2;

/// The leadership of this node that ended without a handover.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Apart {
    /// Since when it names itself, without a majority.
    unconfirmed: Option<Duration>,
    /// Whether it has led since it last followed a leader or handed over.
    led: bool,
    /// Whether it has heard a leader since that had acted unheard.
    missed: bool,
    /// The number of this leadership, and the reports that are left.
    report: Option<(u64, u32)>,
}

impl Core {
    /// Notes whether this node led, and whether it has returned to a leader.
    pub(super) fn note_side(&mut self, now: Now, before: Leadership, after: Leadership, reason: Option<Reason>) {
        let unconfirmed = (after.state == Role::Unconfirmed).then(|| self.apart.unconfirmed.unwrap_or(now.elapsed));
        self.apart.unconfirmed = unconfirmed;
        let long =
            unconfirmed.is_some_and(|since| now.elapsed.saturating_sub(since) > UNCONFIRMED * self.config.heartbeat);
        self.apart.led |= after.state == Role::Leader || long;
        // It announces itself now.
        self.apart.report = self.apart.report.filter(|_| after.state != Role::Leader);
        // A deaf leader is cut off: it hands over, and does not hear its successor. Without a carrier it has no side.
        let in_time = matches!(reason, Some(Reason::Resigned | Reason::Withdrawn | Reason::Handover | Reason::Carrier));
        if before.state == Role::Leader && after.state != Role::Leader && in_time {
            self.apart.led = false;
        }
        if after.state == Role::Follower {
            let Apart { led, missed, report, .. } = std::mem::take(&mut self.apart);
            // Without the guard both have acted at the same time.
            let apart = led && (missed || self.guarded.is_none());
            self.apart.report = if apart { Some((now.elapsed.as_micros() as u64 | 1, REPORTS)) } else { report };
        }
    }

    /// A peer acts that was heard `before`, in this incarnation or an earlier one. Hosts near this node have not heard of it if this node has
    /// not, although its loop ran.
    pub(super) fn note_unheard(&mut self, now: Now, before: Duration, acting: u32) {
        let began = now.elapsed.saturating_sub(Duration::from_millis(u64::from(acting)));
        let since = began.max(before);
        self.apart.missed |= acting > 0 && self.apart.led && self.ran_since(since) > self.config.heartbeat / UNHEARD;
    }

    /// Tells the leader, once a heartbeat, that this node led while they were apart.
    pub(super) fn report_side(&mut self, now: Now, first: bool) {
        let follows = self.shown.state == Role::Follower && self.config.silence.is_none();
        let due = first || self.counters.iterations.is_multiple_of(u64::from(ITERATIONS));
        let Some((number, left)) = self.apart.report.filter(|_| follows && due) else { return };
        let leader = self.shown.leader;
        if leader >= self.peers.len() || self.is_me(leader) {
            return;
        }
        self.send(now, leader, Purpose::Led, &number.to_be_bytes());
        self.apart.report = (left > 1).then_some((number, left - 1));
    }

    /// A peer led while it did not hear this node.
    pub(super) fn take_report(&mut self, sender: usize, message: &[u8]) {
        let Some(number) = message.first_chunk::<8>().map(|bytes| u64::from_be_bytes(*bytes)) else { return };
        // The report is repeated: a leader that is unconfirmed for a moment takes a later one.
        if self.shown.state == Role::Leader && std::mem::replace(&mut self.peers[sender].led, number) != number {
            self.commands.push(Command::Healed(sender));
        }
    }
}
