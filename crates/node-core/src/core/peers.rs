//! The incarnations of a peer, and the detection of two nodes with one identity.

use std::time::Duration;

/// The knowledge of one peer.
#[derive(Clone, Debug, Default)]
pub(super) struct Peer {
    /// The boot time of its latest known incarnation; 0 if unknown.
    pub(super) boot: u64,
    /// Whether it has echoed the boot time of this process.
    pub(super) proven: bool,
    /// The milliseconds for which it has acted as leader, according to its last datagram; 0 if it does not act.
    pub(super) acting: u32,
    last: Duration,
    /// An earlier incarnation that was heard after the start of the latest.
    other: Option<Incarnation>,
    /// The incarnations that were told of the other one, with the time.
    told: Vec<(u64, Duration)>,
}

/// One of two nodes with the same identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Incarnation {
    pub(super) boot: u64,
    pub(super) acting: u32,
    last: Duration,
}

/// The incarnations that were heard lately.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Speakers {
    /// One node has the identity.
    Only,
    /// Two nodes have it: the other one, and whether that one has precedence.
    OneOfTwo(Incarnation, bool),
}

impl Peer {
    /// Records a datagram of the incarnation that started at `boot` and has `acting` milliseconds as leader. An incarnation is forgotten
    /// after a silence of `linger`.
    pub(super) fn hear(&mut self, boot: u64, acting: u32, now: Duration, linger: Duration) -> Speakers {
        let recent = |last: Duration| now.saturating_sub(last) < linger;
        self.other = self.other.filter(|other| recent(other.last));
        let other = if boot == self.boot {
            (self.acting, self.last) = (acting, now);
            self.other
        } else if boot > self.boot || !recent(self.last) {
            // A restart; or the latest boot time was wrong, because of a clock or of corrupted memory.
            (self.boot, self.acting, self.last, self.other) = (boot, acting, now, None);
            None
        } else {
            self.other = Some(Incarnation { boot, acting, last: now });
            Some(Incarnation { boot: self.boot, acting: self.acting, last: self.last })
        };
        match other {
            None => Speakers::Only,
            Some(life) => Speakers::OneOfTwo(life, (life.acting, u64::MAX - life.boot) > (acting, u64::MAX - boot)),
        }
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

    #[test]
    fn a_restart_is_not_a_duplicate_and_two_alternating_nodes_are() {
        let mut peer = Peer::default();
        let mut hear = |boot, acting, at: u32| peer.hear(boot, acting, at * SECOND, 5 * SECOND);
        assert_eq!(hear(10, 7, 0), Speakers::Only);
        assert_eq!(hear(20, 0, 1), Speakers::Only, "it was restarted");
        assert!(
            matches!(hear(10, 7, 2), Speakers::OneOfTwo(Incarnation { boot: 20, acting: 0, .. }, false)),
            "the old one still runs"
        );
        assert!(matches!(hear(20, 0, 3), Speakers::OneOfTwo(Incarnation { boot: 10, acting: 7, .. }, true)));
        assert_eq!(hear(20, 0, 9), Speakers::Only, "the old one has ended");
        assert_eq!(hear(15, 0, 30), Speakers::Only, "its clock was set back before a restart");
    }

    #[test]
    fn of_two_nodes_that_do_not_act_the_older_has_precedence() {
        let mut peer = Peer { boot: 20, ..Peer::default() };
        assert!(matches!(peer.hear(10, 0, SECOND, 5 * SECOND), Speakers::OneOfTwo(_, false)));
        assert!(matches!(peer.hear(20, 0, SECOND, 5 * SECOND), Speakers::OneOfTwo(_, true)));
    }
}
