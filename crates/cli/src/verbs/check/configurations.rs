//! `ringleader check` for population protocols and rings: every configuration, every schedule of a class.

use super::Asked;
use crate::catalog;
use crate::settings::{OracleKind, graph, memory, refuse};
use crate::terminal::exit::{Failure, INTERRUPTED};
use crate::terminal::program::program;
use crate::terminal::progress::{Progress, Share, watched};
use crate::terminal::{interrupt, ring_width};
use ringleader_catalog::Instance;
use ringleader_check::{Detector, Level, Monitor, Question, Report, Stop, Uncheckable};
use ringleader_erased::Topology;
use ringleader_model::{Graph, Scheduler, Shape};
use ringleader_report::Subject;
use ringleader_report::check::{CheckReport, Hints, Looks};
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
    /// ring, undirected-ring, complete, or a file with an edge list or DOT (docs/files.md) [default: the algorithm's own]
    #[arg(long, value_name = "GRAPH")]
    graph: Option<String>,
    /// The actions of locally-fair: transition (the definition), rule or arc [default: transition]
    #[arg(long, value_name = "LEVEL")]
    fairness_level: Option<String>,
    /// Check every rotation of a configuration, even if the ring is anonymous and one rotation is enough
    #[arg(long)]
    no_symmetry: bool,
}

