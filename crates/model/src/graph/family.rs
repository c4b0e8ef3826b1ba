//! Families of graphs by name: `star`, `grid:3x4`, `random-regular:3:7`.

use super::{Graph, GraphError, Shape};
use crate::Coin;
use std::str::FromStr;

/// A family of graphs. It has one graph of each size that suits it; a random family has one for each size and seed.
///
/// Except for [`Family::Ring`], each edge is a pair of arcs.
///
/// ```
/// use ringleader_model::graph::Family;
///
/// let star: Family = "star".parse()?;
/// assert_eq!(star.graph(4, &mut ringleader_model::NoCoin)?.arcs().len(), 6);
/// let cube: Family = "hypercube".parse()?;
/// assert_eq!(cube.graph(6, &mut ringleader_model::NoCoin).unwrap_err().to_string(), "a hypercube has 2, 4, 8, ... agents, not 6");
/// # Ok::<(), ringleader_model::GraphError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Family {
    /// The directed ring, `ring`.
    Ring,
    /// `undirected-ring`.
    UndirectedRing,
    /// `complete`.
    Complete,
    /// `line`: the edges are `(i, i + 1)`.
    Line,
    /// `star`: agent 0 is the centre.
    Star,
    /// `grid` or `grid:3x4`, row by row. Without sides: the sides that differ least.
    Grid(Option<(usize, usize)>),
    /// `torus` or `torus:3x4`: a grid whose rows and columns are rings.
    Torus(Option<(usize, usize)>),
    /// `hypercube`: two agents are neighbours if their numbers differ in one bit.
    Hypercube,
    /// `binary-tree`: agent 0 is the root, and the children of i are 2i + 1 and 2i + 2.
    BinaryTree,
    /// `random-tree` or `random-tree:SEED`: every labelled tree is equally likely.
    RandomTree(u64),
    /// `random-regular:DEGREE` or `random-regular:DEGREE:SEED`: pairs of free ends are joined at random, until all agents have the degree
    /// and the graph is connected.
    RandomRegular(usize, u64),
    /// `random:P` or `random:P:SEED`: each edge exists with probability P, drawn again until the graph is connected. Known as G(n, p).
    Random(f64, u64),
}

/// The most attempts to draw a connected graph.
const ATTEMPTS: usize = 1000;
/// No random graph is drawn if more agents than this have no edge on average: hardly any would be connected.
const HOPELESS: f64 = 20.0;
/// Random graphs of more agents are drawn edge by edge instead of pair by pair.
const DENSE: usize = 4096;

impl Family {
    /// The forms of the names.
    pub const FORMS: &'static str = "ring, undirected-ring, complete, line, star, grid[:RxC], torus[:RxC], hypercube, binary-tree, \
         random-tree[:SEED], random-regular:DEGREE[:SEED], random:P[:SEED]";

    /// The shape that all its graphs have, if they have one.
    #[must_use]
    pub fn shape(self) -> Option<Shape> {
        match self {
            Family::Ring => Some(Shape::DirectedRing),
            Family::UndirectedRing => Some(Shape::UndirectedRing),
            Family::Complete => Some(Shape::Complete),
            _ => None,
        }
    }

    /// The seed of a random family.
    #[must_use]
    pub fn seed(self) -> Option<u64> {
        match self {
            Family::RandomTree(seed) | Family::RandomRegular(_, seed) | Family::Random(_, seed) => Some(seed),
            _ => None,
        }
    }

    /// The number of agents, if the name says it: 12 of `grid:3x4`.
    #[must_use]
    pub fn size(self) -> Option<usize> {
        match self {
            Family::Grid(Some((rows, columns))) | Family::Torus(Some((rows, columns))) => {
                Some(rows.saturating_mul(columns))
            }
            _ => None,
        }
    }

