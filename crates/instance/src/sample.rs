//! A look at some of what an algorithm does, to see whether it keeps its word.

use crate::{LeavesDomain, Unfit};
use ringleader_model::{Coin, Domain, Name, Odometer, Variables, Visitor};

/// So many tuples are all looked at whenever an algorithm is built, and as many of more.
pub(crate) const GLANCE: u64 = 512;
/// So many are all looked at before many runs.
pub(crate) const LOOK: u64 = 1 << 16;

/// Some states at a time: all, if they are at most so many; otherwise some that look as if drawn at random.
pub(crate) fn tuples<const N: usize>(states: u64, most: u64) -> impl Iterator<Item = [u64; N]> {
    let all = states.checked_pow(N as u32).filter(|all| *all <= most);
    let place = |k: u64| (k + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (0..all.unwrap_or(GLANCE)).map(move |i| {
        std::array::from_fn(|k| match all {
            Some(_) => i / states.pow(k as u32) % states,
            None => place(N as u64 * i + k as u64) % states,
        })
    })
}

/// Whether a rule keeps to its domain, whatever its coins show.
pub(crate) fn keeps<T>(mut rule: impl FnMut(&mut Odometer) -> Result<T, LeavesDomain>) -> Result<(), LeavesDomain> {
    let mut kept = Ok(());
    Odometer::each(|coin| {
        if kept.is_ok() {
            kept = rule(coin).map(|_| ());
        }
    });
    kept
}

/// Whether the variables of a state are declared as files and engines need it: names that are words, no two alike, and values.
pub fn declared<A: Variables>(algorithm: &A) -> Result<(), Unfit> {
    let mut declared = Declared { names: vec![], problem: None };
    algorithm.variables(&mut A::State::default(), &mut declared);
    declared.problem.map_or(Ok(()), Err)
}

struct Declared {
    names: Vec<String>,
    problem: Option<Unfit>,
}

impl Visitor for Declared {
    fn field(&mut self, name: Name<'_>, domain: Domain<'_>, value: u64) -> u64 {
        let (base, name) = (name.base, name.to_string());
        let split = |c: char| c.is_whitespace() || matches!(c, '=' | '[' | ']');
        let problem = match () {
            () if base.is_empty() || base.contains(split) => Some(Unfit::NotAWord(base.to_string())),
            () if domain.is_empty() => Some(Unfit::NoValues(name.clone())),
            () if self.names.contains(&name) => Some(Unfit::Doubled(name.clone())),
            () => None,
        };
        self.problem = self.problem.take().or(problem);
        self.names.push(name);
        value
    }
}

/// What comes of a rule with some tosses of its coins, to be compared.
#[derive(Debug, PartialEq)]
pub(crate) struct Answers<T>([Option<T>; 3]);

impl<T> Answers<T> {
    /// Applies a rule; what leaves its domain is somebody else's business.
    pub(crate) fn of<E>(rule: impl Fn(&mut dyn Coin) -> Result<T, E>) -> Answers<T> {
        Answers(COINS.map(|mut coin| rule(&mut coin).ok()))
    }
}

/// Some tosses.
pub(crate) const COINS: [Shows; 3] = [Shows(0), Shows(1), Shows(0x9e37_79b9)];

/// A coin that always shows the same.
pub(crate) struct Shows(u32);

impl Coin for Shows {
    fn below(&mut self, n: u32) -> u32 {
        self.0 % n.max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::tuples;
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
        let mut all: Vec<_> = tuples::<3>(3, 512).collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 27);
        assert!(tuples::<3>(u64::MAX, 512).flatten().max() > Some(u64::MAX / 2));
    }
}
