//! Graphs in a few words: their shape, or their arcs.

use super::{Family, Graph, GraphError, Shape};
use crate::NoCoin;

impl Graph {
    /// What a graph is, in words that [`Graph::from_words`] reads: its shape, the agents around a ring, its family, or the edges or arcs where
    /// it has none or lists them in another order.
    ///
    /// ```
    /// use ringleader_model::Graph;
    ///
    /// assert_eq!(Graph::directed_ring(4)?.words(), "directed ring");
    /// let star = Graph::from_arcs(3, vec![(1, 0), (2, 0)])?;
    /// assert_eq!(star.words(), "graph with the arcs 1->0 2->0");
    /// assert_eq!(Graph::from_words(3, &star.words())?, star);
    /// let path = Graph::from_arcs(3, vec![(0, 2), (2, 0), (1, 2), (2, 1)])?;
    /// assert_eq!(path.words(), "graph with the edges 0-2 1-2");
    /// assert_eq!(Graph::from_words(6, "grid:2x3")?.words(), "grid:2x3");
    /// assert_eq!(Graph::from_words(4, "hypercube")?.words(), "undirected ring 0-1-3-2");
    /// # Ok::<(), ringleader_model::GraphError>(())
    /// ```
    pub fn words(&self) -> String {
        let family = self.family();
        if family.as_deref() != Some(LINE) && self.shape() != Shape::Other && self.is_listed_by_agent() {
            return self.shape().to_string();
        }
        if let Some(name) = self.around().or(family) {
            return name;
        }
        let (arcs, mut pairs) = (self.arcs(), self.arcs().chunks(2));
        if !arcs.is_empty() && pairs.all(|pair| matches!(pair, [(one, other), back] if *back == (*other, *one))) {
            let edges: Vec<_> = arcs.iter().step_by(2).map(|(one, other)| format!("{one}-{other}")).collect();
            return format!("{WITH_EDGES}{}", edges.join(" "));
        }
        let arcs: Vec<_> = arcs.iter().map(|(from, to)| format!("{from}->{to}")).collect();
        format!("{WITH_ARCS}{}", arcs.join(" "))
    }

    /// The agents around an undirected ring whose edges are sorted.
    fn around(&self) -> Option<String> {
        let (neighbours, size) = (self.neighbours(), self.size());
        let mut around = vec![0];
        if size < 4 || self.arcs().len() != 2 * size || (0..size).any(|agent| neighbours.of(agent).len() != 2) {
            return None;
        }
        while around.len() < size {
            let last = around[around.len() - 1];
            let before = around.len().checked_sub(2).map(|at| around[at]);
            around.extend(neighbours.of(last as usize).iter().find(|&&next| Some(next) != before));
        }
        let words: Vec<_> = around.iter().map(ToString::to_string).collect();
        let words = format!("{} {}", Shape::UndirectedRing, words.join("-"));
        Graph::from_words(size, &words).is_ok_and(|ring| ring == *self).then_some(words)
    }

    /// The undirected ring of these agents, one after the other.
    fn ring_of(size: usize, agents: &str) -> Option<Graph> {
        let agents: Vec<u32> = agents.split('-').map(|agent| agent.parse().ok()).collect::<Option<_>>()?;
        let next = agents.iter().cycle().skip(1);
        let mut edges: Vec<_> = agents.iter().zip(next).map(|(&one, &next)| (one.min(next), one.max(next))).collect();
        edges.sort_unstable();
        let arcs = edges.into_iter().flat_map(|(one, other)| [(one, other), (other, one)]);
        Graph::from_arcs(size, arcs.map(|(from, to)| (from as usize, to as usize)).collect()).ok()
    }

    /// The name of the family without coins that has this graph, besides the families with a shape.
    fn family(&self) -> Option<String> {
        let size = self.size();
        let sides = (2..size).filter(|rows| size.is_multiple_of(*rows)).map(|rows| (rows, size / rows));
        let grids = sides.flat_map(|(rows, columns)| ["grid", "torus"].map(|name| format!("{name}:{rows}x{columns}")));
        let named = [LINE, "star", "binary-tree", "hypercube"].into_iter().map(String::from).chain(grids);
        named.into_iter().find(|name| Graph::of_family(size, name).is_some_and(|graph| graph == *self))
    }

    /// The graph of a family without coins.
    fn of_family(size: usize, name: &str) -> Option<Graph> {
        let family = name.parse::<Family>().ok().filter(|family| family.seed().is_none())?;
        family.graph(size, &mut NoCoin).ok()
    }

    /// Whether every process has its ports in the order in which the graph of its shape has them.
    fn is_listed_by_agent(&self) -> bool {
        Graph::shaped(self.shape(), self.size()).is_ok_and(|plain| plain.neighbours() == self.neighbours())
    }

