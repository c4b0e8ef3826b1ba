//! Interaction graphs: which agents may meet, and who initiates.

use crate::ParseError;

mod automorphisms;
mod builder;
mod census;
mod cursor;
mod dot;
mod dot_token;
mod edge_list;
mod enumeration;
mod error;
mod family;
mod neighbours;
mod shape;
mod words;

pub use enumeration::Census;
pub use error::GraphError;
pub use family::Family;
pub use neighbours::Neighbours;
pub use shape::Shape;

/// A simple, weakly connected directed graph on the agents 0, 1, ..., n - 1.
///
/// Its arcs `(initiator, responder)` are listed in a fixed order: that of the
/// constructor or of the text they were read from. Two graphs are equal when
/// they list the same arcs in the same order.
///
/// ```
/// use ringleader_model::{Graph, Shape};
///
/// let ring = Graph::directed_ring(3)?;
/// assert_eq!(ring.arcs(), [(0, 1), (1, 2), (2, 0)]);
/// assert_eq!(ring.shape(), Shape::DirectedRing);
/// # Ok::<(), ringleader_model::graph::GraphError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    size: usize,
    arcs: Vec<(u32, u32)>,
    shape: Shape,
}

impl Graph {
    /// The most agents a graph may have: 2^24.
    pub const MAX_AGENTS: usize = 1 << 24;

    /// The most arcs a graph may have: 2^26, that is 512 MiB of them.
    /// The largest complete graph therefore has 8192 agents.
    pub const MAX_ARCS: usize = 1 << 26;

    /// The ring whose arcs are `(i, i + 1 mod n)`, for i from 0.
    ///
    /// # Errors
    ///
    /// If there are fewer than 2 agents or more than [`Graph::MAX_AGENTS`].
    pub fn directed_ring(size: usize) -> Result<Self, GraphError> {
        Self::check_size(size)?;
        Self::collect(size, size, ring_edges(size))
    }

    /// The ring with both arcs of each edge: `(i, i + 1 mod n)` and its
    /// converse, for i from 0. With 2 agents there is one edge, hence 2 arcs.
    ///
    /// # Errors
    ///
    /// If there are fewer than 2 agents or more than [`Graph::MAX_AGENTS`].
    ///
    /// ```
    /// use ringleader_model::Graph;
    ///
    /// let arcs = [(0, 1), (1, 0), (1, 2), (2, 1), (2, 0), (0, 2)];
    /// assert_eq!(Graph::undirected_ring(3)?.arcs(), arcs);
    /// assert_eq!(Graph::undirected_ring(2)?.arcs(), [(0, 1), (1, 0)]);
    /// # Ok::<(), ringleader_model::graph::GraphError>(())
    /// ```
    pub fn undirected_ring(size: usize) -> Result<Self, GraphError> {
        Self::check_size(size)?;
        let edges = if size == 2 { 1 } else { size };
        let arcs = ring_edges(size).take(edges).flat_map(|(left, right)| [(left, right), (right, left)]);
        Self::collect(size, 2 * edges, arcs)
    }

    /// The graph of all ordered pairs of distinct agents, sorted.
    ///
    /// # Errors
    ///
    /// If there are fewer than 2 agents, more than [`Graph::MAX_AGENTS`], or
    /// more pairs than [`Graph::MAX_ARCS`]; nothing is allocated then.
    ///
    /// ```
    /// use ringleader_model::Graph;
    ///
    /// assert_eq!(Graph::complete(3)?.arcs().len(), 6);
    /// assert!(Graph::complete(1_000_000).is_err());
    /// # Ok::<(), ringleader_model::graph::GraphError>(())
    /// ```
    pub fn complete(size: usize) -> Result<Self, GraphError> {
        Self::check_size(size)?;
        let agents = 0..size as u32;
        let arcs = agents.clone().flat_map(|from| {
            let others = agents.clone().filter(move |&to| to != from);
            others.map(move |to| (from, to))
        });
        Self::collect(size, size.saturating_mul(size - 1), arcs)
    }

