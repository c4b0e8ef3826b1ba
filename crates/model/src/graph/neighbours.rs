//! The neighbours of every vertex of an undirected graph, by ports.

use super::Graph;
use crate::Grouped;

/// The neighbours of each process of a graph. The directions of arcs do not matter.
///
/// A process knows its neighbours by ports, numbered from 1 to its degree. They are in the order of the arcs of the graph: of the
/// arcs from the process, and where only the converse arc is listed, of that one.
///
/// ```
/// use ringleader_model::Graph;
///
/// let path = Graph::parse("0 1\n1 2\n")?.neighbours();
/// assert_eq!(path.of(1), [0, 2]);
/// // Process 0 is behind port 1 of process 1, and sees it through port 1. Process 2 is behind port 2.
/// assert_eq!((path.back(1), path.most()), (&[1, 1][..], 2));
/// # Ok::<(), ringleader_model::ParseError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Neighbours {
    of: Grouped,
    back: Vec<u32>,
}

impl Graph {
    /// The neighbours of every process, whatever the directions of the arcs.
    pub fn neighbours(&self) -> Neighbours {
        // Both ends of every arc, sorted. An end that is listed itself comes before its converse.
        let listed = self.arcs().iter().zip(0..);
        let mut ends: Vec<(u32, u32, bool, u32)> =
            listed.flat_map(|(&(u, v), at)| [(u, v, false, at), (v, u, true, at)]).collect();
        ends.sort_unstable();
        ends.dedup_by_key(|&mut (process, neighbour, ..)| (process, neighbour));
        // Sorted by neighbour, the converse ends come in the order of the ends.
        let converse =
            Grouped::new(self.size(), ends.iter().zip(0..).map(|(&(_, neighbour, ..), end)| (neighbour, end)));
        let mut order: Vec<u32> = (0..ends.len() as u32).collect();
        let mut port = vec![0; ends.len()];
        for process in 0..self.size() {
            let own = &mut order[converse.range(process)];
            own.sort_unstable_by_key(|&end| ends[end as usize].3);
            own.iter().zip(1..).for_each(|(&end, number)| port[end as usize] = number);
        }
        let all = order.iter().map(|&end| ends[end as usize].1).collect();
        let back = order.iter().map(|&end| port[converse.all[end as usize] as usize]).collect();
        Neighbours { of: Grouped { all, ..converse }, back }
    }
}

impl Neighbours {
    /// The number of processes.
    #[inline]
    pub fn size(&self) -> usize {
        self.of.groups()
    }

    /// The neighbours of a process, by port.
    #[inline]
    pub fn of(&self, process: usize) -> &[u32] {
        self.of.of(process)
    }

    /// For each neighbour of a process, the port through which that neighbour sees the process.
    #[inline]
    pub fn back(&self, process: usize) -> &[u32] {
        &self.back[self.of.range(process)]
    }

    /// The largest degree.
    pub fn most(&self) -> usize {
        (0..self.size()).map(|process| self.of(process).len()).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_port_back_leads_back() {
        let turned = Graph::from_arcs(3, vec![(0, 1), (0, 2), (1, 2), (1, 0), (2, 0), (2, 1)]).unwrap();
        let one_way = Graph::parse("2 0\n1 2\n0 1\n3 0").unwrap();
        for graph in Graph::all_connected(5).unwrap().into_iter().chain([turned, one_way]) {
            let neighbours = graph.neighbours();
            for process in 0..graph.size() {
                for (&neighbour, &back) in neighbours.of(process).iter().zip(neighbours.back(process)) {
                    assert_eq!(neighbours.of(neighbour as usize)[back as usize - 1], process as u32);
                }
            }
        }
    }

    #[test]
    fn ports_are_in_the_order_of_the_arcs() {
        let graph = Graph::from_arcs(3, vec![(0, 2), (0, 1), (1, 2), (1, 0), (2, 0)]).unwrap().neighbours();
        assert_eq!((graph.of(0), graph.of(1), graph.of(2)), (&[2, 1][..], &[2, 0][..], &[1, 0][..]));
    }
}
