//! Graphs, from files and by their shape.

use crate::terminal::exit::Failure;
use crate::terminal::files;
use ringleader_erased::{Card, Topology};
use ringleader_model::{Graph, Shape};
use std::path::Path;

/// The graph in a file: an edge list or DOT.
pub(crate) fn read(path: &Path) -> Result<Graph, Failure> {
    Graph::parse(&files::read(path)?).map_err(|e| Failure::usage(format!("{}: {e}", path.display())))
}

/// The graphs that need no file, by name.
const NAMED: [(&str, Shape); 3] =
    [("ring", Shape::DirectedRing), ("undirected-ring", Shape::UndirectedRing), ("complete", Shape::Complete)];

/// The file of a graph, unless it has a name.
pub(crate) fn file(asked: &str) -> Option<&Path> {
    NAMED.iter().all(|(name, _)| *name != asked).then(|| Path::new(asked))
}

/// The shape of a graph that has a name.
pub(crate) fn named(asked: &str) -> Option<Shape> {
    NAMED.iter().find(|(name, _)| *name == asked).map(|(_, shape)| *shape)
}

/// Why a protocol does not run on a graph of another kind.
pub(crate) fn unsuitable(card: &Card, topology: Topology, found: &str) -> Failure {
    Failure::usage(format!(
        "{} is for {} with its agents numbered in order, not for {found}: its safe set and its proof mean nothing there",
        card.name,
        a(topology.describe())
    ))
}

/// The kind of a graph with its article.
pub(crate) fn a(kind: &str) -> String {
    match kind {
        "any graph" => kind.into(),
        "other graph" => "another graph".into(),
        _ if kind.starts_with("undirected") => format!("an {kind}"),
        _ => format!("a {kind}"),
    }
}

/// Whether a population protocol for this topology makes sense on a graph.
pub(crate) fn suits(topology: Topology, graph: &Graph) -> bool {
    topology == Topology::Any || graph.has_shape(shape(topology))
}

/// The shape of a population protocol's graph if none is given.
pub(crate) fn shape(topology: Topology) -> Shape {
    match topology.at_hand() {
        Topology::Complete => Shape::Complete,
        Topology::UndirectedRing => Shape::UndirectedRing,
        _ => Shape::DirectedRing,
    }
}

/// The graph of a population protocol at a size.
pub(crate) fn of(topology: Topology, size: usize) -> Result<Graph, Failure> {
    shaped(shape(topology), size)
}

/// The graph of a shape at a size.
pub(crate) fn shaped(shape: Shape, size: usize) -> Result<Graph, Failure> {
    let graph = match shape {
        Shape::Complete => Graph::complete(size),
        Shape::UndirectedRing => Graph::undirected_ring(size),
        _ => Graph::directed_ring(size),
    };
    graph.map_err(Failure::usage)
}
