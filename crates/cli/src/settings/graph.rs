//! Graphs, from files and by name.

use crate::terminal::exit::{Failure, bail, usage};
use crate::terminal::files;
use ringleader_erased::{Card, Topology};
use ringleader_model::Graph;
use ringleader_model::graph::{Census, Family};
use ringleader_simulate::Generator;
use std::path::Path;

/// The graph that `--graph` asks for.
#[derive(Clone, Debug, Default)]
pub(crate) enum Wanted {
    /// The algorithm's own.
    #[default]
    Own,
    Family(Family),
    File(Graph),
}

impl Wanted {
    /// A family by its name, or the graph in a file.
    pub(crate) fn read(asked: Option<&str>) -> Result<Wanted, Failure> {
        Ok(match (asked, asked.and_then(file)) {
            (None, _) => Wanted::Own,
            (_, Some(path)) => Wanted::File(read(path)?),
            (Some(name), None) => Wanted::Family(name.parse().map_err(Failure::usage)?),
        })
    }

    /// The number of agents that it says: 12 of `grid:3x4`.
    pub(crate) fn size(&self) -> Option<usize> {
        match self {
            Wanted::Own => None,
            Wanted::Family(family) => family.size(),
            Wanted::File(graph) => Some(graph.size()),
        }
    }

    /// The graph of an algorithm for the processes of any graph. Processes read along an edge both ways, so a ring is undirected.
    pub(crate) fn of_processes(&self, card: &Card, size: usize) -> Result<Graph, Failure> {
        match self {
            Wanted::File(graph) => Ok(graph.clone()),
            Wanted::Family(Family::Ring) => member(Family::UndirectedRing, size),
            Wanted::Family(family) => member(*family, size),
            Wanted::Own if card.topology == Topology::Any && size > MOST_COMPLETE => Err(usage!(
                "{} runs on the complete graph unless --graph names another, and with {size} processes that has {} edges: choose a graph with \
                 fewer edges, such as --graph random-tree, or ask for it by --graph complete",
                card.name,
                size as u128 * (size as u128 - 1) / 2
            )),
            Wanted::Own => of(card.topology, size),
        }
    }

    /// The graph of a population protocol of this topology.
    pub(crate) fn of_agents(&self, card: &Card, topology: Topology, size: usize) -> Result<Graph, Failure> {
        match self {
            Wanted::File(graph) => suiting(card, topology, graph.clone()),
            Wanted::Family(family) => suiting(card, topology, member(*family, size)?),
            Wanted::Own => of(topology, size),
        }
    }
}

/// The graph in a file: an edge list or DOT.
fn read(path: &Path) -> Result<Graph, Failure> {
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
    asked.parse::<Family>().is_err().then(|| Path::new(asked))
}

/// A graph, if a protocol for this topology makes sense on it.
pub(crate) fn suiting(card: &Card, topology: Topology, graph: Graph) -> Result<Graph, Failure> {
    if topology.suits(&graph) { Ok(graph) } else { Err(unsuitable(card, topology, &a(&graph.shape().to_string()))) }
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
fn of(topology: Topology, size: usize) -> Result<Graph, Failure> {
    topology.graph(size).map_err(Failure::usage)
}

/// The graph of a family at a size.
fn member(family: Family, size: usize) -> Result<Graph, Failure> {
    family.graph(size, &mut Generator::new(family.seed().unwrap_or(0))).map_err(Failure::usage)
}
