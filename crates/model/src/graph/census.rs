//! All connected graphs and all trees of a size, one of each kind: isomorphic graphs are counted once.

use super::{Graph, GraphError};
use std::collections::BTreeSet;

/// The neighbours of each agent, as bits.
type Rows = Vec<u16>;

impl Graph {
    /// The most agents for [`Graph::all_connected`]: there are 11,117 graphs with 8 agents, and 261,080 with 9.
    pub const MOST_OF_ALL: usize = 8;
    /// The most agents for [`Graph::all_trees`]: there are 551 trees with 12 agents.
    pub const MOST_OF_TREES: usize = 12;

    /// Every connected graph of this size up to isomorphism, those with few edges first. Each edge is a pair of arcs.
    ///
    /// # Errors
    ///
    /// If there are fewer than 2 agents or more than [`Graph::MOST_OF_ALL`].
    ///
    /// ```
    /// use ringleader_model::Graph;
    ///
    /// assert_eq!(Graph::all_connected(4)?.len(), 6);
    /// assert_eq!(Graph::all_trees(4)?.len(), 2);
    /// # Ok::<(), ringleader_model::GraphError>(())
    /// ```
    pub fn all_connected(size: usize) -> Result<Vec<Graph>, GraphError> {
        // A connected graph has an agent without which it is connected still: a leaf of a spanning tree.
        grown(size, Graph::MOST_OF_ALL, |agents| (1..1 << agents).collect())
    }

    /// Every tree of this size up to isomorphism.
    ///
    /// # Errors
    ///
    /// If there are fewer than 2 agents or more than [`Graph::MOST_OF_TREES`].
    pub fn all_trees(size: usize) -> Result<Vec<Graph>, GraphError> {
        grown(size, Graph::MOST_OF_TREES, |agents| (0..agents).map(|agent| 1 << agent).collect())
    }
}

/// All graphs that grow from one agent, if each next agent gets one of these sets of neighbours.
fn grown(size: usize, most: usize, sets: impl Fn(usize) -> Vec<u16>) -> Result<Vec<Graph>, GraphError> {
    Graph::check_size(size)?;
    if size > most {
        return Err(GraphError(format!("graphs of a kind are listed for at most {most} agents, not {size}")));
    }
    let mut codes = BTreeSet::from([0]);
    for agents in 1..size {
        let sets = sets(agents);
        let next = codes.iter().flat_map(|&code| {
            let rows = rows(code, agents);
            sets.iter().map(move |&set| least_code(&joined(&rows, set)))
        });
        codes = next.collect();
    }
    let mut codes: Vec<u128> = codes.into_iter().collect();
    codes.sort_by_key(|code| (code.count_ones(), *code));
    codes.into_iter().map(|code| decoded(code, size)).collect()
}

/// The graph with a code.
fn decoded(code: u128, size: usize) -> Result<Graph, GraphError> {
    let rows = rows(code, size);
    let edges = (0..size).flat_map(|i| (i + 1..size).map(move |j| (i, j))).filter(|&(i, j)| rows[i] >> j & 1 == 1);
    Graph::of_edges(size, edges.map(|(i, j)| (i as u32, j as u32)))
}

/// One more agent with these neighbours.
fn joined(rows: &[u16], set: u16) -> Rows {
    let added = rows.iter().enumerate().map(|(i, row)| row | (set >> i & 1) << rows.len());
    added.chain([set]).collect()
}

/// The pairs of agents, each with its bit in a code.
fn pairs(size: usize) -> impl Iterator<Item = (usize, usize)> {
    (1..size).flat_map(|j| (0..j).map(move |i| (i, j)))
}

fn rows(code: u128, size: usize) -> Rows {
    let mut rows = vec![0; size];
    for (bit, (i, j)) in pairs(size).enumerate() {
        if code >> bit & 1 == 1 {
            rows[i] |= 1 << j;
            rows[j] |= 1 << i;
        }
    }
    rows
}

/// A number that isomorphic graphs share and others do not: the least code of the numberings that the search below reaches. The
/// search depends on the graph alone, not on the numbers of its agents.
fn least_code(rows: &[u16]) -> u128 {
    least_code_from(rows, vec![0; rows.len()])
}

/// The same for numberings that keep the order of these classes.
fn least_code_from(rows: &[u16], classes: Vec<usize>) -> u128 {
    let mut least = u128::MAX;
    search(rows, classes, &mut least);
    least
}

/// Every choice of a root up to isomorphism. The root has the number 0.
pub(super) fn rooted(graphs: &[Graph]) -> Result<Vec<Graph>, GraphError> {
    numbered(graphs, |rows| {
        let from = |root: usize| (0..rows.len()).map(|i| usize::from(i != root)).collect();
        (0..rows.len()).map(|root| least_code_from(rows, from(root))).collect()
    })
}

/// Every numbering of the agents; equal graphs are listed once.
pub(super) fn labelled(graphs: &[Graph]) -> Result<Vec<Graph>, GraphError> {
    numbered(graphs, |rows| orders(rows.len()).iter().map(|order| code_in(rows, order)).collect())
}

