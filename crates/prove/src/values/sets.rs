//! The safe set and the fresh set as automata, learned from small rings.

use super::ring::Ring;
use crate::rings::learn::{distinguished, words};
use crate::watch::Cancel;
use ringleader_verify::{Automaton, Scheduler, State, ValueRules};
use std::cell::Cell;
use std::collections::{HashMap, HashSet};

/// Words up to this length are learned from: those of agents 1 to n-1.
const LONGEST: usize = 5;

/// The letters of agents 1 to n-1: the root's value, the left neighbour's, another one.
fn word(values: &[usize]) -> Vec<State> {
    let letter = |pair: &[usize]| match pair[1] {
        own if own == values[0] => 0,
        own if own == pair[0] => 1,
        _ => 2,
    };
    values.windows(2).map(letter).collect()
}

/// The safe set, and the set that is reached from a new value of the root while the root does not act.
pub(super) fn learned(rules: &ValueRules, scheduler: Scheduler) -> Option<[Automaton; 2]> {
    let (mut unsafe_words, mut words, mut fresh) = (HashSet::new(), HashSet::new(), HashSet::new());
    for n in 2..=LONGEST + 1 {
        let ring = Ring::new(rules, n, n, scheduler);
        for code in 0..ring.steps.len() {
            let seen = word(&ring.values(code));
            if !ring.safe[code] {
                unsafe_words.insert(seen.clone());
            }
            words.insert(seen);
        }
        fresh.extend(reached(&ring));
    }
    let safe = automaton(|seen: &[State]| words.contains(seen) && !unsafe_words.contains(seen))?;
    Some([safe, automaton(|seen: &[State]| fresh.contains(seen))?])
}

/// The words that can be reached from configurations in which no other agent has the root's value. Configurations with the same word
/// count as one.
fn reached(ring: &Ring) -> HashSet<Vec<State>> {
    let mut with: HashMap<Vec<State>, Vec<usize>> = HashMap::new();
    (0..ring.steps.len()).for_each(|code| with.entry(word(&ring.values(code))).or_default().push(code));
    let mut open: Vec<Vec<State>> = with.keys().filter(|seen| !seen.contains(&0)).cloned().collect();
    let mut found: HashSet<Vec<State>> = open.iter().cloned().collect();
    while let Some(seen) = open.pop() {
        let steps = with[&seen].iter().filter(|code| !ring.safe[**code]).flat_map(|code| &ring.steps[*code]);
        for step in steps.filter(|step| !step.root) {
            let next = word(&ring.values(step.to));
            if found.insert(next.clone()) {
                open.push(next);
            }
        }
    }
    found
}

/// An automaton of a set, if one that distinguishes prefixes by short continuations has exactly its words.
fn automaton(member: impl Fn(&[State]) -> bool) -> Option<Automaton> {
    let all = words(3, LONGEST);
    let same = |automaton: &Automaton, seen: &Vec<State>| seen.is_empty() || automaton.accepts(seen) == member(seen);
    let exact = |automaton: &Automaton| all.iter().all(|seen| same(automaton, seen));
    (0..LONGEST).filter_map(|deep| learned_to(&member, deep)).find(exact)
}

/// An automaton that distinguishes prefixes by continuations up to a length; `None` if it would need longer words.
fn learned_to(member: &impl Fn(&[State]) -> bool, deep: usize) -> Option<Automaton> {
    let longest = Cell::new(0);
    let known = |head: &[State], tail: &[State]| {
        let whole = [head, tail].concat();
        longest.set(longest.get().max(whole.len()));
        u8::from(whole.len() <= LONGEST && member(&whole))
    };
    let (heads, next) = distinguished(known, 3, deep, 1, Cancel::default());
    let accepting = (1..heads.len()).filter(|at| member(&heads[*at])).collect();
    (longest.get() <= LONGEST).then_some(Automaton { start: 0, accepting, next })
}