    /// The graph of so many agents that words speak of.
    ///
    /// # Errors
    ///
    /// If they speak of none.
    pub fn from_words(size: usize, words: &str) -> Result<Graph, GraphError> {
        let is = |shape: Shape| words == shape.to_string();
        let around = words.strip_prefix(&Shape::UndirectedRing.to_string());
        let ends = |word: &str, between: &str| {
            let (one, other) = word.split_once(between)?;
            Some((one.parse().ok()?, other.parse().ok()?))
        };
        if let Some(arcs) = words.strip_prefix(WITH_ARCS) {
            let arc = |word: &str| {
                ends(word, "->").ok_or_else(|| GraphError(format!("{word:?} is no arc: one looks like 0->1")))
            };
            return Graph::from_arcs(size, arcs.split_whitespace().map(arc).collect::<Result<_, _>>()?);
        }
        if let Some(edges) = words.strip_prefix(WITH_EDGES) {
            let edge = |word: &str| {
                ends(word, "-").ok_or_else(|| GraphError(format!("{word:?} is no edge: one looks like 0-1")))
            };
            let edges: Vec<(usize, usize)> = edges.split_whitespace().map(edge).collect::<Result<_, _>>()?;
            return Graph::from_arcs(size, edges.into_iter().flat_map(|(u, v)| [(u, v), (v, u)]).collect());
        }
        match () {
            () if is(Shape::DirectedRing) => Graph::directed_ring(size),
            () if is(Shape::UndirectedRing) => Graph::undirected_ring(size),
            () if is(Shape::Complete) => Graph::complete(size),
            () => match around.and_then(|rest| rest.strip_prefix(' ')) {
                Some(agents) => Graph::ring_of(size, agents),
                None => Graph::of_family(size, words),
            }
            .ok_or_else(|| GraphError(format!("{words:?} is no graph: it is {KNOWN_WORDS}"))),
        }
    }
}

const KNOWN_WORDS: &str = "a directed ring, an undirected ring, a complete graph, a family such as star or grid:3x4, a graph with the \
     edges 0-1 1-2 and so on, or one with the arcs 0->1 1->2 and so on";
const LINE: &str = "line";
const WITH_ARCS: &str = "graph with the arcs ";
const WITH_EDGES: &str = "graph with the edges ";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_back() {
        let line = Family::Line.graph(4, &mut NoCoin);
        let graphs = [Graph::complete(4), line, Graph::undirected_ring(5), Graph::from_arcs(3, vec![(0, 2), (2, 1)])];
        for graph in graphs.map(|graph| graph.unwrap()) {
            let read = Graph::from_words(graph.size(), &graph.words()).unwrap();
            assert_eq!(read.shape(), graph.shape());
            assert_eq!(read.arcs().len(), graph.arcs().len());
        }
    }

    #[test]
    fn families_have_their_names() {
        let name = |name: &str, size: usize| {
            let graph = name.parse::<Family>().unwrap().graph(size, &mut NoCoin).unwrap();
            assert_eq!(Graph::from_words(size, &graph.words()).unwrap(), graph);
            graph.words()
        };
        for (family, size) in
            [("line", 4), ("star", 5), ("binary-tree", 6), ("hypercube", 8), ("grid:3x4", 12), ("torus:3x3", 9)]
        {
            assert_eq!(name(family, size), family);
        }
        // The first name is taken of a graph that has two.
        assert_eq!([name("star", 2), name("star", 3), name("complete", 4)], ["line", "star", "complete graph"]);
        assert_eq!([name("ring", 5), name("undirected-ring", 5)], ["directed ring", "undirected ring"]);
    }

    #[test]
    fn a_ring_names_its_agents_in_order() {
        let words = |edges: &[(usize, usize)]| {
            let arcs = edges.iter().flat_map(|&(one, other)| [(one, other), (other, one)]).collect();
            let graph = Graph::from_arcs(edges.len(), arcs).unwrap();
            assert_eq!(Graph::from_words(edges.len(), &graph.words()).unwrap(), graph);
            graph.words()
        };
        assert_eq!(words(&[(0, 1), (0, 2), (1, 3), (2, 3)]), "undirected ring 0-1-3-2");
        assert_eq!(words(&[(0, 1), (0, 3), (1, 2), (2, 3)]), "undirected ring 0-1-2-3");
        assert_eq!(words(&[(0, 2), (0, 3), (1, 3), (1, 4), (2, 4)]), "undirected ring 0-2-4-1-3");
        // In this order of the edges, the ports of agent 0 lead to agents 3 and 1.
        assert!(words(&[(2, 3), (0, 3), (1, 2), (0, 1)]).starts_with("graph with the edges"));
    }

    #[test]
    fn what_is_no_graph_is_refused() {
        for (words, why) in [
            ("torus", "is no graph"),
            ("undirected ring 0-1", "is no graph"),
            ("undirected ring 0-1-x", "is no graph"),
            ("graph with the arcs 0-1", "is no arc"),
            ("graph with the edges 0->1", "is no edge"),
            ("graph with the edges 0-9", "there is no agent 9"),
            ("graph with the arcs 0->9", "there is no agent 9"),
            ("graph with the arcs 0->1", "not connected"),
        ] {
            let refusal = Graph::from_words(3, words).unwrap_err().to_string();
            assert!(refusal.contains(why), "{refusal}");
        }
    }
}
