//! All graphs of a size that an algorithm can tell apart.

use super::{Graph, GraphError, census};
use crate::Knowledge;

/// All graphs of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display, strum::EnumString)]
#[strum(serialize_all = "kebab-case")]
pub enum Census {
    /// Every connected graph, `all`.
    All,
    /// Every tree, `trees`.
    Trees,
}

impl Census {
    /// The most graphs that are listed where processes or ports are numbered.
    pub const MOST: usize = 100_000;

    /// Every graph of this size, up to the isomorphisms that processes with this knowledge do not notice: labelled graphs where
    /// processes have identities, rooted ones where there is a root, port-numbered ones where the order of ports is known.
    /// Graphs with fewer edges come first.
    ///
    /// # Errors
    ///
    /// If the size is below 2, or there are too many graphs.
    ///
    /// ```
    /// use ringleader_model::Knowledge;
    /// use ringleader_model::graph::Census;
    ///
    /// let count = |knowledge| Census::All.graphs(4, knowledge).map(|graphs| graphs.len());
    /// assert_eq!(count(Knowledge::NONE)?, 6);
    /// assert_eq!(count(Knowledge { root: true, ..Knowledge::NONE })?, 11);
    /// assert_eq!(count(Knowledge { identities: true, ..Knowledge::NONE })?, 38);
    /// # Ok::<(), ringleader_model::GraphError>(())
    /// ```
    pub fn graphs(self, size: usize, knowledge: Knowledge) -> Result<Vec<Graph>, GraphError> {
        let plain = match self {
            Census::All => Graph::all_connected(size)?,
            Census::Trees => Graph::all_trees(size)?,
        };
        let with = Census::marks(knowledge);
        let few = |count: usize| match count <= Census::MOST {
            true => Ok(()),
            false => Err(GraphError(format!(
                "there are more than {} graphs of {size} processes {with}: choose a smaller size, or one graph",
                Census::MOST
            ))),
        };
        let orders = (1..=size).try_fold(1_usize, |all, i| all.checked_mul(i)).unwrap_or(usize::MAX);
        let graphs = match knowledge {
            Knowledge { identities: true, .. } => {
                few(plain.len().saturating_mul(orders))?;
                census::labelled(&plain)?
            }
            Knowledge { root: true, .. } => census::rooted(&plain)?,
            _ => plain,
        };
        if !knowledge.ports {
            return Ok(graphs);
        }
        few(graphs.iter().fold(0, |all: usize, graph| all.saturating_add(port_numberings(graph))))?;
        graphs.iter().map(|graph| ported(graph, knowledge)).collect::<Result<Vec<_>, _>>().map(|all| all.concat())
    }

    /// The kind of the graphs in words.
    #[must_use]
    pub fn describe(self) -> &'static str {
        match self {
            Census::All => "connected graphs",
            Census::Trees => "trees",
        }
    }

    /// The marks of graphs that this knowledge tells apart.
    #[must_use]
    pub fn marks(knowledge: Knowledge) -> &'static str {
        match (knowledge.identities, knowledge.root, knowledge.ports) {
            (true, _, true) => "with numbered vertices and numbered ports",
            (true, _, false) => "with numbered vertices",
            (false, true, true) => "with a root and numbered ports, up to isomorphism",
            (false, true, false) => "with a root, up to isomorphism",
            (false, false, true) => "with numbered ports, up to isomorphism",
            (false, false, false) => "up to isomorphism",
        }
    }
}

/// The number of ways to number the ports of all processes.
fn port_numberings(graph: &Graph) -> usize {
    let neighbours = graph.neighbours();
    let ways = |process: usize| (1..=neighbours.of(process).len()).try_fold(1_usize, |all, i| all.checked_mul(i));
    (0..graph.size()).map(ways).try_fold(1_usize, |all, ways| all.checked_mul(ways?)).unwrap_or(usize::MAX)
}

