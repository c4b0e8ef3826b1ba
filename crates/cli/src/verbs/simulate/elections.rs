//! `ringleader simulate` for algorithms that elect once: many elections of many sizes.

use super::shard::{SHARD, TEXT, without};
use super::{Arguments, NO_LIMIT, ended};
use crate::catalog;
use crate::settings::graph::{self, Wanted};
use crate::settings::{Start, fresh_seed, refuse, sizes};
use crate::terminal::exit::{Failure, bail, usage};
use crate::terminal::{files, interrupt};
pub(super) use records::Records;
use records::thread_seconds;
use remaining::Remaining;
use ringleader_catalog::stabilizing;
use ringleader_erased::{Card, Kind, Topology};
use ringleader_model::{Safety, Scheduler};
use ringleader_report::experiment::{ExperimentReport, RunRecord, Setting};
use ringleader_simulate::{ElectionSeries, Faults, KernelChoice, Limits, Shard, schedulers};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

mod contest;
mod loose;
mod records;
mod remaining;

/// The validated runs of an algorithm.
pub(super) struct Plan {
    pub(super) card: &'static Card,
    graph: Wanted,
    pub(super) axis: String,
    pub(super) settings: Vec<Setting>,
    seed: u64,
    safety: Safety,
}

impl Plan {
    /// Whether the algorithm is only loosely stabilizing.
    fn is_loose(&self) -> bool {
        self.safety == Safety::ForLong && self.card.kind != Kind::Graph
    }
}

/// Validates all arguments before anything runs.
pub(super) fn plan(arguments: &Arguments, card: &'static Card, seed: u64) -> Result<Plan, Failure> {
    arguments.network.refuse_for(card)?;
    let (graph, sizes) = arguments.place(card)?;
    let faults = arguments.corrupt.as_ref().map_or(&[][..], |corrupt| &corrupt.0);
    let given = arguments.start(card).agreed(card.name, arguments.setup.at(sizes[0]))?;
    let (axis, mut settings) = sizes::settings(card, &sizes, &given, faults)?;
    if card.kind == Kind::Graph {
        for setting in &mut settings {
            let on = graph.of_processes(card, setting.parameters.size)?;
            setting.parameters = setting.parameters.clone().on(on);
        }
    }
    for setting in &settings {
        catalog().supports(card.name, &setting.parameters)?;
        if setting.corrupt > setting.parameters.size {
            bail!("--corrupt {}: there are only {} {}", setting.corrupt, setting.parameters.size, card.kind.members());
        }
    }
    arguments.refuse_what_means_nothing(card)?;
    let instance = catalog().instance(card.name, &settings[0].parameters)?;
    let safety = stabilizing(&instance).map_or(Safety::ForEver, |algorithm| algorithm.safety());
    Ok(Plan { card, graph, axis, settings, seed, safety })
}

/// A plan with all its runs.
pub(super) struct Measured {
    plan: Plan,
    kernel: String,
    records: Vec<RunRecord>,
    /// The failure that ended the runs early.
    failure: Option<Failure>,
}

/// Does the runs that are not among the records yet; `sink` gets each.
pub(super) fn measure(
    arguments: &Arguments,
    plan: Plan,
    mut records: Vec<RunRecord>,
    sink: &mut dyn FnMut(&Plan, &RunRecord) -> Result<(), Failure>,
) -> Result<Measured, Failure> {
    let mut kernel = arguments.kernel.to_string();
    let mut remaining = Remaining::new(&plan.settings, arguments.shard().share(arguments.runs), &records);
    let mut failure = None;
    for (index, setting) in plan.settings.iter().enumerate() {
        if interrupt::requested() {
            break;
        }
        let contest = match contest::ready(arguments, &plan, setting) {
            Ok(contest) => contest,
            Err(_) if interrupt::requested() => break,
            // The runs until then are reported all the same.
            Err(refused) => {
                failure = Some(refused);
                break;
            }
        };
        let limits = Limits { steps: arguments.limit, stop: interrupt::flag() };
        let done: Vec<u64> = records.iter().filter(|r| r.point == index).map(|r| r.run).collect();
        arguments.series(setting, plan.seed).hold(
            done,
            interrupt::flag(),
            |coin| timed(|| contest.elect(arguments.faults(setting), limits, coin)),
            |run, record| {
                let Some(record) = record else { return true };
                let record = RunRecord { point: index, run, ..record };
                remaining.ended(&record);
                failure = sink(&plan, &record).err();
                records.push(record);
                failure.is_none()
            },
        );
        if failure.is_some() {
            break;
        }
        kernel = contest.means();
    }
    drop(remaining);
    match failure.take_if(|_| records.is_empty()) {
        Some(failure) => Err(failure),
        None => Ok(Measured { plan, kernel, records, failure }),
    }
}

