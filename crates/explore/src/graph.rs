//! A kept state space as an explicit graph: states, the scheduler's choices, and where they lead with which probability.

use crate::cell::Choice;
use crate::{Action, Space};

/// One outcome of a choice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edge {
    /// Where it leads.
    pub target: u32,
    /// Which of the graph's probabilities it has.
    odds: u16,
    /// What a bystander sees.
    pub action: Action,
    /// How many messages are sent.
    pub sent: u8,
}

/// A Markov decision process whose transitions carry actions. State 0 is the start.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// Per state the number of its first choice, and one entry more.
    choices: Vec<u32>,
    /// Per choice the number of its first edge, and one entry more.
    edges: Vec<u32>,
    /// All edges.
    all: Vec<Edge>,
    probabilities: Vec<f64>,
    leaders: Vec<u8>,
}

impl Graph {
    /// How many states there are.
    pub fn len(&self) -> usize {
        self.leaders.len()
    }

    /// Whether there is no state.
    pub fn is_empty(&self) -> bool {
        self.leaders.is_empty()
    }

    /// How many outcomes all choices of all states have together.
    pub fn edge_count(&self) -> usize {
        self.all.len()
    }

    /// How many leaders there are in a state.
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

    /// The number of a probability. There are few: sums of inverse products of the coins' sizes.
    fn odds(&mut self, probability: f64) -> u16 {
        let place = self.probabilities.iter().position(|&p| p == probability).unwrap_or_else(|| {
            self.probabilities.push(probability);
            self.probabilities.len() - 1
        });
        assert!(place < 1 << 16, "more than 65536 different probabilities in one model");
        place as u16
    }

    fn append(&mut self, part: Graph) {
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

/// How many states a thread adds before somebody may ask it to stop.
const STRETCH: usize = 1 << 12;

impl Space<'_> {
    /// How many bytes the graph takes at most, with what is computed on it; more than there are if its edges cannot be
    /// numbered.
    pub fn graph_bytes(&self) -> u64 {
        if self.found.counts.edges > 1 << 31 { u64::MAX / 2 } else { self.found.counts.edges * 20 + self.stored() * 80 }
    }

    /// The explicit graph of the kept states.
    pub fn graph(&self) -> Graph {
        self.graph_while(&|| true).expect("nobody stops it")
    }

    /// The same, unless it is told to stop.
    pub fn graph_while(&self, keep_going: &(dyn Fn() -> bool + Sync)) -> Option<Graph> {
        let (len, threads) = (self.found.len(), self.options.threads.max(1));
        let part = |number: usize| self.part(len * number / threads..len * (number + 1) / threads, keep_going);
        std::thread::scope(|scope| {
            let part = &part;
            let workers: Vec<_> = (0..threads).map(|number| scope.spawn(move || part(number))).collect();
            let mut graph = Graph::default();
            for worker in workers {
                graph.append(worker.join().expect("a worker does not panic")?);
            }
            Some(graph)
        })
    }

    fn part(&self, numbers: std::ops::Range<usize>, keep_going: &(dyn Fn() -> bool + Sync)) -> Option<Graph> {
        let mut graph = Graph::default();
        for number in numbers {
            if number % STRETCH == 0 && !keep_going() {
                return None;
            }
            let state = self.found.state(number);
            let choices: Vec<Vec<_>> =
                self.system.choices(state).map(|(process, _, choice)| self.outcomes(state, process, choice)).collect();
            graph.push(self.system.leaders(state), &choices);
        }
        Some(graph)
    }

    fn outcomes(&self, state: u128, process: u32, choice: &Choice) -> Vec<(u32, f64, Action, usize)> {
        let outcome = |&(number, probability): &(u32, f64)| {
            let arc = self.system.cells.arc(number);
            let (target, sent) = (self.system.follow(state, process, arc), self.system.cells.sends(arc).len());
            let kept = target.and_then(|target| self.system.representative(target)).ok();
            let number = kept.and_then(|kept| self.found.number(kept)).expect("the search has met every successor");
            (number as u32, probability, self.options.visible.filter(arc.action), sent)
        };
        choice.outcomes.iter().map(outcome).collect()
    }
}
