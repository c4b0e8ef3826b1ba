//! `ringleader simulate` for the robust algorithms: many runs in a hostile network.

use super::{Arguments, NO_LIMIT, ended};
use crate::catalog;
use crate::settings::sizes::refuse_twice;
use crate::settings::{fresh_seed, refuse};
use crate::terminal::exit::{Failure, usage};
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

/// The campaigns that the user asked for.
struct Request<'a> {
    arguments: &'a Arguments,
    card: &'static Card,
    seed: u64,
    /// Whether there are several sizes.
    several: bool,
}

/// Runs a campaign for each size and prints the results.
pub(super) fn run(arguments: &Arguments, card: &'static Card) -> Result<ExitCode, Failure> {
    refuse_what_means_nothing(arguments, card)?;
    arguments.check_plot()?;
    let sizes = arguments.size.as_ref().map_or(vec![card.default_size], |sizes| sizes.0.clone());
    refuse_twice("size", &mut sizes.clone())?;
    let sizes: Vec<_> = sizes.into_iter().map(|size| arguments.setup.at(size)).collect();
    let seed = arguments.seed.unwrap_or_else(fresh_seed);
    let several = sizes.len() > 1;
    let request = Request { arguments, card, seed, several };
    let campaigns = sizes.iter().map(|parameters| request.campaign(parameters)).collect::<Result<Vec<_>, _>>()?;
    interrupt::listen();
    let mut out = anstream::stdout();
    let (mut rows, mut objects) = (vec![], vec![]);
    for (parameters, campaign) in sizes.iter().zip(&campaigns).take_while(|_| !interrupt::requested()) {
        let told = match campaign.source {
            Source::Adversary(adversary) if adversary.waits() => request.relapses(parameters, adversary, &mut out)?,
            _ => {
                let (told, summary) = request.settles(parameters, campaign, &mut out)?;
                rows.push((parameters.size, summary));
                told
            }
        };
        objects.extend(told);
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

fn network_name(source: Source) -> String {
    match source {
        Source::System(system) => system.to_string(),
        Source::Adversary(adversary) => adversary.to_string(),
    }
}

impl Request<'_> {
    /// The seed of a size: each of several sizes has its own, so that their runs are independent. The seed is printed
    /// with the runs, and gives the same runs for that size alone.
    fn seed(&self, size: usize) -> u64 {
        if self.several { run_generator(self.seed, size, 0).word() } else { self.seed }
    }

    fn campaign(&self, parameters: &Parameters) -> Result<Campaign, Failure> {
        catalog().supports(self.card.name, parameters)?;
        let (network, size) = (&self.arguments.network, parameters.size);
        let source = match (network.adversary, network.system) {
            (Some(adversary), _) => Source::Adversary(adversary),
            (None, Some(system)) => Source::System(system),
            (None, None) => Source::System(own_system(self.card)?),
        };
        let campaign = Campaign {
            crashes: network.crash,
            restarts: network.restart,
            partition: network.partition,
            eventually: network.eventually,
            start: network.contents,
            horizon: network.horizon,
            ..Campaign::new(source, self.seed(size))
        };
        campaign.check(size).map_err(|wrong| usage!("--{wrong}"))?;
        Ok(campaign)
    }

    /// Runs a campaign and prints its result, or returns it as an object.
    fn settles(
        &self,
        parameters: &Parameters,
        campaign: &Campaign,
        out: &mut impl Write,
    ) -> Result<(Option<Value>, CampaignSummary), Failure> {
        let instance = self.instance(parameters)?;
        let (delta, horizon) = (instance.timing().delta, campaign.horizon_in_deltas(&*instance));
        let (settlements, links) = self.all(&*instance, campaign);
        let summary = CampaignSummary::of(&settlements, delta, parameters.size, horizon);
        let replays: Vec<_> = summary.unsettled.iter().map(|&index| self.replay(parameters, index)).collect();
        let report = CampaignReport {
            subject: Subject { card: self.card, parameters },
            network: &network_name(campaign.source),
            crashes: campaign.crashes,
            seed: campaign.seed,
            horizon,
            summary: &summary,
            links: links.as_ref(),
            replays: &replays,
        };
        let object = self.arguments.json.then(|| report.json());
        if object.is_none() {
            report.text(out)?;
        }
        Ok((object, summary))
    }

    /// Runs an adversary that waits for a leader, and prints its effect, or returns it as an object.
    fn relapses(
        &self,
        parameters: &Parameters,
        adversary: Adversary,
        out: &mut impl Write,
    ) -> Result<Option<Value>, Failure> {
        let runs = self.arguments.network.run.map_or(0..self.arguments.runs, |index| index..index + 1);
        let instance = self.instance(parameters)?;
        let (algorithm, calm) = (&*instance, Scenario::benign(parameters.size));
        let seed = self.seed(parameters.size);
        let strike = |run| algorithm.relapse(adversary, &calm, &Generator::stream(seed, run));
        let struck: Vec<bool> = runs.filter_map(strike).map(|relapse| relapse.lost.is_some()).collect();
        let report = RelapseReport {
            subject: Subject { card: self.card, parameters },
            adversary: &adversary.to_string(),
            seed,
            runs: struck.len(),
            lost: struck.iter().filter(|lost| **lost).count(),
        };
        if self.arguments.json {
            return Ok(Some(report.json()));
        }
        report.text(out)?;
        Ok(None)
    }

    /// The command that repeats run `index` alone.
    fn replay(&self, parameters: &Parameters, index: u64) -> String {
        let network = &self.arguments.network;
        let NetworkArguments { system, adversary, crash, restart, horizon, contents, .. } = network;
        let mut command = format!(
            "{} simulate {} --size {} --seed {}",
            program(),
            self.card.name,
            parameters.size,
            self.seed(parameters.size)
        );
        for (name, value) in parameters.given() {
            command.push_str(&format!(" --{name} {}", shell_word(value)));
        }
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
}

/// The weakest system in which the algorithm is claimed to work.
fn own_system(card: &Card) -> Result<SystemClass, Failure> {
    let own = card.system.ok_or_else(|| usage!("--system: {} has no system of its own", card.name))?;
    own.parse().map_err(Failure::usage)
}

impl Request<'_> {
    /// All runs of one size, and the links in use over time, if they are counted.
    fn all(
        &self,
        algorithm: &dyn TimedAlgorithm,
        campaign: &Campaign,
    ) -> (Vec<(u64, Settlement)>, Option<LinksOverTime>) {
        let runs = self.arguments.runs;
        if let Some(index) = self.arguments.network.run {
            let links = self.links(algorithm, campaign, index..index + 1);
            return (vec![(index, campaign.run(algorithm, index))], links);
        }
        let mut progress = Progress::new();
        let settlements = campaign.all(algorithm, runs, self.arguments.threads.count(), |done| {
            let left = progress.elapsed().as_secs_f64() * (runs - done.min(runs)) as f64 / done.max(1) as f64;
            progress.count(Share { done, of: runs, unit: "runs" }, || about(left))
        });
        drop(progress);
        let links = self.links(algorithm, campaign, 0..runs.min(LinksOverTime::MOST_RUNS));
        (settlements, links)
    }

    fn links(&self, algorithm: &dyn TimedAlgorithm, campaign: &Campaign, runs: Range<u64>) -> Option<LinksOverTime> {
        if !self.arguments.network.links_over_time {
            return None;
        }
        LinksOverTime::of(campaign, algorithm, runs, || !interrupt::requested())
    }

    fn instance(&self, parameters: &Parameters) -> Result<Arc<dyn TimedAlgorithm>, Failure> {
        match catalog().instance(self.card.name, parameters)? {
            Instance::Robust(algorithm) => Ok(algorithm),
            _ => Err(usage!("{} has neither links nor crashes", self.card.name)),
        }
    }
}
