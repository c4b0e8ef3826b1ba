//! The explicit graph of the kept states: the scheduler's choices, and their outcomes with probabilities.

use crate::Action;

pub mod export;
mod minimize;
mod probability;
mod qualitative;

pub use minimize::{Equivalence, Quotient, minimize};
pub use probability::{Cost, Decider, Elections, Figures, Interval};
pub use qualitative::avoidable;

/// One outcome of a choice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edge {
    /// The state it leads to.
    pub target: u32,
    /// The index of its probability.
    odds: u16,
    /// The visible action.
    pub action: Action,
    /// The number of messages sent.
    pub sent: u8,
}

/// A Markov decision process whose transitions carry actions. State 0 is the start.
#[derive(Clone, Debug, Default)]
pub struct DecisionGraph {
    /// For each state the number of its first choice, and one entry more.
    choices: Vec<u32>,
    /// For each choice the number of its first edge, and one entry more.
    edges: Vec<u32>,
    /// All edges.
    all: Vec<Edge>,
    probabilities: Vec<f64>,
    leaders: Vec<u8>,
}

impl DecisionGraph {
    /// The number of states.
    pub fn len(&self) -> usize {
        self.leaders.len()
    }

    /// Whether there are no states.
    pub fn is_empty(&self) -> bool {
        self.leaders.is_empty()
    }

    /// The number of edges: the outcomes of all choices of all states.
    pub fn edge_count(&self) -> usize {
        self.all.len()
    }

    /// The number of leaders in a state.
    pub fn leaders(&self, state: usize) -> usize {
        self.leaders[state].into()
    }

    /// The choices of a state, each with its outcomes.
    pub fn choices(&self, state: usize) -> impl ExactSizeIterator<Item = &[Edge]> + Clone {
        (self.choices[state]..self.choices[state + 1]).map(|choice| self.outcomes(choice))
    }

    fn outcomes(&self, choice: u32) -> &[Edge] {
        &self.all[self.edges[choice as usize] as usize..self.edges[choice as usize + 1] as usize]
    }

    /// All edges of a state.
    pub fn edges(&self, state: usize) -> &[Edge] {
        let (from, to) = (self.choices[state] as usize, self.choices[state + 1] as usize);
        &self.all[self.edges[from] as usize..self.edges[to] as usize]
    }

    /// The probability of an edge, once its choice is made.
    pub fn probability(&self, edge: &Edge) -> f64 {
        self.probabilities[usize::from(edge.odds)]
    }

    /// Adds a state, with its choices and their outcomes: target, probability, action, messages sent.
    pub fn push(&mut self, leaders: usize, choices: &[Vec<(u32, f64, Action, usize)>]) {
        if self.choices.is_empty() {
            self.choices.push(0);
            self.edges.push(0);
        }
        for choice in choices {
            for &(target, probability, action, sent) in choice {
                let odds = self.odds(probability);
                self.all.push(Edge { target, odds, action, sent: sent.min(255) as u8 });
            }
            self.edges.push(self.all.len() as u32);
        }
        self.choices.push(self.edges.len() as u32 - 1);
        self.leaders.push(leaders.min(255) as u8);
    }

    /// The index of a probability. There are few: sums of inverse products of the coins' sizes.
    fn odds(&mut self, probability: f64) -> u16 {
        let place = self.probabilities.iter().position(|&p| p == probability).unwrap_or_else(|| {
            self.probabilities.push(probability);
            self.probabilities.len() - 1
        });
        assert!(place < 1 << 16, "more than 65536 different probabilities in one model");
        place as u16
    }

    /// Adds the states of another part. Its targets have their numbers in the whole graph.
    pub(crate) fn append(&mut self, part: DecisionGraph) {
        if self.choices.is_empty() {
            *self = part;
            return;
        }
        let (edges, choices) = (self.all.len() as u32, self.edges.len() as u32 - 1);
        let odds: Vec<u16> = part.probabilities.iter().map(|&p| self.odds(p)).collect();
        self.all.extend(part.all.iter().map(|edge| Edge { odds: odds[usize::from(edge.odds)], ..*edge }));
        self.edges.extend(part.edges.iter().skip(1).map(|edge| edge + edges));
        self.choices.extend(part.choices.iter().skip(1).map(|choice| choice + choices));
        self.leaders.extend(part.leaders);
    }
}