impl ConfigurationArguments {
    /// These flags, and whether each was given: algorithms that pass messages refuse them. They are checked under every
    /// schedule, as the unfair scheduler allows.
    pub(super) fn given(&self) -> [(&'static str, bool); 4] {
        [
            ("--graph", self.graph.is_some()),
            ("--fairness-level", self.fairness_level.is_some()),
            ("--no-symmetry", self.no_symmetry),
            ("--scheduler", self.scheduler.is_some_and(|s| s != Scheduler::Unfair)),
        ]
    }

    /// The graph, if it is from a file.
    pub(super) fn place(&self) -> Result<Option<Graph>, Failure> {
        self.graph.as_deref().and_then(graph::file).map(graph::read).transpose()
    }

    /// The graph of a population protocol and its description: its own kind, or the user's graph if the protocol supports it.
    fn arena(&self, asked: &Asked<'_>) -> Result<(Graph, String), Failure> {
        let (size, topology) = (asked.parameters.size, asked.parameters.layers.topology(asked.card));
        let refuse = |found: Shape| Err(graph::unsuitable(asked.card, topology, &graph::a(&found.to_string())));
        let any = topology == Topology::Any;
        match (&asked.place, self.graph.as_deref().and_then(graph::named)) {
            (Some(graph), _) if any => Ok((graph.clone(), graph.words())),
            (Some(graph), _) if !graph::suits(topology, graph) => refuse(graph.shape()),
            (None, Some(shape)) if !any && shape != graph::shape(topology) => refuse(shape),
            (None, Some(shape)) => Ok((graph::shaped(shape, size)?, shape.to_string())),
            (place, None) | (place @ Some(_), _) => {
                let graph = place.clone().map_or_else(|| graph::of(topology, size), Ok)?;
                Ok((graph, topology.at_hand().describe().into()))
            }
        }
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
    let Asked { arguments, card, parameters, .. } = asked;
    if let Some(flag) = arguments.messages.given() {
        return Err(Failure::usage(format!("{flag} is for algorithms that pass messages; {} passes none", card.name)));
    }
    let setup = &arguments.setup;
    if (setup.oracle().is_some() || setup.layers().detector.is_some()) && card.oracle.is_none() {
        return Err(Failure::usage(format!("--oracle is not for {}: it needs no oracle", card.name)));
    }
    let question = question(asked)?;
    interrupt::listen();
    match catalog().instance(card.name, parameters)? {
        Instance::Population(algorithm) => {
            let (graph, words) = arguments.configurations.arena(asked)?;
            let work = |monitor: &Monitor| ringleader_check::population(&algorithm, &graph, &question, monitor);
            one(asked, &question, words, Looks::population(&algorithm), work)
        }
        Instance::Ring(algorithm) => {
            let given = arguments.configurations.graph.is_some();
            refuse(card, &[("--graph", given)], "only population protocols run on graphs")?;
            let work = |monitor: &Monitor| ringleader_check::ring(&algorithm, parameters.size, &question, monitor);
            let graph = setup.layers().topology(card).describe().to_string();
            one(asked, &question, graph, Looks::ring(&algorithm), work)
        }
        Instance::Message(_) | Instance::Robust(_) => Err(Failure::usage(format!(
            "check supports population protocols, rings of processes, and message passing that terminates; {} needs clocks: use \
             `elect`",
            card.name
        ))),
    }
}

fn question(asked: &Asked<'_>) -> Result<Question, Failure> {
    let (arguments, layers) = (&asked.arguments.configurations, asked.parameters.layers);
    // An alternator works under every daemon, so the strongest claim is checked.
    let own = if layers.alternator { Scheduler::Unfair } else { layers.scheduler(asked.card) };
    let scheduler = arguments.scheduler.unwrap_or(own);
    let level = match arguments.fairness_level.as_deref() {
        None => Level::default(),
        Some(name) => name
            .parse()
            .map_err(|_| Failure::usage(format!("--fairness-level {name}: it must be transition, rule or arc")))?,
    };
    if arguments.fairness_level.is_some() && scheduler != Scheduler::LocallyFair {
        return Err(Failure::usage("--fairness-level is for --scheduler locally-fair"));
    }
    let detector = asked.arguments.setup.oracle().map_or(Detector::Perfect, |oracle| oracle.0);
    let (memory, symmetry) = (asked.arguments.limits.bytes()?, !arguments.no_symmetry);
    let mut question = Question::new(scheduler).within(memory);
    (question.level, question.detector, question.symmetry) = (level, detector, symmetry);
    let claims = &asked.arguments.claims;
    if claims.any() && detector != Detector::Perfect {
        return Err(Failure::usage("--invariant and --eventually are checked with a perfect oracle"));
    }
    claims.tell_unasked(asked, detector == Detector::Perfect);
    if detector == Detector::Perfect {
        (question.claims, question.only_claims) = (claims.claims(asked)?, claims.any());
    }
    Ok(question)
}

/// A check whose verdict is printed before the numbers are known.
struct Telling<'a> {
    asked: &'a Asked<'a>,
    question: &'a Question,
    /// The description of the graph.
    graph: String,
    looks: Looks<'a>,
    begun: Instant,
    /// Whether the verdict has been printed.
    told: bool,
}

impl Telling<'_> {
    fn report<'r>(&'r self, found: &'r Report) -> CheckReport<'r> {
        let Asked { card, parameters, .. } = *self.asked;
        CheckReport {
            subject: Subject { card, parameters },
            graph: self.graph.clone(),
            looks: self.looks,
            question: self.question,
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
        self.told = true;
        let mut out = anstream::stdout().lock();
        self.report(&found).decided(&mut out)?;
        out.flush()
    }
}

/// Runs the check and prints the result.
fn one(
    asked: &Asked<'_>,
    question: &Question,
    graph: String,
    looks: Looks<'_>,
    work: impl FnOnce(&Monitor) -> Result<Report, Stop> + Send,
) -> Result<ExitCode, Failure> {
    let arguments = asked.arguments;
    let monitor = arguments.limits.threads.map_or_else(Monitor::default, Monitor::new);
    let mut telling = Telling { asked, question, graph, looks, begun: Instant::now(), told: false };
    let mut written = Ok(());
    let found = watched(
        || work(&monitor),
        |progress| {
            if written.is_ok() {
                written = telling.early(&monitor, Some(&mut *progress));
            }
            look(progress, &monitor);
        },
    );
    written?;
    telling.early(&monitor, None)?;
    let found = match found {
        Ok(found) => found,
        Err(Stop::Refused(refusal)) => return Err(refused(&refusal)),
        Err(Stop::Interrupted) => {
            let known = if monitor.found().is_empty() { "nothing".into() } else { monitor.found().join("; ") };
            let (phase, done) = monitor.progress();
            anstream::eprintln!("interrupted while computing {} ({done} done); so far: {known}", phase.name);
            return Ok(ExitCode::from(INTERRUPTED));
        }
        Err(stop) => return Err(Failure::usage(stop)),
    };
    let report = telling.report(&found);
    let run = match &arguments.save {
        Some(path) => format!("saved: `{} elect --replay {}` plays it", program(), path.display()),
        None => format!("--save FILE keeps this run; `{} elect --replay FILE` plays it", program()),
    };
    let hints = Hints { run: &run, fraction: "exact fraction in --json" };
    let trace = report.trace().map(|trace| trace.print());
    asked.tell(
        found.holds,
        trace,
        found.counterexample.as_ref().map_or("", |run| &run.shows),
        || report.json(),
        |mut out| match telling.told {
            true => report.rest(&mut out, ring_width(), hints),
            false => report.text(&mut out, ring_width(), hints),
        },
    )
}

/// A refusal with a hint for the command line.
pub(crate) fn refused(refusal: &Uncheckable) -> Failure {
    let instead = match refusal.cause() {
        Uncheckable::NoDetector { .. } => ": leave --oracle out",
        Uncheckable::Memory { .. } => " with --memory",
        Uncheckable::TooManyConfigurations { .. } | Uncheckable::TooManyMultisets { .. } => ", or `simulate`",
        _ => "",
    };
    Failure::usage(format!("{refusal}{instead}"))
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