    /// Whether it has a graph of this size.
    ///
    /// # Errors
    ///
    /// If it has none, with the reason. A random family may still fail to draw a connected graph.
    pub fn suits(self, size: usize) -> Result<(), GraphError> {
        Graph::check_size(size)?;
        match self {
            Family::Grid(sides) => sides_of("grid", sides, size, 2).map(drop),
            Family::Torus(sides) => sides_of("torus", sides, size, 3).map(drop),
            Family::Hypercube if !size.is_power_of_two() => {
                Err(GraphError(format!("a hypercube has 2, 4, 8, ... agents, not {size}")))
            }
            Family::RandomRegular(degree, _) => {
                let possible = (2..size).contains(&degree) || degree == 1 && size == 2;
                let why = if possible { "degree times size must be even" } else { "the degree is 2 to size - 1" };
                if !possible || !(degree * size).is_multiple_of(2) {
                    let why = format!("no connected graph of {size} agents has degree {degree}: {why}");
                    return Err(GraphError(why));
                }
                Graph::check_arcs(size.saturating_mul(degree))
            }
            Family::Complete => Graph::check_arcs(size.saturating_mul(size - 1)),
            Family::Random(p, _) => Graph::check_arcs((p * size as f64 * (size as f64 - 1.0)) as usize),
            _ => Ok(()),
        }
    }

    /// Its graph of this size. A random family draws it with the coin, which has the family's seed.
    ///
    /// # Errors
    ///
    /// If the family has no graph of this size, or the graph is too large.
    pub fn graph(self, size: usize, coin: &mut impl Coin) -> Result<Graph, GraphError> {
        self.suits(size)?;
        let (n, last) = (size as u32, size as u32 - 1);
        match self {
            Family::Ring => Graph::directed_ring(size),
            Family::UndirectedRing => Graph::undirected_ring(size),
            Family::Complete => Graph::complete(size),
            Family::Line => Graph::of_edges(size, (0..last).map(|i| (i, i + 1))),
            Family::Star => Graph::of_edges(size, (1..n).map(|i| (0, i))),
            Family::BinaryTree => Graph::of_edges(size, (1..n).map(|i| ((i - 1) / 2, i))),
            Family::Hypercube => {
                let bits = move |i: u32| (0..size.ilog2()).map(move |bit| (i, i | 1 << bit)).filter(|(i, j)| i != j);
                Graph::of_edges(size, (0..n).flat_map(bits))
            }
            Family::Grid(sides) => {
                let (rows, columns) = sides_of("grid", sides, size, 2)?;
                Graph::of_edges(size, lattice(rows, columns, false))
            }
            Family::Torus(sides) => {
                let (rows, columns) = sides_of("torus", sides, size, 3)?;
                Graph::of_edges(size, lattice(rows, columns, true))
            }
            Family::RandomTree(_) => Graph::of_edges(size, tree(n, coin).into_iter()),
            Family::RandomRegular(degree, _) => drawn(size, || regular(n, degree, coin)),
            Family::Random(p, _) => {
                let lonely = f64::from(n) * (1.0 - p).powf(f64::from(last));
                if lonely > HOPELESS {
                    return Err(GraphError(format!(
                        "about {lonely:.0} of {size} agents would have no edge with probability {p}: a connected graph needs about {:.1e}",
                        f64::from(n).ln() / f64::from(n)
                    )));
                }
                match size > DENSE {
                    true => drawn(size, || Some(sparse(n, p, coin))),
                    false => drawn(size, || Some(dense(n, p, coin))),
                }
            }
        }
    }
}

impl Graph {
    /// The graph with both arcs of each edge. Trusts that it is simple and connected.
    pub(super) fn of_edges(size: usize, edges: impl Iterator<Item = (u32, u32)>) -> Result<Graph, GraphError> {
        let arcs: Vec<_> = edges.take(Graph::MAX_ARCS).flat_map(|(i, j)| [(i, j), (j, i)]).collect();
        Graph::check_arcs(arcs.len())?;
        Ok(Graph::new(size, arcs))
    }
}

/// The first connected graph that an attempt gives.
fn drawn(size: usize, mut attempt: impl FnMut() -> Option<Vec<(u32, u32)>>) -> Result<Graph, GraphError> {
    for edges in (0..ATTEMPTS).filter_map(|_| attempt()) {
        if super::first_apart(size, &edges).is_none() {
            return Graph::of_edges(size, edges.into_iter());
        }
    }
    Err(GraphError(format!("none of {ATTEMPTS} random graphs of {size} agents was connected: more edges are needed")))
}

