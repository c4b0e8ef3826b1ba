//! `ringleader simulate`: how the time to elect grows.

use crate::arguments::{Setup, fresh_seed, refuse_flawed};
use crate::failure::{FAILS, Failure, INTERRUPTED};
use crate::simulate_robust::{self, RobustArguments};
use crate::start::Start;
use crate::sweep::{self, Numbers, Point};
use crate::{catalog, interrupt};
use ringleader_instance::{Card, Kind};
use ringleader_model::{Graph, Scheduler};
use ringleader_simulate::{Faults, KernelChoice};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

mod bench;
mod plot;
mod progress;
mod record;
mod report;

use bench::Bench;
use record::{Record, Rows};
use report::Report;

const NO_LIMIT: u64 = 1 << 60;
/// The schedulers that choose at random or not at all.
const MEASURED: [Scheduler; 4] =
    [Scheduler::Alternating, Scheduler::Random, Scheduler::RoundRobin, Scheduler::Synchronous];

/// Run many elections of many sizes and measure how their time grows.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  ringleader simulate yokota-ring --size 16,32,..,1024 --runs 100 --plot yokota.svg
  ringleader simulate yokota-ring --size 64 --bound 64,128,..,1024 --start clean
  ringleader simulate fischer-jiang-ring --size 16,32,..,256 --oracle delayed:1000 --seed 1 --json
  ringleader simulate fischer-jiang-complete --size 100000000 --start all-leaders --runs 1
  ringleader simulate yokota-ring --size 256 --corrupt 1,2,..,64 --repeat 20 --runs 20 --plot recovery.svg
  ringleader simulate franklin --size 8,16,..,128 --ids 4 --resume runs.csv      again, to go on with them

Steps are interactions (scheduled steps on rings, choices with messages), those that change nothing included.
`--json` has: sizes (size, runs, mean_steps, ci95, median, p90, p99, max, cpu_seconds, steps_per_second, ..), exponent
(value, ci95), linear (where a parameter varies: a + b x with intervals and a test for a bend), seed, kernel, law,
start, settings (whatever else was said), interrupted.
Exit codes: 0 all reached their goal, 1 some did not within --limit, 2 bad usage or input, 130 interrupted.")]
pub(crate) struct Arguments {
    /// The algorithm, as `ringleader list` gives it
    algorithm: String,
    /// How many agents, as a list: 16,32,64 or 16,32,..,1024 [default: the algorithm's own]
    #[arg(long, value_name = "LIST")]
    size: Option<Numbers>,
    /// How many runs of each size
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..))]
    runs: u64,
    /// The seed of everything random [default: a fresh one, printed]
    #[arg(long)]
    seed: Option<u64>,
    /// arbitrary, clean (every variable at its least value), all-leaders, no-leader, or a configuration file (docs/files.md)
    /// [default: arbitrary; clean for algorithms with messages]
    #[arg(long, value_name = "START")]
    start: Option<Start>,
    /// Who decides what happens next, on rings with composite atomicity: alternating, random, round-robin, synchronous
    #[arg(long)]
    scheduler: Option<Scheduler>,
    /// ring, undirected-ring, complete, or a file with an edge list or DOT (docs/files.md) [default: the algorithm's own]
    #[arg(long, value_name = "GRAPH")]
    graph: Option<String>,
    /// How it is computed: auto, rule, table, skip or count. All are exact; their speed differs
    #[arg(long, default_value = "auto")]
    kernel: KernelChoice,
    /// How many threads [default: all cores]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// Once the goal is reached, corrupt this many agents and measure the recovery; a list measures it against K
    #[arg(long, value_name = "K")]
    corrupt: Option<Numbers>,
    /// How many faults, one after the other
    #[arg(long, value_name = "R", default_value_t = 1, requires = "corrupt")]
    repeat: usize,
    /// When a fault hits: exactly so many steps after the goal [default: at once]
    #[arg(long, value_name = "STEPS", requires = "corrupt", conflicts_with = "within")]
    at: Option<u64>,
    /// When a fault hits: at a random time, at most so many steps after the goal
    #[arg(long, value_name = "STEPS", requires = "corrupt")]
    within: Option<u64>,
    /// Give a run up after this many steps
    #[arg(long, value_name = "STEPS", default_value_t = NO_LIMIT)]
    limit: u64,
    /// The result as JSON
    #[arg(long)]
    json: bool,
    /// Every run as a row of this file, as it ends; - for standard output
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    csv: Option<PathBuf>,
    /// Go on with the runs of this file, with its seed, or start it; it is written like --csv
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,
    /// A picture of the growth: FILE.svg or FILE.png
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Run an algorithm that is kept for its flaw
    #[arg(long)]
    allow_flawed: bool,
    #[command(flatten)]
    setup: Setup,
    #[command(flatten)]
    robust: RobustArguments,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let card = catalog().card(&arguments.algorithm)?;
    if let Some(reason) = catalog().why_absent(card.name) {
        return Err(Failure::usage(format!("{} cannot be simulated: {reason}", card.name)));
    }
    refuse_flawed(card.name, arguments.allow_flawed)?;
    if card.kind == Kind::Robust {
        return arguments.run_robust(card);
    }
    arguments.robust.refuse_for(card)?;
    let (graph, sizes) = arguments.place(card)?;
    let faults = arguments.corrupt.as_ref().map_or(&[][..], |corrupt| &corrupt.0);
    let (axis, points) = sweep::points(card, &sizes, &arguments.setup.at(sizes[0]), faults)?;
    for point in &points {
        catalog().supports(card.name, &point.parameters)?;
    }
    arguments.refuse_what_means_nothing(card)?;
    if let Some(path) = &arguments.plot {
        crate::canvas::Format::of(path)?;
        crate::output::writable(path)?;
    }
    let resumed = arguments.resume.as_deref().and_then(record::seed_of);
    let seed = arguments.seed.or(resumed).unwrap_or_else(fresh_seed);
    let settings = arguments.settings(card, seed);
    let (mut rows, mut records) = match (&arguments.resume, &arguments.csv) {
        (Some(path), _) => Rows::resume(path, &settings, &axis, &points)?,
        (None, Some(path)) => (Rows::create(path, &settings, &axis, &points)?, vec![]),
        (None, None) => (Rows::nowhere(&axis, &points), vec![]),
    };
    records.retain(|record| record.run < arguments.runs);
    interrupt::listen();
    let mut kernel = arguments.kernel.to_string();
    let mut progress = progress::Progress::new(&points, arguments.runs, &records);
    for (index, point) in points.iter().enumerate() {
        if interrupt::requested() {
            break;
        }
        let bench = Bench { arguments, card, graph: graph.as_ref(), seed, index, point, records: &mut records };
        let sink = |record: &Record| {
            progress.ended(record);
            rows.write(record)
        };
        kernel = bench.run(catalog().instance(card.name, &point.parameters)?, sink)?;
    }
    progress.clear();
    let report = Report {
        arguments,
        card,
        seed,
        kernel: &kernel,
        axis: &axis,
        points: &points,
        records: &records,
        law: card.law,
        interrupted: interrupt::requested(),
    };
    report.tell(&settings)?;
    Ok(match () {
        () if interrupt::requested() => ExitCode::from(INTERRUPTED),
        () if records.iter().any(|r| !r.reached) => ExitCode::from(FAILS),
        () => ExitCode::SUCCESS,
    })
}

