//! Members that leave the list. A leader that leaves is heard, and followed, until it has handed over. Without its last messages nobody would
//! lead until its silence is noticed, and longer where it still acts.
//!
//! Without the guard each node has a list of its own. A node that more than half of the others do not list may not lead. It asks them, since
//! they send nothing to it otherwise, and forgets what they said when they are silent. A leader that hears an acting node which it does not list
//! leads on for some heartbeats. In this time the other one hears whether it is removed. If it still acts, fewer have removed it.

use super::Core;
use crate::interface::Now;
use crate::tempo::ITERATIONS;
use crate::trouble::Trouble;
use crate::wire::Header;
use ringleader_model::Visitor;
use std::time::Duration;

/// The heartbeats of silence after which a node forgets that a peer does not list it. It asks once a heartbeat, and some answers are lost.
const FORGETS: u32 = 10;
/// The heartbeats without such an answer after which any other datagram of the peer shows that it lists this node again.
const LISTED: u32 = 2;
/// The heartbeats for which a leader leads on beside one that it does not list. Every heartbeat of the other one is answered.
const BESIDE: u32 = 3;

impl Core {
    /// Uses other members, besides a leader that leaves.
    pub(super) fn use_members(&mut self, members: Vec<bool>) {
        let leader = self.algorithm.shown().leader;
        if self.listed.get(leader) == Some(&true) && members.get(leader) == Some(&false) {
            self.departing = leader;
        }
        for (peer, (before, now)) in self.peers.iter_mut().zip(self.listed.iter().zip(&members)) {
            // For as long as a peer has acted, it may not have known of the change.
            peer.beside = peer.beside.filter(|_| before == now);
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

    /// Notes whether a peer lists this node, by a datagram of it.
    pub(super) fn note_removal(&mut self, now: Now, sender: usize, says_so: bool) {
        let dropped = &mut self.peers[sender].dropped;
        if says_so {
            *dropped = Some(now.elapsed);
        } else if dropped.is_some_and(|last| now.elapsed.saturating_sub(last) > LISTED * self.config.heartbeat) {
            *dropped = None;
            self.notices.solve(sender, |trouble| trouble == Trouble::Unknown);
        }
    }

    /// Notes whether more than half of the others do not list this node, and asks them again. With the guard the lists decide.
    pub(super) fn tend_removal(&mut self, now: Now) {
        let (others, heartbeat) = (self.others(), self.config.heartbeat);
        // Future times are corrupted memory.
        let lately = |last: Duration| last <= now.elapsed && now.elapsed - last <= FORGETS * heartbeat;
        let most = 2 * others.iter().filter(|&&q| self.peers[q].dropped.is_some_and(lately)).count() > others.len();
        self.dropped = most && self.guarded.is_none() && self.config.silence.is_none();
        let unknown = self.dispute.is_some_and(|(_, notice)| notice.trouble == Trouble::Unknown);
        if self.dropped && unknown {
            self.dispute = None;
        }
        let due = self.counters.iterations.is_multiple_of(u64::from(ITERATIONS));
        if due && self.guarded.is_none() && (self.dropped || unknown) {
            others.into_iter().for_each(|to| self.greet_peer(now, to));
        }
    }

    /// Whether a node that this one does not list, and that has precedence if it is `rightful`, bars this one.
    pub(super) fn yields_to_stranger(&mut self, now: Now, sender: usize, header: &Header, rightful: bool) -> bool {
        let heartbeat = self.config.heartbeat;
        if header.acting == 0 {
            // It may have heard meanwhile that it is removed.
            let about = |notice: &crate::Notice| (notice.peer, notice.trouble) == (sender, Trouble::Stranger);
            self.dispute = self.dispute.filter(|(_, notice)| !about(notice));
        }
        let acts = self.acting_since.is_some();
        let Some(peer) = self.peers.get_mut(sender) else { return rightful };
        let acted = peer.acts_for(now.elapsed, header.acting, BESIDE * heartbeat);
        rightful && (!acts || acted >= BESIDE * heartbeat)
    }

    /// Shows the variables.
    pub(super) fn departure_memory(&mut self, visitor: &mut dyn Visitor) {
        let mut departing = self.departing as u64;
        visitor.word("departing", &mut departing);
        self.departing = usize::try_from(departing).unwrap_or(usize::MAX);
        for (q, peer) in self.peers.iter_mut().enumerate() {
            let (first, last) = peer.beside.unwrap_or_default();
            let mut times = [peer.dropped.unwrap_or_default(), first, last].map(|time| time.as_micros() as u64);
            visitor.word(("dropped", q), &mut times[0]);
            visitor.word(("beside since", q), &mut times[1]);
            visitor.word(("beside", q), &mut times[2]);
            let [dropped, first, last] = times.map(Duration::from_micros);
            peer.dropped = Some(dropped).filter(|time| !time.is_zero());
            peer.beside = (last > Duration::ZERO).then_some((first, last));
        }
    }
}
