//! `ringleader check` for population protocols and rings: every configuration, every schedule of a class.

#[cfg(feature = "cuda")]
use super::gpu;
use super::{Asked, graphs};
use crate::catalog;
use crate::settings::graph::Wanted;
use crate::settings::{OracleKind, Start, memory, refuse};
use crate::terminal::exit::{Failure, bail, usage};
use crate::terminal::program::program;
use crate::terminal::progress::{Progress, Share, watched};
use crate::terminal::{interrupt, ring_width};
use ringleader_catalog::Placed;
use ringleader_check::{
    Coins, Detector, Level, Monitor, Question, Report, Start as Given, Starting, Stop, Uncheckable,
};
use ringleader_erased::{Card, Kind, Parameters, Topology};
use ringleader_model::graph::Census;
use ringleader_model::{Graph, Scheduler, shell_word};
use ringleader_report::Subject;
use ringleader_report::check::{CheckReport, Hints, Looks};
use ringleader_simulate::StabilizingInstance;
use serde_json::{Map, Value};
use std::io::Write;
use std::process::ExitCode;
use std::str::FromStr;
use std::time::Instant;

/// The flags of `check` for these algorithms only.
#[derive(clap::Args, Clone, Debug)]
pub(super) struct ConfigurationArguments {
    /// The class of schedules [default: the algorithm's own]
    #[arg(long)]
    scheduler: Option<Scheduler>,
    /// A family such as ring, complete, star or grid:3x4, a file with an edge list or DOT (docs/files.md), `all` for every
    /// connected graph of the size, or `trees` for every tree [default: the algorithm's own]
    #[arg(long, value_name = "GRAPH")]
    pub(super) graph: Option<String>,
    /// The actions of locally-fair: transition (the definition), rule or arc [default: transition]
    #[arg(long, value_name = "LEVEL")]
    fairness_level: Option<String>,
    /// The coins of the rules under a daemon that chooses: fair (the goal is reached with probability 1 against every daemon) or
    /// adversarial (the daemon chooses the outcomes too) [default: fair]
    #[arg(long, value_name = "COINS")]
    coins: Option<String>,
    /// Check every configuration, even if symmetry makes one of several enough: rotations of a ring, automorphisms of a graph
    #[arg(long)]
    no_symmetry: bool,
    /// Distinguish all local states, even if neither the question nor any rule does
    #[arg(long)]
    no_merge: bool,
    /// Check the goal only, and not the sets of the algorithm's proof; more states can then be merged
    #[arg(long)]
    goal_only: bool,
    /// Count the worst-case rounds, too: a round ends when every process that was enabled at its start has moved or has become
    /// disabled; for processes, under random or a daemon, with coins the expected rounds
    #[arg(long)]
    count_rounds: bool,
    /// Count the worst-case moves, too, under distributed, locally-central or synchronous: a step of several processes is several
    /// moves
    #[arg(long)]
    count_moves: bool,
    /// Show the choices of the worst daemon, too, in each configuration that its executions from the worst start can reach; for fair coins
    /// against a daemon that chooses
    #[arg(long)]
    strategy: bool,
    /// A condition, such as "all i : leader[i]", or counts of local states, such as "A: 60, B: 40": check executions from these
    /// starts only, not from every configuration; `arbitrary` ignores the `start` of a text. Or print the expected steps from one
    /// configuration, too: clean (every variable at its least value, or as it is given) or a configuration file (docs/files.md);
    /// may be repeated
    #[arg(long, value_name = "START")]
    start: Vec<Start>,
}

