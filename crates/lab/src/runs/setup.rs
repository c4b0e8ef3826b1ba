//! The setup of a run: an algorithm of the catalog or a text, its size, parameters, start and seed.

use crate::Refused;
use ringleader_catalog::{Catalog, CountError, Instance, WrittenClaim, counted, with_counts};
use ringleader_check::{Claim, Starting};
use ringleader_erased::{
    Card, GraphInstance, Kind, Layers, MessageInstance, Number, Parameters, PopulationInstance, RingInstance,
};
use ringleader_language::Source;
use ringleader_model::graph::{Family, Neighbours};
use ringleader_model::{Channels, Graph, Scheduler, Shape, Terminating, text};
use ringleader_simulate::plain::StabilizingRun;
use ringleader_simulate::{self as simulate, Generator, Oracle, StabilizingInstance, schedulers};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// The most agents that a page shows.
pub(crate) const MOST_AGENTS: usize = 2000;
/// The most agents of a complete graph.
const MOST_COMPLETE: usize = 300;

/// The setup that a page asks for. The same setup always gives the same run.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Setup {
    /// The name of an algorithm; left out where there is a text.
    pub algorithm: String,
    /// A protocol as text.
    pub text: Option<String>,
    /// The number of agents; 0 stands for the algorithm's own.
    pub size: usize,
    /// Named parameters, `layers` among them.
    pub parameters: BTreeMap<String, String>,
    /// The scheduler, if it is not the algorithm's own.
    pub scheduler: Option<String>,
    /// The oracle, if it is not perfect.
    pub oracle: Option<String>,
    /// The channels, if they are not the algorithm's own.
    pub channels: Option<String>,
    /// The graph of an algorithm for several graphs: the name of a family, or an edge list or DOT, which determines the size.
    pub graph: Option<String>,
    /// The start.
    pub start: AskedStart,
    /// The seed of all random choices.
    pub seed: u64,
}

/// The first configuration of a run.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(untagged)]
pub enum AskedStart {
    /// arbitrary, clean, all-leaders or no-leader; a condition, or counts of local states; or usual, the start of the text or an arbitrary one.
    Named(String),
    /// The state of each agent, as text.
    Given(Vec<String>),
}

impl Default for AskedStart {
    fn default() -> AskedStart {
        AskedStart::Named(USUAL.into())
    }
}

impl AskedStart {
    /// The states of a configuration file, in the order of the agents.
    #[must_use]
    pub fn of_file(configuration: &str) -> AskedStart {
        let lines = configuration.lines().filter_map(|line| line.strip_prefix("agent ")?.split_once(": "));
        AskedStart::Given(lines.map(|(_, state)| state.to_string()).collect())
    }
}

/// The start of the text, if it has one; an arbitrary one otherwise.
pub(crate) const USUAL: &str = "usual";

/// An algorithm, built and ready.
pub(crate) struct Subject {
    pub card: Card,
    pub parameters: Parameters,
    pub runnable: Runnable,
    pub scheduler: Scheduler,
    pub oracle: Oracle,
    pub channels: Channels,
    /// The catalog that has this algorithm.
    pub shelf: Catalog,
    /// Why no paper claims that it is correct with these parameters, if none does.
    pub beyond_claim: Option<String>,
}

impl Subject {
    /// The algorithm, if it is self-stabilizing; those that pass messages are not.
    pub(crate) fn stabilizing(&self) -> Option<&dyn StabilizingInstance> {
        match &self.runnable {
            Runnable::Population(instance, _) => Some(instance),
            Runnable::Ring(instance) => Some(instance),
            Runnable::Graph(instance, _) => Some(instance),
            Runnable::Message(_) => None,
        }
    }

    /// The number of local states, if they are numbered.
    pub(crate) fn states(&self) -> Option<u64> {
        self.stabilizing().map(|algorithm| algorithm.states())
    }

    /// A condition or a number that configurations have, in the language of the texts.
    pub(crate) fn watched(&self, text: &str) -> Result<Watched, Refused> {
        if matches!(self.runnable, Runnable::Message(_)) {
            return Err(Refused::new("expressions are about configurations; these processes pass messages"));
        }
        let (name, what) = (self.card.name, "the expression");
        match self.shelf.condition(name, &self.parameters, what, text) {
            Ok(holds) => Ok(Box::new(move |states| holds(states).into())),
            // The error of a condition is the better one: most expressions are conditions.
            Err(wrong) => match self.shelf.number(name, &self.parameters, what, text) {
                Ok(number) => Ok(Box::new(move |states| number(states).into())),
                Err(_) => Err(Refused::new(wrong)),
            },
        }
    }

