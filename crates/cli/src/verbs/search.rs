//! `ringleader search`: all protocols of a family that keep the promise, the fastest first.

use crate::settings::Limits;
use crate::settings::sizes::Numbers;
use crate::terminal::exit::{FAILS, Failure, INTERRUPTED};
use crate::terminal::progress::{Progress, Share, watched};
use crate::terminal::{files, interrupt};
use crate::texts::ENDING;
use ringleader_model::Scheduler;
use ringleader_report::number::grouped;
use ringleader_search::{Control, Family, Options, Outcome, Topology, discover};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr;
use std::time::{Duration, Instant};

mod told;

/// Search all protocols of a family for those that elect one leader from every configuration, up to renaming of states; the
/// fastest first, by exact worst expected steps.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  ringleader search --states 2 --on complete --sizes 2,3,4 --detector      among others, the protocol of Fischer and Jiang
  ringleader search --states 2 --on directed-ring --sizes 3                none
  ringleader search --states 3 --on directed-ring --sizes 3,4 --save found every table of three states, within a second
  ringleader check found/ring-3-states-01.ring --size 4                     confirms one of them
  ringleader search --states 4 --on directed-ring --sizes 3,4,5 --fastest --budget 600

Tables are decided entry by entry and given up as soon as no way to go on can keep the promise; docs/searching.md says how. Memory is
little; time grows fast: two and three states take a second, four states minutes to hours. Ctrl-C tells what was found so far.
Exit codes: 0 found, 1 there is none, 2 bad usage or none found within the budget, 130 interrupted.")]
pub(crate) struct Arguments {
    /// How many states an agent has
    #[arg(long, value_name = "Q")]
    states: usize,
    /// Who meets whom: directed-ring or complete
    #[arg(long, value_name = "GRAPH")]
    on: Graph,
    /// The sizes for which the promise must be kept, such as 3,4
    #[arg(long, value_name = "N,..")]
    sizes: Numbers,
    /// How many of the states are leader states [default: any number]
    #[arg(long, value_name = "K")]
    leaders: Option<usize>,
    /// Agents are told whether there is a leader, by a perfect detector
    #[arg(long)]
    detector: bool,
    /// Only protocols for which it makes no difference who initiates a meeting
    #[arg(long)]
    symmetric: bool,
    /// Under which schedules the promise must be kept: random, globally-fair or unfair
    #[arg(long, default_value_t = Scheduler::Random)]
    scheduler: Scheduler,
    /// How many of the fastest to tell of, or all
    #[arg(long, value_name = "K", default_value = "10")]
    top: Top,
    /// Leave out what cannot be among the fastest, and improve on what is found; then the others are not counted
    #[arg(long)]
    fastest: bool,
    /// How long to search, in seconds [default: as long as it takes]
    #[arg(long, value_name = "SECONDS")]
    budget: Option<u64>,
    /// Write each of them as a text protocol into this folder; `check` and every other verb takes them
    #[arg(long, value_name = "DIR")]
    save: Option<PathBuf>,
    /// One JSON object instead of text
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    limits: Limits,
}

#[derive(Clone, Copy)]
struct Graph(Topology);

impl FromStr for Graph {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "directed-ring" | "ring" => Ok(Graph(Topology::DirectedRing)),
            "complete" => Ok(Graph(Topology::Complete)),
            _ => Err("there are directed-ring and complete".into()),
        }
    }
}

#[derive(Clone, Copy)]
struct Top(usize);

impl FromStr for Top {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text.parse() {
            _ if text == "all" => Ok(Top(usize::MAX)),
            Ok(most) if most > 0 => Ok(Top(most)),
            _ => Err("a number from 1 on, or all".into()),
        }
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let family = arguments.family();
    let options = arguments.options()?;
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
    let results =
        told::Results { family: &family, outcome: &outcome, saved: &saved, time: begun.elapsed(), interrupted };
    let mut out = anstream::stdout().lock();
    if arguments.json { results.json(&mut out) } else { results.text(&mut out) }?;
    Ok(match (interrupted, outcome.found.is_empty()) {
        (true, _) => ExitCode::from(INTERRUPTED),
        (false, false) => ExitCode::SUCCESS,
        (false, true) if outcome.counts.complete => ExitCode::from(FAILS),
        (false, true) => ExitCode::from(2),
    })
}

impl Arguments {
    fn family(&self) -> Family {
        let mut family = Family::new(self.states, self.on.0, &self.sizes.0).under(self.scheduler);
        (family.leaders, family.detector, family.symmetric) = (self.leaders, self.detector, self.symmetric);
        family
    }

    fn options(&self) -> Result<Options, Failure> {
        let mut options = Options::default();
        options.keep = self.top.0;
        options.fastest = self.fastest;
        options.budget = self.budget.map(Duration::from_secs);
        options.memory = self.limits.bytes()?;
        options.threads = self.limits.threads.unwrap_or(options.threads);
        Ok(options)
    }
}

/// Shows how far the search is, and stops it where it is to end.
fn look(progress: &mut Progress, control: &Control) {
    let share = Share { done: (control.share() * 1000.0) as u64, of: 1000, unit: "thousandths of the tree" };
    let timed = control.timed();
    let going_on = progress.count(share, || match timed {
        0 => format!("{} found, {} tables looked at", grouped(control.protocols()), grouped(control.looked_at())),
        _ => format!("{} found, exact times of {} of them", grouped(control.protocols()), grouped(timed)),
    });
    if !going_on {
        control.stop();
    }
}

/// What the names of a family's protocols begin with.
fn stem(family: &Family) -> String {
    let graph = match family.topology {
        Topology::DirectedRing => "ring",
        Topology::Complete => "complete",
    };
    format!("{graph}-{}-states-", family.states)
}

/// A folder to write to, made if it is not there. What an earlier search found stays: no file in it may have such a name.
fn folder(path: &Path, stem: &str) -> Result<(), Failure> {
    let fails = |what: &str, e| Failure::usage(format!("cannot {what} the folder {}: {e}", path.display()));
    fs::create_dir_all(path).map_err(|e| fails("make", e))?;
    let names = fs::read_dir(path).map_err(|e| fails("read", e))?.flatten().map(|entry| entry.file_name());
    match names.filter_map(|name| name.into_string().ok()).filter(|name| name.starts_with(stem)).min() {
        Some(known) => Err(Failure::usage(format!(
            "{} is there already, from another search: remove it and those beside it, or take another folder",
            path.join(known).display()
        ))),
        None => Ok(()),
    }
}

/// Writes every protocol as a text, and gives the paths.
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
