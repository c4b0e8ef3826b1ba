//! Interaction graphs in the forms that the kernels need.

use crate::Generator;
use ringleader_model::graph::GraphError;
use ringleader_model::{Graph, Grouped, Shape};
use std::sync::Arc;

/// The arcs of a graph: one is drawn uniformly for every interaction.
///
/// Those of a complete graph have no numbers: kernels only step there.
pub trait Arcs: Clone + Send + Sync {
    /// The number of agents.
    fn agents(&self) -> usize;
    /// The number of arcs.
    fn count(&self) -> u64;
    /// Draws as many arcs as `out` holds: initiator and responder of each are a uniformly random arc.
    fn draw_all(&self, coin: &mut Generator, out: &mut [(u32, u32)]);
    /// One such arc.
    #[inline]
    fn draw(&self, coin: &mut Generator) -> (usize, usize) {
        self.ends(coin.below_short(self.count() as u32) as usize)
    }
    /// Initiator and responder of an arc with a number below 2^32.
    fn ends(&self, arc: usize) -> (usize, usize);
    /// Calls `visit` with every arc that touches a changed end of `arc`; `changed` marks the initiator and the responder. An arc
    /// may be visited more than once.
    fn around(&self, arc: usize, changed: (bool, bool), visit: impl FnMut(usize));
    /// If only one other arc touches each end of `arc`: the four agents of this row and its three arcs.
    fn row(&self, arc: usize) -> Option<([u32; 4], [usize; 3])> {
        let _ = arc;
        None
    }
}

/// The directed ring: arc `i` goes from agent `i` to the next.
#[derive(Clone, Copy, Debug)]
pub struct RingArcs(pub usize);

impl RingArcs {
    fn next(self, i: usize) -> usize {
        if i + 1 == self.0 { 0 } else { i + 1 }
    }
}

impl Arcs for RingArcs {
    fn agents(&self) -> usize {
        self.0
    }

    fn count(&self) -> u64 {
        self.0 as u64
    }

    #[inline]
    fn draw_all(&self, coin: &mut Generator, out: &mut [(u32, u32)]) {
        let n = self.0 as u32;
        coin.fill_below(n, out, |u| (u, if u + 1 == n { 0 } else { u + 1 }));
    }

    #[inline]
    fn ends(&self, arc: usize) -> (usize, usize) {
        (arc, self.next(arc))
    }

    #[inline]
    fn around(&self, arc: usize, changed: (bool, bool), mut visit: impl FnMut(usize)) {
        if changed.0 {
            visit(if arc == 0 { self.0 - 1 } else { arc - 1 });
        }
        if changed.0 || changed.1 {
            visit(arc);
        }
        if changed.1 {
            visit(self.next(arc));
        }
    }

    #[inline]
    fn row(&self, arc: usize) -> Option<([u32; 4], [usize; 3])> {
        let (before, v) = (if arc == 0 { self.0 - 1 } else { arc - 1 }, self.next(arc));
        Some(([before, arc, v, self.next(v)].map(|agent| agent as u32), [before, arc, v]))
    }
}

/// The arcs of any graph.
#[derive(Debug)]
pub struct Lists {
    arcs: Vec<(u32, u32)>,
    /// The arcs that touch each agent.
    touching: Grouped,
}

/// The graph of a population: a family whose arcs need no list, or a listed graph.
///
/// One type for all graphs, so that a kernel is compiled once; table kernels, whose speed
/// depends on the type, are compiled for [`RingArcs`] too.
#[derive(Clone, Debug)]
pub enum Arena {
    /// A directed ring.
    Ring(RingArcs),
    /// A complete graph of this size: all ordered pairs of distinct agents.
    Complete(usize),
    /// Any other graph.
    Listed(Arc<Lists>),
}

impl Arena {
    /// The arena of a family with this many agents; no list is made where none is needed.
    pub fn shaped(shape: Shape, agents: usize) -> Result<Arena, GraphError> {
        let listed = match shape {
            Shape::DirectedRing if agents > 2 => return Ok(Arena::Ring(RingArcs(agents))),
            Shape::Complete if agents >= 2 => return Ok(Arena::Complete(agents)),
            Shape::DirectedRing => Graph::directed_ring(agents),
            _ => Graph::undirected_ring(agents),
        };
        listed.map(|graph| Arena::of(&graph))
    }

    /// The arena of a graph.
    pub fn of(graph: &Graph) -> Arena {
        match graph.shape() {
            Shape::DirectedRing if graph.size() > 2 => Arena::Ring(RingArcs(graph.size())),
            Shape::Complete => Arena::Complete(graph.size()),
            _ => Arena::listed(graph),
        }
    }

