//! A leader that leaves the list of members: it is heard, and followed, until it has handed over. Without its last messages nobody would lead
//! until its silence is noticed, and longer where it still acts.

use super::Core;
use crate::interface::Now;
use crate::leadership::Role;
use ringleader_model::Visitor;
use std::time::Duration;

/// A member that does not list this node answers every heartbeat of it. Some answers are lost.
const REPLIES: u32 = 3;

impl Core {
    /// Uses other members, besides a leader that leaves.
    pub(super) fn use_members(&mut self, members: Vec<bool>) {
        let leader = self.algorithm.shown().leader;
        if self.listed.get(leader) == Some(&true) && members.get(leader) == Some(&false) {
            self.departing = leader;
        }
        self.listed = members;
        self.tend_departure();
    }

    /// Ends the exchange with a leader that has left, once this node does not follow it any more.
    pub(super) fn tend_departure(&mut self) {
        let shown = self.algorithm.shown();
        let follows = shown.leader == self.departing && shown.stands == Some(true) && !self.is_me(self.departing);
        if !follows || self.listed.get(self.departing) != Some(&false) {
            self.departing = usize::MAX;
        }
        // Always from the list: a corrupted departure changes no member for good.
        self.config.members.clone_from(&self.listed);
        if let Some(member) = self.config.members.get_mut(self.departing) {
            *member = true;
        }
    }

    /// A peer says that it does not list this node.
    pub(super) fn note_removal(&mut self, now: Now, sender: usize) {
        let lately = |&(first, last): &(Duration, Duration)| {
            first <= last && last <= now.elapsed && now.elapsed - last <= self.linger()
        };
        let first = self.peers[sender].dropped.filter(lately).map_or(now.elapsed, |(first, _)| first);
        self.peers[sender].dropped = Some((first, now.elapsed));
    }

    /// Notes whether more than half of the others have removed this node from their settings while it led: it hands over to one of them. Those
    /// that did not list it before do not count: they will. With the guard the lists decide.
    pub(super) fn tend_removal(&mut self, now: Now) {
        let (others, heartbeat) = (self.others(), self.config.heartbeat);
        let led = self.acting_since.unwrap_or_default();
        // Future times are corrupted memory.
        let lately = |last: Duration| last <= now.elapsed && now.elapsed - last <= REPLIES * heartbeat;
        let removed = |&&q: &&usize| self.peers[q].dropped.is_some_and(|(first, last)| first > led && lately(last));
        let most = 2 * others.iter().filter(removed).count() > others.len();
        let leads = self.shown.state == Role::Leader || self.dropped;
        self.dropped = most && leads && self.guarded.is_none() && self.config.silence.is_none();
    }

    /// Shows the variables.
    pub(super) fn departure_memory(&mut self, visitor: &mut dyn Visitor) {
        let mut departing = self.departing as u64;
        visitor.word("departing", &mut departing);
        self.departing = usize::try_from(departing).unwrap_or(usize::MAX);
        for (q, peer) in self.peers.iter_mut().enumerate() {
            let (first, last) = peer.dropped.unwrap_or_default();
            let mut times = [first, last].map(|time| time.as_micros() as u64);
            visitor.word(("dropped since", q), &mut times[0]);
            visitor.word(("dropped", q), &mut times[1]);
            let [first, last] = times.map(Duration::from_micros);
            peer.dropped = (last > Duration::ZERO).then_some((first, last));
        }
    }
}