impl ConfigurationArguments {
    /// These flags, and whether each was given: algorithms that pass messages refuse them. They are checked under every
    /// schedule, as the unfair scheduler allows.
    pub(super) fn given(&self) -> [(&'static str, bool); 11] {
        [
            ("--coins", self.coins.is_some()),
            ("--graph", self.graph.is_some()),
            ("--fairness-level", self.fairness_level.is_some()),
            ("--no-symmetry", self.no_symmetry),
            ("--no-merge", self.no_merge),
            ("--goal-only", self.goal_only),
            ("--count-rounds", self.count_rounds),
            ("--count-moves", self.count_moves),
            ("--strategy", self.strategy),
            ("--start", !self.start.is_empty()),
            ("--scheduler", self.scheduler.is_some_and(|s| s != Scheduler::Unfair)),
        ]
    }

    /// The starts of all executions: those of --start or of the text.
    fn starting(&self, asked: &Asked<'_>, algorithm: &dyn StabilizingInstance) -> Result<Option<Starting>, Failure> {
        let mut given = self.start.iter().filter(|start| matches!(start, Start::Among(_)));
        let (first, second) = (given.next(), given.next());
        if let (Some(first), Some(second)) = (first, second) {
            let both = format!("two conditions on the starts are given: `{first}` and `{second}`");
            bail!("{both}; join them by `or` or `and`");
        }
        let arbitrary = self.start.iter().find(|start| **start == Start::ARBITRARY);
        Start::starting(first.or(arbitrary), asked.card.name, asked.parameters, algorithm)
    }

    /// The configurations of --start, by the numbers of their states.
    fn starts(&self, asked: &Asked<'_>, algorithm: &dyn StabilizingInstance) -> Result<Vec<Given>, Failure> {
        let read = |start: &Start| {
            let states = start.configuration(asked.card.name, asked.parameters, algorithm, "check")?;
            Ok(Given { name: start.to_string(), states })
        };
        let one = |start: &&Start| !matches!(start, Start::Among(_)) && **start != Start::ARBITRARY;
        self.start.iter().filter(one).map(read).collect()
    }

    /// The graph, unless it is every one of a census.
    pub(super) fn wanted(&self) -> Result<Wanted, Failure> {
        Wanted::read(self.graph.as_deref().filter(|_| self.census().is_none()))
    }

    /// The graphs, if there are several.
    pub(super) fn census(&self) -> Option<Census> {
        self.graph.as_deref()?.parse().ok()
    }
}

/// The answers of a leader detector that the checker supports.
#[derive(Clone, Copy)]
pub(crate) struct CheckedOracle(Detector);

impl CheckedOracle {
    /// Whether it always tells the truth.
    pub(crate) fn is_perfect(self) -> bool {
        self.0 == Detector::Perfect
    }
}

impl OracleKind for CheckedOracle {
    const HELP: &'static str = "The leader detector Ω?, for algorithms that ask one: perfect or eventually-correct, or a layer that replaces \
        the oracle: distance (with --bound) or timer (with --timer) [default: perfect]";
}

impl FromStr for CheckedOracle {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let unknown =
            |_| "the checker supports perfect and eventually-correct, which covers every finite delay and lie";
        Ok(CheckedOracle(text.parse().map_err(unknown)?))
    }
}

pub(super) fn run(asked: &Asked<'_>) -> Result<ExitCode, Failure> {
    let Asked { arguments, card, .. } = asked;
    if let Some(flag) = arguments.messages.given() {
        bail!("{flag} is for algorithms that pass messages; {} passes none", card.name);
    }
    let setup = &arguments.setup;
    if (setup.oracle().is_some() || setup.layers().detector.is_some()) && card.oracle.is_none() {
        bail!("--oracle is not for {}: it needs no oracle", card.name);
    }
    let settings = question_without_claims(asked)?;
    interrupt::listen();
    let on_any = matches!(card.kind, Kind::Population | Kind::Graph);
    if let Some(census) = arguments.configurations.census().filter(|_| on_any) {
        return graphs::run(asked, census, &settings);
    }
    let (graph, words) = place(asked)?;
    let check = &Prepared::new(asked, graph, &settings)?;
    #[cfg(feature = "cuda")]
    if let Placed::Population(algorithm, graph) = &check.algorithm
        && let Some(gpu) = gpu::open(asked, graph, &check.question)?
    {
        return gpu::population(asked, &gpu, algorithm, graph, words, check);
    }
    let work = |monitor: &Monitor| check.algorithm.check(&check.question, monitor);
    one(asked, check, words, work, Told::default)
}

/// The graph of the agents or processes, unless the algorithm is for a ring of processes; and its description.
fn place(asked: &Asked<'_>) -> Result<(Option<Graph>, String), Failure> {
    let Asked { card, parameters, graph: wanted, .. } = *asked;
    let (size, topology) = (parameters.size, parameters.layers.topology(card));
    match card.kind {
        Kind::Population => {
            let graph = wanted.of_agents(card, topology, size)?;
            let words = match wanted {
                Wanted::File(_) if topology == Topology::Any => graph.words(),
                Wanted::Family(family) => family.shape().map_or_else(|| graph.words(), |shape| shape.to_string()),
                _ => topology.at_hand().describe().into(),
            };
            Ok((Some(graph), words))
        }
        Kind::Graph => {
            let graph = wanted.of_processes(card, size)?;
            let words = graph.words();
            Ok((Some(graph), words))
        }
        Kind::Ring => {
            let given = asked.arguments.configurations.graph.is_some();
            refuse(card, &[("--graph", given)], "its processes form a ring or a line")?;
            Ok((None, topology.describe().into()))
        }
        Kind::Message | Kind::Robust => Err(usage!(
            "check supports population protocols, processes on rings and graphs, and message passing that terminates; {} needs clocks: use \
             `elect`",
            card.name
        )),
    }
}

/// An algorithm in its place, and the question about it.
#[derive(Clone)]
pub(super) struct Prepared {
    pub(super) parameters: Parameters,
    pub(super) algorithm: Placed,
    pub(super) question: Question,
}

