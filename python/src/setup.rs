//! The arguments that several verbs share.

use crate::errors::{refused, value};
use pyo3::prelude::*;
use ringleader::erased::{Card, DetectorLayer, Kind, Layers, Parameters, Topology};
use ringleader::model::graph::{Census, Family};
use ringleader::model::{Graph, Scheduler};
use ringleader::simulate::Generator;

/// The parameters of an algorithm besides its size, its layers, and its oracle.
#[derive(FromPyObject)]
pub(crate) struct Setup(Vec<(String, String)>, Vec<String>, Option<String>);

impl Setup {
    /// The parameters at a size, layers included.
    pub(crate) fn at(&self, size: usize) -> PyResult<Parameters> {
        let named = |all: Parameters, (name, value): &(String, String)| all.with(name, value);
        Ok(self.0.iter().fold(Parameters::new(size), named).layered(self.layers()?))
    }

    fn layers(&self) -> PyResult<Layers> {
        let mut words = self.1.clone();
        words.extend(self.2.iter().filter(|oracle| detector(oracle).is_some()).cloned());
        if words.is_empty() { Ok(Layers::default()) } else { words.join(",").parse().map_err(refused) }
    }

    /// The oracle, if it is no layer. Refused for an algorithm that asks none.
    pub(crate) fn oracle(&self, card: &Card) -> PyResult<Option<&str>> {
        match &self.2 {
            Some(_) if card.oracle.is_none() => {
                Err(value(format!("an oracle is not for {}: it needs no oracle", card.name)))
            }
            oracle => Ok(oracle.as_deref().filter(|oracle| detector(oracle).is_none())),
        }
    }
}

fn detector(oracle: &str) -> Option<DetectorLayer> {
    match oracle {
        "distance" => Some(DetectorLayer::Distance),
        "timer" => Some(DetectorLayer::Timer),
        _ => None,
    }
}

/// The graph that the user gave.
#[derive(FromPyObject)]
pub(crate) enum AskedGraph {
    /// A name.
    Named(String),
    /// The number of agents, and the arcs.
    Arcs(usize, Vec<(usize, usize)>),
}

impl AskedGraph {
    /// All graphs of a kind, if the user asks for them.
    pub(crate) fn census(&self) -> Option<Census> {
        match self {
            AskedGraph::Named(name) => name.parse().ok(),
            AskedGraph::Arcs(..) => None,
        }
    }

    /// The graph of a population protocol, and its description: its own kind, or the user's if the protocol supports it.
    pub(crate) fn resolve(
        asked: Option<&AskedGraph>,
        card: &Card,
        topology: Topology,
        size: usize,
    ) -> PyResult<(Graph, String)> {
        let graph = match asked {
            None => return Ok((topology.graph(size).map_err(value)?, topology.at_hand().describe().into())),
            Some(AskedGraph::Named(name)) => member(name, size)?,
            Some(AskedGraph::Arcs(agents, arcs)) => Graph::from_arcs(*agents, arcs.clone()).map_err(value)?,
        };
        if graph.size() != size {
            return Err(value(format!("the size is {size}, but the graph has {} agents", graph.size())));
        }
        if !topology.suits(&graph) {
            let own = "; a protocol of your own is for every graph with graph=\"any\", or `on graph` in a text";
            return Err(value(format!(
                "{} is for a {} with its agents numbered in order, not for this graph ({}): its safe set and its proof mean nothing \
                 there{}",
                card.name,
                topology.describe(),
                graph.shape(),
                if card.citation.is_empty() { own } else { "" }
            )));
        }
        let words = if matches!(topology, Topology::Any | Topology::Tree) {
            graph.words()
        } else {
            topology.at_hand().describe().into()
        };
        Ok((graph, words))
    }

    /// The parameters of an algorithm for the processes of a graph, on the user's graph or its own, and the graph in words. Other
    /// algorithms keep theirs.
    pub(crate) fn under(
        asked: Option<&AskedGraph>,
        card: &Card,
        parameters: Parameters,
    ) -> PyResult<(Parameters, String)> {
        if card.kind != Kind::Graph {
            let words = parameters.layers.topology(card).describe().to_string();
            return Ok((parameters, words));
        }
        // The catalog refuses a graph with a cycle for an algorithm for trees.
        let topology = if asked.is_some() { Topology::Any } else { card.topology };
        let (graph, words) = AskedGraph::resolve(asked, card, topology, parameters.size)?;
        Ok((parameters.on(graph), words))
    }
}

/// The graph of a family at a size; the same as on the command line.
fn member(name: &str, size: usize) -> PyResult<Graph> {
    let family: Family = name.parse().map_err(|_| {
        value(format!(
            "no family of graphs is called {name:?}: there are {}; or give a list of arcs, or a graph of networkx",
            Family::FORMS
        ))
    })?;
    family.graph(size, &mut Generator::new(family.seed().unwrap_or(0))).map_err(value)
}

/// The scheduler of a name.
pub(crate) fn scheduler(name: &str) -> PyResult<Scheduler> {
    name.parse().map_err(value)
}