    /// The condition on the starts that the text has itself.
    pub(crate) fn own_start(&self) -> Option<&str> {
        self.shelf.written_start(self.card.name, self.parameters.layers)
    }

    /// The numbers of agents in each local state, if the text has the form of counts.
    fn counted(&self, text: &str) -> Result<Option<Vec<usize>>, Refused> {
        let nothing = || Refused::new("processes that pass messages start clean");
        let (algorithm, states) = self.stabilizing().zip(self.states()).ok_or_else(nothing)?;
        let wrong = |error| match error {
            CountError::NoState { .. } => Refused::new(error),
            _ => Refused::new(format!("the start {error}")),
        };
        counted(text, algorithm, states, self.parameters.size).map_err(wrong)
    }

    /// The starts of a check: a condition or counts of local states, or those of the text; every configuration if there are none.
    pub(crate) fn starting(&self, asked: Option<&str>) -> Result<Option<Starting>, Refused> {
        let Some(text) = asked.or(self.own_start()).filter(|text| *text != "arbitrary") else { return Ok(None) };
        if let Some(counts) = self.counted(text)? {
            return Ok(Some(with_counts(text, counts)));
        }
        self.shelf.starting(self.card.name, &self.parameters, "start", text).map(Some).map_err(Refused::new)
    }

    /// The start of a run, as the simulator takes it.
    pub(crate) fn start(&self, asked: &AskedStart) -> Result<simulate::Start, Refused> {
        let text = match asked {
            AskedStart::Given(_) => return Ok(simulate::Start::Arbitrary),
            AskedStart::Named(name) if name == USUAL => self.own_start().unwrap_or("arbitrary"),
            AskedStart::Named(name) => name,
        };
        if let Ok(named) = text.parse() {
            return Ok(named);
        }
        // A condition is more than a word.
        if text.chars().all(|c| c.is_alphanumeric() || "-_".contains(c)) {
            return Err(Refused::new(format!("no start is called {text:?}")));
        }
        if let Some(counts) = self.counted(text)? {
            let some = counts.into_iter().enumerate().filter(|(_, count)| *count > 0);
            return Ok(simulate::Start::Counted(some.map(|(state, count)| (Number(state as u64), count)).collect()));
        }
        let among = self.shelf.start(self.card.name, &self.parameters, "start", text);
        Ok(simulate::Start::Among(among.map_err(Refused::new)?))
    }

    /// A claim about configurations.
    pub(crate) fn claim(&self, claim: &WrittenClaim) -> Result<Claim, Refused> {
        if matches!(self.runnable, Runnable::Message(_)) {
            return Err(Refused::new("claims are about configurations; these processes pass messages"));
        }
        self.shelf.claim(self.card.name, &self.parameters, claim).map_err(Refused::new)
    }

    /// A state as text.
    pub(crate) fn text(&self, state: u64) -> String {
        self.stabilizing().map_or(String::new(), |algorithm| text::print_state(algorithm, &Number(state)))
    }

    /// The state of a process of a configuration as text: its pointers name processes.
    pub(crate) fn text_at(&self, process: usize, state: u64) -> String {
        self.stabilizing().map_or(String::new(), |algorithm| text::print_state_at(algorithm, process, &Number(state)))
    }

    /// Reads a state.
    pub(crate) fn read(&self, text: &str) -> Result<Number, Refused> {
        text::parse_state(self.editable()?, text, 1, 1).map_err(|wrong| Refused::new(wrong.message))
    }

    /// Reads the state of a process of a configuration.
    fn read_at(&self, process: usize, text: &str) -> Result<Number, Refused> {
        text::parse_state_at(self.editable()?, process, text, 1, 1).map_err(|wrong| Refused::new(wrong.message))
    }

    fn editable(&self) -> Result<&dyn StabilizingInstance, Refused> {
        self.stabilizing().ok_or_else(|| Refused::new("the states of these processes cannot be edited"))
    }
}

/// The value of an expression in a configuration: true, false, a number, or null where it is undefined.
type Watched = Box<dyn Fn(&[u32]) -> Value>;

/// The algorithm in the form that its engines take.
pub(crate) enum Runnable {
    Population(PopulationInstance, Graph),
    Ring(RingInstance),
    Graph(GraphInstance, Graph),
    Message(MessageInstance),
}