impl Arguments {
    /// A campaign in a hostile network, for the robust algorithms.
    fn run_robust(&self, card: &'static Card) -> Result<ExitCode, Failure> {
        let sizes = self.size.as_ref().map_or(vec![card.default_size], |sizes| sizes.0.clone());
        let sizes: Vec<_> = sizes.into_iter().map(|size| self.setup.at(size)).collect();
        let means_nothing = [
            ("--limit (say --horizon)", self.limit != NO_LIMIT),
            ("--kernel", self.kernel != KernelChoice::Auto),
            ("--csv", self.csv.is_some()),
            ("--resume", self.resume.is_some()),
            ("--start (say --contents)", self.start.is_some()),
            ("--graph", self.graph.is_some()),
            ("--corrupt", self.corrupt.is_some()),
            ("--scheduler", self.scheduler.is_some()),
        ];
        let flag = means_nothing.iter().find(|(_, given)| *given).map(|(flag, _)| *flag).or(self.setup.flag());
        if let Some(flag) = flag {
            return Err(Failure::usage(format!("{flag} is not for {}: its runs are of a timed network", card.name)));
        }
        simulate_robust::run(simulate_robust::Request {
            card,
            sizes: &sizes,
            runs: self.runs,
            seed: self.seed.unwrap_or_else(fresh_seed),
            json: self.json,
            plot: self.plot.as_deref(),
            robust: &self.robust,
        })
    }

    /// The file of the graph, where it is none that has a name.
    fn graph_file(&self) -> Option<&Path> {
        let named = ["ring", "undirected-ring", "complete"];
        self.graph.as_deref().filter(|name| !named.contains(name)).map(Path::new)
    }

