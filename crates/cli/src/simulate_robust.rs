//! `ringleader simulate` for the robust algorithms: many runs in a hostile network.

use crate::failure::{FAILS, Failure, INTERRUPTED};
use crate::interrupt;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use ringleader_algorithms::{Kind, Parameters, catalog};
use ringleader_model::corrupt::Extreme;
use ringleader_model::{Population, Ring, Stabilizing, Terminating, Timed};
use ringleader_simulate::network::{Adversary, Campaign, Outcome, Source, Start, System};
use serde_json::json;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;

/// What the hostile network is like.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Robust algorithms")]
pub(crate) struct RobustArguments {
    /// The system whose random instances are run: s0 to s5 [default: the algorithm's own]
    #[arg(long, value_name = "SYSTEM", conflicts_with = "adversary")]
    system: Option<System>,
    /// An adversary's network instead: theorem-8, mute or slow-source
    #[arg(long, value_name = "NAME")]
    adversary: Option<Adversary>,
    /// How many processes crash, half of them at the start and half within 20 δ
    #[arg(long, value_name = "C", default_value_t = 0)]
    crash: usize,
    /// How many of the crashed come back 20 to 40 δ later, in arbitrary states
    #[arg(long, value_name = "C", default_value_t = 0)]
    restart: usize,
    /// Split the network in two from 40 δ to 60 δ
    #[arg(long)]
    partition: bool,
    /// Timely links are so only after 20 δ
    #[arg(long)]
    eventually: bool,
    /// What variables and links hold: arbitrary, clean, low, high (ends of their types) or extremes (either end, at random)
    #[arg(long, value_name = "START", value_parser = parse_start)]
    contents: Option<Start>,
    /// How long a run may take to settle after the last fault, in δ
    #[arg(long, value_name = "DELTAS", default_value_t = 20_000)]
    horizon: u64,
    /// Only the run with this number
    #[arg(long, value_name = "I")]
    run: Option<u64>,
}

fn parse_start(text: &str) -> Result<Start, String> {
    match text {
        "arbitrary" => Ok(Start::Arbitrary),
        "clean" => Ok(Start::Clean),
        "low" => Ok(Start::Extreme(Extreme::Low)),
        "high" => Ok(Start::Extreme(Extreme::High)),
        "extremes" => Ok(Start::Extremes),
        _ => Err("it is none of arbitrary, clean, low, high, extremes".into()),
    }
}

/// A campaign as the user asked for it.
pub(crate) struct Request<'a> {
    pub(crate) algorithm: &'static str,
    pub(crate) parameters: &'a Parameters,
    pub(crate) runs: u64,
    pub(crate) seed: u64,
    pub(crate) json: bool,
    pub(crate) robust: &'a RobustArguments,
}

/// Runs it and prints what came of it.
pub(crate) fn run(request: Request<'_>) -> Result<ExitCode, Failure> {
    let card = catalog::card(request.algorithm)?;
    if card.kind != Kind::Robust {
        return Err(Failure::usage(format!(
            "{} is no robust algorithm: it knows neither links nor crashes",
            card.name
        )));
    }
    catalog::supports(card.name, request.parameters)?;
    let campaign = request.campaign()?;
    interrupt::listen();
    let (outcomes, delta) =
        catalog::visit(card.name, request.parameters, Campaigner { request: &request, campaign: &campaign })?;
    let summary = Summary::of(&outcomes, delta);
    let stopped = interrupt::requested();
    request.print(&campaign, &summary)?;
    Ok(match () {
        () if stopped => ExitCode::from(INTERRUPTED),
        () if summary.unsettled.is_empty() => ExitCode::SUCCESS,
        () => ExitCode::from(FAILS),
    })
}

