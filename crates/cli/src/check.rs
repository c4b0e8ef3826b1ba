//! `ringleader check`: every configuration, every schedule of a class.

use crate::arguments::{OracleKind, Setup};
use crate::check_message::{self, MessageArguments};
use crate::failure::{FAILS, Failure, INTERRUPTED};
use crate::{catalog, interrupt, output};
use ringleader_catalogue::Instance;
use ringleader_check::report::{Detector, Level};
use ringleader_check::{Options, Report, Stop, Watch, check};
use ringleader_instance::{Card, Kind, Layers, Parameters, Topology};
use ringleader_model::{Graph, Scheduler};
use std::path::PathBuf;
use std::process::ExitCode;
use std::str::FromStr;
use std::time::{Duration, Instant};

mod face;
mod json;
pub(crate) mod memory;
mod print;
mod progress;

use face::Face;

/// Check an algorithm over all configurations and all schedules of a class: a verdict, exact worst cases and expected times,
/// or a run that shows the failure.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  ringleader check yokota-ring --size 3                            expected steps, worst case over all 884736 starts
  ringleader check fich-johnen --size 3                            all alternating schedules
  ringleader check fich-johnen --size 4 --save cycle.trace         fails: the run is drawn, and saved
  ringleader elect --replay cycle.trace                            plays it back
  ringleader check fich-johnen --size 3 --alternator               under the unfair daemon
  ringleader check fischer-jiang-ring --size 4 --scheduler locally-fair
  ringleader check fischer-jiang-ring --size 4 --oracle eventually-correct --json
  ringleader check franklin-no-bit --size 3 --ids 3 --save flaw.trace      a run after which all are passive
  ringleader check franklin --size 4 --reading both --within 150 --against variant=b --csv curves.csv

Schedulers: random, globally-fair, locally-fair, fair, unfair, alternating, synchronous; docs/checking.md says what a verdict
under each of them means. Sizes that the algorithm's paper does not claim are checked too.
Exit codes: 0 holds, 1 fails, 2 bad usage or does not fit in memory, 130 interrupted.")]
pub(crate) struct Arguments {
    /// The algorithm, as `ringleader list` gives it
    algorithm: String,
    /// How many agents
    #[arg(long, value_name = "N")]
    size: usize,
    /// Which schedules [default: the algorithm's own]
    #[arg(long)]
    scheduler: Option<Scheduler>,
    /// What counts as one action under locally-fair: transition (the definition), rule or arc [default: transition]
    #[arg(long, value_name = "LEVEL")]
    fairness_level: Option<String>,
    /// Look at every rotation of a configuration, even where the ring is anonymous and one would do
    #[arg(long)]
    no_symmetry: bool,
    /// How many GiB may be used [default: 80% of what is available]
    #[arg(long, value_name = "GIB")]
    memory: Option<f64>,
    /// How many threads [default: one per core]
    #[arg(long, value_name = "K")]
    threads: Option<usize>,
    /// Write the run that shows a failure to this file; `elect --replay` plays it
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// One JSON object instead of text
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    setup: Setup<CheckedOracle>,
    #[command(flatten)]
    message: MessageArguments,
}

/// What the checker lets a leader detector say.
#[derive(Clone, Copy)]
struct CheckedOracle(Detector);

impl OracleKind for CheckedOracle {
    const HELP: &'static str = "What the leader detector Ω? says, for algorithms that need one: perfect or \
        eventually-correct, or a layer that does without an oracle: distance (with --bound) or timer (with --timer) \
        [default: perfect]";
}

impl FromStr for CheckedOracle {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "perfect" => Ok(CheckedOracle(Detector::Perfect)),
            "eventually-correct" => Ok(CheckedOracle(Detector::EventuallyCorrect)),
            _ => {
                Err("the checker takes perfect, and eventually-correct, which covers every finite delay and lie".into())
            }
        }
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let card = catalog().card(&arguments.algorithm)?;
    arguments.save.as_deref().map(output::writable).transpose()?;
    if card.kind == Kind::Message {
        return check_messages(arguments, card);
    }
    if let Some(flag) = arguments.message.given() {
        return Err(Failure::usage(format!("{flag} is for algorithms that pass messages; {} does not", card.name)));
    }
    let setup = &arguments.setup;
    let layers = setup.layers();
    if (setup.oracle().is_some() || layers.detector.is_some()) && card.oracle.is_none() {
        return Err(Failure::usage(format!("--oracle is not for {}: it needs no oracle", card.name)));
    }
    let detector = setup.oracle().map_or(Detector::Perfect, |oracle| oracle.0);
    let parameters = setup.at(arguments.size);
    let options = Options { detector, ..options(arguments, card, layers)? };
    interrupt::listen();
    let check = Check { arguments, card, layers, parameters: &parameters, options };
    let face = Face::new(catalog().instance(card.name, &parameters)?);
    match face.instance() {
        Instance::Population(algorithm) => {
            let graph = check.graph()?;
            check.run(&face, |options, watch| check::population(algorithm, &graph, options, watch))
        }
        Instance::Ring(algorithm) => {
            check.run(&face, |options, watch| check::ring(algorithm, parameters.size, options, watch))
        }
        Instance::Message(_) | Instance::Robust(_) => check.elsewhere(),
    }
}

