//! Whose fault a silence is: of the leader and its links, or one's own.
//!
//! A link that loses everything loses accusations, too, so they are repeated when the accused is heard again. But whoever was cut off
//! itself has nobody to blame, and must not unseat a leader that all others heard. It knows by its company: meanwhile it heard a
//! majority, or of the accused. Followers are silent, so they tell whoever acts beside their leader that another leads.

use super::{Kind, Memory, Said};
use crate::robust::others;
use crate::robust::s2::{Message, RobustS2, State};
use ringleader_model::Outbox;

impl RobustS2 {
    /// The leader was silent for too long: accused at once, and once more when it is heard again. From now on company counts.
    pub(super) fn give_up(&self, s: &mut State, out: &mut impl Outbox<Message>) {
        s.quick.owed[s.leader] = true;
        s.quick.met.fill(u64::MAX);
        out.send(s.leader, Message::Said(self.accusation(s, s.leader)));
    }

    pub(super) fn accusation(&self, s: &State, q: usize) -> Said {
        Said { kind: Kind::Accusation, phase: s.phase[q], ..Said::default() }
    }

    /// Whether this one was silent while others were heard. What has just come tells nothing: all are heard again when a cut ends.
    pub(super) fn was_silent_alone(&self, s: &State, q: usize) -> bool {
        let met = |r: usize| s.quick.met[r] != u64::MAX && s.quick.met[r] > self.one_way();
        let company = (0..self.size).filter(|&r| r != q && met(r)).count();
        met(q) || 2 * (company + 1) > self.size
    }

    /// To whoever was heard to lead just now, and goes after the leader.
    pub(super) fn tell_of_leader(&self, p: usize, s: &State, leader: usize, out: &mut impl Outbox<Message>) {
        let told = Said { kind: Kind::Resign, counter: leader as u64 + 1, ..Said::default() };
        let beside = |&q: &usize| q != leader && s.quick.silence[q] == 1 && self.rank(s, leader) < self.rank(s, q);
        others(self.size, p).filter(beside).for_each(|q| out.send(q, Message::Said(told)));
    }
}

impl Memory {
    /// This one was heard, or heard of.
    pub(super) fn meet(&mut self, q: usize) {
        if self.met[q] == u64::MAX {
            self.met[q] = 0;
        }
    }
}
