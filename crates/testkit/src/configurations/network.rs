//! The processes of a graph, step by step: every set of processes of a daemon, every outcome, nothing clever.

use super::Moves;
use ringleader_model::{Networked, Odometer, Stabilizing, Vicinity, number};

/// The processes that a daemon lets step together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Together {
    /// One.
    One,
    /// Any set.
    Any,
    /// Any set without two neighbours.
    Apart,
    /// All.
    All,
    /// One that is chosen at random, whether it changes anything or not.
    Random,
}

/// An algorithm on its graph, under a daemon.
pub struct Network<A: Stabilizing> {
    /// The algorithm.
    pub algorithm: A,
    daemon: Together,
    states: Vec<A::State>,
    exists: Vec<bool>,
}

impl<A: Networked + Stabilizing> Network<A> {
    /// All configurations of an algorithm.
    pub fn new(algorithm: A, daemon: Together) -> Network<A> {
        let states: Vec<_> = number::all(&algorithm).collect();
        let mut network = Network { algorithm, daemon, states, exists: vec![] };
        let all = network.states.len().pow(network.algorithm.neighbours().size() as u32);
        network.exists = (0..all)
            .map(|c| {
                let before = network.configuration(c);
                let mut after = before.clone();
                network.algorithm.restore(&mut after);
                after == before
            })
            .collect();
        network
    }

    /// The states of a configuration.
    pub fn configuration(&self, mut c: usize) -> Vec<A::State> {
        let mut states = vec![];
        for _ in 0..self.algorithm.neighbours().size() {
            states.push(self.states[c % self.states.len()]);
            c /= self.states.len();
        }
        states
    }

    fn number(&self, configuration: &[A::State]) -> usize {
        let digit = |state: &A::State| number::rank(&self.algorithm, state) as usize;
        configuration.iter().rev().fold(0, |c, state| c * self.states.len() + digit(state))
    }

    /// The members of a set, by number.
    pub fn set(&self, contains: impl Fn(&A, &[A::State]) -> bool) -> Vec<bool> {
        (0..self.len()).map(|c| self.exists[c] && contains(&self.algorithm, &self.configuration(c))).collect()
    }

    /// The number of configurations.
    pub fn configurations(&self) -> usize {
        self.exists.iter().filter(|&&exists| exists).count()
    }

    /// The states that a step of a process may lead to, with their probabilities if choices are made at random.
    fn outcomes(&self, configuration: &[A::State], process: usize) -> Vec<(A::State, f64)> {
        let graph = self.algorithm.neighbours();
        let neighbours: Vec<_> = graph.of(process).iter().map(|&at| configuration[at as usize]).collect();
        let view =
            Vicinity { process, own: configuration[process], neighbours: &neighbours, back: graph.back(process) };
        let mut all = vec![];
        Odometer::each(|coin| {
            let after = self.algorithm.act(view, coin);
            all.push((after, 1.0 / coin.outcomes() as f64));
        });
        all
    }

    fn allows(&self, set: usize, enabled: usize) -> bool {
        let graph = self.algorithm.neighbours();
        let apart =
            || (0..graph.size()).filter(|i| set >> i & 1 == 1).all(|i| graph.of(i).iter().all(|j| set >> j & 1 == 0));
        match self.daemon {
            Together::One => set.count_ones() == 1 && set & !enabled == 0,
            Together::Any => set != 0 && set & !enabled == 0,
            Together::Apart => set != 0 && set & !enabled == 0 && apart(),
            Together::All => set == (1 << graph.size()) - 1,
            Together::Random => unreachable!("a scheduler, not a daemon"),
        }
    }
}

/// The steps; those of a daemon have no probabilities, and where nothing is enabled, there are none.
impl<A: Networked + Stabilizing> Moves for Network<A> {
    fn len(&self) -> usize {
        self.exists.len()
    }

    fn exists(&self, c: usize) -> bool {
        self.exists[c]
    }

    fn each(&self, c: usize, visit: &mut dyn FnMut(usize, f64)) {
        let before = self.configuration(c);
        let size = before.len();
        let outcomes: Vec<_> = (0..size).map(|process| self.outcomes(&before, process)).collect();
        if self.daemon == Together::Random {
            for (process, (state, probability)) in
                outcomes.iter().enumerate().flat_map(|(i, all)| all.iter().map(move |one| (i, one)))
            {
                let mut to = before.clone();
                to[process] = *state;
                visit(self.number(&to), probability / size as f64);
            }
            return;
        }
        let changes = |process: usize| outcomes[process].iter().any(|(after, _)| *after != before[process]);
        let enabled = (0..size).fold(0, |set, process| set | usize::from(changes(process)) << process);
        if enabled == 0 {
            return;
        }
        for set in (0..1 << size).filter(|&set| self.allows(set, enabled)) {
            let mut reached = vec![before.clone()];
            for process in (0..size).filter(|process| set >> process & 1 == 1) {
                let after = |from: &Vec<A::State>| -> Vec<Vec<A::State>> {
                    let put = |state: &A::State| {
                        let mut to = from.clone();
                        to[process] = *state;
                        to
                    };
                    let moving = |state: &&A::State| self.daemon == Together::All || **state != before[process];
                    outcomes[process].iter().map(|(state, _)| state).filter(moving).map(put).collect()
                };
                reached = reached.iter().flat_map(after).collect();
            }
            reached.iter().for_each(|to| visit(self.number(to), 1.0));
        }
    }
}
