//! `ringleader simulate` for the robust algorithms: many runs in a hostile network.

use super::{Arguments, NO_LIMIT, ended};
use crate::catalog;
use crate::settings::sizes::refuse_twice;
use crate::settings::{fresh_seed, refuse};
use crate::terminal::exit::{Failure, bail, usage};
use crate::terminal::program::program;
use crate::terminal::progress::{Progress, Share, about};
use crate::terminal::{files, interrupt};
use ringleader_catalog::Instance;
use ringleader_erased::{Card, Parameters};
use ringleader_model::shell_word;
use ringleader_report::Subject;
use ringleader_report::campaign::{CampaignReport, CampaignSummary, LinksOverTime, RelapseReport, settling};
use ringleader_simulate::network::{Adversary, Campaign, Contents, Scenario, Settlement, Source, SystemClass};
use ringleader_simulate::{Generator, KernelChoice, TimedAlgorithm, run_generator};
use serde_json::{Value, json};
use std::io::Write;
use std::ops::Range;
use std::process::ExitCode;
use std::sync::Arc;

/// The hostile network.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Robust algorithms")]
pub(super) struct NetworkArguments {
    /// The system whose random instances are run: s0 to s5 [default: the algorithm's own]
    #[arg(long, value_name = "SYSTEM", conflicts_with = "adversary")]
    system: Option<SystemClass>,
    /// An adversary instead: theorem-4, theorem-6, theorem-8, mute, slow-source, corrupted-counter=VALUE or isolated
    #[arg(long, value_name = "NAME")]
    adversary: Option<Adversary>,
    /// The number of processes that crash, half of them at the start and half within 20 δ
    #[arg(long, value_name = "C", default_value_t = 0)]
    crash: usize,
    /// The number of crashed processes that restart 20 to 40 δ later, in arbitrary states
    #[arg(long, value_name = "C", default_value_t = 0)]
    restart: usize,
    /// Split the network in two from 40 δ to 60 δ
    #[arg(long)]
    partition: bool,
    /// Timely links become timely only after 20 δ
    #[arg(long)]
    eventually: bool,
    /// The contents of variables and links: arbitrary, clean, low, high (ends of their types) or extremes (either end, at random)
    #[arg(long, value_name = "START")]
    contents: Option<Contents>,
    /// The longest time to settle after the last fault, in δ [default: the bound derived in docs/robust.md]
    #[arg(long, value_name = "DELTAS")]
    horizon: Option<u64>,
    /// Only the run with this number
    #[arg(long, value_name = "I")]
    run: Option<u64>,
    /// Also count the directed links that carry messages, in stretches of 10 δ: the mean over the first runs
    #[arg(long)]
    links_over_time: bool,
}

impl NetworkArguments {
    /// Refuses these flags for an algorithm without links and crashes.
    pub(super) fn refuse_for(&self, card: &Card) -> Result<(), Failure> {
        let given = [
            ("--system", self.system.is_some()),
            ("--adversary", self.adversary.is_some()),
            ("--crash", self.crash > 0),
            ("--restart", self.restart > 0),
            ("--partition", self.partition),
            ("--eventually", self.eventually),
            ("--contents", self.contents.is_some()),
            ("--horizon", self.horizon.is_some()),
            ("--run", self.run.is_some()),
            ("--links-over-time", self.links_over_time),
        ];
        refuse(card, &given, "only robust algorithms have links and crashes")
    }
}

/// The campaign of one size, ready to run.
struct Ready<'a> {
    arguments: &'a Arguments,
    card: &'static Card,
    parameters: Parameters,
    algorithm: Arc<dyn TimedAlgorithm>,
    campaign: Campaign,
}

