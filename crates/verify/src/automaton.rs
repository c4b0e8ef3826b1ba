//! Deterministic automata as tables: every set of words here is one.

use crate::Rejection;
use std::cell::Cell;
use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::hash::Hash;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// The state from which nothing is accepted.
const DEAD: u32 = 0;

/// Where every automaton begins.
pub(crate) const START: u32 = 1;

/// More table entries than this are not a few seconds' work.
const LIMIT: usize = 1 << 27;

thread_local! {
    static END: Cell<Option<Instant>> = const { Cell::new(None) };
}

/// A check that rejects a certificate as too large once this time is over.
pub fn in_time<T>(limit: Duration, check: impl FnOnce() -> T) -> T {
    END.set(Instant::now().checked_add(limit));
    let result = check();
    END.set(None);
    result
}

/// Things, numbered as they are met.
pub(crate) struct Numbered<T> {
    pub(crate) all: Vec<Rc<T>>,
    known: HashMap<Rc<T>, u32>,
}

impl<T: Eq + Hash> Numbered<T> {
    /// The first has number 0.
    pub(crate) fn new(first: T) -> Numbered<T> {
        let first = Rc::new(first);
        Numbered { all: vec![first.clone()], known: HashMap::from([(first, 0)]) }
    }

    pub(crate) fn number(&mut self, thing: T) -> u32 {
        *self.known.entry(Rc::new(thing)).or_insert_with_key(|thing| {
            self.all.push(thing.clone());
            self.all.len() as u32 - 1
        })
    }
}

/// An automaton that sorts words into classes; class 0 means rejected.
#[derive(Clone)]
pub(crate) struct Dfa {
    pub(crate) letters: usize,
    next: Vec<u32>,
    pub(crate) class: Vec<u8>,
}

impl Dfa {
    /// The least automaton that does what functions say: where a letter leads, if anywhere, and which class a state is of.
    pub(crate) fn new<S: Eq + Hash>(
        letters: usize,
        start: S,
        mut step: impl FnMut(&S, usize) -> Option<S>,
        class: impl Fn(&S) -> u8,
    ) -> Result<Dfa, Rejection> {
        let mut states = Numbered::new(start);
        let mut next = vec![DEAD; letters];
        while let Some(from) = states.all.get(next.len() / letters - 1).cloned() {
            next.extend((0..letters).map(|letter| step(&from, letter).map_or(DEAD, |to| states.number(to) + START)));
            if next.len() > LIMIT || END.get().is_some_and(|end| Instant::now() > end) {
                return Err(Rejection::TooLarge);
            }
        }
        let class = [0].into_iter().chain(states.all.iter().map(|s| class(s))).collect();
        Ok(Dfa { letters, next, class }.minimized())
    }

    fn row(&self, state: u32) -> &[u32] {
        &self.next[state as usize * self.letters..][..self.letters]
    }

    /// The same classes of words with the fewest states: what is told apart is refined until that changes nothing.
    fn minimized(&self) -> Dfa {
        let mut block: Vec<u32> = self.class.iter().map(|class| u32::from(*class)).collect();
        let mut known = 0;
        loop {
            let (mut number, mut first) = (HashMap::new(), Vec::new());
            let key = |s: u32| [s].iter().chain(self.row(s)).map(|to| block[*to as usize]).collect::<Vec<_>>();
            let refined = (0..self.class.len() as u32).map(|s| {
                *number.entry(key(s)).or_insert_with(|| {
                    first.push(s);
                    first.len() as u32 - 1
                })
            });
            block = refined.collect();
            if first.len() == std::mem::replace(&mut known, first.len()) {
                // Where nothing is accepted the start is dead, too.
                first.extend((first.len() == 1).then_some(START));
                let next = first.iter().flat_map(|s| self.row(*s).iter().map(|to| block[*to as usize])).collect();
                let class = first.iter().map(|s| self.class[*s as usize]).collect();
                return Dfa { letters: self.letters, next, class };
            }
        }
    }

    pub(crate) fn step(&self, state: u32, letter: usize) -> Option<u32> {
        Some(self.row(state)[letter]).filter(|to| *to != DEAD)
    }

