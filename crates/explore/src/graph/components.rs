//! Strongly connected components, by Tarjan's algorithm without recursion.

use crate::{DecisionGraph, Edge};

const NEW: u32 = u32::MAX;

/// The component of every state along the edges that `follow` allows, and how many there are. Every component has a
/// greater number than those it leads to.
pub(crate) fn components(graph: &DecisionGraph, follow: impl Fn(&Edge) -> bool) -> (Vec<u32>, usize) {
    let mut search = Search {
        graph,
        follow,
        low: vec![NEW; graph.len()],
        component: vec![NEW; graph.len()],
        open: vec![],
        path: vec![],
        clock: 0,
        count: 0,
    };
    for root in 0..graph.len() as u32 {
        if search.low[root as usize] == NEW {
            search.enter(root);
            while let Some(visit) = search.path.pop() {
                search.resume(visit);
            }
        }
    }
    (search.component, search.count as usize)
}

/// A state on the path: which of its edges comes next, and when it was entered.
struct Visit {
    state: u32,
    next: u32,
    entered: u32,
}

struct Search<'g, F> {
    graph: &'g DecisionGraph,
    follow: F,
    /// The earliest entry reachable so far.
    low: Vec<u32>,
    component: Vec<u32>,
    /// Entered, but not yet in a component.
    open: Vec<u32>,
    path: Vec<Visit>,
    clock: u32,
    count: u32,
}

impl<F: Fn(&Edge) -> bool> Search<'_, F> {
    fn enter(&mut self, state: u32) {
        self.low[state as usize] = self.clock;
        self.open.push(state);
        self.path.push(Visit { state, next: 0, entered: self.clock });
        self.clock += 1;
    }

    fn resume(&mut self, Visit { state, next, entered }: Visit) {
        let graph = self.graph;
        for (edge, at) in graph.edges(state as usize)[next as usize..].iter().zip(next..) {
            let target = edge.target as usize;
            if !(self.follow)(edge) || self.component[target] != NEW {
                continue;
            }
            if self.low[target] == NEW {
                // The same edge is looked at again on the way back.
                self.path.push(Visit { state, next: at, entered });
                self.enter(edge.target);
                return;
            }
            self.low[state as usize] = self.low[state as usize].min(self.low[target]);
        }
        if self.low[state as usize] == entered {
            while let Some(member) = self.open.pop() {
                self.component[member as usize] = self.count;
                if member == state {
                    break;
                }
            }
            self.count += 1;
        }
    }
}
