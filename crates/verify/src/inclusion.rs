//! Whether every word of one automaton is, with some second configuration beside it, a word of another.

use crate::automaton::{Dfa, TooLarge};
use crate::fault::{Fault, planted};
use crate::steps::Alphabet;
use std::collections::{HashMap, HashSet, VecDeque};

/// A nondeterministic automaton over single configurations: the steps of a class, without what they lead to.
pub(crate) struct Projected {
    next: HashMap<(u32, usize), Vec<u32>>,
    accepting: Vec<bool>,
}

impl Projected {
    pub(crate) fn new(alphabet: &Alphabet, steps: &Dfa, class: u8) -> Projected {
        let mut next: HashMap<_, Vec<u32>> = HashMap::new();
        for from in 0..steps.len() as u32 {
            for pair in 0..alphabet.pairs.len() {
                if let Some(to) = steps.step(from, pair) {
                    next.entry((from, alphabet.both(pair)[0])).or_default().push(to);
                }
            }
        }
        let accepting = |c: &u8| *c == class || planted(Fault::Projection) && *c != 0;
        Projected { next, accepting: steps.class.iter().map(accepting).collect() }
    }

    fn step(&self, set: &[u32], letter: usize) -> Set {
        let mut to: Vec<u32> = set.iter().filter_map(|&s| self.next.get(&(s, letter))).flatten().copied().collect();
        to.sort_unstable();
        to.dedup();
        Set::new(to)
    }
}

/// A sorted set of runs. Its shadow, a bit for every 128th state, tells most sets at a glance that are not subsets.
struct Set {
    runs: Vec<u32>,
    shadow: u128,
}

impl Set {
    fn new(runs: Vec<u32>) -> Set {
        let shadow = runs.iter().fold(0, |shadow, run| shadow | 1 << (run % 128));
        Set { runs, shadow }
    }

    fn within(&self, large: &Set) -> bool {
        let seems = self.shadow & !large.shadow == 0 && self.runs.len() <= large.runs.len();
        seems && self.runs.iter().all(|s| large.runs.binary_search(s).is_ok())
    }
}

/// A shortest word that `wanted` accepts (class 1) and no run of `projected` does.
///
/// Pairs of a state and the set of all runs are visited breadth first. One with a larger set accepts more, so it is
/// left out if a smaller one with the same state is known.
pub(crate) fn missing(wanted: &Dfa, projected: &Projected) -> Result<Option<Vec<usize>>, TooLarge> {
    let mut nodes = vec![(0u32, Set::new(vec![0]), usize::MAX, 0usize)];
    let mut known: HashMap<u32, Vec<usize>> = HashMap::from([(0, vec![0])]);
    let mut open = VecDeque::from([0]);
    // Most pairs are met again and again.
    let mut met = HashSet::new();
    while let Some(at) = open.pop_front() {
        let (state, set) = (nodes[at].0, nodes[at].1.runs.clone());
        if wanted.class[state as usize] == 1 && !set.iter().any(|&s| projected.accepting[s as usize]) {
            let mut word = Vec::new();
            let mut at = at;
            while nodes[at].2 != usize::MAX {
                word.push(nodes[at].3);
                at = nodes[at].2;
            }
            word.reverse();
            return Ok(Some(word));
        }
        for letter in 0..wanted.letters {
            let Some(to) = wanted.step(state, letter) else { continue };
            let next = projected.step(&set, letter);
            if !met.insert((to, next.runs.clone())) {
                continue;
            }
            let antichain = known.entry(to).or_default();
            let covered = |&k: &usize| {
                let other = &nodes[k].1;
                other.within(&next) || planted(Fault::Inclusion) && next.within(other)
            };
            if !antichain.iter().any(covered) {
                antichain.retain(|&k| !next.within(&nodes[k].1));
                antichain.push(nodes.len());
                open.push_back(nodes.len());
                nodes.push((to, next, at, letter));
            }
        }
        if nodes.len() > 1 << 22 {
            return Err(TooLarge);
        }
    }
    Ok(None)
}
