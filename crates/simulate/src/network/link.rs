//! The behaviour of directed links.

use crate::Generator;
use ringleader_model::Coin;

/// A link's behaviour. Times are absolute, lengths in units of virtual time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Link {
    /// Delivers within δ.
    Timely,
    /// Delivers within δ, either immediately or at the last moment.
    Extreme,
    /// Loses this many of a hundred messages at random, delivers the others within 4δ.
    Lossy(u32),
    /// Loses this many of a hundred messages at random, delivers the others within a tenth of δ.
    Brisk(u32),
    /// Delivers, within δ, only every k-th message of each kind.
    Every(u32),
    /// Is silent for stretches of up to twice this length, then timely for up to twice the second.
    Bursty(u64, u64),
    /// Loses nothing, but delays without bound: up to 4δ more whenever the time has doubled.
    Slow,
    /// Loses nothing, delays by up to 6δ: later messages overtake.
    Reordering,
    /// Delivers within δ, up to three times.
    Duplicating,
    /// Loses nothing, but takes at least this long.
    Late(u64),
    /// Loses everything.
    Dead,
    /// One behaviour until some time, another one from then on.
    Until(u64, Box<Link>, Box<Link>),
}

/// The memory of a link.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// [`Link::Every`]: the number of messages of each kind that were sent.
    sent: Vec<(usize, u32)>,
    /// [`Link::Bursty`]: whether it is silent, and until when.
    silent: bool,
    until: u64,
}

impl Link {
    /// In δ: the greatest age of a message that arrives, within the first 2^32 δ; but see [`Link::Late`].
    pub const OLDEST: u64 = 4 * (1 + 32);
    /// In δ: how long a link that random instances and adversaries use may deliver nothing of what is sent every δ, unless it
    /// is dead. `Lossy(90)` keeps within it in all but one of 2^40 cases, `Bursty` stretches are at most 60 δ.
    pub const LONGEST_GAP: u64 = 264 + 4;
    /// On average, at least one in this many messages arrives.
    pub const ODDS: u64 = 10;

    /// Timely from `from` on, lossy before.
    pub fn eventually_timely(from: u64) -> Link {
        Link::Until(from, Box::new(Link::Lossy(70)), Box::new(Link::Timely))
    }

    /// Whether it delivers everything within δ, always.
    pub fn timely(&self) -> bool {
        matches!(self, Link::Timely | Link::Extreme | Link::Duplicating | Link::Brisk(0))
    }

    /// Calls `deliver` with the delay of every copy that arrives of a message sent now.
    pub fn carry(
        &self,
        memory: &mut Memory,
        now: u64,
        delta: u64,
        slot: usize,
        coin: &mut Generator,
        deliver: &mut dyn FnMut(u64),
    ) {
        match *self {
            Link::Timely => deliver(coin.between(1, delta)),
            Link::Extreme => deliver(if coin.below(2) == 0 { 1 } else { delta }),
            Link::Lossy(percent) => {
                if coin.below(100) >= percent {
                    deliver(coin.between(1, 4 * delta));
                }
            }
            Link::Brisk(percent) => {
                if coin.below(100) >= percent {
                    deliver(coin.between(1, delta.div_ceil(10)));
                }
            }
            Link::Every(k) => {
                if memory.count(slot).is_multiple_of(k) {
                    deliver(coin.between(1, delta));
                }
            }
            Link::Bursty(silent, open) => {
                while memory.until <= now {
                    memory.silent = !memory.silent;
                    memory.until += coin.between(1, 2 * if memory.silent { silent } else { open });
                }
                if !memory.silent {
                    deliver(coin.between(1, delta));
                }
            }
            Link::Slow => {
                let doublings = u64::from(64 - (now / delta).leading_zeros());
                deliver(coin.between(1, 4 * delta * (1 + doublings)));
            }
            Link::Reordering => deliver(coin.between(1, 6 * delta)),
            Link::Duplicating => (0..=coin.below(3)).for_each(|_| deliver(coin.between(1, delta))),
            Link::Late(least) => deliver(least + coin.between(1, delta)),
            Link::Dead => {}
            Link::Until(time, ref before, ref after) => {
                let link = if now < time { before } else { after };
                link.carry(memory, now, delta, slot, coin, deliver);
            }
        }
    }
}

