//! The graph in the settings of a node, and the neighbours of the node.

use crate::{Config, NodeError};
use ringleader_model::Graph;
use ringleader_model::graph::Family;
use std::path::Path;
use std::sync::Arc;

/// The greatest number of neighbours of a node. A read needs all of them idle at the same time, which becomes rare among many.
pub const MOST_NEIGHBOURS: usize = 16;

/// The graph on which an algorithm for any graph runs: the same on all nodes. Its process `i` is the node with the identity `i`.
#[derive(Clone, Debug, PartialEq)]
pub enum Links {
    /// The graph of a family at the size of the cluster.
    Family(Family),
    /// This graph. The ports of a node are in the order of the edges.
    Given(Arc<Graph>),
}

impl Links {
    /// A family by name, or the graph in a file: an edge list or DOT.
    ///
    /// ```
    /// use ringleader_node::Links;
    /// assert!(matches!(Links::read("star"), Ok(Links::Family(_))));
    /// let error = Links::read("office.txt").unwrap_err().to_string();
    /// assert!(error.starts_with("graph office.txt: there is no such file, and the families of graphs are ring"));
    /// ```
    pub fn read(asked: &str) -> Result<Links, NodeError> {
        if let Ok(family) = asked.parse() {
            return Ok(Links::Family(family));
        }
        let reason = format!("graph {asked}: there is no such file, and the families of graphs are {}", Family::FORMS);
        NodeError::refuse_if(!Path::new(asked).exists(), reason)?;
        let text = std::fs::read_to_string(asked).map_err(|e| NodeError::new(format!("cannot read {asked}: {e}")))?;
        let graph = Graph::parse(&text).map_err(|e| NodeError::new(format!("graph {asked}: {e}")))?;
        Ok(Links::Given(Arc::new(graph)))
    }

    /// The neighbours of every process, as text that differs if the graph or the order of ports does.
    pub(crate) fn meaning(&self) -> String {
        let Links::Given(graph) = self else { return format!("{self:?}") };
        let neighbours = graph.neighbours();
        let of = |process| format!("{:?}", neighbours.of(process));
        (0..graph.size()).map(of).collect::<Vec<_>>().concat()
    }
}

impl Config {
    /// On a given graph, the neighbours of this node, by port.
    pub(crate) fn neighbours(&self) -> Option<Vec<usize>> {
        let Some(Links::Given(graph)) = &self.graph else { return None };
        let neighbours = graph.neighbours();
        let within = (self.id < graph.size()).then(|| neighbours.of(self.id));
        Some(within.unwrap_or_default().iter().map(|&peer| peer as usize).collect())
    }

    /// Refuses settings that do not fit the graph.
    pub(crate) fn check_links(&self) -> Result<(), NodeError> {
        let Some(Links::Given(graph)) = &self.graph else { return Ok(()) };
        let (size, id) = (graph.size(), self.id);
        let processes = format!("the processes of the graph are 0 to {}", size - 1);
        if let Some(given) = self.size.filter(|&given| given != size) {
            return Err(NodeError::new(format!(
                "size is {given}, but the graph has {size} processes: give {size} or leave it out"
            )));
        }
        NodeError::refuse_if(id >= size, format!("id is {id}, but {processes}: give one of them"))?;
        if let Some(stray) = self.peers.keys().find(|&&peer| peer >= size) {
            return Err(NodeError::new(format!(
                "peer {stray} is not in the graph, since {processes}: remove its line, or add its edges to the graph on all nodes"
            )));
        }
        let neighbours = self.neighbours().unwrap_or_default();
        if let Some(unknown) = neighbours.iter().find(|peer| !self.peers.contains_key(peer)) {
            return Err(NodeError::new(format!(
                "the graph has an edge between this node, {id}, and {unknown}, whose address is missing: add a line for {unknown} to [peers]"
            )));
        }
        let count = neighbours.len();
        let reason = format!(
            "node {id} has {count} neighbours in the graph, and at most {MOST_NEIGHBOURS} are possible, since a step reads all of them \
             while none is busy: choose a graph with smaller degrees"
        );
        NodeError::refuse_if(count > MOST_NEIGHBOURS, reason)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Node 1 of the line 0 - 1 - 2, with addresses for all.
    fn middle() -> Config {
        let mut config = Config::new(1, "127.0.0.1:0".parse().unwrap());
        config.graph = Some(Links::Given(Arc::new(Graph::parse("0 1\n1 2\n").unwrap())));
        config.peers = (0..3).map(|id| (id, format!("127.0.0.1:{}", 7400 + id))).collect();
        config
    }

    fn refusal(change: impl FnOnce(&mut Config)) -> String {
        let mut config = middle();
        change(&mut config);
        config.validate().unwrap_err().to_string()
    }

    #[test]
    fn a_node_talks_to_its_neighbours_only() {
        let end = Config { id: 0, ..middle() };
        assert_eq!((middle().neighbours(), end.neighbours()), (Some(vec![0, 2]), Some(vec![1])));
        assert_eq!(end.others().into_keys().collect::<Vec<_>>(), [1]);
        assert_eq!(end.members(3).unwrap(), [true, true, false]);
        assert!(middle().validate().is_ok() && end.validate().is_ok());
    }

    #[test]
    fn settings_that_do_not_fit_the_graph_are_refused() {
        assert!(refusal(|config| config.size = Some(4)).starts_with("size is 4, but the graph has 3 processes"));
        assert!(refusal(|config| config.id = 3).contains("id is 3, but the processes of the graph are 0 to 2"));
        let stray = refusal(|config| drop(config.peers.insert(5, "127.0.0.1:7405".into())));
        assert!(stray.contains("peer 5 is not in the graph"), "{stray}");
        let unknown = refusal(|config| drop(config.peers.remove(&2)));
        assert!(unknown.contains("between this node, 1, and 2, whose address is missing"), "{unknown}");
    }

    #[test]
    fn a_node_has_not_too_many_neighbours() {
        let star = |leaves: usize| {
            let edges: String = (1..=leaves).map(|leaf| format!("0 {leaf}\n")).collect();
            let peers = (0..=leaves).map(|id| (id, format!("127.0.0.1:{}", 7400 + id))).collect();
            let graph = Some(Links::Given(Arc::new(Graph::parse(&edges).unwrap())));
            Config { id: 0, graph, peers, ..middle() }.validate()
        };
        assert!(star(MOST_NEIGHBOURS).is_ok());
        assert!(star(MOST_NEIGHBOURS + 1).unwrap_err().to_string().contains("node 0 has 17 neighbours"));
    }

    #[test]
    fn the_meaning_of_messages_depends_on_the_ports() {
        let meaning = |text: &str| Links::Given(Arc::new(Graph::parse(text).unwrap())).meaning();
        assert_eq!(meaning("0 1\n1 2\n"), meaning("1 -- 0\n1 -- 2\n"));
        assert_ne!(meaning("0 1\n1 2\n"), meaning("1 2\n0 1\n"));
        assert_ne!(meaning("0 1\n1 2\n"), meaning("0 1\n1 2\n2 0\n"));
    }
}
