//! Algorithms of neighbours among machines: what an instance needs around it to run on a real network.

use crate::Instance;
use ringleader_erased::{Card, DetectorLayer, Kind, Layers, Parameters, Refusal, Topology};
use ringleader_model::graph::Family;
use ringleader_model::{Chain, Graph, LEFT, Place, RIGHT, Ring, Scheduler};
use ringleader_node::{Algorithm, Config, DEFAULT_ALGORITHM, Links, Preempt, SplitMix};
use ringleader_node_core::neighbours::{
    GraphMember, Member, MessageMember, NeighbourProtocol, PopulationMember, RingMember,
};
use ringleader_simulate::Generator;

/// The parameters of an algorithm of neighbours, with the layers that a real network makes necessary: there is no oracle, and no
/// schedule that alternates by itself.
pub(crate) fn parameters(card: &Card, config: &Config) -> Result<Parameters, Refusal> {
    let graph = graph(card, config)?;
    let size = match (config.size, card.topology) {
        _ if graph.is_some() => 0,
        (Some(size), _) => size,
        (None, Topology::Complete) => config.size(),
        (None, _) => return Err(Refusal::new("say how many members the ring has: size, the same on all of them")),
    };
    let mut parameters = Parameters::read(size, &config.parameters)?;
    if let Some(graph) = graph {
        parameters = parameters.on(graph);
    }
    let Layers { detector, alternator, .. } = &mut parameters.layers;
    if card.oracle.is_some() && detector.is_none() {
        let ring = card.topology == Topology::DirectedRing;
        *detector = Some(if ring { DetectorLayer::Distance } else { DetectorLayer::Timer });
    }
    *alternator |= card.kind == Kind::Ring && card.scheduler == Scheduler::Alternating;
    parameters.layers.suit(card)?;
    Ok(parameters)
}

/// The graph of an algorithm for any graph, with the processes of the members. Processes read along an edge both ways, so a ring is
/// undirected.
fn graph(card: &Card, config: &Config) -> Result<Option<Graph>, Refusal> {
    let family = match (&config.graph, card.kind == Kind::Graph) {
        (None, false) => return Ok(None),
        (None, true) => {
            return Err(Refusal::new(format!(
                "{} runs on a graph: give graph, a file with an edge on each line or a family such as line or star, and all members as peers",
                card.name
            )));
        }
        (Some(_), false) => {
            return Err(Refusal::new(format!(
                "graph is for algorithms for any graph, and the graph of {} is fixed: {}",
                card.name,
                card.topology.describe()
            )));
        }
        (Some(Links::Given(graph)), true) => return Ok(Some(Graph::clone(graph))),
        (Some(Links::Family(Family::Ring)), true) => Family::UndirectedRing,
        (Some(Links::Family(family)), true) => *family,
    };
    let mut coin = Generator::new(family.seed().unwrap_or(0));
    family.graph(config.size(), &mut coin).map(Some).map_err(|e| Refusal::new(format!("graph: {e}")))
}

/// Refuses what no network of neighbours can do, and says why.
pub(crate) fn suits(card: &Card, parameters: &Parameters, config: &Config) -> Result<(), Refusal> {
    let (name, topology) = (card.name, parameters.layers.topology(card));
    let refuse = |reason: String| Err(Refusal::new(format!("{name} does not run among machines: {reason}")));
    if let Some(flaw) = card.flaw {
        return refuse(format!("it is kept for its flaw ({flaw})"));
    }
    if topology == Topology::Line {
        return refuse("it is for a line, and what is run here are rings, graphs and complete networks".into());
    }
    if parameters.layers.read_write {
        return refuse(
            "read/write atomicity is for checks and simulations; members read their neighbours by datagrams".into(),
        );
    }
    if card.scheduler == Scheduler::Synchronous {
        return refuse("it assumes that all take their steps at once, which no network of neighbours can do".into());
    }
    if config.guard.is_some() {
        return Err(Refusal::new(format!(
            "the guard confirms leaders of the robust algorithms, whose members know each other; {name} runs among neighbours"
        )));
    }
    if config.weight != 0 || config.preempt != Preempt::Yes || config.check.is_some() || config.drain.is_some() {
        return Err(Refusal::new(format!(
            "weight, preempt, check and drain are for {DEFAULT_ALGORITHM}: {name} has no rule for handing over"
        )));
    }
    if let Some([left, right]) = &config.sides
        && left == right
        && parameters.size > 2
    {
        return refuse(format!("left and right are both {left}, and its ring has {} members", parameters.size));
    }
    if matches!(card.kind, Kind::Message | Kind::Graph) && config.id >= parameters.size {
        return refuse(format!("identities are 0 to {}, this one is {}", parameters.size - 1, config.id));
    }
    if card.kind == Kind::Graph {
        return match config.sides {
            Some(_) => refuse("it runs on a graph: give peers and graph instead of left and right".into()),
            None => Ok(()),
        };
    }
    match (topology == Topology::Complete, config.sides.is_some()) {
        (true, true) => refuse("everyone meets everyone in it: give all peers instead of left and right".into()),
        (false, false) => refuse("it is for a ring: give the addresses of the left and the right neighbour".into()),
        _ => Ok(()),
    }
}

/// One member.
pub(crate) fn build(
    card: &Card,
    instance: Instance,
    parameters: &Parameters,
    config: &Config,
    coin: &mut SplitMix,
) -> Result<Box<dyn Algorithm>, Refusal> {
    let (size, id) = (parameters.size, config.id);
    let (neighbours, ports) = match parameters.layers.topology(card) {
        Topology::Complete => (size, (0..size).filter(|&peer| peer != id).collect()),
        Topology::DirectedRing => (2, vec![RIGHT]),
        _ => (2, vec![LEFT, RIGHT]),
    };
    let protocol: Box<dyn NeighbourProtocol> = match instance {
        Instance::Message(algorithm) => Box::new(MessageMember::new(algorithm, id, coin)),
        Instance::Population(protocol) => {
            Box::new(PopulationMember::new(protocol, neighbours, ports, config.place == Place::Bottom, coin))
        }
        Instance::Ring(algorithm) if algorithm.chain() == Chain::Ring => {
            Box::new(RingMember::new(algorithm, config.place, coin))
        }
        Instance::Graph(algorithm) => Box::new(GraphMember::new(algorithm, id, coin)),
        other => {
            let why = match other {
                Instance::Ring(_) => "it is for a line; only rings, graphs and complete networks run among machines",
                _ => "its processes know each other and run as a robust algorithm",
            };
            return Err(Refusal::new(format!("{} does not run among machines: {why}", card.name)));
        }
    };
    if config.token_waits && protocol.token().is_none() {
        return Err(Refusal::new(format!(
            "on-token is for algorithms that hand a token around, such as fich-johnen-token; {} has none",
            card.name
        )));
    }
    Ok(Box::new(Member::new(protocol, size, id, config.token_waits)))
}
