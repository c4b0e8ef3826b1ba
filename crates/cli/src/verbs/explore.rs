//! `ringleader explore`: every reachable state of a message-passing algorithm.

use crate::catalog;
use crate::settings::forecast::{Estimate, GIB, refuse_if_too_large, unexplored};
use crate::settings::reading::{self, Steps};
use crate::settings::{Limits, ParameterArguments, memory};
use crate::terminal::exit::{FAILS, Failure, INTERRUPTED};
use crate::terminal::interrupt;
use crate::terminal::progress::Progress;
use crate::verbs::check::unordered;
use ringleader_explore::{Equivalence, Failure as Ended, Model, Options, Set, Space, Visible, minimize};
use ringleader_instance::{Card, Parameters};
use ringleader_model::Channels;
use ringleader_report::Subject;
use ringleader_report::exploration::ExplorationReport;
use ringleader_report::number::grouped;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::str::FromStr;
use std::time::Instant;

mod export;

/// Explore every reachable state of an algorithm that passes messages: count, reduce, minimize, export.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  ringleader explore franklin --size 4                              Table 1 of the paper: 380,609 states
  ringleader explore franklin --size 6 --reduce rotation            260,753,105 states, 43,461,635 of them stored
  ringleader explore franklin --size 4 --ids 3 --reading left-first Table 3, \"normal\"
  ringleader explore franklin --size 5 --reduce rotation,confluence --minimize branching
  ringleader explore fokkink-pang --size 3 --export ring.aut
  ringleader explore itai-rodeh --size 3 --rounds 3 --json
  ringleader explore franklin --size 5 --reduce rotation --set compact --verify

`states` and `transitions` are those of the full state space, `stored` is what was kept; docs/exploring.md has the details.
`invariant` counts the states that every rotation leaves as they are.
--json has: version, algorithm, size, channels, states, transitions, deadlocks, stored, depth, invariant, set, bytes_per_state,
stored_bytes, seconds, peak_bytes, verified, quotient.
Exit codes: 0 done, 1 verification failed, 2 bad usage or does not fit in memory, 130 interrupted.")]
pub(crate) struct Arguments {
    /// The algorithm, as `ringleader list` gives it
    algorithm: String,
    /// How many processes
    #[arg(long, value_name = "N")]
    size: usize,
    /// For franklin, in which steps: both (as in Table 1), left-first (Tables 2 and 3) or atomic (its own) [default: both]
    #[arg(long, value_name = "STEPS")]
    reading: Option<Steps>,
    /// bag (any message next) or fifo (the oldest next) [default: the weakest that the algorithm's claim is about]
    #[arg(long)]
    channels: Option<Channels>,
    /// Keep fewer states: rotation (one of each class of rotations), confluence (none with an internal step that loses
    /// nothing), or both with a comma between
    #[arg(long, value_name = "HOW", default_value = "none")]
    reduce: Reductions,
    /// Compute the smallest equivalent state space: branching or strong
    #[arg(long, value_name = "EQUIVALENCE")]
    minimize: Option<Equivalence>,
    /// What a bystander sees: leader, passive, or both with a comma between
    #[arg(long, value_name = "ACTIONS", default_value_t)]
    visible: Visible,
    /// Write the kept state space, in the format that the name ends in: .aut, .drn, .tra (with .sta and .lab), .dot, .prism
    #[arg(long, value_name = "FILE")]
    export: Vec<PathBuf>,
    #[command(flatten)]
    limits: Limits,
    /// How states are stored: plain, or compact in a third of the room and more time [default: compact if plain does not fit]
    #[arg(long, value_name = "HOW")]
    set: Option<Storage>,
    /// Which of many hash functions places the states; no count depends on it
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    hash_seed: u64,
    /// Look at every stored state again afterwards: it must be found, and so must all its successors
    #[arg(long)]
    verify: bool,
    /// One JSON object instead of text
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    parameters: ParameterArguments,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Storage {
    Plain,
    Compact,
}

#[derive(Clone, Copy, Debug, Default)]
struct Reductions {
    rotation: bool,
    confluence: bool,
}

impl FromStr for Reductions {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let mut reductions = Reductions::default();
        for word in text.split(',') {
            match word.trim() {
                "rotation" => reductions.rotation = true,
                "confluence" => reductions.confluence = true,
                "none" => {}
                other => return Err(format!("there are rotation and confluence, not {other:?}")),
            }
        }
        Ok(reductions)
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let card = catalog().card(&arguments.algorithm)?;
    let mut parameters = arguments.parameters.at(arguments.size);
    if let Some(name) = unordered(card, &parameters) {
        // One state space is that of one order, and it is told which.
        parameters = parameters.with(name, "ascending");
    }
    Steps::refuse_for(arguments.reading, card, "explored")?;
    let steps = arguments.reading.unwrap_or(Steps::published(card));
    let mut options = Options {
        rotation: arguments.reduce.rotation,
        confluence: arguments.reduce.confluence,
        visible: arguments.visible,
        memory: arguments.limits.bytes()?,
        set: match arguments.set {
            None => Set::Automatic,
            Some(Storage::Plain) => Set::Plain,
            Some(Storage::Compact) => Set::Compact,
        },
        seed: arguments.hash_seed,
        ..Options::default()
    };
    options.threads = arguments.limits.threads.unwrap_or(options.threads).clamp(1, 64);
    export::check(&arguments.export)?;
    reading::refuse_endless(card, &parameters)?;
    interrupt::listen();
    let job = Explore { arguments, card, parameters: &parameters, steps, options };
    job.run(reading::build(card, &parameters, steps, "explore")?.model())
}

/// One exploration.
struct Explore<'a> {
    arguments: &'a Arguments,
    card: &'static Card,
    parameters: &'a Parameters,
    steps: Steps,
    options: Options,
}

