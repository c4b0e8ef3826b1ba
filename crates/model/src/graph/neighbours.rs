//! The neighbours of every vertex of an undirected graph, by ports.

use super::Graph;

/// The neighbours of each process of a graph. The directions of arcs do not matter.
///
/// A process knows its neighbours by ports: port `k`, from 1 to its degree, leads to its `k`-th neighbour in ascending order.
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
    start: Vec<u32>,
    of: Vec<u32>,
    back: Vec<u32>,
}

impl Graph {
    /// The neighbours of every process, whatever the directions of the arcs.
    pub fn neighbours(&self) -> Neighbours {
        let mut pairs: Vec<(u32, u32)> = self.arcs().iter().flat_map(|&(u, v)| [(u, v), (v, u)]).collect();
        pairs.sort_unstable();
        pairs.dedup();
        let mut start = vec![0; self.size() + 1];
        for &(process, _) in &pairs {
            start[process as usize + 1] += 1;
        }
        for process in 0..self.size() {
            start[process + 1] += start[process];
        }
        // Sorted by the other end, a process's pairs come in the order of its neighbours' ports.
        let mut next = start.clone();
        let mut back = vec![0; pairs.len()];
        for (at, &(process, neighbour)) in pairs.iter().enumerate() {
            let there = &mut next[neighbour as usize];
            back[*there as usize] = at as u32 - start[process as usize] + 1;
            *there += 1;
        }
        Neighbours { start, of: pairs.into_iter().map(|(_, neighbour)| neighbour).collect(), back }
    }
}

impl Neighbours {
    fn range(&self, process: usize) -> std::ops::Range<usize> {
        self.start[process] as usize..self.start[process + 1] as usize
    }

    /// The number of processes.
    pub fn size(&self) -> usize {
        self.start.len() - 1
    }

    /// The neighbours of a process, in ascending order.
    pub fn of(&self, process: usize) -> &[u32] {
        &self.of[self.range(process)]
    }

    /// For each neighbour of a process, the port through which that neighbour sees the process.
    pub fn back(&self, process: usize) -> &[u32] {
        &self.back[self.range(process)]
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
        for graph in Graph::all_connected(5).unwrap() {
            let neighbours = graph.neighbours();
            for process in 0..graph.size() {
                assert!(neighbours.of(process).is_sorted());
                for (&neighbour, &back) in neighbours.of(process).iter().zip(neighbours.back(process)) {
                    assert_eq!(neighbours.of(neighbour as usize)[back as usize - 1], process as u32);
                }
            }
        }
    }
}
