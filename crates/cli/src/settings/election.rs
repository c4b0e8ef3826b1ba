//! One run, as `elect` shows and `draw` draws it: its arguments, the algorithm that they name, and the run at its start.

use super::graph::{self, Wanted};
use super::{Setup, Start, fresh_seed, refuse, refuse_flawed};
use crate::catalog;
use crate::terminal::exit::{Failure, bail, usage};
use ringleader_catalog::{BeginError, Beginning, Instance};
use ringleader_erased::{Card, Kind, Parameters, Topology};
use ringleader_model::{Channels, Graph, Scheduler, Shape, Terminating};
use ringleader_simulate::plain::SimulatedRun;
use ringleader_simulate::{Generator, Oracle, schedulers};

/// The arguments of every run.
#[derive(clap::Args)]
pub(crate) struct RunArguments {
    /// The number of agents [default: the algorithm's own]
    #[arg(long, value_name = "N")]
    size: Option<usize>,
    /// The seed of all random choices [default: a random one, printed]
    #[arg(long)]
    pub(crate) seed: Option<u64>,
    /// arbitrary, clean (every variable at its least value, or the algorithm's own start), all-leaders, no-leader, a
    /// configuration file (docs/files.md), a condition such as "all i : leader[i]", or counts of local states such as
    /// "A: 6, B: 4" [default: the `start` of a text, otherwise arbitrary; clean for algorithms that pass messages]
    #[arg(long, value_name = "START")]
    start: Option<Start>,
    /// Run an algorithm that is known to be flawed
    #[arg(long)]
    allow_flawed: bool,
    #[command(flatten)]
    setup: Setup,
}

/// The arguments of a run that `elect` has besides.
#[derive(clap::Args, Default)]
pub(crate) struct Surroundings {
    /// The scheduler: random, round-robin, alternating, synchronous, or distributed (a random set of processes at once)
    /// [default: the algorithm's own]
    #[arg(long)]
    scheduler: Option<Scheduler>,
    /// The graph of an algorithm for any graph: a family such as ring, complete, star or grid:3x4, or a file with an edge list or DOT
    /// (docs/files.md)
    /// [default: the algorithm's own]
    #[arg(long, value_name = "GRAPH")]
    graph: Option<String>,
    /// Which message of a channel can be received next: bag (any) or fifo (the oldest) [default: the algorithm's own]
    #[arg(long)]
    channels: Option<Channels>,
}

impl Surroundings {
    /// A run on this graph.
    pub(crate) fn on(graph: Option<String>) -> Surroundings {
        Surroundings { graph, ..Surroundings::default() }
    }
}

impl RunArguments {
    /// Refuses parameters and layers beside a trace, which has its own.
    pub(crate) fn refuse_beside_replay(&self) -> Result<(), Failure> {
        match self.setup.flag().or((!self.setup.is_empty()).then_some("the parameters")) {
            Some(flag) => Err(usage!("--replay takes everything from the file: leave out {flag}")),
            None => Ok(()),
        }
    }
}

/// One run.
pub(crate) struct Election {
    pub(crate) card: &'static Card,
    pub(crate) parameters: Parameters,
    pub(crate) instance: Instance,
    pub(crate) start: Start,
    pub(crate) scheduler: Scheduler,
    pub(crate) oracle: Option<Oracle>,
    /// The channels, where messages are passed until the algorithm ends.
    pub(crate) channels: Option<Channels>,
    /// The graph of a population protocol, or of the processes of a graph.
    graph: Option<Graph>,
    /// The value of --graph.
    graph_asked: Option<String>,
    pub(crate) seed: u64,
}

/// The algorithm if none is named: this one, or the first that can be run.
const DEFAULT_ELECTION: &str = "yokota-ring";

fn default_name() -> Result<String, Failure> {
    let runnable = || catalog().names().filter(|name| catalog().why_absent(name).is_none());
    let name = runnable().find(|name| *name == DEFAULT_ELECTION).or_else(|| runnable().next());
    name.map(Into::into).ok_or_else(|| usage!("this program has no algorithm"))
}

