//! `ringleader check`: every configuration, every schedule of a class.

use crate::settings::graph::Wanted;
use crate::settings::{DeviceArguments, Limits, Setup};
use crate::terminal::exit::{FAILS, Failure, bail, usage};
use crate::terminal::{files, print};
use crate::{catalog, page, texts};
use claims::ClaimArguments;
use configurations::ConfigurationArguments;
pub(crate) use configurations::{CheckedOracle, look, refused};
use messages::MessageArguments;
pub(crate) use messages::unordered;
use ringleader_erased::{Card, Kind, Parameters};
use ringleader_model::message_trace::MessageTrace;
use ringleader_model::trace::Trace;
use serde_json::{Value, json};
use std::io::{Result as Written, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use time::TimeArguments;

mod claims;
mod configurations;
#[cfg(feature = "cuda")]
mod gpu;
mod graphs;
mod messages;
mod time;

/// Check an algorithm over all configurations and all schedules of a class. The result is a verdict with exact worst cases and
/// expected times, or a counterexample.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  ringleader check yokota-ring --size 3                            expected steps, worst case over all 884736 starts
  ringleader check fich-johnen --size 3                            all alternating schedules
  ringleader check fich-johnen --size 4 --save cycle.trace         fails: the counterexample is drawn and saved
  ringleader elect --replay cycle.trace                            replays it
  ringleader check fich-johnen --size 4 --html cycle.html          the counterexample as a page that plays it
  ringleader check fich-johnen --size 3 --alternator               under the unfair daemon
  ringleader check fischer-jiang-ring --size 4 --scheduler locally-fair
  ringleader check fischer-jiang-ring --size 4 --oracle eventually-correct --json
  ringleader check herman --size 5 --scheduler unfair              fair coins against every daemon: fails, with a strategy
  ringleader check yokota-ring --size 3 --invariant \"one i : leader[i]\"       a claim of your own, with a step that breaks it
  ringleader check gouda-haddix --size 3 --scheduler fair --recurring \"token[i]\"      every process gets the token again and again
  ringleader check herman --size 7 --within 30 --quantile 0.99 --csv curve.csv      probabilities within 0..30 steps
  ringleader check majority.ring --size 12 --start \"A: 7, B: 5\"    executions from these starts only
  ringleader check mine.ring --graph bridges.dot                   a protocol for any graph, on the graph in a file
  ringleader check mine.ring --graph all --size 4                  on every connected graph of four agents, up to isomorphism
  ringleader check tree-leader --graph trees --size 5              on every tree of five processes
  ringleader check franklin-no-bit --size 3 --ids 3 --save flaw.trace      an execution after which all are passive
  ringleader check franklin --size 4 --reading both --within 150 --against variant=b --csv curves.csv

Schedulers: random, globally-fair, locally-fair, fair, unfair, alternating, synchronous, distributed, locally-central,
random-partner, fair-random-partner; docs/checking.md explains the verdict under each of them. Sizes that the algorithm's paper does not claim are checked too.
Exit codes: 0 holds, 1 fails, 2 bad usage or not enough memory,
3 a process of --hosts was lost, is unreachable or was started differently, 130 interrupted.")]
pub(crate) struct Arguments {
    /// The name of the algorithm (`ringleader list` shows all names) or the file of a protocol
    algorithm: String,
    /// The number of agents; not needed with the file of --graph
    #[arg(long, value_name = "N", required_unless_present = "graph")]
    size: Option<usize>,
    #[command(flatten)]
    configurations: ConfigurationArguments,
    #[command(flatten)]
    limits: Limits,
    #[command(flatten)]
    device: DeviceArguments,
    /// Write the counterexample to this file; `elect --replay` replays it
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Write the counterexample as a self-contained page that plays it
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    setup: Setup<CheckedOracle>,
    #[command(flatten)]
    claims: ClaimArguments,
    #[command(flatten)]
    time: TimeArguments,
    #[command(flatten)]
    messages: MessageArguments,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let card = catalog().card(&arguments.algorithm)?;
    arguments.save.as_deref().map(files::writable).transpose()?;
    arguments.html.as_deref().map(page::writable).transpose()?;
    let graph = &arguments.configurations.wanted()?;
    let size = match (graph.size(), arguments.size) {
        (Some(found), Some(asked)) if found != asked => {
            bail!("--size is {asked}, but the graph has {found} agents");
        }
        (found, asked) => found.or(asked).ok_or_else(|| usage!("--size N is missing: give the number of agents"))?,
    };
    let asked = Asked { arguments, card, parameters: &arguments.setup.at(size), graph };
    #[cfg(feature = "cuda")]
    gpu::refuse_models(&asked)?;
    match card.kind {
        Kind::Message => messages::run(&asked),
        _ => configurations::run(&asked),
    }
}

/// One check, of any model.
#[derive(Clone, Copy)]
struct Asked<'a> {
    arguments: &'a Arguments,
    card: &'static Card,
    parameters: &'a Parameters,
    graph: &'a Wanted,
}

impl Asked<'_> {
    /// Prints the result, saves the counterexample, and returns the exit code.
    fn tell(
        &self,
        holds: bool,
        trace: Option<String>,
        shows: &str,
        json: impl FnOnce() -> Value,
        text: impl FnOnce(&mut dyn Write) -> Written<()>,
    ) -> Result<ExitCode, Failure> {
        print(self.arguments.json, json, text)?;
        // The result is printed first, so that a file that cannot be written loses nothing.
        match (&self.arguments.save, &trace) {
            (Some(path), Some(trace)) => files::write(path, self.by_path(trace))?,
            (Some(path), None) => self.forget(path)?,
            (None, _) => {}
        }
        match (&self.arguments.html, &trace) {
            (Some(path), Some(trace)) => page::replay(path, trace, Some(shows))?,
            (Some(path), None) => {
                let older = if page::forget(path)? { "; the older page in the file was removed" } else { "" };
                anstream::eprintln!("there is no counterexample: no page is written{older}");
            }
            (None, _) => {}
        }
        Ok(if holds { ExitCode::SUCCESS } else { ExitCode::from(FAILS) })
    }

    /// Says that the check was interrupted, and the facts known until then.
    fn interrupted(&self, phase: Option<&str>, known: &[String]) -> Failure {
        if self.arguments.json {
            let told = json!({
                "version": 1, "algorithm": self.card.name, "size": self.parameters.size, "verdict": "interrupted",
                "holds": null, "interrupted": true, "phase": phase, "known": known,
            });
            if let Err(error) = writeln!(anstream::stdout().lock(), "{told}") {
                return error.into();
            }
        }
        let known = if known.is_empty() { "nothing".into() } else { known.join("; ") };
        let when = phase.map_or("before the first phase".into(), |phase| format!("while computing {phase}"));
        Failure::Interrupted(format!("interrupted {when}; so far: {known}"))
    }

    /// A trace that can be replayed: it names a text by its path.
    fn by_path(&self, trace: &str) -> String {
        let line = |name: &str| format!("\nalgorithm {name}\n");
        trace.replacen(&line(self.card.name), &line(texts::reference(self.card.name)), 1)
    }

    /// Without a counterexample, removes an older trace from the file, because it would be taken for the result of this check. A file
    /// that is no trace stays.
    fn forget(&self, path: &Path) -> Result<(), Failure> {
        let stale = files::forget(path, |old| Trace::detect(old) || MessageTrace::detect(old))?;
        if !self.arguments.json {
            let (path, older) = (path.display(), if stale { "; the older trace in it was removed" } else { "" });
            anstream::println!("there is no counterexample: nothing is saved in {path}{older}");
        }
        Ok(())
    }
}