/// A record with the processor time that it took.
fn timed(elect: impl FnOnce() -> Option<RunRecord>) -> Option<RunRecord> {
    let before = thread_seconds();
    let record = elect()?;
    Some(RunRecord { cpu: Some(thread_seconds() - before), ..record })
}

impl Measured {
    pub(super) fn report(&self, arguments: &Arguments) -> ExperimentReport<'_> {
        let Plan { card, axis, settings, seed, .. } = &self.plan;
        ExperimentReport {
            card,
            start: arguments.start(card).to_string(),
            said: arguments.said(card),
            seed: *seed,
            kernel: &self.kernel,
            oracle: card.oracle.map(|_| arguments.setup.oracle().map_or("perfect".into(), |o| o.to_string())),
            until: if self.plan.safety == Safety::Unknown { "the goal is first met" } else { "safe" },
            axis,
            settings,
            records: &self.records,
            interrupted: interrupt::requested() || self.failure.is_some(),
        }
    }

    /// Whether every run reached its goal; the failure that stopped them, if any.
    pub(super) fn whole(self) -> Result<bool, Failure> {
        self.failure.map_or_else(|| Ok(self.records.iter().all(RunRecord::whole)), Err)
    }
}

pub(super) fn run(arguments: &Arguments, card: &'static Card) -> Result<ExitCode, Failure> {
    let resumed = arguments.resume.as_deref().and_then(records::seed_of);
    let seed = arguments.seed.or(resumed).unwrap_or_else(fresh_seed);
    let plan = plan(arguments, card, seed)?;
    arguments.check_plot()?;
    if plan.is_loose() {
        return loose::run(arguments, &plan);
    }
    let said = arguments.in_one_line(card.name, card, seed);
    let (mut file, mut records) = match (&arguments.resume, &arguments.csv) {
        (Some(path), _) => Records::resume(path, &said, &plan)?,
        (None, Some(path)) => (Records::create(path, &said, &plan, false)?, vec![]),
        (None, None) => (Records::nowhere(), vec![]),
    };
    records.retain(|record| record.run < arguments.runs);
    interrupt::listen();
    let measured = measure(arguments, plan, records, &mut |plan, record| file.write(record, plan))?;
    tell(arguments, &measured.report(arguments), &said)?;
    Ok(ended(measured.whole()?))
}

/// Reports the runs in the files of all shards.
pub(super) fn merge(arguments: &Arguments, card: &'static Card, files: &[PathBuf]) -> Result<ExitCode, Failure> {
    let seed = arguments.seed.ok_or_else(|| usage!("the files record no seed"))?;
    if card.kind == Kind::Robust {
        bail!("{} is measured in units of time and has no files of runs", card.name);
    }
    let plan = plan(arguments, card, seed)?;
    if plan.is_loose() {
        bail!("{} is only loosely stabilizing and has no files of runs", card.name);
    }
    arguments.check_plot()?;
    let said = arguments.in_one_line(card.name, card, seed);
    // Every run is among the records, so that nothing is left to run.
    let records = records::merged(files, &said, &plan, arguments.runs)?;
    let measured = measure(arguments, plan, records, &mut |_, _| Ok(()))?;
    tell(arguments, &measured.report(arguments), &said)?;
    Ok(ended(measured.whole()?))
}