    /// The arena of a graph of any shape, as a list.
    pub fn listed(graph: &Graph) -> Arena {
        let ends = graph.arcs().iter().zip(0..).flat_map(|(&(u, v), arc)| [(u, arc), (v, arc)]);
        Arena::Listed(Arc::new(Lists { arcs: graph.arcs().to_vec(), touching: Grouped::new(graph.size(), ends) }))
    }
}

impl Arcs for Arena {
    fn agents(&self) -> usize {
        match self {
            Arena::Ring(arcs) => arcs.agents(),
            Arena::Complete(agents) => *agents,
            Arena::Listed(lists) => lists.touching.groups(),
        }
    }

    fn count(&self) -> u64 {
        match self {
            Arena::Ring(arcs) => arcs.count(),
            Arena::Complete(agents) => *agents as u64 * (*agents as u64 - 1),
            Arena::Listed(lists) => lists.arcs.len() as u64,
        }
    }

    #[inline]
    fn draw_all(&self, coin: &mut Generator, out: &mut [(u32, u32)]) {
        match self {
            Arena::Ring(arcs) => arcs.draw_all(coin, out),
            Arena::Complete(_) => {
                for arc in out {
                    let (u, v) = self.draw(coin);
                    *arc = (u as u32, v as u32);
                }
            }
            Arena::Listed(lists) => coin.fill_below(lists.arcs.len() as u32, out, |arc| lists.arcs[arc as usize]),
        }
    }

    #[inline]
    fn draw(&self, coin: &mut Generator) -> (usize, usize) {
        match self {
            Arena::Ring(arcs) => arcs.draw(coin),
            Arena::Complete(agents) => {
                let n = *agents as u32;
                let (u, v) = (coin.below_short(n) as usize, coin.below_short(n - 1) as usize);
                (u, v + usize::from(v >= u))
            }
            Arena::Listed(lists) => self.ends(coin.below_short(lists.arcs.len() as u32) as usize),
        }
    }

    #[inline]
    fn ends(&self, arc: usize) -> (usize, usize) {
        match self {
            Arena::Ring(arcs) => arcs.ends(arc),
            Arena::Listed(lists) => {
                let (u, v) = lists.arcs[arc];
                (u as usize, v as usize)
            }
            Arena::Complete(_) => unreachable!("kernels only step on complete graphs"),
        }
    }

    #[inline]
    fn around(&self, arc: usize, changed: (bool, bool), mut visit: impl FnMut(usize)) {
        match self {
            Arena::Ring(arcs) => arcs.around(arc, changed, visit),
            Arena::Listed(lists) => {
                let (u, v) = lists.arcs[arc];
                for (agent, _) in [(u, changed.0), (v, changed.1)].into_iter().filter(|(_, changed)| *changed) {
                    lists.touching.of(agent as usize).iter().for_each(|&arc| visit(arc as usize));
                }
            }
            Arena::Complete(_) => unreachable!("kernels only step on complete graphs"),
        }
    }

    #[inline]
    fn row(&self, arc: usize) -> Option<([u32; 4], [usize; 3])> {
        match self {
            Arena::Ring(arcs) => arcs.row(arc),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn around(arcs: &impl Arcs, arc: usize, changed: (bool, bool)) -> Vec<usize> {
        let mut found = vec![];
        arcs.around(arc, changed, |a| found.push(a));
        found.sort_unstable();
        found.dedup();
        found
    }

    #[test]
    fn a_listed_ring_is_the_computed_one() {
        for n in 3..9 {
            let listed = Arena::listed(&Graph::directed_ring(n).unwrap());
            for arc in 0..n {
                assert_eq!(listed.ends(arc), RingArcs(n).ends(arc));
                for changed in [(false, false), (true, false), (false, true), (true, true)] {
                    assert_eq!(around(&listed, arc, changed), around(&RingArcs(n), arc, changed));
                }
            }
        }
    }

    #[test]
    fn a_complete_graph_draws_every_pair_of_different_agents() {
        let mut coin = Generator::new(5);
        let mut seen = [[0u32; 4]; 4];
        for _ in 0..12_000 {
            let (u, v) = Arena::Complete(4).draw(&mut coin);
            seen[u][v] += 1;
        }
        assert!((0..4).all(|i| seen[i][i] == 0));
        assert!((0..4).all(|i| (0..4).all(|j| i == j || (850..1150).contains(&seen[i][j]))), "{seen:?}");
    }
}