/// Runs a campaign for each size and prints the results.
pub(super) fn run(arguments: &Arguments, card: &'static Card) -> Result<ExitCode, Failure> {
    refuse_what_means_nothing(arguments, card)?;
    arguments.check_plot()?;
    let sizes = arguments.size.as_ref().map_or(vec![card.default_size], |sizes| sizes.0.clone());
    refuse_twice("size", &mut sizes.clone())?;
    let seed = arguments.seed.unwrap_or_else(fresh_seed);
    // Each of several sizes has its own seed, so that their runs are independent. It is printed with the runs, and gives the same runs
    // for that size alone.
    let seed_of = |size| if sizes.len() > 1 { run_generator(seed, size, 0).word() } else { seed };
    let ready = sizes.iter().map(|&size| Ready::new(arguments, card, size, seed_of(size)));
    let ready = ready.collect::<Result<Vec<_>, _>>()?;
    interrupt::listen();
    let mut out = anstream::stdout();
    let (mut rows, mut objects) = (vec![], vec![]);
    for one in ready.iter().take_while(|_| !interrupt::requested()) {
        match one.campaign.source {
            Source::Adversary(adversary) if adversary.waits() => one.relapses(adversary, &mut objects, &mut out)?,
            _ => rows.push((one.parameters.size, one.settles(&mut objects, &mut out)?)),
        }
    }
    if arguments.json {
        let all = if let [one] = &objects[..] { one.clone() } else { json!({"version": 1, "sizes": objects}) };
        writeln!(out, "{all}")?;
    }
    if let Some(path) = &arguments.plot {
        files::write_picture(path, &settling(card.name, &rows))?;
    }
    Ok(ended(rows.iter().all(|(_, summary)| summary.unsettled.is_empty())))
}

fn refuse_what_means_nothing(arguments: &Arguments, card: &Card) -> Result<(), Failure> {
    let means_nothing = [
        ("--limit (say --horizon)", arguments.limit != NO_LIMIT),
        ("--kernel", arguments.kernel != KernelChoice::Auto),
        ("--csv", arguments.csv.is_some()),
        ("--resume", arguments.resume.is_some()),
        ("--shard (say --run)", arguments.shard.is_some()),
        ("--start (say --contents)", arguments.start.is_some()),
        ("--graph", arguments.graph.is_some()),
        ("--corrupt", arguments.corrupt.is_some()),
        ("--count-rounds", arguments.count_rounds),
        ("--scheduler", arguments.scheduler.is_some()),
        (arguments.setup.flag().unwrap_or_default(), arguments.setup.flag().is_some()),
    ];
    refuse(card, &means_nothing, "it runs in a timed network")
}