fn options(arguments: &Arguments, card: &Card, layers: Layers) -> Result<Options, Failure> {
    // An alternator makes any daemon do: the strongest claim is the natural one to check.
    let own = if layers.alternator { Scheduler::Unfair } else { layers.scheduler(card) };
    let scheduler = arguments.scheduler.unwrap_or(own);
    let level = match arguments.fairness_level.as_deref() {
        None | Some("transition") => Level::Transition,
        Some("rule") => Level::Rule,
        Some("arc") => Level::Arc,
        Some(other) => {
            return Err(Failure::usage(format!("--fairness-level {other}: there are transition, rule and arc")));
        }
    };
    if arguments.fairness_level.is_some() && scheduler != Scheduler::LocallyFair {
        return Err(Failure::usage("--fairness-level is for --scheduler locally-fair"));
    }
    let memory = memory::allowed(arguments.memory)?;
    Ok(Options { level, memory, symmetry: !arguments.no_symmetry, ..Options::new(scheduler) })
}

/// These start clean, and are checked under all schedulers at once.
fn check_messages(arguments: &Arguments, card: &'static Card) -> Result<ExitCode, Failure> {
    let refused = [
        ("--fairness-level", arguments.fairness_level.is_some()),
        ("--no-symmetry", arguments.no_symmetry),
        ("--scheduler", arguments.scheduler.is_some_and(|s| s != Scheduler::Unfair)),
    ];
    let refused = refused.iter().find(|(_, given)| *given).map(|(flag, _)| *flag);
    if let Some(flag) = arguments.setup.flag().or(refused) {
        return Err(Failure::usage(format!(
            "{flag} is not for {}: it starts clean, and every scheduler is covered at once",
            card.name
        )));
    }
    interrupt::listen();
    let common = check_message::Common {
        card,
        parameters: &arguments.setup.at(arguments.size),
        memory: memory::allowed(arguments.memory)?,
        threads: arguments.threads,
        save: arguments.save.as_deref(),
        json: arguments.json,
    };
    check_message::run(&common, &arguments.message)
}

/// One check.
struct Check<'a> {
    arguments: &'a Arguments,
    card: &'static Card,
    layers: Layers,
    parameters: &'a Parameters,
    options: Options,
}

/// What was checked, and what came out.
struct Outcome<'a> {
    check: &'a Check<'a>,
    report: Report,
    time: Duration,
}

impl Check<'_> {
    fn run(
        &self,
        face: &Face,
        check: impl FnOnce(&Options, &Watch) -> Result<Report, Stop> + Send,
    ) -> Result<ExitCode, Failure> {
        let watch = self.arguments.threads.map_or_else(Watch::default, Watch::new);
        let begun = Instant::now();
        let report = progress::watched(&watch, || check(&self.options, &watch));
        let outcome = match report {
            Ok(report) => Outcome { check: self, report, time: begun.elapsed() },
            Err(stop @ (Stop::Refused(_) | Stop::LeavesDomain(_))) => return Err(Failure::usage(stop)),
            Err(Stop::Interrupted) => {
                let known = if watch.found().is_empty() { "nothing".into() } else { watch.found().join("; ") };
                let (phase, done) = watch.progress();
                anstream::eprintln!("interrupted while looking for {} ({done} done); so far: {known}", phase.name);
                return Ok(ExitCode::from(INTERRUPTED));
            }
        };
        let trace = outcome.report.counterexample.as_ref().map(|c| face.trace(self, c));
        if let (Some(path), Some(trace)) = (&self.arguments.save, &trace) {
            let name = path.display();
            std::fs::write(path, trace.print()).map_err(|e| Failure::usage(format!("cannot write {name}: {e}")))?;
        }
        let mut out = anstream::stdout().lock();
        if self.arguments.json {
            json::print(&mut out, &outcome, face)?;
        } else {
            print::print(&mut out, &outcome, face)?;
        }
        Ok(if outcome.report.holds { ExitCode::SUCCESS } else { ExitCode::from(FAILS) })
    }

    fn graph(&self) -> Result<Graph, Failure> {
        let size = self.parameters.size;
        let graph = match self.layers.topology(self.card) {
            Topology::Complete => Graph::complete(size),
            Topology::UndirectedRing => Graph::undirected_ring(size),
            _ => Graph::directed_ring(size),
        };
        graph.map_err(Failure::usage)
    }

    fn elsewhere(&self) -> Result<ExitCode, Failure> {
        Err(Failure::usage(format!(
            "check takes population protocols, rings of processes, and message passing that terminates; {} runs on clocks, and \
             `ringleader elect` runs it",
            self.card.name
        )))
    }
}
