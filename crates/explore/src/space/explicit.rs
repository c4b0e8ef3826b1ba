//! The explicit graph of the kept states.

use crate::search::{Numbering, on_threads};
use crate::store::Slot;
use crate::system::cells::Choice;
use crate::{Action, DecisionGraph, Space};

/// The number of states that a thread adds between two calls of `keep_going`.
const STRETCH: usize = 1 << 12;

impl Space<'_> {
    /// An upper bound on the bytes of the graph and of computations on it; a huge number if its edges cannot be numbered.
    pub fn graph_bytes(&self) -> u64 {
        let per_state = if self.found.kept.entry_bytes().is_some() { 80 + size_of::<Slot>() as u64 } else { 80 };
        let edges = self.found.whole.counts.edges;
        if edges > 1 << 31 { u64::MAX / 2 } else { edges * 20 + self.stored() * per_state }
    }

    /// The explicit graph of the kept states.
    pub fn graph(&self) -> DecisionGraph {
        self.graph_while(&|| true).expect("it is not stopped")
    }

    /// The same; `None` if `keep_going` returned `false`.
    pub fn graph_while(&self, keep_going: &(dyn Fn() -> bool + Sync)) -> Option<DecisionGraph> {
        let (len, threads) = (self.found.kept.len(), self.options.threads.max(1));
        let numbering = self.found.numbering();
        let part = |part: usize| self.part(&numbering, len * part / threads..len * (part + 1) / threads, keep_going);
        let mut graph = DecisionGraph::default();
        for part in on_threads(threads, &part) {
            graph.append(part?);
        }
        Some(graph)
    }

    fn part(
        &self,
        numbering: &Numbering<'_>,
        numbers: std::ops::Range<usize>,
        keep_going: &(dyn Fn() -> bool + Sync),
    ) -> Option<DecisionGraph> {
        let mut graph = DecisionGraph::default();
        for number in numbers {
            if number % STRETCH == 0 && !keep_going() {
                return None;
            }
            let state = numbering.state(number);
            let choices: Vec<Vec<_>> = self
                .system
                .choices(state)
                .map(|(process, _, choice)| self.outcomes(numbering, state, process, choice))
                .collect();
            graph.push(self.system.leaders(state), &choices);
        }
        Some(graph)
    }

    fn outcomes(
        &self,
        numbering: &Numbering<'_>,
        state: u128,
        process: u32,
        choice: &Choice,
    ) -> Vec<(u32, f64, Action, usize)> {
        let outcome = |&(number, probability): &(u32, f64)| {
            let arc = self.system.cells.arc(number);
            let (target, sent) = (self.system.follow(state, process, arc), self.system.cells.sends(arc).len());
            let kept = target.and_then(|target| self.system.representative(target)).ok();
            let number = kept.and_then(|kept| numbering.number(kept)).expect("the search has found every successor");
            (number as u32, probability, self.options.visible.filter(arc.action), sent)
        };
        choice.outcomes.iter().map(outcome).collect()
    }
}
