//! Graphs, from files and by their shape.

use crate::terminal::exit::Failure;
use crate::terminal::files;
use ringleader_instance::Topology;
use ringleader_model::{Graph, Shape};
use std::path::Path;

/// The graph in a file: an edge list or DOT.
pub(crate) fn read(path: &Path) -> Result<Graph, Failure> {
    Graph::parse(&files::read(path)?).map_err(|e| Failure::usage(format!("{}: {e}", path.display())))
}

/// Whether a population protocol for this topology makes sense on a graph.
pub(crate) fn suits(topology: Topology, graph: &Graph) -> bool {
    topology == Topology::Any || graph.has_shape(shape(topology))
}

/// What a population protocol's graph looks like if none is given.
pub(crate) fn shape(topology: Topology) -> Shape {
    match topology.at_hand() {
        Topology::Complete => Shape::Complete,
        Topology::UndirectedRing => Shape::UndirectedRing,
        _ => Shape::DirectedRing,
    }
}

/// The graph of a population protocol at a size.
pub(crate) fn of(topology: Topology, size: usize) -> Result<Graph, Failure> {
    let graph = match topology.at_hand() {
        Topology::Complete => Graph::complete(size),
        Topology::UndirectedRing => Graph::undirected_ring(size),
        _ => Graph::directed_ring(size),
    };
    graph.map_err(Failure::usage)
}
