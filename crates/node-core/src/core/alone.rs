//! A node that no peer has answered since its start does not know whether another one leads: it holds back for some time.

use super::{Alone, Core};
use crate::interface::Now;
use crate::trouble::Trouble;
use std::time::Duration;

/// The time for which it holds back, in heartbeats, and at least.
const HEARTBEATS: u32 = 10;
const LEAST: Duration = Duration::from_secs(5);
/// The factor for this time if peers are heard that this node cannot understand, or that do not answer. Anybody can forge or repeat such
/// datagrams, so the factor applies once.
const LONGER: u32 = 6;

impl Core {
    /// The time for which it holds back.
    fn hold(&self) -> Duration {
        (self.config.heartbeat * HEARTBEATS).max(LEAST)
    }

    /// The end of the usual hold, in microseconds.
    pub(super) fn begin_hold(&mut self, now: Now) {
        self.alone_until = (now.elapsed + self.hold()).as_micros() as u64;
    }

    /// A peer may be there: the hold lasts longer, once.
    pub(super) fn lengthen_hold(&mut self, now: Now) {
        if self.holds_back(now) {
            self.alone_until = (self.begun.elapsed + LONGER * self.hold()).as_micros() as u64;
        }
    }

    /// Notes, while it holds back, that a member is heard and has not answered for a heartbeat: it does not hear this node.
    pub(super) fn note_unanswered(&mut self, now: Now, sender: usize) {
        let (at, heartbeat) = (now.micros(), self.config.heartbeat.as_micros() as u64);
        let unanswered = self.links.get(&sender).is_some_and(|link| link.unanswered(at, heartbeat));
        if unanswered && self.config.members.get(sender) == Some(&true) && self.holds_back(now) {
            self.note(now, sender, Trouble::Unanswered);
            self.lengthen_hold(now);
        }
    }

    /// Shortens an end that uncorrupted memory cannot contain.
    pub(super) fn heal_hold(&mut self, now: Now) {
        self.alone_until = self.alone_until.min((now.elapsed + LONGER * self.hold()).as_micros() as u64);
    }

    /// Whether it must not lead because no peer has answered it since its start. This never concerns a node that acts.
    pub(super) fn holds_back(&self, now: Now) -> bool {
        let others = !self.others().is_empty();
        // With the guard a majority decides, and a ring needs all of its members anyway.
        let decides = self.guarded.is_none() && self.config.silence.is_none();
        let blind = !self.heard_peer && others && decides && self.acting_since.is_none();
        blind
            && match self.config.alone {
                Alone::Lead => false,
                Alone::Wait => now.micros() < self.alone_until,
                Alone::Never => true,
            }
    }

    /// Reports that it holds back.
    pub(super) fn tell_of_hold(&mut self, now: Now) {
        if self.held_back {
            let left = Duration::from_micros(self.alone_until.saturating_sub(now.micros()));
            let left = (self.config.alone == Alone::Wait).then_some(left);
            self.note(now, self.config.me, Trouble::Alone { left });
        }
    }
}
