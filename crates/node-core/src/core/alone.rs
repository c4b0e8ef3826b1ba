//! A node that has heard no peer since its start does not know whether another one leads: it holds back for some time.

use super::{Alone, Core};
use crate::interface::Now;
use crate::trouble::Trouble;
use std::time::Duration;

/// The time for which it holds back, in heartbeats, and at least.
const HEARTBEATS: u32 = 10;
const LEAST: Duration = Duration::from_secs(5);
/// The same if datagrams in the names of peers cannot be authenticated, in times of the usual one: the peers are there, and the settings
/// differ. Anybody can forge such datagrams, so it is a fixed time.
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

    /// Shortens an end that uncorrupted memory cannot contain.
    pub(super) fn heal_hold(&mut self, now: Now) {
        self.alone_until = self.alone_until.min((now.elapsed + LONGER * self.hold()).as_micros() as u64);
    }

    /// Whether it must not lead because it has heard no peer since its start. This never concerns a node that acts.
    pub(super) fn holds_back(&self, now: Now) -> bool {
        let unheard = self.counters.clock_offset.iter().all(Option::is_none);
        let others = (0..self.peers.len()).any(|to| !self.is_me(to) && self.config.members[to]);
        // With the guard a majority decides, and a ring needs all of its members anyway.
        let decides = self.guarded.is_none() && self.config.silence.is_none();
        let blind = unheard && others && decides && self.acting_since.is_none();
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