    /// The graph of a shape. A graph of another shape has no standard form: the directed ring takes its place.
    ///
    /// # Errors
    ///
    /// If the number of agents is too small or too large.
    pub fn shaped(shape: Shape, size: usize) -> Result<Self, GraphError> {
        match shape {
            Shape::Complete => Graph::complete(size),
            Shape::UndirectedRing => Graph::undirected_ring(size),
            Shape::DirectedRing | Shape::Other => Graph::directed_ring(size),
        }
    }

    /// The graph with the given arcs, kept in the given order.
    ///
    /// # Errors
    ///
    /// If the graph would be too small, too large, not simple (a self-loop or
    /// an arc given twice), not weakly connected, or an arc is out of range.
    ///
    /// ```
    /// use ringleader_model::Graph;
    ///
    /// assert_eq!(Graph::from_arcs(3, vec![(1, 0), (1, 2)])?.size(), 3);
    /// let refusal = Graph::from_arcs(3, vec![(0, 1), (1, 0)]).unwrap_err();
    /// assert_eq!(refusal.to_string(), "the graph is not connected: no path links agent 2 to agent 0");
    /// # Ok::<(), ringleader_model::graph::GraphError>(())
    /// ```
    pub fn from_arcs(size: usize, arcs: Vec<(usize, usize)>) -> Result<Self, GraphError> {
        Self::check_size(size)?;
        Self::check_arcs(arcs.len())?;
        for &(from, to) in &arcs {
            if let Some(agent) = [from, to].into_iter().find(|&agent| agent >= size) {
                let last = size - 1;
                let why = format!("there is no agent {agent}, the last of {size} agents is {last}");
                return Err(GraphError(format!("arc {from} -> {to}: {why}")));
            }
            if from == to {
                return Err(GraphError(format!("arc {from} -> {from}: self-loops are not allowed")));
            }
        }
        let arcs: Vec<_> = arcs.into_iter().map(|(from, to)| (from as u32, to as u32)).collect();
        let mut sorted = arcs.clone();
        sorted.sort_unstable();
        if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(GraphError(format!("arc {} -> {} is given twice", pair[0].0, pair[0].1)));
        }
        match first_apart(size, &arcs) {
            Some(agent) => {
                Err(GraphError(format!("the graph is not connected: no path links agent {agent} to agent 0")))
            }
            None => Ok(Self::new(size, arcs)),
        }
    }

    /// Reads a graph written in Graphviz DOT, if the first word is `graph`,
    /// `digraph` or `strict`, and as an edge list otherwise.
    ///
    /// Names that are exactly 0, 1, ..., n - 1 are the agents' indices; other
    /// names are numbered from 0 in order of first appearance.
    ///
    /// An edge list has one arc `u v` or `u -> v` on each line, or `u -- v` or
    /// `u <-> v` for both arcs; an optional first line `agents n`; and comments
    /// after `#` or `//`.
    ///
    /// Of DOT, attributes are skipped (`dir` too); subgraphs, ports and HTML
    /// names are refused. A `graph` has both arcs of each edge, and a `strict`
    /// one may repeat them.
    ///
    /// # Errors
    ///
    /// If the text is not in the format, or the graph is one that
    /// [`Graph::from_arcs`] refuses.
    ///
    /// ```
    /// use ringleader_model::{Graph, ParseError};
    ///
    /// let list = Graph::parse("0 1\n1 2  # and back\n2 0")?;
    /// let dot = Graph::parse("digraph { a -> b -> c -> a }")?;
    /// assert_eq!(list, dot);
    ///
    /// let refusal = Graph::parse("0 1\n1 ?").unwrap_err();
    /// assert_eq!((refusal.line, refusal.column), (2, 3));
    /// # Ok::<(), ParseError>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        if dot::detect(text) { dot::parse(text) } else { edge_list::parse(text) }
    }

    /// How many agents there are.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The arcs, as pairs `(initiator, responder)`.
    pub fn arcs(&self) -> &[(u32, u32)] {
        &self.arcs
    }

    /// The first shape of [`Shape`] the graph has, whatever the order of its
    /// arcs.
    ///
    /// Small graphs have several: with 2 agents and both arcs, all three; with
    /// 3 agents, an undirected ring is complete. Both are called rings here;
    /// [`Graph::has_shape`] says yes to every shape they have.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Whether the graph has this shape, maybe among others.
    ///
    /// ```
    /// use ringleader_model::{Graph, Shape};
    ///
    /// let triangle = Graph::complete(3)?;
    /// assert_eq!(triangle.shape(), Shape::UndirectedRing);
    /// assert!(triangle.has_shape(Shape::Complete));
    /// # Ok::<(), ringleader_model::graph::GraphError>(())
    /// ```
    pub fn has_shape(&self, shape: Shape) -> bool {
        let pair = self.size == 2 && self.shape == Shape::DirectedRing;
        let triangle = self.size == 3 && self.shape == Shape::UndirectedRing;
        match shape {
            Shape::UndirectedRing if pair => true,
            Shape::Complete if pair || triangle => true,
            _ => shape == self.shape,
        }
    }

    /// The agents of a cycle of edges, whatever the directions of the arcs; `None` if the graph is a tree.
    ///
    /// ```
    /// use ringleader_model::Graph;
    ///
    /// assert_eq!(Graph::parse("0 1\n1 0\n1 2")?.cycle(), None);
    /// assert_eq!(Graph::parse("0 1\n1 2\n2 3\n3 1")?.cycle(), Some(vec![1, 2, 3]));
    /// # Ok::<(), ringleader_model::ParseError>(())
    /// ```
    pub fn cycle(&self) -> Option<Vec<u32>> {
        let neighbours = self.neighbours();
        // The agents between the first one and the one at hand, with their next ports.
        let (mut path, mut place) = (vec![(0, 0)], vec![None; self.size()]);
        place[0] = Some(0);
        while let Some((agent, port)) = path.last_mut() {
            let Some(&next) = neighbours.of(*agent as usize).get(*port) else {
                path.pop();
                continue;
            };
            *port += 1;
            match place[next as usize] {
                None => {
                    place[next as usize] = Some(path.len());
                    path.push((next, 0));
                }
                // The edge back to the agent before leads around no cycle.
                Some(at) if at + 2 == path.len() => {}
                Some(at) => return Some(path[at..].iter().map(|(agent, _)| *agent).collect()),
            }
        }
        None
    }

    /// Trusts that the arcs make a graph as documented.
    fn new(size: usize, arcs: Vec<(u32, u32)>) -> Self {
        let shape = Shape::of(size, &arcs);
        Self { size, arcs, shape }
    }

    fn collect(size: usize, count: usize, arcs: impl Iterator<Item = (u32, u32)>) -> Result<Self, GraphError> {
        Self::check_arcs(count)?;
        let mut list = Vec::new();
        list.try_reserve_exact(count).map_err(|_| GraphError(format!("not enough memory for {count} arcs")))?;
        list.extend(arcs);
        Ok(Self::new(size, list))
    }

    fn check_size(size: usize) -> Result<(), GraphError> {
        match size {
            0..2 => Err(GraphError(format!("a graph needs at least 2 agents, not {size}"))),
            2..=Self::MAX_AGENTS => Ok(()),
            _ => Err(GraphError(format!("a graph has at most {} agents", Self::MAX_AGENTS))),
        }
    }

    fn check_arcs(count: usize) -> Result<(), GraphError> {
        match count <= Self::MAX_ARCS {
            true => Ok(()),
            false => Err(GraphError(format!("a graph has at most {} arcs, not {count}", Self::MAX_ARCS))),
        }
    }
}

fn ring_edges(size: usize) -> impl Iterator<Item = (u32, u32)> {
    let size = size as u32;
    (0..size).map(move |agent| (agent, (agent + 1) % size))
}

/// The first agent that no undirected path links to agent 0.
fn first_apart(size: usize, arcs: &[(u32, u32)]) -> Option<usize> {
    // Every root is the least agent of its tree, so agent 0 stays a root.
    let mut parents: Vec<u32> = (0..size as u32).collect();
    for &(from, to) in arcs {
        let (from, to) = (root(&mut parents, from), root(&mut parents, to));
        parents[from.max(to) as usize] = from.min(to);
    }
    (0..size).find(|&agent| root(&mut parents, agent as u32) != 0)
}

fn root(parents: &mut [u32], mut agent: u32) -> u32 {
    while parents[agent as usize] != agent {
        let next = parents[parents[agent as usize] as usize];
        parents[agent as usize] = next;
        agent = next;
    }
    agent
}