    /// The graph, where it is one from a file, and the sizes.
    fn place(&self, card: &Card) -> Result<(Option<Graph>, Vec<usize>), Failure> {
        let graph = self.graph_file().map(crate::elect::read_graph).transpose()?;
        let document = self.start(card).document()?;
        let fixed = graph.as_ref().map(Graph::size).or(document.as_ref().map(|d| d.size));
        match (fixed, &self.size) {
            (Some(_), Some(_)) => {
                Err(Failure::usage("the file of --graph or --start fixes the size: leave --size out"))
            }
            (Some(size), None) => Ok((graph, vec![size])),
            (None, Some(sizes)) if sizes.0.is_empty() => Err(Failure::usage("--size is an empty list")),
            (None, Some(sizes)) => Ok((graph, sizes.0.clone())),
            (None, None) => Ok((graph, vec![card.default_size])),
        }
    }

    fn refuse_what_means_nothing(&self, card: &Card) -> Result<(), Failure> {
        let refuse = |given: bool, flag: &str, why: &str| {
            if given { Err(Failure::usage(format!("{flag} is not for {}: {why}", card.name))) } else { Ok(()) }
        };
        let population = card.kind == Kind::Population;
        refuse(
            self.setup.oracle().is_some() && self.setup.layers().oracle(card).is_none(),
            "--oracle",
            "it needs no oracle",
        )?;
        refuse(self.graph.is_some() && !population, "--graph", "only population protocols run on graphs")?;
        refuse(self.kernel != KernelChoice::Auto && !population, "--kernel", "only population protocols have several")?;
        refuse(
            self.scheduler.is_some_and(|s| s != Scheduler::Random) && card.kind != Kind::Ring,
            "--scheduler",
            "only the random one has a distribution to measure",
        )?;
        if let Some(scheduler) = self.scheduler.filter(|s| !MEASURED.contains(s)) {
            let known = MEASURED.map(|s| s.to_string()).join(", ");
            return Err(Failure::usage(format!(
                "--scheduler {scheduler} allows many schedules and says not how likely each is: simulate one of {known}, or check it"
            )));
        }
        let clean = card.kind == Kind::Message;
        refuse(clean && self.start(card) != Start::Clean, "--start", "it is not self-stabilizing and starts clean")?;
        refuse(clean && self.corrupt.is_some(), "--corrupt", "it is not self-stabilizing")?;
        let (shared, rows) = (Some("-".as_ref()), self.csv.as_deref());
        if self.json && rows == shared {
            return Err(Failure::usage("--csv - and --json both write to standard output: give --csv a file"));
        }
        if self.resume.as_deref() == shared {
            return Err(Failure::usage("--resume needs a file: standard output cannot be read back"));
        }
        Ok(())
    }

    /// Where the runs of an algorithm start.
    fn start(&self, card: &Card) -> Start {
        let usual = if card.kind == Kind::Message { Start::Clean } else { Start::Arbitrary };
        self.start.clone().unwrap_or(usual)
    }

    /// What hits a run of a setting.
    fn faults(&self, point: &Point) -> Faults {
        let after = (self.at.unwrap_or(0), self.at.or(self.within).unwrap_or(0));
        let times = if self.corrupt.is_some() { self.repeat } else { 0 };
        Faults { agents: point.corrupt, times, after }
    }

    fn threads(&self) -> usize {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        self.threads.map_or(cores, usize::from)
    }

    /// Everything that a run depends on besides its size and number, in one line.
    fn settings(&self, card: &Card, seed: u64) -> String {
        let start = self.start(card);
        let first = format!("ringleader simulate 1: {} seed={seed} start={start} kernel={}", card.name, self.kernel);
        self.said(card).iter().fold(first, |line, (name, value)| format!("{line} {name}={value}"))
    }

    /// What the user said about the runs, besides algorithm, size, start, kernel and seed.
    fn said(&self, card: &Card) -> Vec<(String, String)> {
        let digest =
            |path: &Path| Some(format!("{:016x}", crate::output::digest(&std::fs::read_to_string(path).ok()?)));
        let optional = [
            ("start-digest", self.start(card).file().and_then(digest)),
            ("oracle", self.setup.oracle().map(|o| o.to_string())),
            ("scheduler", self.scheduler.map(|s| s.to_string())),
            ("graph", self.graph.clone()),
            ("graph-digest", self.graph_file().and_then(digest)),
            ("corrupt", self.corrupt.as_ref().map(ToString::to_string)),
            ("repeat", self.corrupt.as_ref().map(|_| self.repeat.to_string())),
            ("at", self.at.map(|steps| steps.to_string())),
            ("within", self.within.map(|steps| steps.to_string())),
            ("limit", (self.limit != NO_LIMIT).then(|| self.limit.to_string())),
        ];
        let flags = optional.into_iter().filter_map(|(name, value)| Some((name.to_string(), value?)));
        flags.chain(self.setup.at(0).given()).collect()
    }
}
