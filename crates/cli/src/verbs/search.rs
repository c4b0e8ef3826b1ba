//! `ringleader search`: all protocols of a family that elect a leader, the fastest first.

use crate::settings::Limits;
use crate::settings::sizes::Numbers;
use crate::terminal::exit::{FAILS, Failure, INTERRUPTED, usage};
use crate::terminal::progress::{Progress, Share, watched};
use crate::terminal::{files, interrupt};
use crate::texts::ENDING;
use ringleader_model::Scheduler;
use ringleader_report::discovery::Discovery;
use ringleader_report::number::grouped;
use ringleader_search::{Control, Family, Options, Outcome, Topology, discover};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Search all protocols of a family for those that elect one leader from every configuration, up to renaming of states. The
/// fastest come first, by exact worst-case expected steps.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  ringleader search --states 2 --on complete --sizes 2,3,4 --detector      among others, the protocol of Fischer and Jiang
  ringleader search --states 2 --on directed-ring --sizes 3                none
  ringleader search --states 3 --on directed-ring --sizes 3,4 --save found every table of three states, within a second
  ringleader check found/ring-3-states-01.ring --size 4                     confirms one of them
  ringleader search --states 4 --on directed-ring --sizes 3,4,5 --fastest --budget 600

Tables are decided entry by entry. A partial table is dropped as soon as no completion keeps the promise; docs/searching.md explains how.
Two and three states take a second, four states minutes to hours. Ctrl-C prints the results so far.
Exit codes: 0 found, 1 no protocol exists, 2 bad usage or none found within the budget, 130 interrupted.")]
pub(crate) struct Arguments {
    /// The number of states of an agent
    #[arg(long, value_name = "Q")]
    states: usize,
    /// The communication graph: directed-ring or complete
    #[arg(long, value_name = "GRAPH", value_parser = graph)]
    on: Topology,
    /// The sizes for which the promise must hold, such as 3,4
    #[arg(long, value_name = "N,..")]
    sizes: Numbers,
    /// The number of leader states [default: any number]
    #[arg(long, value_name = "K")]
    leaders: Option<usize>,
    /// A perfect detector tells agents whether there is a leader
    #[arg(long)]
    detector: bool,
    /// Only protocols in which initiator and responder are interchangeable
    #[arg(long)]
    symmetric: bool,
    /// The schedules under which the promise must hold: random, globally-fair or unfair
    #[arg(long, default_value_t = Scheduler::Random)]
    scheduler: Scheduler,
    /// The number of fastest protocols to print, or all
    #[arg(long, value_name = "K", default_value = "10", value_parser = top)]
    top: usize,
    /// Skip protocols that cannot be among the fastest, and improve those found; the skipped protocols are not counted
    #[arg(long)]
    fastest: bool,
    /// The longest duration of the search, in seconds [default: unlimited]
    #[arg(long, value_name = "SECONDS")]
    budget: Option<u64>,
    /// Write each protocol as a file into this folder; every verb accepts these files
    #[arg(long, value_name = "DIR")]
    save: Option<PathBuf>,
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    limits: Limits,
}

fn graph(text: &str) -> Result<Topology, &'static str> {
    match text {
        "directed-ring" | "ring" => Ok(Topology::DirectedRing),
        "complete" => Ok(Topology::Complete),
        _ => Err("the graph is directed-ring or complete"),
    }
}

fn top(text: &str) -> Result<usize, &'static str> {
    match text.parse() {
        _ if text == "all" => Ok(usize::MAX),
        Ok(most) if most > 0 => Ok(most),
        _ => Err("it must be a positive number, or all"),
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let family = arguments.family();
    let options = arguments.options();
    family.check(options.memory).map_err(Failure::usage)?;
    arguments.save.as_deref().map(|path| folder(path, &stem(&family))).transpose()?;
    interrupt::listen();
    let (begun, control) = (Instant::now(), Control::default());
    let outcome = watched(|| discover(&family, &options, &control), |progress| look(progress, &control));
    let outcome = outcome.map_err(Failure::usage)?;
    let saved = match &arguments.save {
        Some(to) => save(to, &stem(&family), &outcome)?,
        None => vec![],
    };
    let interrupted = interrupt::requested() && !outcome.counts.complete;
    let results = Discovery { family: &family, outcome: &outcome, saved: &saved, time: begun.elapsed(), interrupted };
    let mut out = anstream::stdout().lock();
    if arguments.json { writeln!(out, "{}", results.json()) } else { results.text(&mut out) }?;
    Ok(match (interrupted, outcome.found.is_empty()) {
        (true, _) => ExitCode::from(INTERRUPTED),
        (false, false) => ExitCode::SUCCESS,
        (false, true) if outcome.counts.complete => ExitCode::from(FAILS),
        (false, true) => ExitCode::from(2),
    })
}

impl Arguments {
    fn family(&self) -> Family {
        let mut family = Family::new(self.states, self.on, &self.sizes.0).under(self.scheduler);
        (family.leaders, family.detector, family.symmetric) = (self.leaders, self.detector, self.symmetric);
        family
    }

    fn options(&self) -> Options {
        let mut options = Options::default();
        options.keep = self.top;
        options.fastest = self.fastest;
        options.budget = self.budget.map(Duration::from_secs);
        options.memory = self.limits.bytes();
        options.threads = self.limits.threads();
        options
    }
}

/// Shows the progress of the search, and stops it after Ctrl-C.
fn look(progress: &mut Progress, control: &Control) {
    let share = Share { done: (control.share() * 1000.0) as u64, of: 1000, unit: "thousandths of the tree" };
    let timed = control.timed();
    let going_on = progress.count(share, || match timed {
        0 => format!("{} found, {} tables examined", grouped(control.protocols()), grouped(control.looked_at())),
        _ => format!("{} found, exact times of {} of them", grouped(control.protocols()), grouped(timed)),
    });
    if !going_on {
        control.stop();
    }
}

/// The beginning of the names of a family's protocols.
fn stem(family: &Family) -> String {
    let graph = match family.topology {
        Topology::DirectedRing => "ring",
        Topology::Complete => "complete",
    };
    format!("{graph}-{}-states-", family.states)
}

/// Creates the folder if it does not exist. Refuses a folder with files of an earlier search, so that none is overwritten.
fn folder(path: &Path, stem: &str) -> Result<(), Failure> {
    let fails = |what: &str, e| usage!("cannot {what} the folder {}: {e}", path.display());
    fs::create_dir_all(path).map_err(|e| fails("create", e))?;
    let names = fs::read_dir(path).map_err(|e| fails("read", e))?.flatten().map(|entry| entry.file_name());
    match names.filter_map(|name| name.into_string().ok()).filter(|name| name.starts_with(stem)).min() {
        Some(known) => Err(usage!(
            "{} exists already, from another search: remove its files, or choose another folder",
            path.join(known).display()
        )),
        None => Ok(()),
    }
}

/// Writes every protocol as a text and returns the paths.
fn save(to: &Path, stem: &str, outcome: &Outcome) -> Result<Vec<String>, Failure> {
    let digits = outcome.found.len().to_string().len();
    let mut paths = vec![];
    for (at, found) in outcome.found.iter().enumerate() {
        let name = format!("{stem}{:0digits$}", at + 1);
        let path = to.join(&name).with_extension(ENDING);
        let text = found.protocol.text(&name);
        files::write(&path, ringleader_language::format(&name, &text).unwrap_or(text))?;
        paths.push(path.display().to_string());
    }
    Ok(paths)
}