/// Each pair with probability p. The coin has 2^32 - 1 sides.
fn dense(n: u32, p: f64, coin: &mut impl Coin) -> Vec<(u32, u32)> {
    let pairs = (0..n).flat_map(move |i| (i + 1..n).map(move |j| (i, j)));
    pairs.filter(|_| f64::from(coin.below(u32::MAX)) < p * f64::from(u32::MAX)).collect()
}

/// The same in time proportional to the edges: the number of pairs that are left out has a geometric distribution (Batagelj and
/// Brandes 2005).
fn sparse(n: u32, p: f64, coin: &mut impl Coin) -> Vec<(u32, u32)> {
    let (mut i, mut j, mut edges) = (0_u32, 0_u64, vec![]);
    loop {
        let chance = (f64::from(coin.below(u32::MAX)) + 1.0) / (f64::from(u32::MAX) + 1.0);
        let skipped = if p < 1.0 { chance.ln() / (-p).ln_1p() } else { 0.0 };
        j = j.saturating_add(skipped as u64).saturating_add(1);
        while j >= u64::from(n) {
            i += 1;
            if i + 1 >= n {
                return edges;
            }
            j = j - u64::from(n) + u64::from(i) + 1;
        }
        edges.push((i, j as u32));
    }
}

/// The rows and columns of a grid or a torus, each at least `least`.
fn sides_of(name: &str, sides: Option<(usize, usize)>, size: usize, least: usize) -> Result<(u32, u32), GraphError> {
    let flat = || GraphError(format!("{size} agents form no {name} with sides of {least} or more"));
    let (rows, columns) = match sides {
        Some((rows, columns)) if rows.checked_mul(columns) != Some(size) => {
            return Err(GraphError(format!("a {name} of {rows} x {columns} does not have {size} agents")));
        }
        Some(sides) => sides,
        None => (1..=size.isqrt()).rev().find(|rows| size.is_multiple_of(*rows)).map_or((1, size), |r| (r, size / r)),
    };
    if rows.min(columns) < least { Err(flat()) } else { Ok((rows as u32, columns as u32)) }
}

/// The edges of a grid, or of a torus, whose rows and columns are rings: those to the right, then those down each column.
fn lattice(rows: u32, columns: u32, rings: bool) -> impl Iterator<Item = (u32, u32)> {
    // Without its last position unless the lines are rings.
    let positions = move |length: u32| 0..if rings { length } else { length - 1 };
    let right = (0..rows).flat_map(move |i| positions(columns).map(move |j| ((i, j), (i, (j + 1) % columns))));
    let down = (0..columns).flat_map(move |j| positions(rows).map(move |i| ((i, j), ((i + 1) % rows, j))));
    let number = move |(i, j): (u32, u32)| i * columns + j;
    right.chain(down).map(move |(one, other)| (number(one), number(other)))
}

/// A uniform labelled tree: the one of a uniform sequence (Prüfer 1918).
fn tree(n: u32, coin: &mut impl Coin) -> Vec<(u32, u32)> {
    let sequence: Vec<u32> = (2..n).map(|_| coin.below(n)).collect();
    let mut degree = vec![1_u32; n as usize];
    sequence.iter().for_each(|&i| degree[i as usize] += 1);
    // The least leaf is joined to the next number of the sequence; `next` is the least agent not yet looked at.
    let mut next = (0..n).find(|&i| degree[i as usize] == 1).unwrap_or(0);
    let (mut leaf, mut edges) = (next, vec![]);
    for parent in sequence {
        edges.push((leaf, parent));
        degree[parent as usize] -= 1;
        if degree[parent as usize] == 1 && parent < next {
            leaf = parent;
        } else {
            next = (next + 1..n).find(|&i| degree[i as usize] == 1).unwrap_or(n - 1);
            leaf = next;
        }
    }
    edges.push((leaf, n - 1));
    edges
}

