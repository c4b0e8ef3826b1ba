//! Graphs, from files and by name.

use crate::terminal::exit::{Failure, bail, usage};
use crate::terminal::files;
use ringleader_erased::{Card, Topology};
use ringleader_model::Graph;
use ringleader_model::graph::{Census, Family};
use ringleader_simulate::Generator;
use std::path::Path;

/// The graph in a file: an edge list or DOT.
pub(crate) fn read(path: &Path) -> Result<Graph, Failure> {
    if !path.exists() {
        if let Some(Ok(census)) = path.to_str().map(str::parse::<Census>) {
            bail!("--graph {census} is for `check`: choose one graph here");
        }
        let (path, families) = (path.display(), Family::FORMS);
        bail!("--graph {path}: there is no such file, and the families of graphs are {families}");
    }
    Graph::parse(&files::read(path)?).map_err(|e| usage!("{}: {e}", path.display()))
}

/// The file of a graph, unless it is the name of a family.
pub(crate) fn file(asked: &str) -> Option<&Path> {
    named(asked).is_none().then(|| Path::new(asked))
}

/// The family of graphs with a name.
pub(crate) fn named(asked: &str) -> Option<Family> {
    asked.parse().ok()
}

/// The number of agents that the name of a family says: 12 of `grid:3x4`.
pub(crate) fn named_size(asked: &str) -> Option<usize> {
    named(asked).and_then(Family::size)
}

/// Why a protocol does not run on a graph of another kind.
pub(crate) fn unsuitable(card: &Card, topology: Topology, found: &str) -> Failure {
    usage!(
        "{} is for {} with its agents numbered in order, not for {found}: its safe set and its proof mean nothing there",
        card.name,
        a(topology.describe())
    )
}

/// Without `--graph`, a complete graph of more processes is refused.
const MOST_COMPLETE: usize = 1000;

/// The graph of an algorithm for the processes of any graph: that of the file, of the family, or the algorithm's own. Processes read along
/// an edge both ways, so a ring is undirected.
pub(crate) fn of_processes(
    card: &Card,
    file: Option<&Graph>,
    family: Option<Family>,
    size: usize,
) -> Result<Graph, Failure> {
    match (file, family) {
        (Some(graph), _) => Ok(graph.clone()),
        (None, Some(Family::Ring)) => member(Family::UndirectedRing, size),
        (None, Some(family)) => member(family, size),
        (None, None) if card.topology == Topology::Any && size > MOST_COMPLETE => Err(usage!(
            "{} runs on the complete graph unless --graph names another, and with {size} processes that has {} edges: choose a graph with \
             fewer edges, such as --graph random-tree, or ask for it by --graph complete",
            card.name,
            size as u128 * (size as u128 - 1) / 2
        )),
        (None, None) => of(card.topology, size),
    }
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

/// The graph of an algorithm at a size, if none is given.
pub(crate) fn of(topology: Topology, size: usize) -> Result<Graph, Failure> {
    topology.graph(size).map_err(Failure::usage)
}

/// The graph of a family at a size.
pub(crate) fn member(family: Family, size: usize) -> Result<Graph, Failure> {
    family.graph(size, &mut Generator::new(family.seed().unwrap_or(0))).map_err(Failure::usage)
}
