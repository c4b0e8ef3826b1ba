//! Each datagram counts once, and none from long ago.
//!
//! The assumption: the clocks of all hosts agree within the *window*. A datagram carries its sender's clock. It is taken
//! when that lies within the window of the receiver's clock, and after the last one taken from the same sender.
//!
//! The memory heals: a remembered time later than any that could have been taken is forgotten at once, and every other
//! wrong value is overtaken by the clock after at most two windows.

use std::collections::BTreeMap;

/// What has been taken from whom.
#[derive(Clone, Debug)]
pub(crate) struct Replay {
    /// In microseconds.
    window: u64,
    /// By sender; those of identities beyond the cluster's are remembered too, as long as they are authentic.
    taken: BTreeMap<usize, u64>,
    sent: u64,
}

/// What is wrong with a datagram's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stale {
    /// It is outside the window.
    Clock,
    /// It is not newer than the last.
    Replay,
}

impl Replay {
    pub(crate) fn new(size: usize, window: u64) -> Replay {
        Replay { window, taken: (0..size).map(|sender| (sender, 0)).collect(), sent: 0 }
    }

    /// Whether a datagram of `sender` with this time counts, by a clock that shows `now`.
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

    /// The time that the next datagram carries: the clock's, but later than the last one's even where the clock was
    /// set back a little. A last one that no clock within the window would show is forgotten.
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
    fn once_and_only_forwards() {
        let mut replay = Replay::new(2, 100);
        assert_eq!(replay.take(0, 1000, 1000), Ok(()));
        assert_eq!(replay.take(0, 1000, 1001), Err(Stale::Replay));
        assert_eq!(replay.take(0, 999, 1001), Err(Stale::Replay));
        assert_eq!(replay.take(1, 999, 1001), Ok(()), "senders do not mix");
        assert_eq!(replay.take(0, 1001, 1102), Err(Stale::Clock));
        assert_eq!(replay.take(0, 1203, 1102), Err(Stale::Clock));
        assert_eq!(replay.take(0, 1202, 1102), Ok(()));
    }

    #[test]
    fn any_memory_heals_within_two_windows() {
        let window = 50;
        for wrong in (0..2000).chain([u64::MAX - 1, u64::MAX]) {
            let mut replay = Replay::new(1, window);
            replay.memory().for_each(|time| *time = wrong);
            let start = 1000;
            // Sender and receiver share a clock; a datagram each unit of time.
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
        assert_eq!(replay.stamp(100), 100, "set back by much: receivers never took the old times");
    }
}
