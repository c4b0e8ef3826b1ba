//! `ringleader simulate`: measures the growth of the time to elect.

use crate::catalog;
use crate::settings::sizes::Numbers;
use crate::settings::{Setup, Start, Threads, first_given, refuse_absent, refuse_flawed};
use crate::terminal::exit::{FAILS, Failure, INTERRUPTED, bail};
use crate::terminal::{files, interrupt};
use network::NetworkArguments;
use ringleader_erased::Kind;
use ringleader_model::Scheduler;
use ringleader_simulate::{KernelChoice, Shard};
use std::path::PathBuf;
use std::process::ExitCode;

mod elections;
mod network;
mod shard;
mod together;

const NO_LIMIT: u64 = u64::MAX;

/// Run many elections of many sizes and measure how their time grows.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  ringleader simulate yokota-ring --size 16,32,..,1024 --runs 100 --plot yokota.svg
  ringleader simulate yokota-ring --size 64 --bound 64,128,..,1024 --start clean
  ringleader simulate fischer-jiang-ring --size 16,32,..,256 --oracle delayed:1000 --seed 1 --json
  ringleader simulate fischer-jiang-complete --size 100000000 --start all-leaders --runs 1
  ringleader simulate yokota-ring --size 256 --corrupt 1,2,..,64 --repeat 20 --runs 20 --plot recovery.svg
  ringleader simulate yokota-ring,angluin-ring --size 15,31,63 --plot both.svg --csv both.csv
  ringleader simulate franklin --size 8,16,..,128 --ids 4 --resume runs.csv      repeat it to continue
  ringleader simulate yokota-ring --size 256 --seed 1 --shard 2/8 --csv 2.csv    an eighth of the runs; then merge

Steps are interactions (scheduled steps on rings, choices with messages), including those that change nothing.
`--json` has: sizes (size, runs, mean_steps, ci95, median, p90, p99, max, cpu_seconds, steps_per_second, ..; where runs were
cut off by --limit no mean, but mean_steps_at_least and the quantiles that are known), exponent (value, ci95: of one power over
all sizes), growth (local_exponents, their change_per_doubling, laws with their AICc, the nearest,
the laws that the data do not distinguish from it), linear
(where a parameter varies: a + b x with intervals and a test for curvature),
seed, kernel, law, start, settings, interrupted; for
several algorithms: version, seed, algorithms, each with these fields.
Exit codes: 0 all reached their goal, 1 some did not within --limit, 2 bad usage or input, 130 interrupted.")]
pub(crate) struct Arguments {
    /// A name that `ringleader list` prints, or a text protocol; several, separated by commas, are measured side by side
    algorithm: String,
    /// The numbers of agents, as a list: 16,32,64 or 16,32,..,1024 [default: the algorithm's own]
    #[arg(long, value_name = "LIST")]
    size: Option<Numbers>,
    /// The number of runs of each size
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..))]
    runs: u64,
    /// The seed of all random choices [default: a random one, printed]
    #[arg(long)]
    seed: Option<u64>,
    /// arbitrary, clean (every variable at its least value), all-leaders, no-leader, a configuration file (docs/files.md), a
    /// condition such as "all i : leader[i]", or counts of local states such as "A: 60, B: 40" [default: the `start` of a text,
    /// otherwise arbitrary; clean for algorithms with messages]
    #[arg(long, value_name = "START")]
    start: Option<Start>,
    /// The scheduler of processes that read their neighbours: random, round-robin, alternating, synchronous or distributed (a uniformly
    /// random set of processes steps at once)
    #[arg(long)]
    scheduler: Option<Scheduler>,
    /// A family such as ring, complete, star or grid:3x4, or a file with an edge list or DOT (docs/files.md) [default: the
    /// algorithm's own]
    #[arg(long, value_name = "GRAPH")]
    graph: Option<String>,
    /// The kernel: auto, rule, table, skip or count. All are exact; they differ in speed
    #[arg(long, default_value = "auto")]
    kernel: KernelChoice,
    #[command(flatten)]
    threads: Threads,
    /// Once the goal is reached, corrupt this many agents and measure the recovery; a list measures it against K
    #[arg(long, value_name = "K")]
    corrupt: Option<Numbers>,
    /// The number of faults, one after the other
    #[arg(long, value_name = "R", default_value_t = 1, requires = "corrupt")]
    repeat: usize,
    /// When a fault hits: exactly this many steps after the goal [default: immediately]
    #[arg(long, value_name = "STEPS", requires = "corrupt", conflicts_with = "within")]
    at: Option<u64>,
    /// When a fault hits: at a random time, at most this many steps after the goal
    #[arg(long, value_name = "STEPS", requires = "corrupt")]
    within: Option<u64>,
    /// Count rounds and moves, too, of processes that read their neighbours: a round ends when every process that was enabled at its start
    /// has moved or has become disabled; a step of several processes is several moves
    #[arg(long)]
    count_rounds: bool,
    /// The step limit of a run
    #[arg(long, value_name = "STEPS", default_value_t = NO_LIMIT)]
    limit: u64,
    /// The result as JSON
    #[arg(long)]
    json: bool,
    /// Write every run as a row of this file, as it ends; - for standard output
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    csv: Option<PathBuf>,
    /// Continue the runs of this file, with its seed, or start the file; it is written like --csv
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,
    /// Only part I of K equal parts of the runs, into the file of --csv or --resume; `ringleader merge` combines the parts
    #[arg(long, value_name = "I/K", requires = "seed")]
    shard: Option<Shard>,
    /// A picture of the growth: FILE.svg, FILE.png or FILE.tex (TikZ)
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Run an algorithm that is known to be flawed
    #[arg(long)]
    allow_flawed: bool,
    #[command(flatten)]
    setup: Setup,
    #[command(flatten)]
    network: NetworkArguments,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    // The path of a text protocol may have a comma.
    if arguments.algorithm.contains(',') && catalog().card(&arguments.algorithm).is_err() {
        let names: Vec<&str> = arguments.algorithm.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
        return together::run(arguments, &names);
    }
    let card = catalog().card(&arguments.algorithm)?;
    refuse_absent(card, "simulated")?;
    refuse_flawed(card, arguments.allow_flawed)?;
    match card.kind {
        Kind::Robust => network::run(arguments, card),
        _ => elections::run(arguments, card),
    }
}

