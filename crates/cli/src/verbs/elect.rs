//! `ringleader elect`: watch one election.

use crate::catalog;
use crate::settings::{Setup, Start, fresh_seed, graph, refuse, refuse_flawed};
use crate::terminal::exit::Failure;
use crate::terminal::{files, interrupt};
use crate::texts;
use ringleader_catalog::Instance;
use ringleader_erased::{
    Card, DetectorLayer, Kind, Layers, MessageInstance, Number, Parameters, PopulationInstance, RingInstance, Topology,
};
use ringleader_lab::Recording;
use ringleader_model::{Channels, Goal, Graph, Marks, Safety, Scheduler, Shape, Stabilizing, Terminating};
use ringleader_simulate::kernel::MessageSteps;
use ringleader_simulate::plain::{PopulationRun, RingRun};
use ringleader_simulate::{self as simulate, Generator, Oracle, StabilizingInstance as _, TimedAlgorithm};
use std::path::PathBuf;
use std::process::ExitCode;

pub(crate) mod replay;
mod story;

use story::Story;

/// Watch one election: from an arbitrary configuration to the goal, then hit by faults, and healing.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  ringleader elect
  ringleader elect fischer-jiang-ring --size 24 --oracle delayed:200 --seed 1
  ringleader elect fich-johnen --size 13 --start all-leaders --corrupt 3
  ringleader elect franklin --size 12 --ids 3 --variant b
  ringleader elect robust-s5 --size 7 --json
  ringleader elect yokota-ring --size 8 --seed 3 --html run.html   the run and its healing as a page that plays it

The last line of --json has: algorithm, size, seed, parameters, start, scheduler, reached, basis, leaders, steps, recoveries;
with --replay: algorithm, steps, sound (it is the run it claims to be, else because), verified, not_verified, and repeats if
there is a cycle; of messages how many leaders there are, and whether it has ended.
Exit codes: 0 reached, 1 not reached within --limit, 2 bad usage or input, 130 interrupted.")]
pub(crate) struct Arguments {
    /// The algorithm, as `ringleader list` gives it [default: yokota-ring]
    algorithm: Option<String>,
    /// How many agents [default: the algorithm's own]
    #[arg(long, value_name = "N")]
    size: Option<usize>,
    /// The seed of everything random [default: a fresh one, printed]
    #[arg(long)]
    seed: Option<u64>,
    /// arbitrary, clean (every variable at its least value, or the algorithm's own start), all-leaders, no-leader, or a
    /// configuration file (docs/files.md) [default: arbitrary; clean for algorithms that are not self-stabilizing]
    #[arg(long, value_name = "START")]
    start: Option<Start>,
    /// Who decides what happens next: random, round-robin, alternating, synchronous, distributed (some at
    /// once, every set of processes as likely) [default: the algorithm's own]
    #[arg(long)]
    scheduler: Option<Scheduler>,
    /// Run a population protocol there: ring, undirected-ring, complete, or a file with an edge list or DOT (docs/files.md)
    /// [default: the algorithm's own]
    #[arg(long, value_name = "GRAPH")]
    graph: Option<String>,
    /// Draw a line every so many steps [default: ever more rarely]
    #[arg(long, value_name = "STEPS")]
    every: Option<u64>,
    /// How many agents a fault corrupts; 0 for no fault [default: a quarter]
    #[arg(long, value_name = "K")]
    corrupt: Option<usize>,
    /// How many faults, one after the other [default: 1]
    #[arg(long, value_name = "F")]
    faults: Option<usize>,
    /// Give up after this many steps in all
    #[arg(long, value_name = "STEPS", default_value_t = 1_000_000_000)]
    limit: u64,
    /// Play back the run in this file, such as one that `check --save` wrote
    #[arg(long, value_name = "FILE", conflicts_with_all = ["algorithm", "size", "seed", "start", "scheduler",
        "oracle", "graph", "every", "corrupt", "faults", "limit", "channels", "undirected", "alternator"])]
    replay: Option<PathBuf>,
    /// Write one page that plays the run, its faults included: it needs nothing else, and nobody's network; with --replay, the
    /// run in the file
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// JSON lines instead of pictures; the last line is the result
    #[arg(long)]
    json: bool,
    /// Which message of a channel may be received next: bag (any) or fifo (the oldest) [default: the algorithm's own]
    #[arg(long)]
    channels: Option<Channels>,
    /// Run an algorithm that is kept for its flaw
    #[arg(long)]
    allow_flawed: bool,
    #[command(flatten)]
    setup: Setup,
}

