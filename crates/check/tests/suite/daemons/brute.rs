//! Brute force that calls the algorithm's own rule for every step: no tables, no numbers, no classes.

use ringleader_model::{Chain, Odometer, Ring, Scheduler, Stabilizing, View, number};
use std::collections::{HashMap, HashSet};
use std::hash::Hash;

/// The output of a configuration besides its correctness, such as the leader. It must not change either.
pub(crate) type Output<S> = dyn Fn(&[S]) -> u64;

/// All configurations and steps, with probabilities where they are defined.
pub(crate) struct Brute<S> {
    steps: HashMap<Vec<S>, Vec<(Vec<S>, f64)>>,
    pub(crate) really_safe: HashSet<Vec<S>>,
}

/// Every configuration of an algorithm that faults can produce.
pub(crate) fn configurations<A: Stabilizing<State: Copy>>(algorithm: &A, n: usize) -> Vec<Vec<A::State>> {
    let states: Vec<A::State> = number::all(algorithm).collect();
    let mut all = vec![vec![]];
    for _ in 0..n {
        all = all.iter().flat_map(|c: &Vec<_>| states.iter().map(|s| [c.as_slice(), &[*s]].concat())).collect();
    }
    all.retain(|c| {
        let mut restored = c.clone();
        algorithm.restore(&mut restored);
        restored == *c
    });
    all
}

/// The possible new states of a process, with their probabilities.
fn outcomes<A: Ring>(algorithm: &A, c: &[A::State], process: usize) -> Vec<(A::State, f64)> {
    let mut all = vec![];
    Odometer::each(|coin| {
        let after = algorithm.act(View::of(c, process, algorithm.chain()), coin);
        all.push((after, 1.0 / coin.outcomes() as f64));
    });
    all
}

/// All combinations of simultaneous steps of these processes.
fn at_once<A: Ring>(algorithm: &A, c: &[A::State], processes: &[usize]) -> Vec<(Vec<A::State>, f64)> {
    let mut all = vec![(c.to_vec(), 1.0)];
    for &process in processes {
        let becomes = outcomes(algorithm, c, process);
        all = all
            .iter()
            .flat_map(|(after, p)| {
                becomes.iter().map(move |(state, q)| {
                    let mut after = after.clone();
                    after[process] = *state;
                    (after, p * q)
                })
            })
            .collect();
    }
    all
}

/// The steps of a ring or line under a scheduler.
pub(crate) fn ring_steps<A: Ring>(algorithm: &A, c: &[A::State], scheduler: Scheduler) -> Vec<(Vec<A::State>, f64)> {
    let n = c.len();
    match scheduler {
        Scheduler::Synchronous => at_once(algorithm, c, &(0..n).collect::<Vec<_>>()),
        Scheduler::Distributed => {
            let sets = (1..1_u32 << n).map(|bits| (0..n).filter(|i| bits >> i & 1 == 1).collect::<Vec<_>>());
            sets.flat_map(|set| at_once(algorithm, c, &set)).collect()
        }
        Scheduler::LocallyCentral => {
            let line = algorithm.chain() == Chain::Line;
            let beside = |i: usize, j: usize| i.abs_diff(j) == 1 || (!line && i.abs_diff(j) == n - 1 && i != j);
            let sets = (1..1_u32 << n).map(|bits| (0..n).filter(|i| bits >> i & 1 == 1).collect::<Vec<_>>());
            let apart = sets.filter(|set| set.iter().all(|&i| set.iter().all(|&j| !beside(i, j))));
            apart.flat_map(|set| at_once(algorithm, c, &set)).collect()
        }
        _ => {
            let one = |process| at_once(algorithm, c, &[process]);
            (0..n).flat_map(one).map(|(after, p)| (after, p / n as f64)).collect()
        }
    }
}

impl<S: Copy + Eq + Hash> Brute<S> {
    pub(crate) fn new(
        all: Vec<Vec<S>>,
        steps: impl Fn(&[S]) -> Vec<(Vec<S>, f64)>,
        correct: impl Fn(&[S]) -> bool,
        output: &Output<S>,
    ) -> Brute<S> {
        let steps: HashMap<_, _> = all.into_iter().map(|c| (c.clone(), steps(&c))).collect();
        let mut safe: HashSet<Vec<S>> = steps.keys().filter(|c| correct(c)).cloned().collect();
        loop {
            let stays = |c: &&Vec<S>| steps[*c].iter().all(|(d, _)| safe.contains(d) && output(d) == output(c));
            let next: HashSet<Vec<S>> = safe.iter().filter(stays).cloned().collect();
            if next.len() == safe.len() {
                return Brute { steps, really_safe: safe };
            }
            safe = next;
        }
    }

    pub(crate) fn configurations(&self) -> u64 {
        self.steps.len() as u64
    }

    /// Whether the set can be reached from everywhere.
    pub(crate) fn reachable(&self) -> bool {
        let mut reached = self.really_safe.clone();
        loop {
            let into = |c: &&Vec<S>| !reached.contains(*c) && self.steps[*c].iter().any(|(d, _)| reached.contains(d));
            let more: Vec<Vec<S>> = self.steps.keys().filter(into).cloned().collect();
            if more.is_empty() {
                return reached.len() == self.steps.len();
            }
            reached.extend(more);
        }
    }

    /// The longest execution outside the set from the worst start, and the mean over all starts; `None` if an execution
    /// stays outside for ever.
    pub(crate) fn longest(&self) -> Option<(f64, f64)> {
        let mut length: HashMap<&Vec<S>, u64> = self.really_safe.iter().map(|c| (c, 0)).collect();
        loop {
            let mut more = vec![];
            for (c, steps) in self.steps.iter().filter(|(c, _)| !length.contains_key(c)) {
                let mut moves = steps.iter().map(|(d, _)| d).filter(|d| *d != c).peekable();
                moves.peek()?;
                if let Some(lengths) = moves.map(|d| length.get(d)).collect::<Option<Vec<_>>>() {
                    more.push((c, 1 + **lengths.iter().max().unwrap()));
                }
            }
            if more.is_empty() {
                break;
            }
            length.extend(more);
        }
        if length.len() < self.steps.len() {
            return None;
        }
        let (worst, sum) = (length.values().max()?, length.values().sum::<u64>());
        Some((*worst as f64, sum as f64 / length.len() as f64))
    }

    /// The worst and the mean expected number of steps, by repeating h = 1 + Ph until nothing changes any more.
    pub(crate) fn expected(&self) -> (f64, f64) {
        let all: Vec<&Vec<S>> = self.steps.keys().collect();
        let index: HashMap<&Vec<S>, usize> = all.iter().enumerate().map(|(i, c)| (*c, i)).collect();
        let rows: Vec<Vec<(usize, f64)>> =
            all.iter().map(|c| self.steps[*c].iter().map(|(d, p)| (index[d], *p)).collect()).collect();
        let mut h = vec![0.0; all.len()];
        loop {
            let mut change = 0.0_f64;
            for (i, _) in all.iter().enumerate().filter(|(_, c)| !self.really_safe.contains(**c)) {
                let next = 1.0 + rows[i].iter().map(|&(j, p)| p * h[j]).sum::<f64>();
                change = change.max(next - h[i]);
                h[i] = next;
            }
            if change < 1e-13 {
                break;
            }
        }
        (h.iter().copied().fold(0.0, f64::max), h.iter().sum::<f64>() / h.len() as f64)
    }
}
