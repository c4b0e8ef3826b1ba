//! A closed part of a graph, with its steps stored. Every node is one configuration, so that a question may name agents.

use crate::space::{Edge, Markov, Reversible, StateGraph};
use crate::{Monitor, Stop, Uncheckable, memory};
use ringleader_model::Grouped;

/// A node of the part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// The node of the system that represents it, up to rotation.
    pub(crate) base: u32,
    /// Its configuration.
    pub(crate) configuration: u32,
    /// The turns on its edges, under alternating schedules.
    pub(crate) turns: Option<u32>,
}

/// A closed part of a graph.
#[derive(Debug)]
pub(crate) struct Part {
    places: Vec<Place>,
    /// The steps of a node are `edges[start[node]..start[node + 1]]`.
    start: Vec<u32>,
    edges: Vec<Edge>,
    before: Grouped,
    total: u64,
    rests: bool,
}

impl Part {
    /// The part of `graph` on these nodes, in order, each with its place, if it fits into `allowed` bytes. No step leads out
    /// of it. `total` is the weight of all steps of a node, if steps have probabilities.
    pub(crate) fn new<G: StateGraph>(
        graph: &G,
        nodes: &[u32],
        place: impl Fn(u32) -> Place,
        total: u64,
        allowed: u64,
        monitor: &Monitor,
    ) -> Result<Part, Stop> {
        let size = nodes.len() as u64;
        monitor.enter("counting the steps inside the safe set", Some(size));
        let count = |at: u32| {
            let mut steps = 0;
            graph.successors(nodes[at as usize], |_| steps += 1);
            steps
        };
        let steps = monitor.sum(size, 1 << 14, count)?;
        // A table is faster than a search, unless it is much larger than the part.
        let table = if graph.size() >> 6 <= size { graph.size() } else { 0 };
        memory::admit(memory::of_part(size, steps, table), allowed, Some(size))?;
        Uncheckable::TooManySteps { configurations: size, steps }.refuse_if(steps >= 1 << 32)?;
        monitor.enter("the steps inside the safe set", Some(size));
        let mut numbers = vec![0; table as usize];
        if !numbers.is_empty() {
            (0..).zip(nodes).for_each(|(at, &node)| numbers[node as usize] = at);
        }
        let search = |node: u32| nodes.binary_search(&node).expect("no step leads out of the part") as u32;
        let number = |node: u32| numbers.get(node as usize).copied().unwrap_or_else(|| search(node));
        let (mut start, mut edges) = (vec![0], Vec::<Edge>::with_capacity(steps as usize));
        for (at, &node) in nodes.iter().enumerate() {
            monitor.pass(at as u64, 1 << 14)?;
            graph.successors(node, |edge| edges.push(Edge { target: number(edge.target), ..edge }));
            start.push(edges.len() as u32);
        }
        let own = |ends: &[u32]| edges[ends[0] as usize..ends[1] as usize].iter();
        let steps = (0..).zip(start.windows(2)).flat_map(|(from, ends)| own(ends).map(move |edge| (edge.target, from)));
        let before = Grouped::new(nodes.len(), steps);
        let places = nodes.iter().map(|&node| place(node)).collect();
        Ok(Part { places, start, edges, before, total, rests: graph.may_rest() })
    }

    /// The place of a node.
    pub(crate) fn place(&self, node: u32) -> Place {
        self.places[node as usize]
    }
}

impl StateGraph for Part {
    fn size(&self) -> u64 {
        self.places.len() as u64
    }

    fn successors(&self, node: u32, visit: impl FnMut(Edge)) {
        let range = self.start[node as usize] as usize..self.start[node as usize + 1] as usize;
        self.edges[range].iter().copied().for_each(visit);
    }

    fn may_rest(&self) -> bool {
        self.rests
    }
}

impl Reversible for Part {
    fn predecessors(&self, node: u32, visit: impl FnMut(u32)) {
        self.before.of(node as usize).iter().copied().filter(|&before| before != node).for_each(visit);
    }
}

impl Markov for Part {
    fn total(&self) -> u64 {
        self.total
    }

    fn steps_at_most(&self) -> u64 {
        self.start.windows(2).map(|ends| u64::from(ends[1] - ends[0])).max().unwrap_or(1)
    }
}