/// What is elected with if no algorithm is named: this, or the first one there is.
const DEFAULT_ELECTION: &str = "yokota-ring";

fn default_election() -> Result<String, Failure> {
    let known = || catalog().names().filter(|name| catalog().why_absent(name).is_none());
    let named = known().find(|name| *name == DEFAULT_ELECTION).or_else(|| known().next());
    named.map(Into::into).ok_or_else(|| Failure::usage("there is no algorithm in this program"))
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    if let Some(path) = &arguments.replay {
        if !arguments.setup.is_empty() {
            return Err(Failure::usage(
                "--replay takes the parameters from its file: leave out those of the algorithm",
            ));
        }
        if let Some(page) = &arguments.html {
            files::writable(page)?;
            let page_of =
                Recording::replay(&texts::run_file(path)?, None).and_then(|recording| recording.html(catalog()));
            files::write(page, page_of.map_err(|why| Failure::usage(format!("{}: {why}", path.display())))?)?;
        }
        return replay::run(path, arguments.json);
    }
    let document = arguments.start.as_ref().map(Start::document).transpose()?.flatten();
    let name = match (&arguments.algorithm, &document) {
        (Some(name), Some(document)) if *name != document.algorithm => {
            return Err(Failure::usage(format!(
                "the start is a configuration of {}, not of {name}",
                document.algorithm
            )));
        }
        (Some(name), _) => name.clone(),
        (None, Some(document)) => document.algorithm.clone(),
        (None, None) => default_election()?,
    };
    let card = catalog().card(&name)?;
    let file = arguments.graph.as_deref().and_then(graph::file).map(graph::read).transpose()?;
    let sizes = [arguments.size, document.as_ref().map(|d| d.size), file.as_ref().map(Graph::size)];
    let mut given = sizes.into_iter().flatten();
    let size = given.next().unwrap_or(card.default_size);
    if let Some(other) = given.find(|&other| other != size) {
        return Err(Failure::usage(format!(
            "two sizes are given, {size} and {other}: --size, --start and --graph must agree"
        )));
    }
    let shape = arguments.graph.as_deref().and_then(graph::named);
    let mut parameters = arguments.setup.at(size);
    if let Some(start) = &arguments.start {
        parameters = start.agreed(card.name, parameters)?;
    }
    catalog().supports(card.name, &parameters)?;
    refuse_flawed(card, arguments.allow_flawed)?;
    let chosen = arguments.channels.is_some() && card.kind != Kind::Message;
    refuse(card, &[("--channels", chosen)], "only message passing that starts clean chooses its channels")?;
    if let Some(page) = &arguments.html {
        refuse(card, &[("--html", card.kind == Kind::Robust)], "it runs on clocks, and has no steps to play")?;
        files::writable(page)?;
    }
    let seed = arguments.seed.unwrap_or_else(fresh_seed);
    let parameters = parameters.with_identities(card, &mut Generator::stream(seed, 2));
    let graph = shape.map(|shape| graph::shaped(shape, size)).transpose()?.or(file);
    let elect = Elect { arguments, card, parameters: &parameters, layers: parameters.layers, graph, seed };
    interrupt::listen();
    match catalog().instance(card.name, &parameters)? {
        Instance::Population(algorithm) => elect.population(&algorithm),
        Instance::Ring(algorithm) => elect.ring(&algorithm),
        Instance::Message(algorithm) => elect.message(&algorithm),
        Instance::Robust(algorithm) => elect.robust(&*algorithm),
    }
}

/// One election.
struct Elect<'a> {
    arguments: &'a Arguments,
    card: &'static Card,
    parameters: &'a Parameters,
    layers: Layers,
    graph: Option<Graph>,
    seed: u64,
}