/// A regular graph by joining free ends at random (Steger and Wormald 1999), unless the last ends do not fit.
fn regular(n: u32, degree: usize, coin: &mut impl Coin) -> Option<Vec<(u32, u32)>> {
    let mut ends: Vec<u32> = (0..n).flat_map(|i| std::iter::repeat_n(i, degree)).collect();
    let (mut neighbours, mut edges, mut misses) = (vec![vec![]; n as usize], vec![], 0);
    while !ends.is_empty() {
        let [a, b] = [(); 2].map(|()| coin.below(ends.len() as u32) as usize);
        let (i, j) = (ends[a], ends[b]);
        if i == j || neighbours[i as usize].contains(&j) {
            misses += 1;
            if misses > 100 * degree {
                return None;
            }
            continue;
        }
        misses = 0;
        neighbours[i as usize].push(j);
        neighbours[j as usize].push(i);
        edges.push((i, j));
        ends.swap_remove(a.max(b));
        ends.swap_remove(a.min(b));
    }
    Some(edges)
}

impl FromStr for Family {
    type Err = GraphError;

    fn from_str(text: &str) -> Result<Family, GraphError> {
        let unknown = || GraphError(format!("no family of graphs is called {text:?}: there are {}", Family::FORMS));
        let mut parts = text.split(':');
        let name = parts.next().unwrap_or_default();
        let given: Vec<&str> = parts.collect();
        let sides = |given: &[&str]| match given {
            [] => Some(None),
            [sides] => {
                let (rows, columns) = sides.split_once('x')?;
                Some(Some((rows.parse().ok()?, columns.parse().ok()?)))
            }
            _ => None,
        };
        let seed = |given: &[&str]| match given {
            [] => Some(0),
            [seed] => seed.parse().ok(),
            _ => None,
        };
        let plain = |family| given.is_empty().then_some(family);
        let family = match (name, given.as_slice()) {
            ("ring", _) => plain(Family::Ring),
            ("undirected-ring", _) => plain(Family::UndirectedRing),
            ("complete", _) => plain(Family::Complete),
            ("line", _) => plain(Family::Line),
            ("star", _) => plain(Family::Star),
            ("hypercube", _) => plain(Family::Hypercube),
            ("binary-tree", _) => plain(Family::BinaryTree),
            ("grid", given) => sides(given).map(Family::Grid),
            ("torus", given) => sides(given).map(Family::Torus),
            ("random-tree", given) => seed(given).map(Family::RandomTree),
            ("random-regular", [degree, rest @ ..]) => {
                degree.parse().ok().zip(seed(rest)).map(|(degree, seed)| Family::RandomRegular(degree, seed))
            }
            ("random", [p, rest @ ..]) => {
                let p = p.parse().ok().filter(|p| (0.0..=1.0).contains(p));
                p.zip(seed(rest)).map(|(p, seed)| Family::Random(p, seed))
            }
            _ => None,
        };
        family.ok_or_else(unknown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NoCoin;
    use std::collections::BTreeMap;

    /// A generator for tests (SplitMix64).
    struct Mix(u64);

    impl Coin for Mix {
        fn below(&mut self, n: u32) -> u32 {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            ((u64::from((z >> 32) as u32) * u64::from(n)) >> 32) as u32
        }
    }

    fn named(name: &str, size: usize) -> Graph {
        let graph = name.parse::<Family>().unwrap().graph(size, &mut Mix(1)).unwrap();
        // What the families trust, the constructor checks.
        let arcs = graph.arcs().iter().map(|&(i, j)| (i as usize, j as usize)).collect();
        Graph::from_arcs(size, arcs).unwrap()
    }

    fn degrees(graph: &Graph) -> Vec<usize> {
        (0..graph.size()).map(|i| graph.arcs().iter().filter(|arc| arc.0 as usize == i).count()).collect()
    }

    #[test]
    fn edges_and_degrees_are_those_of_the_families() {
        assert_eq!(named("line", 4).arcs(), [(0, 1), (1, 0), (1, 2), (2, 1), (2, 3), (3, 2)]);
        assert_eq!(degrees(&named("star", 5)), [4, 1, 1, 1, 1]);
        assert_eq!(degrees(&named("grid", 6)), [2, 3, 2, 2, 3, 2], "two rows of three");
        assert_eq!(degrees(&named("grid:3x2", 6)), [2, 2, 3, 3, 2, 2]);
        assert_eq!(degrees(&named("torus:3x4", 12)), [4; 12]);
        assert_eq!(degrees(&named("hypercube", 8)), [3; 8]);
        assert_eq!(degrees(&named("binary-tree", 7)), [2, 3, 3, 1, 1, 1, 1]);
        assert_eq!(degrees(&named("random-regular:3", 10)), [3; 10]);
        assert_eq!(degrees(&named("random-regular:5:9", 6)), [5; 6], "the only one is complete");
        assert_eq!(named("random:1", 5).arcs().len(), 20);
        assert_eq!(named("random-tree", 50).arcs().len(), 98);
        assert_eq!(named("line", 2).shape(), Shape::DirectedRing, "one edge");
        assert_eq!(named("torus", 9).arcs().len(), 36);
    }

    #[test]
    fn sparse_random_graphs_have_the_expected_number_of_edges() {
        let graph = named("random:0.002", 10_000);
        let (edges, expected) = (graph.arcs().len() as f64 / 2.0, 0.002 * 10_000.0 * 9_999.0 / 2.0);
        assert!((edges - expected).abs() < 5.0 * expected.sqrt(), "{edges} of {expected}");
        let ends = |half: std::ops::Range<u32>| graph.arcs().iter().filter(|arc| half.contains(&arc.0)).count() as f64;
        assert!((ends(0..5000) - ends(5000..10_000)).abs() < 5.0 * (2.0 * expected).sqrt(), "no agent is preferred");
        let sparse = |n, p| sparse(n, p, &mut Mix(7));
        assert_eq!(sparse(5, 1.0), dense(5, 1.0, &mut Mix(7)), "every pair once");
        assert_eq!(sparse(5, 0.0), []);
    }

    /// Cayley 1889: there are n^(n - 2) labelled trees, here equally frequent.
    #[test]
    fn every_labelled_tree_is_equally_likely() {
        let (mut counts, mut coin) = (BTreeMap::new(), Mix(5));
        for _ in 0..16_000 {
            let graph = Family::RandomTree(0).graph(4, &mut coin).unwrap();
            let mut edges: Vec<_> = graph.arcs().iter().filter(|(i, j)| i < j).copied().collect();
            edges.sort_unstable();
            *counts.entry(edges).or_insert(0) += 1;
        }
        assert_eq!(counts.len(), 16);
        assert!(counts.values().all(|count| (850..1150).contains(count)), "{counts:?}");
    }

    #[test]
    fn sizes_and_names_without_a_graph_are_refused_with_the_reason() {
        for (name, size, why) in [
            ("hypercube", 6, "has 2, 4, 8, ... agents, not 6"),
            ("grid:3x4", 10, "a grid of 3 x 4 does not have 10 agents"),
            ("grid", 7, "7 agents form no grid with sides of 2 or more"),
            ("torus", 8, "8 agents form no torus with sides of 3 or more"),
            ("random-regular:3", 5, "degree times size must be even"),
            ("random-regular:5", 5, "the degree is 2 to size - 1"),
            ("random:0", 3, "more edges are needed"),
            ("star", 1, "at least 2 agents"),
        ] {
            let refusal = name.parse::<Family>().unwrap().graph(size, &mut Mix(2)).unwrap_err().to_string();
            assert!(refusal.contains(why), "{refusal}");
        }
        for name in
            ["stars", "star:3", "grid:3", "grid:3x4x5", "random", "random:2", "random:0.5:x", "random-regular", ""]
        {
            assert!(name.parse::<Family>().is_err(), "{name}");
        }
        assert!(Family::Line.graph(3, &mut NoCoin).is_ok());
    }
}