impl Prepared {
    /// Builds the algorithm on a graph. `settings` is the question without claims and starts, which may depend on the graph.
    pub(super) fn new(asked: &Asked<'_>, graph: Option<Graph>, settings: &Question) -> Result<Prepared, Failure> {
        let card = asked.card;
        let parameters = match &graph {
            Some(graph) if card.kind == Kind::Graph => asked.parameters.clone().on(graph.clone()),
            _ => asked.parameters.clone(),
        };
        let asked = &Asked { parameters: &parameters, ..*asked };
        let instance = catalog().instance(card.name, &parameters)?;
        let algorithm = Placed::new(instance, parameters.size, || graph.ok_or_else(|| unlike(card)))?;
        let algorithm = algorithm.ok_or_else(|| unlike(card))?;
        let mut question = settings.clone();
        let (arguments, claims) = (&asked.arguments.configurations, &asked.arguments.claims);
        if question.detector == Detector::Perfect {
            (question.claims, question.only_claims) = (claims.claims(asked)?, claims.any());
        }
        question.starts = arguments.starts(asked, algorithm.algorithm())?;
        question.starting = arguments.starting(asked, algorithm.algorithm())?;
        Ok(Prepared { parameters, algorithm, question })
    }
}

fn unlike(card: &Card) -> Failure {
    usage!("the card of {} says that it is a {}", card.name, card.kind.describe())
}

fn question_without_claims(asked: &Asked<'_>) -> Result<Question, Failure> {
    let (arguments, layers) = (&asked.arguments.configurations, asked.parameters.layers);
    let scheduler = arguments.scheduler.unwrap_or(layers.checked_under(asked.card));
    let level = match arguments.fairness_level.as_deref() {
        None => Level::default(),
        Some(name) => {
            name.parse().map_err(|_| usage!("--fairness-level {name}: it must be transition, rule or arc"))?
        }
    };
    if arguments.fairness_level.is_some() && scheduler != Scheduler::LocallyFair {
        bail!("--fairness-level is for --scheduler locally-fair");
    }
    let coins = match arguments.coins.as_deref() {
        None => Coins::default(),
        Some(name) => name.parse().map_err(|_| usage!("--coins {name}: it must be fair or adversarial"))?,
    };
    if coins == Coins::Adversarial && matches!(scheduler, Scheduler::Random | Scheduler::GloballyFair) {
        return Err(no_adversary(scheduler));
    }
    let detector = asked.arguments.setup.oracle().map_or(Detector::Perfect, |oracle| oracle.0);
    let (memory, symmetry) = (asked.arguments.limits.bytes(), !arguments.no_symmetry);
    let mut question = Question::new(scheduler).within(memory);
    (question.level, question.detector, question.symmetry, question.coins) = (level, detector, symmetry, coins);
    (question.merge, question.only_goal) = (!arguments.no_merge, arguments.goal_only);
    (question.rounds, question.moves) = (arguments.count_rounds, arguments.count_moves);
    question.strategy = arguments.strategy;
    let claims = &asked.arguments.claims;
    question.horizon = asked.arguments.time.horizon();
    asked.arguments.time.prepare()?;
    if claims.any() && question.horizon.is_some() {
        bail!("--within and --quantile are about the goal: leave the claims out");
    }
    if claims.any() && detector != Detector::Perfect {
        bail!("--invariant, --eventually, --recurring and --response are checked with a perfect oracle");
    }
    Ok(question)
}

fn no_adversary(scheduler: Scheduler) -> Failure {
    usage!(
        "--coins adversarial: under {scheduler} no daemon chooses here, so coins are fair; adversarial coins are checked under unfair, fair, \
         locally-fair, distributed, locally-central and alternating"
    )
}

/// A check whose verdict is printed before the numbers are known.
pub(super) struct Telling<'a> {
    asked: &'a Asked<'a>,
    check: &'a Prepared,
    /// The description of the graph.
    graph: String,
    begun: Instant,
    /// Whether the verdict has been printed.
    told: bool,
}