impl Explore<'_> {
    fn run(mut self, model: &dyn Model) -> Result<ExitCode, Failure> {
        self.options.channels = self.arguments.channels.unwrap_or_else(|| model.channels());
        let advice = "reduce it (--reduce rotation,confluence), ";
        if let Some(expected) = refuse_if_too_large(self.card, self.parameters, self.steps, &self.options, advice)? {
            self.announce(expected);
        }
        let begun = Instant::now();
        let mut progress = Progress::new();
        let mut stored = 0;
        let explored = Space::explore(model, &self.options, &mut |found| {
            stored = found.stored;
            progress.search(found)
        });
        let space = match explored {
            Ok(space) => space,
            Err(Ended::Stopped) => return Ok(interrupted(begun, stored)),
            Err(failure) => return Err(unexplored(&failure, model, self.options.channels)),
        };
        let time = begun.elapsed();
        let (mut quotient, mut kept) = (None, None);
        if self.arguments.minimize.is_some() || !self.arguments.export.is_empty() {
            let bytes = space.graph_bytes();
            if bytes + space.peak_bytes() > self.options.memory {
                return Err(Failure::usage(format!(
                    "the graph of {} stored states takes up to {} MiB beside them, more than is allowed; reduce it, or \
                     leave out --minimize and --export",
                    grouped(space.stored()),
                    bytes >> 20
                )));
            }
            progress.say(|| "building the graph".into());
            let graph = space.graph_while(&|| !interrupt::requested());
            let Some(graph) = graph else { return Ok(interrupted(begun, space.stored())) };
            if let Some(equivalence) = self.arguments.minimize {
                quotient = minimize(&graph, equivalence, &mut || progress.say(|| "minimizing".into()));
            }
            if interrupt::requested() {
                return Ok(interrupted(begun, space.stored()));
            }
            kept = Some(graph);
        }
        let mut verified = None;
        if self.arguments.verify {
            progress.say(|| "verifying".into());
            verified = space.verify(&|| !interrupt::requested());
            if verified.is_none() {
                return Ok(interrupted(begun, space.stored()));
            }
        }
        drop(progress);
        let report = ExplorationReport {
            subject: Subject { card: self.card, parameters: self.parameters },
            reading: self.steps.reading(),
            options: &self.options,
            space: &space,
            quotient: self.arguments.minimize.zip(quotient.as_ref()),
            verified,
            time,
            peak_bytes: memory::peak().unwrap_or_else(|| space.peak_bytes()),
        };
        let mut out = anstream::stdout().lock();
        if self.arguments.json {
            writeln!(out, "{}", report.json())?
        } else {
            report.text(&mut out)?
        }
        for path in &self.arguments.export {
            kept.iter().try_for_each(|graph| export::write(path, graph, quotient.as_ref()))?;
        }
        let sound = verified.is_none_or(|verified| verified.is_sound());
        Ok(if sound { ExitCode::SUCCESS } else { ExitCode::from(FAILS) })
    }

    /// Takes the set that is large enough, and says before long work how much memory it is expected to take.
    fn announce(&mut self, expected: Estimate) {
        let (set, bytes) = expected.choose(&self.options);
        let by_itself = self.options.set == Set::Automatic && set == Set::Compact;
        self.options.set = set;
        if by_itself || bytes > GIB {
            anstream::eprintln!(
                "about {:.1e} states are expected to be stored{}, in {:.1} GiB of the {:.1} GiB allowed",
                expected.stored,
                if set == Set::Compact { " compactly" } else { "" },
                bytes / GIB,
                self.options.memory as f64 / GIB
            );
        }
    }
}

fn interrupted(begun: Instant, stored: u64) -> ExitCode {
    let seconds = begun.elapsed().as_secs_f64();
    anstream::eprintln!("interrupted after {seconds:.1} s, with {} states stored so far", grouped(stored));
    ExitCode::from(INTERRUPTED)
}