/// The graph of a family at a size.
fn member(family: Family, size: usize) -> Result<Graph, Refused> {
    family.graph(size, &mut Generator::new(family.seed().unwrap_or(0))).map_err(Refused::new)
}

/// The graph of processes with these neighbours.
fn graph_of(neighbours: &Neighbours) -> Result<Graph, Refused> {
    let arcs = (0..neighbours.size()).flat_map(|i| neighbours.of(i).iter().map(move |&j| (i, j as usize))).collect();
    Graph::from_arcs(neighbours.size(), arcs).map_err(Refused::new)
}

fn too_complete() -> Refused {
    Refused::new(format!("a complete graph of more than {MOST_COMPLETE} agents cannot be shown"))
}

impl Setup {
    /// Builds the algorithm, or says why that is impossible.
    pub(crate) fn build(&self, catalog: &Catalog) -> Result<Subject, Refused> {
        let shelf = match &self.text {
            None => catalog.clone(),
            Some(text) => {
                let protocol = Source::parse("protocol", text).map_err(|wrong| Refused::new(wrong.to_string()))?;
                Catalog::empty().text(&protocol)
            }
        };
        let name = if self.text.is_some() { shelf.names().next() } else { Some(self.algorithm.as_str()) };
        let card = *shelf.card(name.unwrap_or_default())?;
        if let Some(reason) = shelf.why_absent(card.name) {
            return Err(Refused::new(format!("{} cannot be run: {reason}", card.name)));
        }
        let parameters = self.parameters(&card)?;
        let instance = shelf.instance(card.name, &parameters)?;
        let claim = shelf.supports(card.name, &parameters);
        let runnable = self.runnable(instance, &card, &parameters)?;
        let (scheduler, oracle) = (self.scheduler(&card, parameters.layers)?, self.oracle(&card, parameters.layers)?);
        let channels = match (&self.channels, &runnable) {
            (Some(name), _) => name.parse().map_err(Refused::new)?,
            (None, Runnable::Message(algorithm)) => algorithm.channels(),
            _ => Channels::Bag,
        };
        let beyond_claim = claim.err().map(|refusal| refusal.to_string());
        Ok(Subject { card, parameters, runnable, scheduler, oracle, channels, shelf, beyond_claim })
    }

    fn parameters(&self, card: &Card) -> Result<Parameters, Refused> {
        let asked = Some(self.size).filter(|&size| size > 0);
        let size = match self.family() {
            Some(family) => asked.or(family.size()),
            None => self.drawn()?.map(|graph| graph.size()).or(asked),
        };
        let size = size.unwrap_or(card.default_size);
        if size > MOST_AGENTS {
            let members = card.kind.members();
            return Err(Refused::new(format!("at most {MOST_AGENTS} {members} can be shown, not {size}")));
        }
        let given: Vec<_> = self.parameters.clone().into_iter().collect();
        // The seed decides identities that are not given, as on the command line.
        let parameters = Parameters::read(size, &given)?.with_identities(card, &mut Generator::stream(self.seed, 2));
        let graph = if card.kind == Kind::Graph { self.graph(size, Family::UndirectedRing)? } else { None };
        Ok(graph.into_iter().fold(parameters, Parameters::on))
    }

    /// The family of the graph, if it is named.
    fn family(&self) -> Option<Family> {
        self.graph.as_ref()?.trim().parse().ok()
    }

    /// The graph of an edge list or of DOT.
    fn drawn(&self) -> Result<Option<Graph>, Refused> {
        let read = |text: &String| match Graph::parse(text) {
            Err(wrong) if text.trim().contains(char::is_whitespace) => Err(Refused::new(format!("the graph: {wrong}"))),
            Err(_) => Err(Refused::new(format!("{text} is no graph: the families are {}", Family::FORMS))),
            Ok(graph) => Ok(graph),
        };
        self.graph.as_ref().filter(|_| self.family().is_none()).map(read).transpose()
    }

    /// The graph, if one is given. Processes read along an edge both ways, so their `ring` is undirected.
    fn graph(&self, size: usize, ring: Family) -> Result<Option<Graph>, Refused> {
        match self.family() {
            None => self.drawn(),
            Some(Family::Ring) => member(ring, size).map(Some),
            Some(family) => member(family, size).map(Some),
        }
    }

