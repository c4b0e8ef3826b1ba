//! Deterministic automata as tables, their quotients, and breadth-first searches.

use crate::watch::Cancel;
use ringleader_verify::Automaton;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash, Hasher};

/// A fast hasher for small keys that are not adversarial.
#[derive(Clone, Copy, Default)]
pub(crate) struct Quick(u64);

impl Hasher for Quick {
    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 29
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|b| self.write_u64(u64::from(*b)));
    }

    fn write_u16(&mut self, x: u16) {
        self.write_u64(u64::from(x));
    }

    fn write_u32(&mut self, x: u32) {
        self.write_u64(u64::from(x));
    }

    fn write_u64(&mut self, x: u64) {
        self.0 = (self.0.rotate_left(23) ^ x).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }

    fn write_usize(&mut self, x: usize) {
        self.write_u64(x as u64);
    }
}

pub(crate) type Map<K, V> = HashMap<K, V, BuildHasherDefault<Quick>>;

/// Things, numbered as they are met.
#[derive(Default)]
pub(crate) struct Numbered<T> {
    pub(crate) all: Vec<T>,
    number: Map<T, u32>,
}

impl<T: Clone + Eq + Hash> Numbered<T> {
    pub(crate) fn number(&mut self, thing: T) -> u32 {
        if let Some(known) = self.number.get(&thing) {
            return *known;
        }
        let fresh = self.all.len() as u32;
        self.number.insert(thing.clone(), fresh);
        self.all.push(thing);
        fresh
    }

    /// The number of a thing that was met.
    pub(crate) fn find<Q: ?Sized + Eq + Hash>(&self, thing: &Q) -> Option<u32>
    where
        T: std::borrow::Borrow<Q>,
    {
        self.number.get(thing).copied()
    }
}

/// No accepting state is reachable from here.
pub(crate) const DEAD: u32 = u32::MAX;

/// States 0.., the start is 0; each state has a class, 0 for "not accepted".
#[derive(Clone, Debug)]
pub(crate) struct Dfa {
    pub(crate) letters: usize,
    next: Vec<u32>,
    pub(crate) class: Vec<u8>,
}

impl Dfa {
    /// The reachable part of the automaton that the functions describe; `None` once it has too many states.
    pub(crate) fn build<S: Clone + Eq + Hash>(
        letters: usize,
        mut too_large: impl FnMut(usize) -> bool,
        start: S,
        mut step: impl FnMut(&S, usize) -> Option<S>,
        mut class: impl FnMut(&S) -> u8,
    ) -> Option<Dfa> {
        let mut states = Numbered { all: vec![], number: Map::default() };
        states.number(start);
        let (mut next, mut at) = (Vec::new(), 0);
        while at < states.all.len() {
            if too_large(states.all.len()) {
                return None;
            }
            let from = states.all[at].clone();
            next.extend((0..letters).map(|letter| step(&from, letter).map_or(DEAD, |to| states.number(to))));
            at += 1;
        }
        let class = states.all.iter().map(&mut class).collect();
        Some(Dfa { letters, next, class })
    }

    /// The words of class 1 as an automaton of a certificate.
    pub(crate) fn automaton(&self) -> Automaton {
        let row = |at: u32| (0..self.letters).map(|letter| self.to(at, letter).map(|to| to as usize)).collect();
        let accepting = (0..self.len()).filter(|&at| self.class[at] == 1).collect();
        Automaton { start: 0, accepting, next: (0..self.len() as u32).map(row).collect() }
    }

    pub(crate) fn len(&self) -> usize {
        self.class.len()
    }

    pub(crate) fn to(&self, state: u32, letter: usize) -> Option<u32> {
        Some(self.next[state as usize * self.letters + letter]).filter(|&t| t != DEAD)
    }

    /// The states from which a class of interest is reachable.
    pub(crate) fn leads_to(&self, interesting: impl Fn(u8) -> bool, cancel: Cancel) -> Vec<bool> {
        let mut leads: Vec<bool> = self.class.iter().map(|&c| interesting(c)).collect();
        loop {
            let mut changed = false;
            for s in (0..self.len()).rev().filter(|&s| !leads[s]).collect::<Vec<_>>() {
                if cancel.asked() {
                    return leads;
                }
                let row = &self.next[s * self.letters..][..self.letters];
                if row.iter().any(|&t| t != DEAD && leads[t as usize]) {
                    leads[s] = true;
                    changed = true;
                }
            }
            if !changed {
                return leads;
            }
        }
    }

    /// Merges states that accept the same words. Rows are compared by 64-bit hashes: the search may err, the checker
    /// does not. `None` if the search is cancelled.
    pub(crate) fn quotient(mut self, cancel: Cancel) -> Option<Dfa> {
        let alive = self.leads_to(|c| c != 0, cancel);
        for t in &mut self.next {
            if *t != DEAD && !alive[*t as usize] {
                *t = DEAD;
            }
        }
        let mut block: Vec<u32> = self.class.iter().map(|c| u32::from(*c)).collect();
        let mut count = 0;
        loop {
            let mut number: Map<u64, u32> = Map::default();
            let fresh = (0..self.len())
                .map(|s| {
                    if cancel.asked() {
                        return None;
                    }
                    let mut hash = Quick(u64::from(block[s]) + 1);
                    for &t in &self.next[s * self.letters..][..self.letters] {
                        hash.write_u32(if t == DEAD { DEAD } else { block[t as usize] });
                    }
                    let new = number.len() as u32;
                    Some(*number.entry(hash.finish()).or_insert(new))
                })
                .collect::<Option<Vec<u32>>>();
            block = fresh?;
            if number.len() == count {
                break;
            }
            count = number.len();
        }
        let mut member = vec![0; count];
        (0..self.len()).for_each(|s| member[block[s] as usize] = s);
        let step = |b: &u32, letter: usize| {
            let t = self.next[member[*b as usize] * self.letters + letter];
            (t != DEAD).then(|| block[t as usize])
        };
        Dfa::build(self.letters, |_| cancel.asked(), block[0], step, |b| self.class[member[*b as usize]])
    }

    /// A shortest word into a class of interest.
    pub(crate) fn word(&self, interesting: impl Fn(u8) -> bool, cancel: Cancel) -> Option<Vec<usize>> {
        let step = |s: &u32, letter: usize| self.to(*s, letter).into_iter().collect();
        word(self.letters, 0u32, step, |s| interesting(self.class[*s as usize]), cancel)
    }
}

/// A shortest word that takes some run from the start to the goal.
pub(crate) fn word<S: Clone + Eq + Hash>(
    letters: usize,
    start: S,
    mut step: impl FnMut(&S, usize) -> Vec<S>,
    mut goal: impl FnMut(&S) -> bool,
    cancel: Cancel,
) -> Option<Vec<usize>> {
    let mut seen: Map<S, ()> = Map::default();
    seen.insert(start.clone(), ());
    let mut nodes = vec![(start, usize::MAX, 0)];
    let mut at = 0;
    while at < nodes.len() && !cancel.asked() {
        if goal(&nodes[at].0) {
            let mut word = Vec::new();
            while nodes[at].1 != usize::MAX {
                word.push(nodes[at].2);
                at = nodes[at].1;
            }
            word.reverse();
            return Some(word);
        }
        for letter in 0..letters {
            for to in step(&nodes[at].0.clone(), letter) {
                if seen.insert(to.clone(), ()).is_none() {
                    nodes.push((to, at, letter));
                }
            }
        }
        at += 1;
    }
    None
}