impl Arguments {
    /// The first given flag that writes a file or belongs to one part of the runs.
    pub(crate) fn writes(&self) -> Option<&'static str> {
        first_given(&[
            ("--csv", self.csv.is_some()),
            ("--resume", self.resume.is_some()),
            ("--plot", self.plot.is_some()),
            ("--shard", self.shard.is_some()),
        ])
    }

    /// Reports the runs in the files of all shards; runs nothing.
    pub(crate) fn merged(mut self, files: &[PathBuf], json: bool, plot: Option<&PathBuf>) -> Result<ExitCode, Failure> {
        (self.json, self.plot) = (json, plot.cloned());
        if self.algorithm.contains(',') && catalog().card(&self.algorithm).is_err() {
            bail!("the files of --shard hold the runs of one algorithm, not of several");
        }
        elections::merge(&self, catalog().card(&self.algorithm)?, files)
    }

    /// Refuses a plot that cannot be written.
    fn check_plot(&self) -> Result<(), Failure> {
        if self.plot.is_some() && (self.plot == self.csv || self.plot == self.resume) {
            bail!("the rows and the plot need different files");
        }
        self.plot.as_deref().map_or(Ok(()), files::writable_picture)
    }
}

/// The arguments of the runs in a file that `--shard` wrote.
pub(crate) fn arguments_of(text: &str) -> Option<Vec<String>> {
    text.lines()
        .nth(1)
        .and_then(shard::arguments)
        .filter(|arguments| arguments.first().is_some_and(|a| a == "simulate"))
}

/// The exit code of an experiment.
fn ended(all_reached: bool) -> ExitCode {
    match all_reached {
        _ if interrupt::requested() => ExitCode::from(INTERRUPTED),
        true => ExitCode::SUCCESS,
        false => ExitCode::from(FAILS),
    }
}