impl Request<'_> {
    fn campaign(&self) -> Result<Campaign, Failure> {
        let (robust, size) = (self.robust, self.parameters.size);
        if robust.crash >= size {
            return Err(Failure::usage(format!(
                "--crash {}: at least one of {size} processes must live",
                robust.crash
            )));
        }
        if robust.restart > robust.crash {
            return Err(Failure::usage(format!("--restart {}: only {} crash", robust.restart, robust.crash)));
        }
        let source = match (robust.adversary, robust.system) {
            (Some(Adversary::Theorem4 | Adversary::Theorem6), _) => {
                return Err(Failure::usage(
                    "this adversary waits for a leader: `ringleader reproduce robust-table` shows what it does",
                ));
            }
            (Some(_), _) if size < 3 || robust.crash > 0 => {
                return Err(Failure::usage("an adversary needs at least 3 processes, and crashes nobody"));
            }
            (Some(adversary), _) => Source::Adversary(adversary),
            (None, Some(system)) => Source::System(system),
            (None, None) => Source::System(own_system(self.algorithm)),
        };
        Ok(Campaign {
            crashes: robust.crash,
            restarts: robust.restart,
            partition: robust.partition,
            eventually: robust.eventually,
            start: robust.contents,
            horizon: robust.horizon,
            ..Campaign::new(source, self.seed)
        })
    }

    /// The command that repeats run `index` alone.
    fn replay(&self, index: u64) -> String {
        let robust = self.robust;
        let mut command =
            format!("ringleader simulate {} --size {} --seed {}", self.algorithm, self.parameters.size, self.seed);
        let mut add = |word: String| {
            command.push(' ');
            command.push_str(&word);
        };
        self.parameters.given().iter().for_each(|(name, value)| add(format!("--{name} {value}")));
        robust.system.iter().for_each(|system| add(format!("--system {system}")));
        robust.adversary.iter().for_each(|adversary| add(format!("--adversary {adversary}")));
        for (name, value, default) in [
            ("crash", robust.crash as u64, 0),
            ("restart", robust.restart as u64, 0),
            ("horizon", robust.horizon, 20_000),
        ] {
            if value != default {
                add(format!("--{name} {value}"));
            }
        }
        for (name, given) in [("partition", robust.partition), ("eventually", robust.eventually)] {
            if given {
                add(format!("--{name}"));
            }
        }
        robust.contents.iter().for_each(|start| add(format!("--contents {}", start_name(*start))));
        add(format!("--run {index}"));
        command
    }

    fn print(&self, campaign: &Campaign, s: &Summary) -> Result<(), Failure> {
        let mut out = anstream::stdout().lock();
        let replays: Vec<String> = s.unsettled.iter().map(|&index| self.replay(index)).collect();
        let network = match campaign.source {
            Source::System(system) => system.to_string(),
            Source::Adversary(adversary) => adversary.to_string(),
        };
        if self.json {
            let parameters: serde_json::Map<_, _> =
                self.parameters.given().iter().map(|(n, v)| (n.clone(), v.clone().into())).collect();
            let mut result = json!({
                "version": 1, "algorithm": self.algorithm, "size": self.parameters.size, "parameters": parameters,
                "network": network, "crash": campaign.crashes, "seed": self.seed, "horizon_deltas": campaign.horizon,
                "runs": s.runs, "unsettled": s.unsettled.len(), "unsettled_runs": replays,
                "deliveries": s.deliveries, "digest": format!("{:016x}", s.digest),
            });
            if s.settled > 0 {
                result["settling_deltas"] = json!({"mean": s.mean, "p99": s.p99, "max": s.max});
                result["leader_changes"] = json!({"mean": s.leader_changes, "max": s.most_changes});
                result["messages_per_delta"] = json!(s.messages_per_delta);
                result["final_links"] = json!({"min": s.fewest_links, "max": s.most_links});
                result["final_link_sets"] = json!(s.link_sets);
            }
            writeln!(out, "{result}")?;
            return Ok(());
        }
        let n = self.parameters.size;
        writeln!(
            out,
            "{} with {n} processes in {network}, {} crashing: {} runs from seed {}",
            self.algorithm, campaign.crashes, s.runs, self.seed
        )?;
        writeln!(out, "unsettled        {} within {} δ", s.unsettled.len(), campaign.horizon)?;
        if s.settled > 0 {
            writeln!(out, "settling time    mean {:.1} δ, 99% {:.1} δ, max {:.1} δ", s.mean, s.p99, s.max)?;
            writeln!(out, "leader changes   mean {:.1}, max {}", s.leader_changes, s.most_changes)?;
            writeln!(out, "messages per δ   {:.1} in the final stretch", s.messages_per_delta)?;
            writeln!(out, "links at the end {} to {} (n - 1 = {})", s.fewest_links, s.most_links, n - 1)?;
            if let [links] = &s.link_sets[..] {
                let links: Vec<_> = links.iter().map(|(p, q)| format!("{p}→{q}")).collect();
                writeln!(out, "                 {}", links.join(" "))?;
            }
        }
        writeln!(out, "deliveries       {}; event digest {:016x}", s.deliveries, s.digest)?;
        replays.iter().try_for_each(|replay| writeln!(out, "replay: {replay}"))?;
        Ok(())
    }
}

