//! Which life of a peer speaks, and whether two of them do.

use std::time::Duration;

/// What is known of one peer.
#[derive(Clone, Debug, Default)]
pub(super) struct Peer {
    /// When the life began that is taken to be the latest; 0 if that is not known.
    pub(super) boot: u64,
    /// Whether it has said when this process began.
    pub(super) proven: bool,
    /// For how long it has acted, in milliseconds, as it said last; 0 if it does not.
    pub(super) acting: u32,
    last: Duration,
    /// An earlier life that was heard after the latest had begun.
    other: Option<Life>,
    /// Which of its lives were told of the other, and when.
    told: Vec<(u64, Duration)>,
}

/// One of two nodes with the same identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Life {
    pub(super) boot: u64,
    pub(super) acting: u32,
    last: Duration,
}

/// What to make of a datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Voice {
    /// There is one such peer.
    Only,
    /// There are two; this is the other one, and whether it has more right to the identity.
    OneOfTwo(Life, bool),
}

impl Peer {
    /// A life that began at `boot` and has acted for so long speaks. Lives are forgotten that were silent for `linger`.
    pub(super) fn hear(&mut self, boot: u64, acting: u32, now: Duration, linger: Duration) -> Voice {
        let recent = |last: Duration| now.saturating_sub(last) < linger;
        self.other = self.other.filter(|other| recent(other.last));
        let other = if boot == self.boot {
            (self.acting, self.last) = (acting, now);
            self.other
        } else if boot > self.boot || !recent(self.last) {
            // A restart; or the latest life was none: its clock was wrong, or this memory was.
            (self.boot, self.acting, self.last, self.other) = (boot, acting, now, None);
            None
        } else {
            self.other = Some(Life { boot, acting, last: now });
            Some(Life { boot: self.boot, acting: self.acting, last: self.last })
        };
        match other {
            None => Voice::Only,
            Some(life) => Voice::OneOfTwo(life, (life.acting, u64::MAX - life.boot) > (acting, u64::MAX - boot)),
        }
    }

    /// Whether it is time to tell this life something again.
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
    fn a_restart_is_no_double_and_two_that_take_turns_are() {
        let mut peer = Peer::default();
        let mut hear = |boot, acting, at: u32| peer.hear(boot, acting, at * SECOND, 5 * SECOND);
        assert_eq!(hear(10, 7, 0), Voice::Only);
        assert_eq!(hear(20, 0, 1), Voice::Only, "it was restarted");
        assert!(
            matches!(hear(10, 7, 2), Voice::OneOfTwo(Life { boot: 20, acting: 0, .. }, false)),
            "the old one lives"
        );
        assert!(matches!(hear(20, 0, 3), Voice::OneOfTwo(Life { boot: 10, acting: 7, .. }, true)));
        assert_eq!(hear(20, 0, 9), Voice::Only, "the old one has ended");
        assert_eq!(hear(15, 0, 30), Voice::Only, "its clock was set back before a restart");
    }

    #[test]
    fn of_two_that_do_not_act_the_first_has_more_right() {
        let mut peer = Peer { boot: 20, ..Peer::default() };
        assert!(matches!(peer.hear(10, 0, SECOND, 5 * SECOND), Voice::OneOfTwo(_, false)));
        assert!(matches!(peer.hear(20, 0, SECOND, 5 * SECOND), Voice::OneOfTwo(_, true)));
    }
}