/// The graph with every numbering of its ports, up to the automorphisms that keep identities and the root.
fn ported(graph: &Graph, knowledge: Knowledge) -> Result<Vec<Graph>, GraphError> {
    let (size, neighbours) = (graph.size(), graph.neighbours());
    let mut all: Vec<Vec<Vec<usize>>> = vec![vec![]];
    for process in 0..size {
        let own: Vec<usize> = neighbours.of(process).iter().map(|&neighbour| neighbour as usize).collect();
        let orders: Vec<Vec<usize>> =
            census::orders(own.len()).iter().map(|order| order.iter().map(|&at| own[at]).collect()).collect();
        let more = |before: &Vec<Vec<usize>>| {
            let with = |order: &Vec<usize>| before.iter().cloned().chain([order.clone()]).collect::<Vec<_>>();
            orders.iter().map(with).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(more).collect();
    }
    if !knowledge.identities {
        let same = neighbours.automorphisms(usize::from(knowledge.root), usize::MAX);
        let moved = |ports: &[Vec<usize>], places: &[u32]| {
            let mut moved = vec![vec![]; size];
            for (process, own) in ports.iter().enumerate() {
                moved[places[process] as usize] = own.iter().map(|&neighbour| places[neighbour] as usize).collect();
            }
            moved
        };
        all.retain(|ports| same.iter().all(|places| *ports <= moved(ports, places)));
    }
    let listed = |ports: Vec<Vec<usize>>| {
        let arcs = ports.into_iter().enumerate().flat_map(|(i, own)| own.into_iter().map(move |j| (i, j)));
        Graph::from_arcs(size, arcs.collect())
    };
    all.into_iter().map(listed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn count(census: Census, size: usize, knowledge: Knowledge) -> usize {
        census.graphs(size, knowledge).unwrap().len()
    }

    /// OEIS A001187, A000272, A126100 and A000081.
    #[test]
    fn as_many_as_counted_by_others() {
        let (identities, root) =
            (Knowledge { identities: true, ..Knowledge::NONE }, Knowledge { root: true, ..Knowledge::NONE });
        let counts = |census, knowledge| (2..=5).map(|size| count(census, size, knowledge)).collect::<Vec<_>>();
        assert_eq!(counts(Census::All, identities), [1, 4, 38, 728]);
        assert_eq!(counts(Census::Trees, identities), [1, 3, 16, 125]);
        assert_eq!(counts(Census::All, root), [1, 3, 11, 58]);
        assert_eq!(counts(Census::Trees, root), [1, 2, 4, 9]);
        assert_eq!(count(Census::All, 6, Knowledge::NONE), 112);
    }

    #[test]
    fn ports_are_numbered_in_every_way() {
        // A path of three: the middle has two ways, which its mirror image exchanges. A triangle has 8 ways; two of them are cyclic, and the
        // others have the same two ways at two processes.
        let ports = Knowledge { ports: true, ..Knowledge::NONE };
        assert_eq!(count(Census::Trees, 3, ports), 1);
        let triangles: Vec<Graph> = Census::All.graphs(3, ports).unwrap().split_off(1);
        assert_eq!(triangles.len(), 2);
        assert_eq!(count(Census::All, 3, Knowledge::ALL), 3 * 2 + 8);
        let numbered = |graph: &Graph| (0..3).map(|i| graph.neighbours().of(i).to_vec()).collect::<Vec<_>>();
        let all = Census::All.graphs(3, Knowledge::ALL).unwrap();
        assert_eq!(all.iter().map(numbered).collect::<BTreeSet<_>>().len(), 14);
        assert!(
            all.iter().all(|graph| Graph::from_words(3, &graph.words()).unwrap().neighbours() == graph.neighbours())
        );
    }

    #[test]
    fn too_many_graphs_are_refused() {
        let refused = Census::All.graphs(7, Knowledge::ALL).unwrap_err().to_string();
        assert!(refused.contains("more than 100000 graphs of 7 processes with numbered vertices"), "{refused}");
        assert!(Census::All.graphs(6, Knowledge { ports: true, ..Knowledge::NONE }).is_err());
    }
}