impl Memory {
    fn count(&mut self, slot: usize) -> u32 {
        let index = self.sent.iter().position(|&(kind, _)| kind == slot).unwrap_or_else(|| {
            self.sent.push((slot, 0));
            self.sent.len() - 1
        });
        let (_, count) = &mut self.sent[index];
        *count = count.wrapping_add(1);
        *count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DELTA: u64 = 40;

    fn delays(link: Link, messages: u64) -> Vec<Vec<u64>> {
        let (mut memory, mut coin) = (Memory::default(), Generator::new(1));
        let one = |i| {
            let mut copies = vec![];
            link.carry(&mut memory, i * DELTA, DELTA, 0, &mut coin, &mut |delay| copies.push(delay));
            copies
        };
        (0..messages).map(one).collect()
    }

    #[test]
    fn timely_links_deliver_everything_within_delta() {
        for link in [Link::Timely, Link::Extreme, Link::Duplicating, Link::Brisk(0)] {
            assert!(link.timely());
            assert!(delays(link, 500).iter().all(|copies| !copies.is_empty() && copies.iter().all(|d| *d <= DELTA)));
        }
    }

    #[test]
    fn reliable_links_lose_nothing_and_slow_ones_have_no_bound() {
        assert!(delays(Link::Reordering, 500).iter().all(|copies| copies.len() == 1));
        let slow = delays(Link::Slow, 100_000);
        let longest = |part: &[Vec<u64>]| part.iter().map(|copies| copies[0]).max().unwrap();
        assert!(longest(&slow[50_000..]) > 4 * longest(&slow[..8]), "later messages may take longer");
    }

    #[test]
    fn fair_links_keep_delivering_and_keep_losing() {
        for link in [Link::Lossy(70), Link::Every(3), Link::Bursty(800, 400)] {
            let arrived = delays(link.clone(), 3000).iter().filter(|copies| !copies.is_empty()).count();
            assert!((500..2000).contains(&arrived), "{link:?}: {arrived}");
        }
        assert!(delays(Link::Dead, 100).iter().all(Vec::is_empty));
    }

    #[test]
    fn no_link_is_worse_than_the_horizons_assume() {
        let (now, mut coin) = ((1 << 32) * DELTA - 1, Generator::new(1));
        for link in
            [Link::Lossy(90), Link::Every(10), Link::Bursty(30 * DELTA, 5 * DELTA), Link::Slow, Link::Reordering]
        {
            let mut memory = Memory { until: now, ..Memory::default() };
            let (mut oldest, mut last, mut gap) = (0, 0, 0);
            let messages = 50_000;
            let mut arrived = 0;
            for i in 0..messages {
                link.carry(&mut memory, now + i * DELTA, DELTA, 0, &mut coin, &mut |delay| {
                    oldest = oldest.max(delay);
                    gap = gap.max(i - last);
                    last = i;
                    arrived += 1;
                });
            }
            assert!(oldest <= (Link::OLDEST + 4) * DELTA && gap + 4 <= Link::LONGEST_GAP, "{link:?} {oldest} {gap}");
            assert!(arrived * (Link::ODDS + 1) > messages, "{link:?} {arrived}");
        }
        assert!(0.9f64.powi(264) < 0.5f64.powi(40));
    }

    #[test]
    fn every_kth_counts_each_kind_apart() {
        let (mut memory, mut coin, mut arrived) = (Memory::default(), Generator::new(1), [0; 2]);
        for i in 0..120 {
            Link::Every(3)
                .carry(&mut memory, i, DELTA, (i % 2) as usize, &mut coin, &mut |_| arrived[i as usize % 2] += 1);
        }
        assert_eq!(arrived, [20, 20]);
    }

    #[test]
    fn eventually_timely_is_timely_from_its_time_on() {
        let copies = delays(Link::eventually_timely(100 * DELTA), 200);
        assert!(copies[..100].iter().any(Vec::is_empty));
        assert!(copies[100..].iter().all(|c| c.len() == 1 && c[0] <= DELTA));
    }
}