impl Election {
    /// The run of an algorithm, or of the algorithm that the start file names. `most` bounds the number of agents.
    pub(crate) fn new(
        name: Option<&String>,
        run: &RunArguments,
        surroundings: &Surroundings,
        most: usize,
    ) -> Result<Election, Failure> {
        let document = run.start.as_ref().map(Start::document).transpose()?.flatten();
        let name = match (name, &document) {
            (Some(name), _) => name.clone(),
            (None, Some(document)) => document.algorithm.clone(),
            (None, None) => default_name()?,
        };
        let card = catalog().card(&name)?;
        let asked = surroundings.graph.as_deref();
        let wanted = Wanted::read(asked)?;
        let sizes = [run.size, document.map(|document| document.size), wanted.size()];
        let size = sizes.into_iter().flatten().next().unwrap_or(card.default_size);
        if let Some(other) = sizes.into_iter().flatten().find(|&other| other != size) {
            bail!("two sizes are given, {size} and {other}: --size, --start and --graph must agree");
        }
        if size > most {
            bail!("{size} {} do not fit a picture: at most {most}", card.kind.members());
        }
        let start = run.start.clone().unwrap_or_else(|| Start::usual(card, &run.setup.at(size)));
        let parameters = start.agreed(card.name, run.setup.at(size))?;
        let processes = (card.kind == Kind::Graph).then(|| wanted.of_processes(card, size)).transpose()?;
        let parameters = processes.iter().cloned().fold(parameters, Parameters::on);
        catalog().supports(card.name, &parameters)?;
        refuse_flawed(card, run.allow_flawed)?;
        let seed = run.seed.unwrap_or_else(fresh_seed);
        let parameters = parameters.with_identities(card, &mut Generator::stream(seed, 2));
        let instance = catalog().instance(card.name, &parameters)?;
        let (layers, topology) = (parameters.layers, parameters.layers.topology(card));
        let (population, clean) = (card.kind == Kind::Population, card.kind == Kind::Message);
        let (oracle, needed) = (run.setup.oracle(), layers.oracle(card));
        let own_channels = if let Instance::Message(algorithm) = &instance { Some(algorithm.channels()) } else { None };
        let channels = own_channels.map(|own| surroundings.channels.unwrap_or(own));
        let unordered = channels == Some(Channels::Bag) && own_channels == Some(Channels::Fifo) && !run.allow_flawed;
        for (flag, given, reason) in [
            ("--graph", asked.is_some() && !population && processes.is_none(), "it is for one kind of graph"),
            (
                "--channels",
                surroundings.channels.is_some() && !clean,
                "only message passing that starts clean has channels to choose",
            ),
            ("--start", clean && start != Start::CLEAN, NOT_SELF_STABILIZING),
            ("--oracle", oracle.is_some() && needed.is_none(), "it needs no oracle"),
            (
                "--channels bag",
                unordered,
                "its rules rely on messages arriving in order; --allow-flawed runs it all the same",
            ),
        ] {
            refuse(card, &[(flag, given)], reason)?;
        }
        let graph = match processes {
            _ if population => Some(wanted.of_agents(card, topology, size)?),
            Some(graph) if asked.is_some() => Some(graph::suiting(card, topology, graph)?),
            own => own,
        };
        Ok(Election {
            scheduler: scheduler(card, layers.scheduler(card), surroundings.scheduler)?,
            oracle: needed.map(|_| oracle.unwrap_or(Oracle::Perfect)),
            graph_asked: asked.map(String::from),
            card,
            parameters,
            instance,
            start,
            channels,
            graph,
            seed,
        })
    }

    /// The run at its start. Each call returns the same run.
    pub(crate) fn begin(&self) -> Result<Box<dyn SimulatedRun + '_>, Failure> {
        let start = self.start.load(self.card.name, &self.parameters)?;
        let Election { scheduler, oracle, channels, seed, .. } = *self;
        let (size, graph) = (self.parameters.size, self.graph.as_ref());
        let beginning = Beginning { size, start: &start, scheduler, graph, oracle, channels, seed };
        beginning.of(&self.instance).map_err(|error| match error {
            BeginError::Start(error) => self.start.refusal(error),
            BeginError::NoGraph => Failure::usage(error),
        })
    }

    /// The graph that the user gave.
    pub(crate) fn given_graph(&self) -> Option<&Graph> {
        self.graph.as_ref().filter(|_| self.graph_asked.is_some())
    }

    /// The graph in words.
    pub(crate) fn graph(&self) -> String {
        let topology = self.parameters.layers.topology(self.card);
        match self.given_graph() {
            Some(graph) if matches!(topology, Topology::Any | Topology::Tree) => match graph.shape() {
                Shape::Other => match self.graph_asked.as_deref() {
                    Some(asked) if graph::file(asked).is_none() => asked.into(),
                    _ => "the graph of the file".into(),
                },
                shape => shape.to_string(),
            },
            _ => topology.at_hand().describe().into(),
        }
    }
}

/// The reason why an algorithm that starts clean takes no other start and no faults.
pub(crate) const NOT_SELF_STABILIZING: &str =
    "it is not self-stabilizing: it starts clean, and promises nothing from any other state";

/// The scheduler of a run: the user's or the algorithm's own, if the engine of its model has it.
fn scheduler(card: &Card, own: Scheduler, asked: Option<Scheduler>) -> Result<Scheduler, Failure> {
    let possible = schedulers(card.kind);
    // Where the card names a class of schedules, the random schedule stands for it.
    let own = if possible.contains(&own) { own } else { Scheduler::Random };
    let scheduler = asked.unwrap_or(own);
    if possible.contains(&scheduler) {
        return Ok(scheduler);
    }
    let names: Vec<_> = possible.iter().map(|s| s.name()).collect();
    Err(usage!("{} cannot run under the scheduler {scheduler}: choose one of {}", card.name, names.join(", ")))
}
