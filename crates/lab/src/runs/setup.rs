//! What is to be run: an algorithm of the catalog or a text, its size, its parameters, its start, its seed.

use crate::Refused;
use ringleader_catalog::{Catalog, Instance, MessageInstance};
use ringleader_erased::{
    Card, Identities, Kind, Layers, Number, ParameterKind, Parameters, PopulationInstance, RingInstance, Topology,
};
use ringleader_language::Source;
use ringleader_model::text::parse_state;
use ringleader_model::{Channels, Graph, Safety, Scheduler, Shape, Stabilizing as _};
use ringleader_simulate::plain::{PopulationRun, RingRun, Steered};
use ringleader_simulate::{self as simulate, Generator, Oracle};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// More agents than this no page can show.
pub(crate) const MOST_AGENTS: usize = 2000;
/// A complete graph of more agents has more arcs than anybody clicks on.
const MOST_COMPLETE: usize = 300;

/// What a page asks to run. The same setup is the same run, for ever.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Setup {
    /// The name of an algorithm; left out where there is a text.
    pub algorithm: String,
    /// A protocol as text.
    pub text: Option<String>,
    /// How many agents; the algorithm's own number if 0.
    pub size: usize,
    /// Named parameters, `layers` among them.
    pub parameters: BTreeMap<String, String>,
    pub scheduler: Option<String>,
    pub oracle: Option<String>,
    pub channels: Option<String>,
    /// The graph of a population protocol, as an edge list or in DOT; it decides the size.
    pub graph: Option<String>,
    pub start: Start,
    pub seed: u64,
}

/// Where a run starts.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(untagged)]
pub(crate) enum Start {
    /// arbitrary, clean, all-leaders or no-leader.
    Named(String),
    /// The state of each agent, as text.
    Given(Vec<String>),
}

impl Default for Start {
    fn default() -> Start {
        Start::Named("arbitrary".into())
    }
}

/// An algorithm, built and ready.
pub(crate) struct Subject {
    pub card: Card,
    pub parameters: Parameters,
    pub system: System,
    pub scheduler: Scheduler,
    pub oracle: Oracle,
    pub channels: Channels,
    /// Why nobody claims it right so, if nobody does.
    pub beyond_claim: Option<String>,
}

impl Subject {
    /// Whether somebody has said which configurations are safe.
    pub(crate) fn names_safe(&self) -> bool {
        match &self.system {
            System::Population(instance, _) => instance.safety() != Safety::Unknown,
            System::Ring(instance) => instance.safety() != Safety::Unknown,
            System::Message(_) => false,
        }
    }
}

/// The algorithm in the form that its engines take.
pub(crate) enum System {
    Population(PopulationInstance, Graph),
    Ring(RingInstance),
    Message(Arc<dyn MessageInstance>),
}

/// The schedulers that a run of a model can be watched under.
pub(crate) fn schedulers(kind: Kind) -> &'static [Scheduler] {
    match kind {
        Kind::Population => &[Scheduler::Random, Scheduler::RoundRobin],
        Kind::Ring => &[
            Scheduler::Random,
            Scheduler::RoundRobin,
            Scheduler::Alternating,
            Scheduler::Synchronous,
            Scheduler::Distributed,
        ],
        _ => &[Scheduler::Random],
    }
}

impl Setup {
    /// Builds what is asked for, or says why that cannot be.
    pub(crate) fn build(&self, catalog: &Catalog) -> Result<Subject, Refused> {
        let (card, parameters, instance, claim) = match &self.text {
            None => {
                let card = *catalog.card(&self.algorithm)?;
                if let Some(reason) = catalog.why_absent(card.name) {
                    return Err(Refused::new(format!("{} cannot be run: {reason}", card.name)));
                }
                let parameters = self.parameters(&card)?;
                let instance = catalog.instance(card.name, &parameters)?;
                let claim = catalog.supports(card.name, &parameters);
                (card, parameters, instance, claim)
            }
            Some(text) => {
                let protocol = Source::parse("protocol", text).map_err(|wrong| Refused::new(wrong.to_string()))?;
                let card = *protocol.card();
                let parameters = self.parameters(&card)?;
                let shelf = Catalog::empty().text(&protocol);
                let instance = shelf.instance(card.name, &parameters)?;
                let claim = shelf.supports(card.name, &parameters);
                (card, parameters, instance, claim)
            }
        };
        let system = self.system(instance, &card, &parameters)?;
        let (scheduler, oracle) = (self.scheduler(&card, parameters.layers)?, self.oracle(&card, parameters.layers)?);
        let channels = match (&self.channels, &system) {
            (Some(name), _) => name.parse().map_err(Refused::new)?,
            (None, System::Message(algorithm)) => algorithm.subject().channels(),
            _ => Channels::Bag,
        };
        let beyond_claim = claim.err().map(|refusal| refusal.to_string());
        Ok(Subject { card, parameters, system, scheduler, oracle, channels, beyond_claim })
    }

    fn parameters(&self, card: &Card) -> Result<Parameters, Refused> {
        let drawn = self.graph()?.map(|graph| graph.size());
        let size = drawn.or(Some(self.size).filter(|&size| size > 0)).unwrap_or(card.default_size);
        if size > MOST_AGENTS {
            return Err(Refused::new(format!("at most {MOST_AGENTS} agents can be shown, not {size}")));
        }
        let given: Vec<_> = self.parameters.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        let parameters = Parameters::read(size, &given)?;
        // Where nobody says who has which identity, the seed does, as on the command line.
        let identities = card.parameters.iter().find(|p| p.kind == ParameterKind::Identities);
        Ok(match identities.filter(|p| parameters.word(p.name).is_none()) {
            Some(p) => {
                let some = Identities::shuffled(size as u32, &mut Generator::stream(self.seed, 2)).to_string();
                parameters.with(p.name, some)
            }
            None => parameters,
        })
    }

