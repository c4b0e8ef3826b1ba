//! The incarnations of a peer, and the detection of two nodes with one identity.

use crate::lease::Letter;
use crate::wire::Purpose;
use std::time::Duration;

/// The knowledge of one peer.
#[derive(Clone, Debug, Default)]
pub(super) struct Peer {
    /// The incarnation of the session.
    pub(super) present: Incarnation,
    /// The time at which this incarnation replaced another one.
    pub(super) restarted: Option<Duration>,
    /// Another incarnation that was heard lately.
    other: Option<Incarnation>,
    /// The time of its last datagram with a guard, if this node has none.
    pub(super) guarded: Option<Duration>,
    /// When it has said last that this node is none of its peers.
    pub(super) dropped: Option<Duration>,
    /// Since when, and when last, it was heard to act.
    pub(super) beside: Option<(Duration, Duration)>,
    /// The number of its last leadership that it has reported.
    pub(super) led: u64,
    /// Whether both have answered challenges of this node.
    doubled: bool,
    /// The incarnations that were told of the other one, with the time.
    told: Vec<(u64, Duration)>,
    /// The last datagram to it that has to arrive.
    pub(super) sent: Option<Sent>,
}

/// An incarnation, according to its last datagram.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Incarnation {
    pub(super) boot: u64,
    /// The milliseconds for which it has acted as leader; 0 if it does not act.
    pub(super) acting: u32,
    /// Its uptime in microseconds.
    pub(super) uptime: u64,
    /// The time of its last datagram.
    pub(super) last: Duration,
}

/// A datagram that is sent again if the receiver could not know that it is fresh.
#[derive(Clone, Debug)]
pub(super) struct Sent {
    pub(super) time: u64,
    pub(super) purpose: Purpose,
    pub(super) letter: Option<Letter>,
    pub(super) message: Vec<u8>,
}

impl Incarnation {
    /// Its uptime in microseconds at this time.
    pub(super) fn uptime_at(&self, now: Duration) -> u64 {
        self.uptime.saturating_add(now.saturating_sub(self.last).as_micros() as u64)
    }

    /// Whether it has precedence over another node of its identity: it has acted for longer, or has a greater uptime.
    fn precedes(&self, other: &Incarnation, now: Duration) -> bool {
        (self.acting, self.uptime_at(now)) > (other.acting, other.uptime_at(now))
    }
}

impl Peer {
    /// Records a datagram of the session. Returns the other node with this identity, if there is one.
    pub(super) fn hear(&mut self, heard: Incarnation, linger: Duration) -> Option<Incarnation> {
        self.present = heard;
        self.forget(heard.last, linger);
        self.other.filter(|_| self.doubled)
    }

    /// An incarnation is forgotten after a silence of `linger`.
    fn forget(&mut self, now: Duration, linger: Duration) {
        self.other = self.other.filter(|other| now.saturating_sub(other.last) < linger && other.last <= now);
        self.doubled &= self.other.is_some();
    }

    /// A newcomer has answered a challenge. A restart never brings back an earlier incarnation, so that proves two nodes with one identity.
    /// Returns the other node if that one has precedence; then the newcomer gets no session.
    pub(super) fn arrive(&mut self, newcomer: Incarnation, linger: Duration) -> Result<(), Incarnation> {
        let now = newcomer.last;
        self.forget(now, linger);
        let before = self.present;
        self.doubled = self.other.is_some_and(|other| other.boot == newcomer.boot);
        if self.doubled && before.precedes(&newcomer, now) {
            self.other = Some(newcomer);
            return Err(before);
        }
        // It may have been silent for long and still run.
        let still = Incarnation { uptime: before.uptime_at(now), last: now, ..before };
        self.other = Some(still).filter(|before| before.boot != 0 && before.boot != newcomer.boot);
        self.doubled &= self.other.is_some();
        self.restarted = self.other.map(|_| now);
        self.present = newcomer;
        Ok(())
    }

    /// The time for which it has been heard to act, without a pause of `pause`. `acting` is from the datagram that arrives now.
    pub(super) fn acts_for(&mut self, now: Duration, acting: u32, pause: Duration) -> Duration {
        let lately = |&(first, last): &(Duration, Duration)| first <= last && last <= now && now - last <= pause;
        let first = self.beside.filter(lately).map_or(now, |(first, _)| first);
        self.beside = (acting > 0).then_some((first, now));
        now - first
    }

    /// Whether this incarnation is to be told again.
    pub(super) fn tell(&mut self, boot: u64, now: Duration, every: Duration) -> bool {
        self.told.retain(|(_, at)| now.saturating_sub(*at) < every / 2);
        let due = self.told.iter().all(|(told, _)| *told != boot);
        if due {
            self.told.push((boot, now));
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);
    const LINGER: Duration = Duration::from_secs(5);

    /// An incarnation that began at a time, in seconds.
    fn incarnation(boot: u64, began: u32, acting: u32, at: u32) -> Incarnation {
        Incarnation { boot, acting, uptime: u64::from(at - began) * 1_000_000, last: at * SECOND }
    }

    #[test]
    fn a_restart_is_not_a_duplicate_and_two_alternating_nodes_are() {
        let mut peer = Peer::default();
        assert_eq!(peer.arrive(incarnation(8, 0, 7, 100), LINGER), Ok(()));
        assert_eq!(peer.arrive(incarnation(3, 100, 0, 101), LINGER), Ok(()), "it was restarted");
        assert_eq!(peer.hear(incarnation(3, 100, 0, 101), LINGER), None);
        assert_eq!(peer.arrive(incarnation(8, 0, 7, 102), LINGER), Ok(()), "the old one still runs and acts");
        assert_eq!(peer.hear(incarnation(8, 0, 7, 102), LINGER).map(|other| other.boot), Some(3));
        assert_eq!(peer.arrive(incarnation(3, 100, 0, 103), LINGER).map_err(|first| first.boot), Err(8));
        assert_eq!(peer.hear(incarnation(8, 0, 7, 104), LINGER).map(|other| other.boot), Some(3));
        assert_eq!(peer.hear(incarnation(8, 0, 7, 110), LINGER), None, "the other one has ended");
        assert_eq!(peer.arrive(incarnation(9, 120, 0, 121), LINGER), Ok(()), "a restart after a silence");
        assert_eq!(peer.hear(incarnation(9, 120, 0, 121), LINGER), None);
    }

    #[test]
    fn of_two_nodes_that_do_not_act_the_one_with_the_longer_uptime_has_precedence() {
        for (older, newer) in [(4, 9), (9, 4)] {
            let mut peer = Peer::default();
            peer.arrive(incarnation(older, 0, 0, 100), LINGER).unwrap();
            peer.arrive(incarnation(newer, 99, 0, 101), LINGER).unwrap();
            assert_eq!(peer.arrive(incarnation(older, 0, 0, 102), LINGER), Ok(()));
            assert_eq!(peer.arrive(incarnation(newer, 99, 0, 103), LINGER).map_err(|first| first.boot), Err(older));
        }
    }
}
