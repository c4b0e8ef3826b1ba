//! What an instance remembers of its protocol, so that a layer above it need not ask again: states that are numbers have to be
//! read and written anew for every interaction, which takes longer than most rules.

use ringleader_model::{Coin, Marks, Told};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// Protocols with at least so many states are not remembered: two pairs of states must fit a word, and one pair mean nothing.
const STATES: u64 = (1 << 16) - 1;
/// How many interactions are remembered for everything that agents can be told.
const PLACES: usize = 1 << 16;
/// No pair of states: what is written where nothing is remembered yet.
const NOTHING: u64 = u64::MAX;

/// Marks by the numbers of states, and interactions that toss no coins: each at a place that its states give, where a later
/// one may take its place.
#[derive(Default)]
pub(crate) struct Memory {
    marks: OnceLock<Vec<Marks>>,
    interactions: [OnceLock<Vec<AtomicU64>>; Told::ALL.len()],
}

impl Memory {
    /// What an agent in a state shows, as `ask` says.
    #[inline]
    pub(crate) fn marks(&self, states: u64, state: u64, ask: impl Fn(u64) -> Marks) -> Marks {
        if states >= STATES {
            return ask(state);
        }
        self.marks.get_or_init(|| (0..states).map(&ask).collect())[state as usize]
    }

    /// What becomes of two states, as `ask` says, if it has not said so before. What is remembered is not announced, so nobody
    /// may listen.
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

/// Every pair of few states has a place of its own.
#[inline]
fn place(states: u64, u: u64, v: u64) -> usize {
    if states * states <= PLACES as u64 {
        return (u * states + v) as usize;
    }
    // Fibonacci hashing.
    ((u << 16 | v).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 48) as usize
}

/// A coin that remembers whether it was tossed.
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

    /// Few states and many, pairs that share a place: what is said is always what the rule would say.
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
                // Some pairs come again and again.
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