fn tell(arguments: &Arguments, report: &ExperimentReport<'_>, said: &str) -> Result<(), Failure> {
    let mut out = anstream::stdout();
    if arguments.csv.as_deref() == Some("-".as_ref()) {
        // The rows are the output.
    } else if arguments.json {
        writeln!(out, "{:#}", report.json())?;
    } else {
        report.text(&mut out)?;
    }
    if report.until != "safe" {
        anstream::eprintln!(
            "{} names no safe set: its goal may be lost again later (`check` decides whether it is), and it is judged after every \
             step that changes something; a closed set, `safe = ..`, makes runs faster",
            report.card.name
        );
    } else if !catalog().is_built_in(report.card.name) && report.card.kind != Kind::Message {
        anstream::eprintln!(
            "steps are counted until the safe set that the author names, assuming that it is closed: otherwise these numbers mean nothing; \
             `check` decides that"
        );
    }
    if let Some(path) = &arguments.plot {
        let note = said.split_once(": ").map_or(said, |(_, rest)| rest);
        let note = without(note.strip_prefix(report.card.name).unwrap_or(note).trim(), TEXT);
        files::write_picture(path, &report.plot(&note))?;
    }
    Ok(())
}

impl Arguments {
    /// The graph and the sizes.
    fn place(&self, card: &Card) -> Result<(Wanted, Vec<usize>), Failure> {
        let graph = Wanted::read(self.graph.as_deref())?;
        let document = self.start(card).document()?;
        let drawn = if let Wanted::File(graph) = &graph { Some(graph.size()) } else { None };
        let fixed = drawn.or(document.as_ref().map(|d| d.size));
        match (fixed, &self.size) {
            (Some(_), Some(_)) => Err(usage!("the file of --graph or --start fixes the size: leave --size out")),
            (Some(size), None) => Ok((graph, vec![size])),
            (None, Some(sizes)) if sizes.0.is_empty() => Err(usage!("--size is an empty list")),
            (None, Some(sizes)) => {
                if let Wanted::Family(family) = &graph
                    && family.shape().is_none()
                {
                    sizes.0.iter().try_for_each(|&size| family.suits(size)).map_err(Failure::usage)?;
                }
                Ok((graph, sizes.0.clone()))
            }
            (None, None) => {
                let size = graph.size().unwrap_or(card.default_size);
                Ok((graph, vec![size]))
            }
        }
    }

    fn refuse_what_means_nothing(&self, card: &Card) -> Result<(), Failure> {
        let (population, clean) = (card.kind == Kind::Population, card.kind == Kind::Message);
        let oracle = self.setup.oracle().is_some() && self.setup.layers().oracle(card).is_none();
        refuse(card, &[("--oracle", oracle)], "it needs no oracle")?;
        let (processes, given) = (matches!(card.kind, Kind::Ring | Kind::Graph), self.graph.is_some());
        refuse(card, &[("--graph", given && !population && card.kind != Kind::Graph)], "it is for one kind of graph")?;
        let kernel = self.kernel != KernelChoice::Auto && !population;
        refuse(card, &[("--kernel", kernel)], "only population protocols have several")?;
        let scheduler = self.scheduler.is_some_and(|s| s != Scheduler::Random) && !processes;
        refuse(card, &[("--scheduler", scheduler)], "only the random one has a distribution to measure")?;
        let possible = schedulers(card.kind);
        if let Some(scheduler) = self.scheduler.filter(|s| !possible.contains(s)) {
            let known = possible.iter().map(|s| s.name()).collect::<Vec<_>>().join(", ");
            bail!(
                "--scheduler {scheduler} allows many schedules without probabilities: simulate one of {known}, or check it"
            );
        }
        let why = match card.kind {
            Kind::Message => "its rounds are those that its processes announce, and are counted always",
            _ => "a population has parallel time, its steps divided by n; rounds are counted for processes",
        };
        refuse(card, &[("--count-rounds", self.count_rounds && !processes)], why)?;
        let start = clean && self.start(card) != Start::CLEAN;
        refuse(card, &[("--start", start)], "it is not self-stabilizing and starts clean")?;
        refuse(card, &[("--corrupt", clean && self.corrupt.is_some())], "it is not self-stabilizing")?;
        let (shared, rows) = (Some("-".as_ref()), self.csv.as_deref());
        if self.json && rows == shared {
            bail!("--csv - and --json both write to standard output: give --csv a file");
        }
        if self.shard.is_some() && self.resume.is_none() && rows.is_none_or(|file| Some(file) == shared) {
            bail!("--shard needs a file for its runs: --csv FILE or --resume FILE");
        }
        if self.resume.as_deref() == shared {
            bail!("--resume needs a file: standard output cannot be read back");
        }
        Ok(())
    }

