//! The safe set and the fresh set as automata, learned from small rings.

use super::ring::Ring;
use ringleader_verify::{Automaton, Scheduler, ValueRules};
use std::collections::{HashMap, HashSet};

/// Words up to this length are learned from: those of agents 1 to n-1.
const LONGEST: usize = 5;

/// The letters of agents 1 to n-1: the root's value, the left neighbour's, another one.
fn word(values: &[usize]) -> Vec<usize> {
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
        for code in ring.codes() {
            let seen = word(&ring.values(code));
            if !ring.safe[code] {
                unsafe_words.insert(seen.clone());
            }
            words.insert(seen);
        }
        fresh.extend(reached(&ring));
    }
    let safe = automaton(|seen: &[usize]| words.contains(seen) && !unsafe_words.contains(seen))?;
    Some([safe, automaton(|seen: &[usize]| fresh.contains(seen))?])
}

/// The words that can be reached from configurations in which no other agent has the root's value. Configurations with the same word
/// count as one.
fn reached(ring: &Ring) -> HashSet<Vec<usize>> {
    let mut with: HashMap<Vec<usize>, Vec<usize>> = HashMap::new();
    ring.codes().for_each(|code| with.entry(word(&ring.values(code))).or_default().push(code));
    let mut open: Vec<Vec<usize>> = with.keys().filter(|seen| !seen.contains(&0)).cloned().collect();
    let mut found: HashSet<Vec<usize>> = open.iter().cloned().collect();
    while let Some(seen) = open.pop() {
        let steps = with[&seen].iter().filter(|code| !ring.safe[**code]).flat_map(|code| ring.steps(*code));
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
fn automaton(member: impl Fn(&[usize]) -> bool) -> Option<Automaton> {
    let all = words(LONGEST);
    let exact = |automaton: &Automaton| {
        let accepts = |seen: &[usize]| {
            let end = seen.iter().try_fold(0, |at: usize, letter| automaton.next[at][*letter]);
            end.is_some_and(|at| automaton.accepting.contains(&at))
        };
        all.iter().filter(|seen| !seen.is_empty()).all(|seen| accepts(seen) == member(seen))
    };
    (0..LONGEST).filter_map(|deep| distinguished(&member, deep)).find(exact)
}

/// All words up to a length.
fn words(longest: usize) -> Vec<Vec<usize>> {
    let mut all = vec![vec![]];
    let mut shorter = 0..1;
    for _ in 0..longest {
        let longer: Vec<_> = all[shorter.clone()]
            .iter()
            .flat_map(|seen| (0..3).map(move |letter| [&seen[..], &[letter]].concat()))
            .collect();
        shorter = all.len()..all.len() + longer.len();
        all.extend(longer);
    }
    all
}

/// Prefixes with the same continuations, up to a length, are one state. Nothing is known of the empty word, so it is a state of its own.
fn distinguished(member: &impl Fn(&[usize]) -> bool, deep: usize) -> Option<Automaton> {
    let tails = words(deep);
    let future = |head: &[usize]| tails.iter().map(|tail| member(&[head, tail].concat())).collect::<Vec<bool>>();
    let mut heads: Vec<(Vec<usize>, Vec<bool>)> = vec![(vec![], vec![])];
    let mut next = Vec::new();
    while let Some((head, _)) = heads.get(next.len()).cloned() {
        let mut row = Vec::new();
        for letter in 0..3 {
            let longer = [&head[..], &[letter]].concat();
            if longer.len() + deep > LONGEST {
                return None;
            }
            let seen = future(&longer);
            let known = heads.iter().position(|(_, known)| *known == seen);
            row.push(seen.contains(&true).then(|| {
                known.unwrap_or_else(|| {
                    heads.push((longer, seen));
                    heads.len() - 1
                })
            }));
        }
        next.push(row);
    }
    let accepting = (1..heads.len()).filter(|at| member(&heads[*at].0)).collect();
    Some(Automaton { start: 0, accepting, next })
}