impl Ready<'_> {
    fn new<'a>(arguments: &'a Arguments, card: &'static Card, size: usize, seed: u64) -> Result<Ready<'a>, Failure> {
        let (parameters, network) = (arguments.setup.at(size), &arguments.network);
        catalog().supports(card.name, &parameters)?;
        let source = match (network.adversary, network.system) {
            (Some(adversary), _) => Source::Adversary(adversary),
            (None, Some(system)) => Source::System(system),
            // The weakest system in which the algorithm is claimed to work.
            (None, None) => match card.system {
                Some(own) => Source::System(own.parse().map_err(Failure::usage)?),
                None => bail!("--system: {} has no system of its own", card.name),
            },
        };
        let campaign = Campaign {
            crashes: network.crash,
            restarts: network.restart,
            partition: network.partition,
            eventually: network.eventually,
            start: network.contents,
            horizon: network.horizon,
            ..Campaign::new(source, seed)
        };
        campaign.check(size).map_err(|wrong| usage!("--{wrong}"))?;
        match catalog().instance(card.name, &parameters)? {
            Instance::Robust(algorithm) => Ok(Ready { arguments, card, parameters, algorithm, campaign }),
            _ => Err(usage!("{} has neither links nor crashes", card.name)),
        }
    }

    /// Runs the campaign, and prints its result or adds it to the objects.
    fn settles(&self, objects: &mut Vec<Value>, out: &mut impl Write) -> Result<CampaignSummary, Failure> {
        let Ready { card, parameters, algorithm, campaign, .. } = self;
        let (delta, horizon) = (algorithm.timing().delta, campaign.horizon_in_deltas(&**algorithm));
        let (settlements, links) = self.all();
        let summary = CampaignSummary::of(&settlements, delta, parameters.size, horizon);
        let replays: Vec<_> = summary.unsettled.iter().map(|&index| self.replay(index)).collect();
        let report = CampaignReport {
            subject: Subject { card, parameters },
            network: &campaign.source.to_string(),
            crashes: campaign.crashes,
            seed: campaign.seed,
            horizon,
            summary: &summary,
            links: links.as_ref(),
            replays: &replays,
        };
        if self.arguments.json {
            objects.push(report.json());
        } else {
            report.text(out)?;
        }
        Ok(summary)
    }

    /// Runs an adversary that waits for a leader, and prints its effect or adds it to the objects.
    fn relapses(&self, adversary: Adversary, objects: &mut Vec<Value>, out: &mut impl Write) -> Result<(), Failure> {
        let Ready { card, parameters, algorithm, campaign, .. } = self;
        let runs = self.arguments.network.run.map_or(0..self.arguments.runs, |index| index..index + 1);
        let calm = Scenario::benign(parameters.size);
        let strike = |run| algorithm.relapse(adversary, &calm, &Generator::stream(campaign.seed, run));
        let struck: Vec<bool> = runs.filter_map(strike).map(|relapse| relapse.lost.is_some()).collect();
        let report = RelapseReport {
            subject: Subject { card, parameters },
            adversary: &adversary.to_string(),
            seed: campaign.seed,
            runs: struck.len(),
            lost: struck.iter().filter(|lost| **lost).count(),
        };
        if self.arguments.json {
            objects.push(report.json());
        } else {
            report.text(out)?;
        }
        Ok(())
    }

    /// The command that repeats run `index` alone.
    fn replay(&self, index: u64) -> String {
        let (size, seed) = (self.parameters.size, self.campaign.seed);
        let mut command = format!("{} simulate {} --size {size} --seed {seed}", program(), self.card.name);
        for (name, value) in self.parameters.given() {
            command.push_str(&format!(" --{name} {}", shell_word(value)));
        }
        let network = &self.arguments.network;
        let NetworkArguments { system, adversary, crash, restart, horizon, contents, .. } = network;
        let flags = [
            system.map(|system| format!("--system {system}")),
            adversary.map(|adversary| format!("--adversary {adversary}")),
            (*crash != 0).then(|| format!("--crash {crash}")),
            (*restart != 0).then(|| format!("--restart {restart}")),
            horizon.map(|horizon| format!("--horizon {horizon}")),
            network.partition.then(|| "--partition".into()),
            network.eventually.then(|| "--eventually".into()),
            contents.map(|contents| format!("--contents {contents}")),
            Some(format!("--run {index}")),
        ];
        flags.into_iter().flatten().fold(command, |command, flag| command + " " + &flag)
    }

    /// All runs, and the links in use over time, if they are counted.
    fn all(&self) -> (Vec<(u64, Settlement)>, Option<LinksOverTime>) {
        let (campaign, algorithm, runs) = (&self.campaign, &*self.algorithm, self.arguments.runs);
        let links = |runs: Range<u64>| match self.arguments.network.links_over_time {
            true => LinksOverTime::of(campaign, algorithm, runs, || !interrupt::requested()),
            false => None,
        };
        if let Some(index) = self.arguments.network.run {
            return (vec![(index, campaign.run(algorithm, index))], links(index..index + 1));
        }
        let mut progress = Progress::new();
        let settlements = campaign.all(algorithm, runs, self.arguments.threads.count(), |done| {
            let left = progress.elapsed().as_secs_f64() * (runs - done.min(runs)) as f64 / done.max(1) as f64;
            progress.count(Share { done, of: runs, unit: "runs" }, || about(left))
        });
        drop(progress);
        (settlements, links(0..runs.min(LinksOverTime::MOST_RUNS)))
    }
}
