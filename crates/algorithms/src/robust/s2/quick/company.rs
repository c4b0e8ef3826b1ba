//! The cause of a silence: the leader and its links, or the process's own links.
//!
//! A link that loses everything also loses accusations, so they are repeated when the accused process is heard again. But a process that was
//! partitioned itself must not accuse a leader that all others heard. It can tell by the processes that it met: during the silence it heard a
//! majority, or it heard of the accused. Followers send no ALIVE, so they tell a process that acts beside their leader about the leader.

use super::{Memory, Part, Quick};
use crate::robust::others;
use crate::robust::s2::{Message, RobustS2, State};
use ringleader_model::{MessageKind, Outbox};

impl RobustS2 {
    /// Gives up a silent leader: accuses it now, and again when it is heard again. From now on, the processes heard are recorded.
    pub(super) fn give_up(&self, s: &mut State, out: &mut impl Outbox<Message>) {
        s.quick.owed[s.leader] = true;
        s.quick.met.fill(u64::MAX);
        out.send(s.leader, Message::accusation(s.phase[s.leader]));
    }

    /// Counts an accusation. A process that has not led since its start is accused of the silence of its last incarnation, which had the same
    /// phase, and does not count it.
    pub(super) fn be_accused(&self, p: usize, s: &mut State, phase: u64) {
        if phase == s.phase[p] && s.quick.part != Part::Idle {
            s.counter[p] = s.counter[p].saturating_add(1);
        }
    }

    /// Whether this process was silent while others were heard. A process heard just now does not count: all are heard when a partition ends.
    pub(super) fn was_silent_alone(&self, s: &State, q: usize) -> bool {
        let met = |r: usize| s.quick.met[r] != u64::MAX && s.quick.met[r] > self.one_way();
        let company = (0..self.size).filter(|&r| r != q && met(r)).count();
        met(q) || 2 * (company + 1) > self.size
    }

    /// Tells a candidate with less patience that this process still waits for the leader, and for how long.
    pub(super) fn tell_of_patience(
        &self,
        quick: &Quick,
        p: usize,
        s: &State,
        q: usize,
        theirs: u32,
        out: &mut impl Outbox<Message>,
    ) {
        let patience = self.present_patience(quick, s);
        let waits =
            s.quick.part == Part::Idle && s.leader != p && s.leader != q && s.quick.silence[s.leader] <= patience;
        if waits && theirs > 0 && patience > u64::from(theirs) {
            let (counter, number) = (s.leader as u64 + 1, patience as u32);
            out.send(q, Message { counter, number, ..Message::new(MessageKind::Resign) });
        }
    }

    /// Tells processes that act without precedence over the leader about the leader.
    pub(super) fn tell_of_leader(&self, p: usize, s: &State, leader: usize, out: &mut impl Outbox<Message>) {
        let told = Message { counter: leader as u64 + 1, ..Message::new(MessageKind::Resign) };
        let beside = |&q: &usize| q != leader && s.quick.silence[q] == 1 && self.rank(s, leader) < self.rank(s, q);
        others(self.size, p).filter(beside).for_each(|q| out.send(q, told));
    }
}

impl Memory {
    /// This process was heard, or heard of.
    pub(super) fn meet(&mut self, q: usize) {
        if self.met[q] == u64::MAX {
            self.met[q] = 0;
        }
    }
}