    fn runnable(&self, instance: Instance, card: &Card, parameters: &Parameters) -> Result<Runnable, Refused> {
        match instance {
            Instance::Population(instance) => {
                let (size, topology) = (parameters.size, parameters.layers.topology(card));
                let graph = match self.graph(size, Family::Ring)? {
                    Some(graph) if topology.suits(&graph) => graph,
                    Some(_) => {
                        return Err(Refused::new(format!(
                            "{} needs a {} whose agents are numbered in order: its safe set means nothing on another graph",
                            card.name,
                            topology.describe()
                        )));
                    }
                    None if topology.shape() == Shape::Complete && size > MOST_COMPLETE => return Err(too_complete()),
                    None => topology.graph(size).map_err(Refused::new)?,
                };
                Ok(Runnable::Population(instance, graph))
            }
            Instance::Graph(instance) => {
                let graph = parameters.graph.as_deref().cloned();
                let graph = graph.map_or_else(|| graph_of(instance.neighbours()), Ok)?;
                let few = !graph.has_shape(Shape::Complete) || graph.size() <= MOST_COMPLETE;
                if few { Ok(Runnable::Graph(instance, graph)) } else { Err(too_complete()) }
            }
            // A saved run names the graph that the algorithm has anyway.
            _ if self.graph.as_deref().is_some_and(|graph| graph != card.topology.describe()) => {
                Err(Refused::new(format!("{} runs on a {}, not on another graph", card.name, card.topology.describe())))
            }
            Instance::Ring(_) if parameters.size < 2 => Err(Refused::new("a ring has at least two processes")),
            Instance::Ring(instance) => Ok(Runnable::Ring(instance)),
            Instance::Message(algorithm) => Ok(Runnable::Message(algorithm)),
            Instance::Robust(_) => Err(Refused::new(format!(
                "{} needs clocks and a network: `ringleader cluster --algorithm {}` shows it live",
                card.name, card.name
            ))),
        }
    }

    fn scheduler(&self, card: &Card, layers: Layers) -> Result<Scheduler, Refused> {
        let known = schedulers(card.kind);
        match &self.scheduler {
            // A run needs one scheduler: where the card names a class of schedules, the random one.
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
            Some(_) if layers.oracle(card).is_none() => Err(Refused::new(format!("{} uses no oracle here", card.name))),
            Some(name) => name.parse().map_err(|unknown| Refused::new(format!("{unknown}"))),
        }
    }

    /// The run of a setup at its start, the same as that of `ringleader elect` with this seed.
    pub(crate) fn run<'a>(&self, subject: &'a Subject) -> Result<StabilizingRun<'a>, Refused> {
        let mut coin = Generator::new(self.seed);
        Ok(match &subject.runnable {
            Runnable::Population(instance, graph) => {
                let states = self.states(subject, instance, &mut coin)?;
                let (scheduler, oracle) = (subject.scheduler, subject.oracle);
                StabilizingRun::population(instance, graph, states, scheduler, oracle, coin)
            }
            Runnable::Ring(instance) => {
                let states = self.states(subject, instance, &mut coin)?;
                StabilizingRun::processes(instance, states, subject.scheduler, coin)
            }
            Runnable::Graph(instance, _) => {
                let states = self.states(subject, instance, &mut coin)?;
                StabilizingRun::processes(instance, states, subject.scheduler, coin)
            }
            Runnable::Message(_) => return Err(Refused::new("it passes messages")),
        })
    }

    fn states(
        &self,
        subject: &Subject,
        instance: &dyn StabilizingInstance,
        coin: &mut Generator,
    ) -> Result<Vec<Number>, Refused> {
        let size = subject.parameters.size;
        let AskedStart::Given(texts) = &self.start else {
            let start = subject.start(&self.start)?;
            let states = start.states(instance, size, coin).and_then(|states| start.put_back(instance, states));
            return states.map_err(Refused::new);
        };
        if texts.len() != size {
            let members = subject.card.kind.members();
            return Err(Refused::new(format!("the start has {} {members}, but there are {size}", texts.len())));
        }
        let read = |(agent, text): (usize, &String)| {
            subject
                .read_at(agent, text)
                .map_err(|wrong| Refused::new(format!("{} {agent}: {wrong}", subject.card.kind.member())))
        };
        let given = texts.iter().enumerate().map(read).collect::<Result<Vec<_>, _>>()?;
        let mut restored = given.clone();
        instance.restore(&mut restored);
        if restored == given { Ok(given) } else { Err(Refused::new(simulate::StartError::ChangesGiven)) }
    }
}
