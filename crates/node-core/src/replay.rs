//! Protection against replays: each datagram is accepted once, and no old one is.
//!
//! The assumption: the clocks of all hosts agree within the *window*. A datagram carries the time of its sender. It is accepted
//! if that time is within the window of the receiver's clock, and after the last one accepted from the same sender.
//!
//! The memory recovers from any contents: a remembered time that lies too far ahead is ignored, and the clock overtakes every
//! other wrong value after at most two windows.

use std::collections::BTreeMap;

/// The time of the last datagram accepted from each sender.
#[derive(Clone, Debug)]
pub(crate) struct Replay {
    /// In microseconds.
    window: u64,
    /// By sender, authentic ones with an identity beyond the cluster's size included.
    taken: BTreeMap<usize, u64>,
    sent: u64,
}

/// The reason why a datagram's time is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stale {
    /// It is outside the window.
    Clock,
    /// It is not later than the last.
    Replay,
}

impl Replay {
    pub(crate) fn new(size: usize, window: u64) -> Replay {
        Replay { window, taken: (0..size).map(|sender| (sender, 0)).collect(), sent: 0 }
    }

    /// Accepts a datagram of `sender` with this time, if it is valid `now`.
    pub(crate) fn take(&mut self, sender: usize, time: u64, now: u64) -> Result<(), Stale> {
        if time.abs_diff(now) > self.window {
            return Err(Stale::Clock);
        }
        let last = self.taken.get(&sender).copied().unwrap_or(0);
        if last <= now.saturating_add(self.window) && time <= last {
            return Err(Stale::Replay);
        }
        self.taken.insert(sender, time);
        Ok(())
    }

    /// The time that the next datagram carries: the clock's, but later than that of the last datagram even if the clock was
    /// set back a little. A last time beyond the window is ignored.
    pub(crate) fn stamp(&mut self, now: u64) -> u64 {
        let plausible = self.sent < now.saturating_add(self.window);
        self.sent = if plausible { now.max(self.sent + 1) } else { now };
        self.sent
    }

    /// Every remembered time, to be overwritten.
    pub(crate) fn memory(&mut self) -> impl Iterator<Item = &mut u64> {
        self.taken.values_mut().chain([&mut self.sent])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_datagram_is_accepted_once_and_only_with_a_later_time() {
        let mut replay = Replay::new(2, 100);
        assert_eq!(replay.take(0, 1000, 1000), Ok(()));
        assert_eq!(replay.take(0, 1000, 1001), Err(Stale::Replay));
        assert_eq!(replay.take(0, 999, 1001), Err(Stale::Replay));
        assert_eq!(replay.take(1, 999, 1001), Ok(()), "senders are independent");
        assert_eq!(replay.take(0, 1001, 1102), Err(Stale::Clock));
        assert_eq!(replay.take(0, 1203, 1102), Err(Stale::Clock));
        assert_eq!(replay.take(0, 1202, 1102), Ok(()));
    }

    #[test]
    fn any_memory_recovers_within_two_windows() {
        let window = 50;
        for wrong in (0..2000).chain([u64::MAX - 1, u64::MAX]) {
            let mut replay = Replay::new(1, window);
            replay.memory().for_each(|time| *time = wrong);
            let start = 1000;
            // Sender and receiver share a clock; one datagram each unit of time.
            let taken = (start..).find(|&now| {
                let time = replay.stamp(now);
                replay.take(0, time, now).is_ok()
            });
            assert!(taken.unwrap() <= start + 2 * window, "{wrong}: {taken:?}");
        }
    }

    #[test]
    fn stamps_grow_even_when_the_clock_is_set_back_a_little() {
        let mut replay = Replay::new(1, 50);
        assert_eq!([1000, 990, 990, 1001, 1010].map(|now| replay.stamp(now)), [1000, 1001, 1002, 1003, 1010]);
        assert_eq!(replay.stamp(100), 100, "set back by much: no receiver accepted the old times");
    }
}