    /// The start of an algorithm's runs.
    fn start(&self, card: &Card) -> Start {
        self.start.clone().unwrap_or_else(|| Start::usual(card, &self.setup.at(0)))
    }

    /// The faults of a setting.
    fn faults(&self, setting: &Setting) -> Faults {
        let after = (self.at.unwrap_or(0), self.at.or(self.within).unwrap_or(0));
        let times = if self.corrupt.is_some() { self.repeat } else { 0 };
        Faults { agents: setting.corrupt, times, after }
    }

    /// The part of the runs that is held here.
    fn shard(&self) -> Shard {
        self.shard.unwrap_or(Shard::ALL)
    }

    /// The runs of a setting.
    fn series(&self, setting: &Setting, seed: u64) -> ElectionSeries {
        let size = setting.parameters.size;
        ElectionSeries {
            x: setting.x,
            shard: self.shard(),
            threads: self.threads.count(),
            ..ElectionSeries::new(seed, size, self.runs)
        }
    }

    /// All settings that a run depends on, besides its size and number, in one line.
    pub(super) fn in_one_line(&self, names: &str, card: &Card, seed: u64) -> String {
        let start = self.start(card);
        let first = format!("ringleader simulate 2: {names} seed={seed} start={start} kernel={}", self.kernel);
        let text = catalog().file(card.name).map(|_| (TEXT.into(), format!("{:016x}", files::digest(card.source))));
        let said = self.said(card).into_iter().chain(text);
        said.fold(first, |line, (name, value)| format!("{line} {name}={value}"))
    }

    /// The settings of the runs, besides algorithm, size, start, kernel and seed.
    fn said(&self, card: &Card) -> Vec<(String, String)> {
        let digest = |path: &Path| Some(format!("{:016x}", files::digest(&files::read(path).ok()?)));
        let tree = card.topology == Topology::Tree;
        let optional = [
            ("start-digest", self.start(card).file().and_then(digest)),
            ("oracle", self.setup.oracle().map(|o| o.to_string())),
            ("scheduler", self.scheduler.map(|s| s.to_string())),
            // The graph of an algorithm for trees is named even if none is given.
            ("graph", self.graph.clone().or_else(|| tree.then(|| card.topology.at_hand().describe().into()))),
            ("graph-digest", self.graph.as_deref().and_then(graph::file).and_then(digest)),
            ("corrupt", self.corrupt.as_ref().map(ToString::to_string)),
            ("repeat", self.corrupt.as_ref().map(|_| self.repeat.to_string())),
            ("at", self.at.map(|steps| steps.to_string())),
            ("within", self.within.map(|steps| steps.to_string())),
            ("count-rounds", self.count_rounds.then(|| "yes".into())),
            (SHARD, self.shard.map(|shard| shard.to_string())),
            ("limit", (self.limit != NO_LIMIT).then(|| self.limit.to_string())),
        ];
        let flags = optional.into_iter().filter_map(|(name, value)| Some((name.to_string(), value?)));
        flags.chain(self.setup.at(0).given()).collect()
    }
}