impl Elect<'_> {
    fn scheduler(&self, possible: &[Scheduler]) -> Result<Scheduler, Failure> {
        let own = self.layers.scheduler(self.card);
        // What any schedule may be is watched under a random one, which is among them.
        let watched = if own == Scheduler::Unfair && !possible.contains(&own) { Scheduler::Random } else { own };
        let scheduler = self.arguments.scheduler.unwrap_or(watched);
        if possible.contains(&scheduler) {
            return Ok(scheduler);
        }
        let names: Vec<_> = possible.iter().map(|s| s.name()).collect();
        Err(Failure::usage(format!(
            "elect cannot run {} under the scheduler {scheduler}: it can under {}",
            self.card.name,
            names.join(", ")
        )))
    }

    /// The oracle to run with: the user's, and a perfect one unless told otherwise.
    fn oracle(&self) -> Result<Option<Oracle>, Failure> {
        let needed = self.layers.oracle(self.card);
        let given = self.arguments.setup.oracle();
        refuse(self.card, &[("--oracle", given.is_some() && needed.is_none())], "it needs no oracle")?;
        Ok(needed.map(|_| given.unwrap_or(Oracle::Perfect)))
    }

    fn refuse_graph(&self) -> Result<(), Failure> {
        refuse(self.card, &[("--graph", self.graph.is_some())], "only population protocols run on graphs")
    }

    fn start(&self) -> Start {
        self.arguments.start.clone().unwrap_or(Start::Arbitrary)
    }

    /// The agents that the faults hit: a quarter of them unless told otherwise.
    fn corrupted(&self) -> Result<usize, Failure> {
        let size = self.parameters.size;
        let count = self.arguments.corrupt.unwrap_or(size.div_ceil(4));
        if count > size {
            return Err(Failure::usage(format!("--corrupt {count}: there are only {size} agents")));
        }
        Ok(count)
    }

    fn story(
        &self,
        scheduler: Scheduler,
        start: &Start,
        goal: Goal,
        shows: Marks,
        (basis, because): (&'static str, String),
    ) -> Result<Story<'_>, Failure> {
        let self_stabilizing = basis != "terminated";
        Ok(Story {
            name: self.card.name,
            parameters: self.parameters,
            graph: match (self.layers.topology(self.card), &self.graph) {
                (Topology::Any, Some(graph)) if graph.shape() == Shape::Other => "the graph of the file".into(),
                (Topology::Any, Some(graph)) => graph.shape().to_string(),
                (topology, _) => topology.at_hand().describe().into(),
            },
            scheduler,
            channels: None,
            oracle: self.oracle()?,
            start: start.to_string(),
            seed: self.seed,
            goal,
            shows,
            basis,
            because,
            corrupt: if self_stabilizing { self.corrupted()? } else { 0 },
            faults: self.arguments.faults.unwrap_or(1),
            every: self.arguments.every,
            limit: self.arguments.limit,
            json: self.arguments.json,
            page: self.page(scheduler, start)?,
        })
    }

    /// The page to be written of this run, if one is.
    fn page(&self, scheduler: Scheduler, start: &Start) -> Result<Option<(PathBuf, Recording)>, Failure> {
        let Some(path) = &self.arguments.html else { return Ok(None) };
        let recording = Recording::new(self.card.name, self.parameters, self.seed).under(
            (self.card.kind != Kind::Message).then(|| scheduler.name().to_string()),
            self.arguments.setup.oracle().map(|oracle| oracle.to_string()),
            self.arguments.channels.map(|channels| channels.name().to_string()),
            self.graph.as_ref().map(|graph| graph.arcs().iter().map(|(u, v)| format!("{u} {v}\n")).collect()),
        );
        let recording = match start.document()? {
            Some(document) => recording.from_text(&document.print()),
            None => recording.starting(&start.to_string().replace(' ', "-")),
        };
        Ok(Some((path.clone(), recording)))
    }

    /// How one knows that the goal of a self-stabilizing algorithm is reached.
    fn because_safe(&self, goal: Goal, safety: Safety, set: &str) -> String {
        if self.layers.detector == Some(DetectorLayer::Timer) {
            return "nobody misses a leader now; the timer layer is only loosely stabilizing, so a false alarm may still \
                    undo this, after a time that grows exponentially with --timer"
                .to_string();
        }
        match safety {
            Safety::ForEver if !catalog().is_built_in(self.card.name) => format!(
                "the configuration is in the safe set that its author names ({set}): {}, if that set is closed, which `check` finds out",
                goal.describe()
            ),
            Safety::ForEver => {
                let promise = goal.describe();
                format!("the configuration is in the proof's safe set ({set}), which cannot be left: {promise}")
            }
            Safety::ForLong => "the configuration is safe now, but only for long: faults aside, it may be lost".into(),
            Safety::Unknown => {
                "the configuration is correct now; nobody has said whether it stays so, `check` finds out".into()
            }
        }
    }

    /// The graph of a population protocol: the user's, if the protocol's promise makes sense on it.
    fn population_graph(&self) -> Result<Graph, Failure> {
        let topology = self.layers.topology(self.card);
        match &self.graph {
            None => graph::of(topology, self.parameters.size),
            Some(graph) if graph::suits(topology, graph) => Ok(graph.clone()),
            Some(graph) => Err(Failure::usage(format!(
                "{} is for {} with its agents numbered in order, but --graph is {}: its safe set and its proof mean \
                 nothing there",
                self.card.name,
                graph::a(topology.describe()),
                match graph.shape() {
                    Shape::Other => "some other graph".to_string(),
                    shape => graph::a(&shape.to_string()),
                }
            ))),
        }
    }
}

