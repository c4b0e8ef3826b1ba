//! Tests an algorithm on a sample of states, to see whether its declarations are true.

use crate::concrete::After;
use crate::outcomes::SilentCoin;
use crate::{LeavesDomain, Unfit};
use ringleader_model::number::OutOfDomain;
use ringleader_model::{Coin, Domain, Name, Odometer, Variables};

/// The number of tuples that are tested whenever an algorithm is built.
pub(crate) const TUPLES_ON_BUILD: u64 = 512;
/// The number of tuples that are tested before an algorithm is checked, or run many times.
pub(crate) const TUPLES_ON_CHECK: u64 = 1 << 16;

/// Tuples of states: all, if there are at most `most`; otherwise a pseudo-random sample.
pub(crate) fn tuples<const N: usize>(states: u64, most: u64) -> impl Iterator<Item = [u64; N]> {
    let all = states.checked_pow(N as u32).filter(|all| *all <= most);
    let place = |k: u64| (k + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (0..all.unwrap_or(most.div_ceil(4))).map(move |i| {
        std::array::from_fn(|k| match all {
            Some(_) => i / states.pow(k as u32) % states,
            None => place(N as u64 * i + k as u64) % states,
        })
    })
}

/// The most outcomes of a rule that are tested.
const OUTCOMES: usize = 64;

/// Applies a rule to all outcomes of its coins if there are few, otherwise to some. `visit` takes each result with the
/// inverse of its probability, or 0 if only some outcomes are tried.
fn toss<T>(coin: &mut Odometer, rule: impl Fn(&mut dyn Coin) -> T, mut visit: impl FnMut(u64, T)) {
    let mut seen = 0;
    coin.each_again(|coin| {
        let answer = rule(&mut SilentCoin(coin));
        visit(coin.outcomes(), answer);
        seen += 1;
        seen < OUTCOMES
    });
    if seen == OUTCOMES {
        SOME.into_iter().for_each(|mut coin| visit(0, rule(&mut coin)));
    }
}

/// All results of a rule for some states. Most rules toss no coin, and then nothing is allocated.
#[derive(PartialEq)]
pub(crate) enum Fate<const N: usize> {
    Sure(Option<After<N>>),
    Random(Vec<(u64, Option<After<N>>)>),
}

impl<const N: usize> Fate<N> {
    pub(crate) fn of(coin: &mut Odometer, rule: impl Fn(&mut dyn Coin) -> Result<After<N>, OutOfDomain>) -> Fate<N> {
        let (mut sure, mut random) = (None, vec![]);
        toss(coin, rule, |one_in, after| match one_in {
            1 => sure = after.ok(),
            _ => random.push((one_in, after.ok())),
        });
        if random.is_empty() { Fate::Sure(sure) } else { Fate::Random(random) }
    }

    /// Whether a state that the rule writes has a part that no variable shows.
    pub(crate) fn hides(&self) -> bool {
        let hides = |after: &Option<After<N>>| after.is_some_and(|after| after.hides);
        match self {
            Fate::Sure(after) => hides(after),
            Fate::Random(all) => all.iter().any(|(_, after)| hides(after)),
        }
    }
}

/// Whether a rule writes only declared values.
pub(crate) fn keeps<T>(
    coin: &mut Odometer,
    rule: impl Fn(&mut dyn Coin) -> Result<T, LeavesDomain>,
) -> Result<(), LeavesDomain> {
    let mut outside = None;
    toss(coin, rule, |_, after| outside = outside.take().or(after.err()));
    outside.map_or(Ok(()), Err)
}

/// Whether the variables of a state are declared as files and engines need it: distinct names that are words, and at
/// least one value.
pub fn declared<A: Variables>(algorithm: &A) -> Result<(), Unfit> {
    let (mut names, mut problem) = (vec![], None);
    algorithm.variables(&mut A::State::default(), &mut |name: Name<'_>, domain: Domain<'_>, value: u64| {
        let (base, name) = (name.base, name.to_string());
        let split = |c: char| c.is_whitespace() || matches!(c, '=' | '[' | ']');
        let wrong = match () {
            () if base.is_empty() || base.contains(split) => Some(Unfit::NotAWord(base.to_string())),
            () if domain.is_empty() => Some(Unfit::NoValues(name.clone())),
            () if !are_words(domain) => Some(Unfit::Words(name.clone())),
            () if names.contains(&name) => Some(Unfit::Doubled(name.clone())),
            () => None,
        };
        problem = problem.take().or(wrong);
        names.push(name);
        value
    });
    problem.map_or(Ok(()), Err)
}

/// Whether a file can distinguish the words of a variable.
fn are_words(domain: Domain<'_>) -> bool {
    let Domain::Symbols(words) = domain else { return true };
    let is_word = |word: &str| !word.is_empty() && !word.contains(char::is_whitespace);
    words.iter().enumerate().all(|(i, word)| is_word(word) && !words[..i].contains(word))
}

/// Some outcomes, for coins with many.
const SOME: [Shows; 5] = [Shows(0), Shows(1), Shows(2), Shows(0x9e37_79b9), Shows(LAST)];

/// A coin that always shows the same side.
struct Shows(u32);

/// The last side of any coin.
const LAST: u32 = u32::MAX;

impl Coin for Shows {
    fn below(&mut self, n: u32) -> u32 {
        if self.0 == LAST { n.saturating_sub(1) } else { self.0 % n.max(1) }
    }
}

#[cfg(test)]
mod tests {
    use super::tuples;
    use crate::{PopulationInstance, RingInstance, Unfit};
    use ringleader_model::{
        Coin, Goal, Marks, Place, Population, Reads, Ring, Stabilizing, Told, Variables, View, Visitor,
    };

    /// Declares one behaviour, and has another if `does` is set.
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
            // Only the last of four sides shows it.
            if self.does && view.own != view.left && coin.below(4) == 3 && view.own == view.right {
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

    type Declare = fn(&mut [u64; 2], &mut dyn Visitor);

    /// A walker with given declarations. It counts its steps in a hidden variable if `secret` is set.
    #[derive(Clone, Copy)]
    struct Walker {
        declare: Declare,
        secret: bool,
    }

    impl Variables for Walker {
        type State = [u64; 2];

        fn variables(&self, state: &mut [u64; 2], v: &mut dyn Visitor) {
            (self.declare)(state, v);
        }
    }

    impl Stabilizing for Walker {
        fn goal(&self) -> Goal {
            Goal::Agreement
        }

        fn correct(&self, _: &[[u64; 2]]) -> bool {
            true
        }
    }

    impl Ring for Walker {
        fn act(&self, View { left, own, .. }: View<[u64; 2]>, _: &mut impl Coin) -> [u64; 2] {
            [left[0], own[1] + u64::from(self.secret && left[0] != own[0])]
        }

        fn marks(&self, _: View<[u64; 2]>) -> Marks {
            Marks::NONE
        }
    }

    impl Population for Walker {
        fn interact(&self, u: [u64; 2], v: [u64; 2], _: Told, _: &mut impl Coin) -> ([u64; 2], [u64; 2]) {
            (u, [u[0], v[1] + u64::from(self.secret && u[0] != v[0])])
        }

        fn marks(&self, _: &[u64; 2]) -> Marks {
            Marks::NONE
        }
    }

    #[test]
    fn slips_in_declarations_are_told() {
        let slips: [(Declare, bool, Option<Unfit>); 11] = [
            (|s, v| v.range("x", 0, 4, &mut s[0]), false, None),
            (|s, v| v.range("x", 0, 4, &mut s[0]), true, Some(Unfit::Hidden)),
            (|s, v| v.range("x", 2, 1, &mut s[0]), false, Some(Unfit::NoValues("x".into()))),
            (|s, v| v.symbol("x", &[], &mut s[0]), false, Some(Unfit::NoValues("x".into()))),
            (|s, v| v.symbol("x", &["red", "dark red"], &mut s[0]), false, Some(Unfit::Words("x".into()))),
            (|s, v| v.symbol("x", &["red", "blue", "red"], &mut s[0]), false, Some(Unfit::Words("x".into()))),
            (
                |s, v| {
                    let mut narrow = s[0] as u8;
                    v.range("x", 0, 256, &mut narrow);
                    s[0] = narrow.into();
                },
                false,
                Some(Unfit::Narrow),
            ),
            (|s, v| v.range("my x", 0, 1, &mut s[0]), false, Some(Unfit::NotAWord("my x".into()))),
            (|s, v| v.range("", 0, 1, &mut s[0]), false, Some(Unfit::NotAWord("".into()))),
            (|s, v| s.iter_mut().for_each(|x| v.range("x", 0, 1, x)), false, Some(Unfit::Doubled("x".into()))),
            (|s, v| (0..).zip(s).for_each(|(i, x)| v.range(("x", i), 0, 1, x)), false, None),
        ];
        for (declare, secret, expected) in slips {
            let walker = Walker { declare, secret };
            assert_eq!(RingInstance::new(walker).err(), expected);
            assert_eq!(PopulationInstance::new(walker).err(), expected);
        }
    }

    #[test]
    fn processes_that_are_not_there_may_leave_their_domain() {
        /// Counts from the bottom. With two processes, no process stands between the ends.
        struct Distance(u64);

        impl Variables for Distance {
            type State = u64;
            fn variables(&self, state: &mut u64, v: &mut dyn Visitor) {
                v.range("far", 0, self.0, state);
            }
        }
        impl Stabilizing for Distance {
            fn goal(&self) -> Goal {
                Goal::Agreement
            }
            fn correct(&self, _: &[u64]) -> bool {
                true
            }
        }
        impl Ring for Distance {
            fn act(&self, view: View<u64>, _: &mut impl Coin) -> u64 {
                match view.at {
                    Place::Bottom => 0,
                    Place::Other => view.left + 1,
                    Place::Top => 1,
                }
            }
            fn marks(&self, _: View<u64>) -> Marks {
                Marks::NONE
            }
        }
        let keeps = |most, size| RingInstance::new(Distance(most)).unwrap().check_domain(size);
        assert_eq!(keeps(3, 2), Ok(()));
        let left = keeps(3, 5).unwrap_err();
        assert_eq!((left.written.value, left.states[0].as_str()), (4, "far=3"));
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
