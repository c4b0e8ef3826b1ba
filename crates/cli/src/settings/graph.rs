//! Graphs, from files and by name.

use crate::terminal::exit::Failure;
use crate::terminal::files;
use crate::terminal::program::program;
use ringleader_erased::{Card, Topology};
use ringleader_model::Graph;
use ringleader_model::graph::Family;
use ringleader_simulate::Generator;
use std::path::Path;

/// The graph in a file: an edge list or DOT.
pub(crate) fn read(path: &Path) -> Result<Graph, Failure> {
    if !path.exists() {
        let (path, families) = (path.display(), Family::FORMS);
        return Err(Failure::usage(format!(
            "--graph {path}: there is no such file, and the families of graphs are {families}"
        )));
    }
    Graph::parse(&files::read(path)?).map_err(|e| Failure::usage(format!("{}: {e}", path.display())))
}

/// The file of a graph, unless it is the name of a family.
pub(crate) fn file(asked: &str) -> Option<&Path> {
    named(asked).is_none().then(|| Path::new(asked))
}

/// The family of graphs with a name.
pub(crate) fn named(asked: &str) -> Option<Family> {
    asked.parse().ok()
}

/// Why a protocol does not run on a graph of another kind.
pub(crate) fn unsuitable(card: &Card, topology: Topology, found: &str) -> Failure {
    Failure::usage(format!(
        "{} is for {} with its agents numbered in order, not for {found}: its safe set and its proof mean nothing there",
        card.name,
        a(topology.describe())
    ))
}

/// Why a verb does not take an algorithm for the processes of any graph.
pub(crate) fn only_checked(card: &Card) -> Failure {
    Failure::usage(format!(
        "{} is for the processes of any graph, which only `check` supports: `{} check {} --graph star --size 4`",
        card.name,
        program(),
        card.name
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

/// The graph of a population protocol at a size.
pub(crate) fn of(topology: Topology, size: usize) -> Result<Graph, Failure> {
    Graph::shaped(topology.shape(), size).map_err(Failure::usage)
}

/// The graph of a family at a size.
pub(crate) fn member(family: Family, size: usize) -> Result<Graph, Failure> {
    family.graph(size, &mut Generator::new(family.seed().unwrap_or(0))).map_err(Failure::usage)
}
