//! A look at some of what an algorithm does, to see whether it keeps its word.

use ringleader_model::Coin;

/// So many triples are looked at, or all, if there are no more.
const MOST: u64 = 512;

/// Three states at a time: all, if they are few; otherwise some that look as if drawn at random.
pub(crate) fn triples(states: u64) -> impl Iterator<Item = [u64; 3]> {
    let all = states.checked_pow(3).filter(|all| *all <= MOST);
    (0..all.unwrap_or(MOST)).map(move |i| match all {
        Some(_) => [i % states, i / states % states, i / states / states],
        None => [3 * i, 3 * i + 1, 3 * i + 2].map(|k| (k + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) % states),
    })
}

/// What comes of a rule with some tosses of its coins, to be compared.
#[derive(Debug, PartialEq)]
pub(crate) struct Answers<T>([Option<T>; 3]);

impl<T> Answers<T> {
    /// Applies a rule; what leaves its domain is somebody else's business.
    pub(crate) fn of<E>(rule: impl Fn(&mut dyn Coin) -> Result<T, E>) -> Answers<T> {
        Answers([0, 1, 0x9e37_79b9].map(|number| rule(&mut Shows(number)).ok()))
    }
}

/// A coin that always shows the same.
struct Shows(u32);

impl Coin for Shows {
    fn below(&mut self, n: u32) -> u32 {
        self.0 % n.max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::triples;
    use crate::{PopulationInstance, RingInstance, Unfit};
    use ringleader_model::{Coin, Goal, Marks, Population, Reads, Ring, Stabilizing, Told, Variables, View, Visitor};

    /// Says one thing of itself, and does another if `does` is set.
    #[derive(Clone, Copy)]
    struct Agent {
        values: u64,
        says: bool,
        does: bool,
    }

    impl Variables for Agent {
        type State = u64;

        fn variables(&self, state: &mut u64, v: &mut dyn Visitor) {
            v.range("x", 0, self.values - 1, state);
        }
    }

    impl Stabilizing for Agent {
        fn goal(&self) -> Goal {
            Goal::OneToken
        }

        fn correct(&self, _: &[u64]) -> bool {
            true
        }
    }

    impl Ring for Agent {
        fn reads(&self) -> Reads {
            if self.says { Reads::BothSides } else { Reads::Left }
        }

        fn act(&self, view: View<u64>, coin: &mut impl Coin) -> u64 {
            if self.does && view.own != view.left && view.own == view.right && coin.below(2) == 1 {
                view.left
            } else {
                view.own
            }
        }

        fn marks(&self, _: View<u64>) -> Marks {
            Marks::NONE
        }
    }

    impl Population for Agent {
        fn hears(&self) -> bool {
            self.says
        }

        fn interact(&self, u: u64, v: u64, told: Told, _: &mut impl Coin) -> (u64, u64) {
            if self.does && told.responder && u > v { (u, u) } else { (u, v) }
        }

        fn marks(&self, _: &u64) -> Marks {
            Marks::NONE
        }
    }

    #[test]
    fn whoever_does_not_keep_his_word_is_refused() {
        for values in [2, 5, 1000] {
            for (says, does) in [(false, false), (true, false), (true, true), (false, true)] {
                let (agent, broken) = (Agent { values, says, does }, does && !says);
                assert_eq!(RingInstance::new(agent).err(), broken.then_some(Unfit::LooksRight), "{values} values");
                assert_eq!(PopulationInstance::new(agent).err(), broken.then_some(Unfit::Listens), "{values} values");
            }
        }
    }

    #[test]
    fn few_triples_are_all_there_are() {
        let mut all: Vec<_> = triples(3).collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 27);
        assert!(triples(u64::MAX).flatten().max() > Some(u64::MAX / 2));
    }
}