impl<'a> Telling<'a> {
    pub(super) fn new(asked: &'a Asked<'a>, check: &'a Prepared, graph: String, begun: Instant) -> Telling<'a> {
        Telling { asked, check, graph, begun, told: false }
    }

    fn report<'r>(&'r self, found: &'r Report) -> CheckReport<'r> {
        let (card, Prepared { parameters, algorithm, question }) = (self.asked.card, self.check);
        CheckReport {
            subject: Subject { card, parameters },
            graph: self.graph.clone(),
            looks: Looks::new(algorithm.algorithm(), card.kind),
            question,
            found,
            beyond_claim: catalog().supports(card.name, parameters).err().map(|refusal| refusal.to_string()),
            time: self.begun.elapsed(),
            peak_bytes: memory::peak(),
        }
    }

    /// Prints the verdict as soon as it is known, before the numbers.
    fn early(&mut self, monitor: &Monitor, progress: Option<&mut Progress>) -> std::io::Result<()> {
        if self.asked.arguments.json || self.told {
            return Ok(());
        }
        let Some(found) = monitor.decided() else { return Ok(()) };
        progress.map(Progress::clear);
        self.note();
        self.told = true;
        let mut out = anstream::stdout().lock();
        self.report(&found).decided(&mut out)?;
        out.flush()
    }

    /// Names the claims that are not checked.
    fn note(&self) {
        self.asked.arguments.claims.tell_unasked(self.asked, self.check.question.detector == Detector::Perfect);
    }

    /// Prints the result, and returns the exit code.
    pub(super) fn conclude(&self, found: &Report, Told { fields, preface }: &Told) -> Result<ExitCode, Failure> {
        if !self.told {
            self.note();
        }
        let report = self.report(found);
        let run = match &self.asked.arguments.save {
            Some(path) => format!("saved: `{} elect --replay {}` plays it", program(), shell_word(path.display())),
            None => format!("--save FILE keeps this run; `{} elect --replay FILE` plays it", program()),
        };
        let hints = Hints { run: &run, fraction: "exact fraction in --json" };
        let json = || {
            let mut json = report.json();
            if let Some(object) = json.as_object_mut() {
                object.extend(fields.clone());
            }
            json
        };
        let ended = self.asked.tell(
            found.holds,
            report.trace().map(|trace| trace.print()),
            found.counterexample.as_ref().map_or("", |run| &run.shows),
            json,
            |mut out| {
                out.write_all(preface.as_bytes())?;
                match self.told {
                    true => report.rest(&mut out, ring_width(), hints),
                    false => report.text(&mut out, ring_width(), hints),
                }
            },
        )?;
        self.asked.arguments.time.write(&report.title(), "a really safe configuration", &report.curves())?;
        Ok(ended)
    }
}

/// What a result has besides: fields of the JSON object, and a line of text.
#[derive(Default)]
pub(super) struct Told {
    pub(super) fields: Map<String, Value>,
    pub(super) preface: String,
}

/// Runs the check and prints the result. `told` is called after the check.
pub(super) fn one(
    asked: &Asked<'_>,
    check: &Prepared,
    graph: String,
    work: impl FnOnce(&Monitor) -> Result<Report, Stop> + Send,
    told: impl FnOnce() -> Told,
) -> Result<ExitCode, Failure> {
    let (monitor, question) = (asked.arguments.limits.monitor(), &check.question);
    let mut telling = Telling::new(asked, check, graph, Instant::now());
    let mut written = Ok(());
    // All processes step at once: a daemon chooses only if their rules leave a choice, which the result shows.
    let doubtful = (question.scheduler, question.coins) == (Scheduler::Synchronous, Coins::Adversarial);
    let found = watched(
        || work(&monitor),
        |progress| {
            if written.is_ok() && !doubtful {
                written = telling.early(&monitor, Some(&mut *progress));
            }
            look(progress, &monitor);
        },
    );
    written?;
    if !doubtful {
        telling.early(&monitor, None)?;
    }
    let found = match found {
        Ok(found) if doubtful && found.tosses && found.almost_surely => return Err(no_adversary(question.scheduler)),
        Ok(found) => found,
        Err(Stop::Interrupted) => {
            let (phase, done) = monitor.progress();
            return Err(asked.interrupted(phase.told(done).as_deref(), &monitor.found()));
        }
        Err(stop) => return Err(refused(&stop)),
    };
    telling.conclude(&found, &told())
}

/// Why a check was not done, with a hint for the command line.
pub(crate) fn refused(stop: &Stop) -> Failure {
    let Stop::Refused(refusal) = stop else { return Failure::usage(stop) };
    let instead = match refusal.cause() {
        Uncheckable::NoDetector { .. } => ": leave --oracle out",
        Uncheckable::Memory { .. } => " with --memory",
        Uncheckable::ChoosesLate | Uncheckable::LiesAboutCoins => "; use --coins adversarial",
        Uncheckable::TooManyConfigurations { .. } | Uncheckable::TooManyMultisets { .. } => ", or `simulate`",
        _ => "",
    };
    usage!("{refusal}{instead}")
}

/// Shows the progress of a check, and stops it after Ctrl-C.
pub(crate) fn look(progress: &mut Progress, monitor: &Monitor) {
    let (phase, done) = monitor.progress();
    let share = Share { done, of: phase.total.unwrap_or(done), unit: "states" };
    let memory = || memory::present().map_or(String::new(), |bytes| format!(", {:.1} GiB", bytes as f64 / 1.07e9));
    if !progress.count(share, || format!("{}{}", phase.name, memory())) {
        monitor.stop();
    }
}
