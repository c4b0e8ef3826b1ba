//! `ringleader check`: every configuration, every schedule of a class.

use crate::catalog;
use crate::settings::{Limits, Setup};
use crate::terminal::exit::{FAILS, Failure};
use crate::terminal::files;
use crate::texts;
use claims::ClaimArguments;
use configurations::ConfigurationArguments;
pub(crate) use configurations::{CheckedOracle, look, refused};
use messages::MessageArguments;
pub(crate) use messages::unordered;
use ringleader_erased::{Card, Kind, Parameters};
use ringleader_lab::Recording;
use ringleader_model::Graph;
use ringleader_model::message_trace::MessageTrace;
use ringleader_model::trace::Trace;
use serde_json::Value;
use std::io::{Result as Written, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

mod claims;
mod configurations;
mod messages;
mod orders;
mod ways;

/// Check an algorithm over all configurations and all schedules of a class: a verdict, exact worst cases and expected times,
/// or a run that shows the failure.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  ringleader check yokota-ring --size 3                            expected steps, worst case over all 884736 starts
  ringleader check fich-johnen --size 3                            all alternating schedules
  ringleader check fich-johnen --size 4 --save cycle.trace         fails: the run is drawn, and saved
  ringleader elect --replay cycle.trace                            plays it back
  ringleader check fich-johnen --size 4 --html cycle.html          the same run as a page that plays it, lap after lap
  ringleader check fich-johnen --size 3 --alternator               under the unfair daemon
  ringleader check fischer-jiang-ring --size 4 --scheduler locally-fair
  ringleader check fischer-jiang-ring --size 4 --oracle eventually-correct --json
  ringleader check yokota-ring --size 3 --invariant \"one i : leader[i]\"       a claim of your own, and the step that breaks it
  ringleader check mine.ring --graph bridges.dot                   a protocol for any graph, on the one in a file
  ringleader check franklin-no-bit --size 3 --ids 3 --save flaw.trace      a run after which all are passive
  ringleader check franklin --size 4 --reading both --within 150 --against variant=b --csv curves.csv

Schedulers: random, globally-fair, locally-fair, fair, unfair, alternating, synchronous, distributed; docs/checking.md says
what a verdict under each of them means. Sizes that the algorithm's paper does not claim are checked too.
Exit codes: 0 holds, 1 fails, 2 bad usage or does not fit in memory,
3 a process of --hosts was lost, did not come, or was asked for something else, 130 interrupted.")]
pub(crate) struct Arguments {
    /// The algorithm, as `ringleader list` gives it
    algorithm: String,
    /// How many agents; the file of --graph says it too
    #[arg(long, value_name = "N", required_unless_present = "graph")]
    size: Option<usize>,
    #[command(flatten)]
    configurations: ConfigurationArguments,
    #[command(flatten)]
    limits: Limits,
    /// Write the run that shows a failure to this file; `elect --replay` plays it
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Write the run that shows a failure as one page that plays it: it needs nothing else, and nobody's network
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// One JSON object instead of text
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    setup: Setup<CheckedOracle>,
    #[command(flatten)]
    claims: ClaimArguments,
    #[command(flatten)]
    messages: MessageArguments,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let card = catalog().card(&arguments.algorithm)?;
    for file in [&arguments.save, &arguments.html].into_iter().flatten() {
        files::writable(file)?;
    }
    let place = arguments.configurations.place()?;
    let size = match (place.as_ref().map(Graph::size), arguments.size) {
        (Some(found), Some(asked)) if found != asked => {
            return Err(Failure::usage(format!("--size is {asked}, and the graph of the file has {found} agents")));
        }
        (found, asked) => found.or(asked).ok_or_else(|| Failure::usage("--size N is missing: how many agents"))?,
    };
    let asked = Asked { arguments, card, parameters: &arguments.setup.at(size), place };
    match card.kind {
        Kind::Message => messages::run(&asked),
        _ => configurations::run(&asked),
    }
}

/// One check, of whatever model.
struct Asked<'a> {
    arguments: &'a Arguments,
    card: &'static Card,
    parameters: &'a Parameters,
    /// The graph, where it is one from a file.
    place: Option<Graph>,
}

impl Asked<'_> {
    /// Prints what was found, keeps the run that shows a failure, and says how to end.
    fn tell(
        &self,
        holds: bool,
        trace: Option<String>,
        shows: &str,
        json: impl FnOnce() -> Value,
        text: impl FnOnce(&mut dyn Write) -> Written<()>,
    ) -> Result<ExitCode, Failure> {
        let mut out = anstream::stdout().lock();
        if self.arguments.json {
            writeln!(out, "{}", json())?;
        } else {
            text(&mut out)?;
        }
        // What was computed is told first: a file that cannot be written takes nothing away.
        match (&self.arguments.save, &trace) {
            (Some(path), Some(trace)) => files::write(path, self.by_path(trace))?,
            (Some(path), None) => self.forget(path, &mut out)?,
            (None, _) => {}
        }
        if self.arguments.html.is_some() && trace.is_none() {
            anstream::eprintln!("there is no run that shows a failure: no page is written");
        }
        if let (Some(path), Some(trace)) = (&self.arguments.html, &trace) {
            let page = Recording::replay(trace, Some(shows)).and_then(|recording| recording.html(catalog()));
            files::write(path, page.map_err(|why| Failure::usage(format!("the run cannot be put on a page: {why}")))?)?;
        }
        Ok(if holds { ExitCode::SUCCESS } else { ExitCode::from(FAILS) })
    }

    /// A trace that is found again: a text is named by its path.
    fn by_path(&self, trace: &str) -> String {
        let line = |name: &str| format!("\nalgorithm {name}\n");
        trace.replacen(&line(self.card.name), &line(texts::reference(self.card.name)), 1)
    }

    /// Where no run shows a failure, the file has none: one from before would be taken for this check's. What is no trace stays.
    fn forget(&self, path: &Path, out: &mut dyn Write) -> Result<(), Failure> {
        let old = std::fs::read_to_string(path).unwrap_or_default();
        let stale = Trace::detect(&old) || MessageTrace::detect(&old);
        if stale {
            files::remove(path)?;
        }
        if !self.arguments.json {
            let (path, older) = (path.display(), if stale { "; the older trace in it was removed" } else { "" });
            writeln!(out, "no run shows a failure: nothing is saved in {path}{older}")?;
        }
        Ok(())
    }
}
