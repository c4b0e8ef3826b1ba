//! A cache of marks and interactions, for layers above an instance. Decoding and encoding the numbered states for every
//! interaction takes longer than most rules.

use ringleader_model::{Coin, Marks, Told};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// Protocols with this many states or more are not cached: two pairs of states must fit into a word, and one pair is
/// reserved.
const STATES: u64 = (1 << 16) - 1;
/// The number of cached interactions for each answer of the detector.
const PLACES: usize = 1 << 16;
/// The reserved pair of states, which marks an empty place.
const NOTHING: u64 = u64::MAX;

/// Marks by the numbers of states, and interactions that toss no coins. The states determine the place of an
/// interaction; a later interaction may replace it.
#[derive(Default)]
pub(crate) struct Memory {
    marks: OnceLock<Vec<Marks>>,
    interactions: [OnceLock<Vec<AtomicU64>>; Told::ALL.len()],
}

impl Memory {
    /// The marks of an agent in a state, computed by `ask`.
    #[inline]
    pub(crate) fn marks(&self, states: u64, state: u64, ask: impl Fn(u64) -> Marks) -> Marks {
        if states >= STATES {
            return ask(state);
        }
        self.marks.get_or_init(|| (0..states).map(&ask).collect())[state as usize]
    }

    /// The result of an interaction, computed by `ask` unless it is cached. A cached interaction announces no rules, so
    /// callers must not need the announcements.
    #[inline]
    pub(crate) fn interaction<E>(
        &self,
        states: u64,
        [u, v]: [u64; 2],
        told: Told,
        coin: &mut dyn Coin,
        ask: impl FnOnce(&mut dyn Coin) -> Result<[u64; 2], E>,
    ) -> Result<[u64; 2], E> {
        if states >= STATES {
            return ask(coin);
        }
        let all = &self.interactions[usize::from(told.initiator) << 1 | usize::from(told.responder)];
        let all = all.get_or_init(|| (0..PLACES).map(|_| AtomicU64::new(NOTHING)).collect());
        let pair = u << 16 | v;
        let place = &all[place(states, u, v)];
        let known = place.load(Ordering::Relaxed);
        if known >> 32 == pair {
            return Ok([known >> 16 & 0xffff, known & 0xffff]);
        }
        let mut watched = Watched { coin, tossed: false };
        let [a, b] = ask(&mut watched)?;
        if !watched.tossed {
            place.store(pair << 32 | a << 16 | b, Ordering::Relaxed);
        }
        Ok([a, b])
    }
}

/// If there are few states, every pair has its own place.
#[inline]
fn place(states: u64, u: u64, v: u64) -> usize {
    if states * states <= PLACES as u64 {
        return (u * states + v) as usize;
    }
    // Fibonacci hashing.
    ((u << 16 | v).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 48) as usize
}

/// A coin that records whether it was tossed.
struct Watched<'a> {
    coin: &'a mut dyn Coin,
    tossed: bool,
}

impl Coin for Watched<'_> {
    fn below(&mut self, n: u32) -> u32 {
        self.tossed = true;
        self.coin.below(n)
    }

    fn choose(&mut self, n: u32) -> u32 {
        self.tossed = true;
        self.coin.choose(n)
    }

    fn listens(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Counter(u32);

    impl Coin for Counter {
        fn below(&mut self, n: u32) -> u32 {
            self.0 += 1;
            self.0 % n
        }
    }

    /// Few states, many states, pairs that share a place: the cached result always equals the rule's result.
    #[test]
    fn what_is_remembered_is_right() {
        for states in [7, 250, 1000, 60_000, STATES, 1 << 20] {
            let memory = Memory::default();
            let (mut coin, mut asked, mut word) = (Counter(0), 0, 1u64);
            let rule = |u: u64, v: u64, told: Told| {
                let told = u64::from(told.initiator) + 2 * u64::from(told.responder);
                [(u * v + told) % states, (u + 3 * v + told) % states]
            };
            for round in 0..200_000u64 {
                word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(round | 1);
                // Some pairs occur repeatedly.
                let few = if word >> 40 & 1 == 0 { states } else { states.min(40) };
                let (u, v, told) = ((word >> 44) % few, (word >> 20) % few, Told::ALL[(word >> 60) as usize % 4]);
                let ask = |_: &mut dyn Coin| {
                    asked += 1;
                    Ok::<_, ()>(rule(u, v, told))
                };
                assert_eq!(memory.interaction(states, [u, v], told, &mut coin, ask), Ok(rule(u, v, told)));
                assert_eq!(memory.marks(states, u, |s| Marks::LEADER.when(s % 3 == 0)).leader(), u % 3 == 0);
            }
            assert_eq!(asked < 150_000, states < STATES, "{states} states: asked {asked} times");
        }
    }

    #[test]
    fn what_tosses_coins_is_not_remembered() {
        let (memory, mut coin) = (Memory::default(), Counter(0));
        let mut toss = || {
            let ask = |coin: &mut dyn Coin| Ok::<_, ()>([u64::from(coin.below(2)), 1]);
            memory.interaction(3, [0, 1], Told::both(true), &mut coin, ask).unwrap()[0]
        };
        assert_eq!([toss(), toss(), toss(), toss()], [1, 0, 1, 0]);
    }
}
