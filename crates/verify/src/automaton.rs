//! Deterministic automata as tables, and searches in automata that are never written down.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;
use std::rc::Rc;

/// No such state: from here nothing can be accepted.
pub(crate) const NONE: u32 = u32::MAX;

/// More table entries than this are not a few seconds' work.
const LIMIT: usize = 1 << 27;

/// A certificate whose check would not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooLarge;

/// A deterministic automaton that sorts words into classes; it starts in state 0, and class 0 means rejected.
#[derive(Clone, Debug)]
pub(crate) struct Dfa {
    pub(crate) letters: usize,
    next: Vec<u32>,
    pub(crate) class: Vec<u8>,
}

impl Dfa {
    /// The reachable part of an automaton given by functions.
    pub(crate) fn explore<S: Eq + Hash>(
        letters: usize,
        start: S,
        mut step: impl FnMut(&S, usize) -> Option<S>,
        class: impl Fn(&S) -> u8,
    ) -> Result<Dfa, TooLarge> {
        let start = Rc::new(start);
        let mut known = HashMap::from([(start.clone(), 0)]);
        let mut states = vec![start];
        let mut next = Vec::new();
        let mut at = 0;
        while at < states.len() {
            let from = states[at].clone();
            for letter in 0..letters {
                let to = step(&from, letter).map(Rc::new).map_or(NONE, |to| {
                    *known.entry(to).or_insert_with_key(|to| {
                        states.push(to.clone());
                        states.len() as u32 - 1
                    })
                });
                next.push(to);
            }
            if next.len() > LIMIT {
                return Err(TooLarge);
            }
            at += 1;
        }
        Ok(Dfa { letters, next, class: states.iter().map(|s| class(s)).collect() })
    }

    pub(crate) fn len(&self) -> usize {
        self.class.len()
    }

    pub(crate) fn step(&self, state: u32, letter: usize) -> Option<u32> {
        let to = self.next[state as usize * self.letters + letter];
        (to != NONE).then_some(to)
    }

    /// From which states a state of a wanted class can be reached.
    pub(crate) fn reaching(&self, wanted: impl Fn(u8) -> bool) -> Vec<bool> {
        let mut back = vec![Vec::new(); self.len()];
        for (i, &to) in self.next.iter().enumerate().filter(|(_, to)| **to != NONE) {
            back[to as usize].push((i / self.letters) as u32);
        }
        let mut reached: Vec<bool> = self.class.iter().map(|&c| wanted(c)).collect();
        let mut open: Vec<u32> = (0..self.len() as u32).filter(|&s| reached[s as usize]).collect();
        while let Some(s) = open.pop() {
            for &from in &back[s as usize] {
                if !std::mem::replace(&mut reached[from as usize], true) {
                    open.push(from);
                }
            }
        }
        reached
    }

    /// The same classes of words with the fewest states: partitions are refined until they no longer change.
    pub(crate) fn minimized(mut self) -> Dfa {
        let alive = self.reaching(|c| c != 0);
        for to in self.next.iter_mut().filter(|to| **to != NONE) {
            if !alive[*to as usize] {
                *to = NONE;
            }
        }
        let mut block: Vec<u32> = self.class.iter().map(|&c| u32::from(c)).collect();
        let mut blocks = 0;
        loop {
            let mut known = HashMap::new();
            let refined: Vec<u32> = (0..self.len())
                .map(|s| {
                    let row = &self.next[s * self.letters..][..self.letters];
                    let to = row.iter().map(|&t| if t == NONE { NONE } else { block[t as usize] });
                    let key: Vec<u32> = std::iter::once(block[s]).chain(to).collect();
                    let fresh = known.len() as u32;
                    *known.entry(key).or_insert(fresh)
                })
                .collect();
            let count = known.len();
            block = refined;
            if count == blocks {
                break;
            }
            blocks = count;
        }
        let mut first = vec![usize::MAX; blocks];
        for s in (0..self.len()).rev() {
            first[block[s] as usize] = s;
        }
        let quotient = |b: &u32, letter| {
            let to = self.next[first[*b as usize] * self.letters + letter];
            (to != NONE).then(|| block[to as usize])
        };
        Dfa::explore(self.letters, block[0], quotient, |b| self.class[first[*b as usize]])
            .expect("no larger than before")
    }
}

/// A shortest word that some run from a start takes to an accepted state.
pub(crate) fn shortest<S: Eq + Hash + Clone>(
    letters: usize,
    starts: Vec<S>,
    mut step: impl FnMut(&S, usize) -> Vec<S>,
    mut accepted: impl FnMut(&S) -> bool,
) -> Result<Option<Vec<usize>>, TooLarge> {
    let mut from: HashMap<S, Option<(S, usize)>> = starts.iter().map(|s| (s.clone(), None)).collect();
    let mut open = VecDeque::from(starts);
    while let Some(s) = open.pop_front() {
        if accepted(&s) {
            let mut word = Vec::new();
            let mut at = &s;
            while let Some((before, letter)) = &from[at] {
                word.push(*letter);
                at = before;
            }
            word.reverse();
            return Ok(Some(word));
        }
        for letter in 0..letters {
            for to in step(&s, letter) {
                if !from.contains_key(&to) {
                    from.insert(to.clone(), Some((s.clone(), letter)));
                    open.push_back(to);
                }
            }
        }
        if from.len() > LIMIT / 32 {
            return Err(TooLarge);
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minimal_automaton_of_a_remainder() {
        // Ones modulo 6, of which only "divisible by 3" is asked.
        let dfa = Dfa::explore(2, 0, |s, l| Some((s + l) % 6), |s| u8::from(s % 3 == 0)).unwrap();
        assert_eq!((dfa.len(), dfa.minimized().len()), (6, 3));
        let dead = Dfa::explore(2, 0, |s, _| Some((s + 1) % 4), |_| 0).unwrap().minimized();
        assert_eq!((dead.len(), dead.step(0, 1)), (1, None));
    }

    #[test]
    fn shortest_words_are_shortest() {
        let found = shortest(2, vec![1], |s, l| vec![s * 2, s * 3 + l as u32], |s| *s == 20).unwrap();
        assert_eq!(found.map(|w| w.len()), Some(3)); // 1, 3, 3 * 3 + 1, 10 * 2
    }
}
