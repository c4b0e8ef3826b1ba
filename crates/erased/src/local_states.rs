//! The states that each process of a graph may be in.

use crate::{GraphInstance, Number};
use ringleader_model::Networked as _;
use ringleader_model::graph::Neighbours;
use std::sync::Arc;

/// The admitted states of each process of a graph. The place of a state among those of its process is its *digit*.
#[derive(Clone, Debug)]
pub struct LocalStates {
    neighbours: Arc<Neighbours>,
    /// For each process the numbers of its states, ascending.
    of: Vec<Vec<u32>>,
    states: u64,
    /// Whether the algorithm tells which states it admits.
    known: bool,
}

impl LocalStates {
    /// The admitted states of an algorithm with fewer than 2^32 states.
    pub fn new(algorithm: &GraphInstance) -> LocalStates {
        let neighbours = Arc::new(algorithm.neighbours().clone());
        let states = algorithm.states();
        let admitted = |process: usize| {
            let admits = |&state: &u32| algorithm.admits(process, &Number(state.into())) != Some(false);
            (0..states as u32).filter(admits).collect()
        };
        let of = (0..neighbours.size()).map(admitted).collect();
        let known = algorithm.admits(0, &Number(0)).is_some();
        LocalStates { neighbours, of, states, known }
    }

    /// The states of a process, ascending.
    pub fn of(&self, process: usize) -> &[u32] {
        &self.of[process]
    }

    /// The number of states of each process.
    pub fn counts(&self) -> impl Iterator<Item = u64> {
        self.of.iter().map(|states| states.len() as u64)
    }

    /// Whether every process may be in every state. The digit of a state is then its number.
    pub fn are_all(&self) -> bool {
        self.counts().all(|count| count == self.states)
    }

    /// Whether all combinations of these states are configurations of the algorithm.
    pub fn are_possible(&self) -> bool {
        self.known
    }

    /// The digit of a state of a process.
    pub fn digit(&self, process: usize, state: u32) -> Option<u32> {
        self.of[process].binary_search(&state).ok().map(|digit| digit as u32)
    }

    /// The number of states of the first neighbour of a process.
    pub fn firsts(&self, process: usize) -> u64 {
        self.of[self.neighbours.of(process)[0] as usize].len() as u64
    }

    /// The number of contexts of a process: the combinations of the states of all its neighbours but the first. `None` if
    /// there are 2^64 or more.
    pub fn contexts(&self, process: usize) -> Option<u64> {
        let mut others = self.neighbours.of(process)[1..].iter().map(|&other| self.of[other as usize].len() as u64);
        others.try_fold(1_u64, |product, count| product.checked_mul(count))
    }

    /// The states that a process reads, for an index into its [rule table](crate::RuleTable::graph_while): the digit of its first
    /// neighbour, its own, and its other neighbours' as the digits of a context. Its own state comes first.
    pub fn view(&self, process: usize, mut context: u64, first: u64, own: u64) -> Vec<u64> {
        let near = self.neighbours.of(process);
        let state = |process: usize, digit: u64| u64::from(self.of[process][digit as usize]);
        let mut states = vec![state(process, own), state(near[0] as usize, first)];
        for &other in &near[1..] {
            let count = self.of[other as usize].len() as u64;
            states.push(state(other as usize, context % count));
            context /= count;
        }
        states
    }
}