    fn graph(&self) -> Result<Option<Graph>, Refused> {
        let read = |text: &String| Graph::parse(text).map_err(|wrong| Refused::new(format!("the graph: {wrong}")));
        self.graph.as_ref().map(read).transpose()
    }

    fn system(&self, instance: Instance, card: &Card, parameters: &Parameters) -> Result<System, Refused> {
        match instance {
            Instance::Population(instance) => {
                let (size, topology) = (parameters.size, parameters.layers.topology(card));
                let shape = match topology.at_hand() {
                    Topology::Complete => Shape::Complete,
                    Topology::UndirectedRing => Shape::UndirectedRing,
                    _ => Shape::DirectedRing,
                };
                let graph = match (self.graph()?, shape) {
                    (Some(graph), _) if topology == Topology::Any || graph.has_shape(shape) => Ok(graph),
                    (Some(_), _) => Err(format!(
                        "{} is for a {} with its agents numbered in order: its safe set means nothing on another graph",
                        card.name,
                        topology.describe()
                    )),
                    (None, Shape::Complete) if size > MOST_COMPLETE => {
                        Err(format!("a complete graph of more than {MOST_COMPLETE} agents cannot be shown"))
                    }
                    (None, Shape::Complete) => Graph::complete(size),
                    (None, Shape::UndirectedRing) => Graph::undirected_ring(size),
                    (None, _) => Graph::directed_ring(size),
                };
                Ok(System::Population(instance, graph.map_err(Refused::new)?))
            }
            _ if self.graph.is_some() => Err(Refused::new("only population protocols run on graphs")),
            Instance::Ring(_) if parameters.size < 2 => Err(Refused::new("a ring has at least two processes")),
            Instance::Ring(instance) => Ok(System::Ring(instance)),
            Instance::Message(algorithm) => Ok(System::Message(algorithm)),
            Instance::Robust(_) => Err(Refused::new(format!(
                "{} runs on clocks in a network that may crash: `ringleader cluster --algorithm {}` shows it live",
                card.name, card.name
            ))),
        }
    }

    fn scheduler(&self, card: &Card, layers: Layers) -> Result<Scheduler, Refused> {
        let known = schedulers(card.kind);
        match &self.scheduler {
            // A class of schedules is no schedule: a run is watched under the random one then.
            None => Ok(Some(layers.scheduler(card)).filter(|own| known.contains(own)).unwrap_or(Scheduler::Random)),
            Some(name) => known.iter().copied().find(|s| s.name() == name).ok_or_else(|| {
                let names: Vec<_> = known.iter().map(|s| s.name()).collect();
                Refused::new(format!("{} runs under {}, not {name}", card.name, names.join(", ")))
            }),
        }
    }

    fn oracle(&self, card: &Card, layers: Layers) -> Result<Oracle, Refused> {
        match &self.oracle {
            None => Ok(Oracle::Perfect),
            Some(_) if layers.oracle(card).is_none() => {
                Err(Refused::new(format!("{} needs no oracle here", card.name)))
            }
            Some(name) => name.parse().map_err(|unknown| Refused::new(format!("{unknown}"))),
        }
    }

    /// The run of a setup at its start: that of `ringleader elect` with the same seed.
    pub(crate) fn run<'a>(&self, subject: &'a Subject) -> Result<Box<dyn Steered + 'a>, Refused> {
        let mut coin = Generator::new(self.seed);
        let size = subject.parameters.size;
        Ok(match &subject.system {
            System::Population(instance, graph) => {
                let states = self.states(instance, size, &mut coin, |text| parse_state(instance, text, 1, 1))?;
                let (scheduler, oracle) = (subject.scheduler, subject.oracle);
                Box::new(PopulationRun::new(instance, graph, states, scheduler, oracle, coin))
            }
            System::Ring(instance) => {
                let states = self.states(instance, size, &mut coin, |text| parse_state(instance, text, 1, 1))?;
                Box::new(RingRun::new(instance, states, subject.scheduler, coin))
            }
            System::Message(_) => return Err(Refused::new("messages are run elsewhere")),
        })
    }

    fn states(
        &self,
        instance: &dyn simulate::Instance,
        size: usize,
        coin: &mut Generator,
        read: impl Fn(&str) -> Result<Number, ringleader_model::ParseError>,
    ) -> Result<Vec<Number>, Refused> {
        let start = match &self.start {
            Start::Given(texts) if texts.len() != size => {
                return Err(Refused::new(format!("the start has {} agents, but there are {size}", texts.len())));
            }
            Start::Given(texts) => {
                let read = |(agent, text): (usize, &String)| {
                    read(text).map_err(|wrong| Refused::new(format!("agent {agent}: {}", wrong.message)))
                };
                let mut states = texts.iter().enumerate().map(read).collect::<Result<Vec<_>, _>>()?;
                let given = states.clone();
                instance.put_back(&mut states);
                return if states == given {
                    Ok(states)
                } else {
                    Err(Refused::new(simulate::StartError::ChangesGiven))
                };
            }
            Start::Named(name) => match name.as_str() {
                "arbitrary" => simulate::Start::Arbitrary,
                "clean" => simulate::Start::Clean,
                "all-leaders" => simulate::Start::AllLeaders,
                "no-leader" => simulate::Start::NoLeader,
                other => return Err(Refused::new(format!("no start is called {other:?}"))),
            },
        };
        let states = start.states(instance, size, coin).and_then(|states| start.put_back(instance, states));
        states.map_err(Refused::new)
    }
}