    /// The same words, sorted once more: by their class and by whether another automaton accepts what they show it.
    pub(crate) fn split(
        &self,
        other: &Dfa,
        shows: impl Fn(usize) -> usize,
        class: impl Fn(u8, bool) -> u8,
    ) -> Result<Dfa, Rejection> {
        let step =
            |&(at, beside): &(u32, u32), letter| Some((self.step(at, letter)?, other.row(beside)[shows(letter)]));
        let sorted = |&(at, beside): &(u32, u32)| match self.class[at as usize] {
            0 => 0,
            known => class(known, other.class[beside as usize] != 0),
        };
        Dfa::new(self.letters, (START, START), step, sorted)
    }

    /// The same words in other classes.
    pub(crate) fn sorted(&self, class: impl Fn(u8) -> u8) -> Dfa {
        let class = |known: &u8| if *known == 0 { 0 } else { class(*known) };
        Dfa { letters: self.letters, next: self.next.clone(), class: self.class.iter().map(class).collect() }
            .minimized()
    }

    /// The words of this automaton that no word of another one shows, letter by letter. All of its runs are followed at once.
    pub(crate) fn unshown(&self, other: &Dfa, shows: impl Fn(usize) -> usize) -> Result<Dfa, Rejection> {
        let mut showing: Vec<Vec<usize>> = vec![Vec::new(); self.letters];
        (0..other.letters).for_each(|letter| showing[shows(letter)].push(letter));
        let step = |(at, runs): &(u32, BTreeSet<u32>), letter: usize| {
            let next = |run: &u32| showing[letter].iter().filter_map(|l| other.step(*run, *l)).collect::<Vec<_>>();
            Some((self.step(*at, letter)?, runs.iter().flat_map(next).collect()))
        };
        let shown = |runs: &BTreeSet<u32>| runs.iter().any(|run| other.class[*run as usize] == 1);
        let class = |(at, runs): &(u32, BTreeSet<u32>)| u8::from(self.class[*at as usize] == 1 && !shown(runs));
        Dfa::new(self.letters, (START, BTreeSet::from([START])), step, class)
    }

    /// From which states one of a class can be reached.
    pub(crate) fn reaching(&self, class: u8) -> Vec<bool> {
        let mut reached: Vec<bool> = self.class.iter().map(|c| *c == class).collect();
        loop {
            let leads = |s: usize| self.row(s as u32).iter().any(|to| reached[*to as usize]);
            let more = (0..reached.len()).map(|s| reached[s] || leads(s)).collect();
            if reached == more {
                return more;
            }
            reached = more;
        }
    }

    /// A shortest word of one of some classes.
    pub(crate) fn word(&self, wanted: &[u8]) -> Option<Vec<usize>> {
        let mut words = VecDeque::from([(START, Vec::new())]);
        let mut met = HashSet::from([START]);
        while let Some((at, word)) = words.pop_front() {
            if wanted.contains(&self.class[at as usize]) {
                return Some(word);
            }
            for letter in 0..self.letters {
                if let Some(to) = self.step(at, letter).filter(|to| met.insert(*to)) {
                    words.push_back((to, [&word[..], &[letter]].concat()));
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minimal_automaton_of_a_remainder() {
        // Ones modulo 6, of which only "divisible by 3" is asked; one state more is the dead one.
        let dfa = Dfa::new(2, 0, |s, l| Some((s + l) % 6), |s| u8::from(s % 3 == 0)).unwrap();
        assert_eq!(dfa.class.len(), 4);
        let dead = Dfa::new(2, 0, |s, _| Some((s + 1) % 4), |_| 0).unwrap();
        assert_eq!((dead.class.len(), dead.step(START, 1)), (2, None));
    }

    #[test]
    fn words_are_shortest() {
        let dfa = Dfa::new(2, 1, |s, l| Some(s * (2 + l) % 23), |s| u8::from(*s == 13)).unwrap();
        // 1, 3, 9, 18, 36 modulo 23.
        assert_eq!(dfa.word(&[1]).map(|w| w.len()), Some(4));
    }
}