fn start_name(start: Start) -> &'static str {
    match start {
        Start::Arbitrary => "arbitrary",
        Start::Clean => "clean",
        Start::Extreme(Extreme::Low) => "low",
        Start::Extreme(Extreme::High) => "high",
        Start::Extremes => "extremes",
    }
}

/// The weakest system in which the algorithm is claimed right: the one it is named after.
fn own_system(algorithm: &str) -> System {
    let digits: String = algorithm.chars().filter(char::is_ascii_digit).collect();
    format!("s{digits}").parse().unwrap_or(System::S5)
}

struct Campaigner<'a> {
    request: &'a Request<'a>,
    campaign: &'a Campaign,
}

impl catalog::Visitor for Campaigner<'_> {
    type Output = (Vec<(u64, Outcome)>, u64);

    fn population<A: Population + Stabilizing + 'static>(self, _: A) -> Self::Output {
        (vec![], 1)
    }

    fn ring<A: Ring + Stabilizing + 'static>(self, _: A) -> Self::Output {
        (vec![], 1)
    }

    fn message<A: Terminating + 'static>(self, _: A) -> Self::Output {
        (vec![], 1)
    }

    fn robust<A: Timed + 'static>(self, algorithm: A) -> Self::Output {
        let delta = algorithm.timing().delta;
        if let Some(index) = self.request.robust.run {
            return (vec![(index, self.campaign.run(&algorithm, index))], delta);
        }
        let bar = progress(self.request.runs);
        let done = |finished| {
            bar.set_position(finished);
            !interrupt::requested()
        };
        let outcomes = self.campaign.all(&algorithm, self.request.runs, &done);
        bar.finish_and_clear();
        (outcomes, delta)
    }
}

/// A bar on standard error that appears only on a terminal.
fn progress(runs: u64) -> ProgressBar {
    let target =
        if std::io::stderr().is_terminal() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let style =
        ProgressStyle::with_template("{pos}/{len} runs {wide_bar} {eta}").unwrap_or(ProgressStyle::default_bar());
    ProgressBar::with_draw_target(Some(runs), target).with_style(style)
}

#[derive(Default)]
struct Summary {
    runs: usize,
    settled: usize,
    unsettled: Vec<u64>,
    mean: f64,
    p99: f64,
    max: f64,
    leader_changes: f64,
    most_changes: u64,
    messages_per_delta: f64,
    fewest_links: usize,
    most_links: usize,
    /// The sets of links used at the end, if there are few enough to print.
    link_sets: Vec<Vec<(usize, usize)>>,
    deliveries: u64,
    digest: u64,
}

impl Summary {
    fn of(outcomes: &[(u64, Outcome)], delta: u64) -> Summary {
        let in_deltas = |time: u64| time as f64 / delta as f64;
        let settled: Vec<_> = outcomes.iter().filter_map(|(_, o)| o.settled.as_ref()).collect();
        let mut times: Vec<f64> = settled.iter().map(|s| in_deltas(s.after)).collect();
        times.sort_by(f64::total_cmp);
        let count = settled.len().max(1) as f64;
        let changes = || outcomes.iter().filter(|(_, o)| o.settled.is_some()).map(|(_, o)| o.leader_changes);
        let mut link_sets: Vec<_> = settled.iter().map(|s| s.links.clone()).collect();
        link_sets.sort();
        link_sets.dedup();
        link_sets.truncate(100);
        Summary {
            runs: outcomes.len(),
            settled: settled.len(),
            unsettled: outcomes.iter().filter(|(_, o)| o.settled.is_none()).map(|(index, _)| *index).collect(),
            mean: times.iter().sum::<f64>() / count,
            p99: times.get((times.len() * 99).div_ceil(100).saturating_sub(1)).copied().unwrap_or(0.0),
            max: times.last().copied().unwrap_or(0.0),
            leader_changes: changes().sum::<u64>() as f64 / count,
            most_changes: changes().max().unwrap_or(0),
            messages_per_delta: settled.iter().map(|s| s.messages as f64 / in_deltas(s.stretch)).sum::<f64>() / count,
            fewest_links: settled.iter().map(|s| s.links.len()).min().unwrap_or(0),
            most_links: settled.iter().map(|s| s.links.len()).max().unwrap_or(0),
            link_sets,
            deliveries: outcomes.iter().map(|(_, o)| o.deliveries).sum(),
            digest: outcomes.iter().fold(0, |digest: u64, (_, o)| digest.rotate_left(7) ^ o.digest),
        }
    }
}