/// Every graph with the numberings that have these codes.
fn numbered(graphs: &[Graph], codes: impl Fn(&[u16]) -> BTreeSet<u128>) -> Result<Vec<Graph>, GraphError> {
    let mut all = vec![];
    for graph in graphs {
        for code in codes(&rows_of(graph)) {
            all.push(decoded(code, graph.size())?);
        }
    }
    Ok(all)
}

/// All orders of `0..size`.
pub(super) fn orders(size: usize) -> Vec<Vec<usize>> {
    let mut orders = vec![vec![]];
    for i in 0..size {
        let longer = |order: &Vec<usize>| {
            let insert = |at: usize| [&order[..at], &[i], &order[at..]].concat();
            (0..=i).map(insert).collect::<Vec<_>>()
        };
        orders = orders.iter().flat_map(longer).collect();
    }
    orders
}

/// The code of a graph whose agent `order[i]` gets the number `i`.
fn code_in(rows: &[u16], order: &[usize]) -> u128 {
    pairs(rows.len())
        .enumerate()
        .fold(0, |code, (bit, (i, j))| code | u128::from(rows[order[i]] >> order[j] & 1) << bit)
}

fn rows_of(graph: &Graph) -> Rows {
    let mut rows = vec![0; graph.size()];
    for &(i, j) in graph.arcs() {
        rows[i as usize] |= 1 << j;
    }
    rows
}

/// Splits the classes of agents until each has one agent. Where the neighbours do not tell two agents of a class apart, each of them
/// in turn becomes the first of its class.
fn search(rows: &[u16], classes: Vec<usize>, least: &mut u128) {
    let classes = &refined(|i| (0..rows.len()).filter(move |j| rows[i] >> j & 1 == 1), classes);
    let members = |class: usize| (0..rows.len()).filter(move |&i| classes[i] == class);
    let Some(class) = (0..rows.len()).find(|&class| members(class).count() > 1) else {
        // Now the class of an agent is its number.
        let order: Vec<usize> = (0..rows.len()).flat_map(members).collect();
        *least = code_in(rows, &order).min(*least);
        return;
    };
    let mut tried: Vec<usize> = vec![];
    for first in members(class) {
        // Twins have the same neighbours besides themselves: exchanging them changes nothing.
        let twins = |&other: &usize| (rows[first] ^ rows[other]) & !(1 << first | 1 << other) == 0;
        if tried.iter().any(twins) {
            continue;
        }
        tried.push(first);
        let after = |(i, &found): (usize, &usize)| found + usize::from(found == class && i != first);
        search(rows, classes.iter().enumerate().map(after).collect(), least);
    }
}

/// Splits classes of agents by the classes of their neighbours, as long as that splits one. A class has the number of agents in the
/// classes before it.
pub(super) fn refined<N: Iterator<Item = usize>>(near: impl Fn(usize) -> N, mut classes: Vec<usize>) -> Vec<usize> {
    loop {
        let view = |i: usize| {
            let mut seen: Vec<usize> = near(i).map(|j| classes[j]).collect();
            seen.sort_unstable();
            (classes[i], seen)
        };
        let views: Vec<_> = (0..classes.len()).map(view).collect();
        let mut sorted: Vec<_> = views.iter().collect();
        sorted.sort_unstable();
        let next: Vec<usize> = views.iter().map(|view| sorted.partition_point(|other| *other < view)).collect();
        if next == classes {
            return classes;
        }
        classes = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// OEIS A001349 and A000055.
    #[test]
    fn as_many_as_counted_by_others() {
        let connected: Vec<usize> = (2..=7).map(|n| Graph::all_connected(n).unwrap().len()).collect();
        assert_eq!(connected, [1, 2, 6, 21, 112, 853]);
        let trees: Vec<usize> = (2..=10).map(|n| Graph::all_trees(n).unwrap().len()).collect();
        assert_eq!(trees, [1, 1, 2, 3, 6, 11, 23, 47, 106]);
    }

    /// Against all numberings of all graphs with 5 agents: the code is the same exactly for isomorphic graphs.
    #[test]
    fn the_code_is_that_of_all_isomorphic_graphs() {
        let orders = orders(5);
        let mut seen = BTreeMap::new();
        for code in 0..1 << 10 {
            let slow = orders.iter().map(|order| code_in(&rows(code, 5), order)).min().unwrap();
            let fast = least_code(&rows(code, 5));
            assert_eq!(*seen.entry(slow).or_insert(fast), fast, "isomorphic graphs have one code");
        }
        assert_eq!(seen.values().collect::<BTreeSet<_>>().len(), 34, "other graphs have others (OEIS A000088)");
        assert_eq!(seen.len(), 34);
    }

    #[test]
    fn graphs_are_connected_and_trees_have_one_edge_less_than_agents() {
        for graph in Graph::all_connected(5).unwrap().into_iter().chain(Graph::all_trees(5).unwrap()) {
            let arcs = graph.arcs().iter().map(|&(i, j)| (i as usize, j as usize)).collect();
            assert_eq!(Graph::from_arcs(5, arcs).unwrap(), graph);
        }
        assert!(Graph::all_trees(6).unwrap().iter().all(|tree| tree.arcs().len() == 10));
        assert!(Graph::all_connected(9).is_err() && Graph::all_trees(13).is_err() && Graph::all_trees(1).is_err());
    }
}