impl Elect<'_> {
    fn population(&self, algorithm: &PopulationInstance) -> Result<ExitCode, Failure> {
        let oracle = self.oracle()?.unwrap_or(Oracle::Perfect);
        let scheduler = self.scheduler(&[Scheduler::Random, Scheduler::RoundRobin])?;
        let graph = self.population_graph()?;
        let mut coin = Generator::new(self.seed);
        let start = self.start();
        let states = self.states(&start, algorithm, graph.size(), &mut coin)?;
        let mut run = PopulationRun::new(algorithm, &graph, states, scheduler, oracle, coin);
        let because = self.because_safe(algorithm.goal(), algorithm.safety(), &algorithm.safe_set());
        self.story(scheduler, &start, algorithm.goal(), algorithm.marks_seen(), ("safe-set", because))?.tell(&mut run)
    }

    fn ring(&self, algorithm: &RingInstance) -> Result<ExitCode, Failure> {
        self.oracle()?;
        self.refuse_graph()?;
        let scheduler = self.scheduler(&[
            Scheduler::Alternating,
            Scheduler::RoundRobin,
            Scheduler::Random,
            Scheduler::Synchronous,
            Scheduler::Distributed,
        ])?;
        let mut coin = Generator::new(self.seed);
        let start = self.start();
        let states = self.states(&start, algorithm, self.parameters.size, &mut coin)?;
        let mut run = RingRun::new(algorithm, states, scheduler, coin);
        let because = self.because_safe(algorithm.goal(), algorithm.safety(), &algorithm.safe_set());
        self.story(scheduler, &start, algorithm.goal(), algorithm.marks_seen(), ("safe-set", because))?.tell(&mut run)
    }

    fn message(&self, algorithm: &MessageInstance) -> Result<ExitCode, Failure> {
        self.oracle()?;
        self.refuse_graph()?;
        let why = "it is not self-stabilizing: it starts clean, and promises nothing from any other state";
        let given = [
            ("--start", self.arguments.start.as_ref().is_some_and(|s| *s != Start::Clean)),
            ("--corrupt", self.arguments.corrupt.is_some_and(|k| k > 0)),
            ("--faults", self.arguments.faults.is_some_and(|f| f > 0)),
        ];
        refuse(self.card, &given, why)?;
        let scheduler = self.scheduler(&[Scheduler::Random])?;
        let channels = self.arguments.channels.unwrap_or(algorithm.channels());
        let unordered = channels == Channels::Bag && algorithm.channels() == Channels::Fifo;
        let needs_order = "its rules rely on messages arriving in order; --allow-flawed runs it all the same";
        refuse(self.card, &[("--channels bag", unordered && !self.arguments.allow_flawed)], needs_order)?;
        let mut run = MessageSteps::new(algorithm, channels, Generator::new(self.seed));
        let because = "no process can take another step, and exactly one is leader".to_string();
        let shows = Marks::LEADER | Marks::ACTIVE | Marks::PASSIVE;
        let story = self.story(scheduler, &Start::Clean, Goal::OneLeader, shows, ("terminated", because))?;
        Story { channels: Some(channels), ..story }.tell(&mut run)
    }

    fn robust(&self, algorithm: &dyn TimedAlgorithm) -> Result<ExitCode, Failure> {
        self.oracle()?;
        self.refuse_graph()?;
        let scheduler = self.scheduler(&[Scheduler::Timed])?;
        let start = self.start();
        let stray = if start == Start::Clean { 0 } else { 2 };
        let run = algorithm.watch(&start.load()?, stray, Generator::new(self.seed));
        let mut run = run.map_err(|error| start.refusal(error))?;
        let because = format!(
            "all have named the same leader for {} δ, many times the longest timeout (a settled run, not a proof); every \
             link was timely, as systems S1 to S5 all allow; `simulate` takes the worst of its own",
            algorithm.settling_stretch() / algorithm.timing().delta
        );
        self.story(scheduler, &start, Goal::OneLeader, Marks::LEADER, ("settled", because))?.tell(&mut *run)
    }

    fn states(
        &self,
        start: &Start,
        algorithm: &dyn simulate::StabilizingInstance,
        size: usize,
        coin: &mut Generator,
    ) -> Result<Vec<Number>, Failure> {
        let from = start.load()?;
        let states = from.states(algorithm, size, coin).and_then(|states| from.put_back(algorithm, states));
        states.map_err(|error| start.refusal(error))
    }
}
