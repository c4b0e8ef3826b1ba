//! `ringleader simulate` for the robust algorithms: many runs in a hostile network.

use crate::canvas::Format;
use crate::failure::{FAILS, Failure, INTERRUPTED};
use crate::{catalog, interrupt};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use ringleader_catalogue::Instance;
use ringleader_instance::{Card, Parameters};
use ringleader_model::corrupt::Extreme;
use ringleader_simulate::network::{Adversary, Campaign, Contents, Scenario, Settlement, Source, System};
use ringleader_simulate::{Generator, TimedAlgorithm};
use serde_json::json;
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use summary::Summary;

mod plot;
mod summary;

/// What the hostile network is like.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Robust algorithms")]
pub(crate) struct RobustArguments {
    /// The system whose random instances are run: s0 to s5 [default: the algorithm's own]
    #[arg(long, value_name = "SYSTEM", conflicts_with = "adversary")]
    system: Option<System>,
    /// An adversary instead: theorem-4, theorem-6, theorem-8, mute, slow-source, corrupted-counter=VALUE or isolated
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
    contents: Option<Contents>,
    /// How long a run may take to settle after the last fault, in δ [default: the bound derived in docs/robust.md]
    #[arg(long, value_name = "DELTAS")]
    horizon: Option<u64>,
    /// Only the run with this number
    #[arg(long, value_name = "I")]
    run: Option<u64>,
    /// Count the directed links that carry messages, in stretches of 10 δ, too: the mean of the first runs
    #[arg(long)]
    links_over_time: bool,
}

/// How long a stretch of `--links-over-time` is in δ, how many there are, and of how many runs at most the mean is taken.
const STRETCH: u64 = 10;
const STRETCHES: u64 = 40;
const WATCHED: u64 = 100;

impl RobustArguments {
    /// Refuses these flags for an algorithm that knows neither links nor crashes.
    pub(crate) fn refuse_for(&self, card: &Card) -> Result<(), Failure> {
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
        match given.iter().find(|(_, given)| *given) {
            Some((flag, _)) => {
                let reason = "only robust algorithms know of links and crashes";
                Err(Failure::usage(format!("{flag} is not for {}: {reason}", card.name)))
            }
            None => Ok(()),
        }
    }
}

fn parse_start(text: &str) -> Result<Contents, String> {
    match text {
        "arbitrary" => Ok(Contents::Arbitrary),
        "clean" => Ok(Contents::Clean),
        "low" => Ok(Contents::Extreme(Extreme::Low)),
        "high" => Ok(Contents::Extreme(Extreme::High)),
        "extremes" => Ok(Contents::Extremes),
        _ => Err("it is none of arbitrary, clean, low, high, extremes".into()),
    }
}

/// Campaigns as the user asked for them, one for each size.
pub(crate) struct Request<'a> {
    pub(crate) card: &'static Card,
    pub(crate) sizes: &'a [Parameters],
    pub(crate) runs: u64,
    pub(crate) seed: u64,
    pub(crate) json: bool,
    pub(crate) plot: Option<&'a Path>,
    pub(crate) robust: &'a RobustArguments,
}

/// Runs them and prints what came of it.
pub(crate) fn run(request: Request<'_>) -> Result<ExitCode, Failure> {
    if let Some(path) = request.plot {
        Format::of(path)?;
        crate::output::writable(path)?;
    }
    let campaigns =
        request.sizes.iter().map(|parameters| request.campaign(parameters)).collect::<Result<Vec<_>, _>>()?;
    interrupt::listen();
    let (mut rows, mut objects, mut unsettled) = (vec![], vec![], 0);
    for (parameters, campaign) in request.sizes.iter().zip(&campaigns) {
        if interrupt::requested() {
            break;
        }
        if let Source::Adversary(adversary) = campaign.source
            && adversary.waits()
        {
            objects.extend(request.strike(parameters, adversary)?);
            continue;
        }
        let run = request.all(&*request.instance(parameters)?, campaign);
        let summary = Summary::of(&run.outcomes, run.delta);
        unsettled += summary.unsettled.len();
        objects.extend(request.print(parameters, campaign, &run, &summary)?);
        rows.push((parameters.size, summary));
    }
    if request.json {
        let all = if let [one] = &objects[..] { one.clone() } else { json!({"version": 1, "sizes": objects}) };
        writeln!(anstream::stdout().lock(), "{all}")?;
    }
    if let Some(path) = request.plot {
        plot::settling(request.card.name, &rows).write(path)?;
    }
    Ok(match () {
        () if interrupt::requested() => ExitCode::from(INTERRUPTED),
        () if unsettled == 0 => ExitCode::SUCCESS,
        () => ExitCode::from(FAILS),
    })
}

impl Request<'_> {
    fn campaign(&self, parameters: &Parameters) -> Result<Campaign, Failure> {
        catalog().supports(self.card.name, parameters)?;
        let (robust, size) = (self.robust, parameters.size);
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
            (Some(_), _) if size < 3 || robust.crash > 0 => {
                return Err(Failure::usage("an adversary needs at least 3 processes, and crashes nobody"));
            }
            (Some(adversary), _) => Source::Adversary(adversary),
            (None, Some(system)) => Source::System(system),
            (None, None) => Source::System(own_system(self.card)?),
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

    /// Lets an adversary strike that waits for a leader.
    fn strike(&self, parameters: &Parameters, adversary: Adversary) -> Result<Option<serde_json::Value>, Failure> {
        let runs = self.robust.run.map_or(0..self.runs, |index| index..index + 1);
        let instance = self.instance(parameters)?;
        let (algorithm, calm) = (&*instance, Scenario::benign(parameters.size));
        let strike = |run| algorithm.relapse(adversary, &calm, &Generator::stream(self.seed, run));
        let struck: Vec<bool> = runs.filter_map(strike).map(|relapse| relapse.lost.is_some()).collect();
        let (n, lost) = (parameters.size, struck.iter().filter(|lost| **lost).count());
        if self.json {
            return Ok(Some(json!({
                "version": 1, "algorithm": self.card.name, "size": n, "network": adversary.to_string(),
                "seed": self.seed, "runs": struck.len(), "leader_lost": lost,
            })));
        }
        writeln!(
            anstream::stdout().lock(),
            "{} with {n} processes, settled where all links are timely, then {adversary}: in {lost} of {} runs from seed {} \
             the leader was lost",
            self.card.name,
            struck.len(),
            self.seed
        )?;
        Ok(None)
    }

    /// The command that repeats run `index` alone.
    fn replay(&self, parameters: &Parameters, index: u64) -> String {
        let robust = self.robust;
        let mut command =
            format!("ringleader simulate {} --size {} --seed {}", self.card.name, parameters.size, self.seed);
        let mut add = |word: String| {
            command.push(' ');
            command.push_str(&word);
        };
        parameters.given().iter().for_each(|(name, value)| add(format!("--{name} {value}")));
        robust.system.iter().for_each(|system| add(format!("--system {system}")));
        robust.adversary.iter().for_each(|adversary| add(format!("--adversary {adversary}")));
        for (name, value) in [("crash", robust.crash), ("restart", robust.restart)] {
            if value != 0 {
                add(format!("--{name} {value}"));
            }
        }
        robust.horizon.iter().for_each(|horizon| add(format!("--horizon {horizon}")));
        for (name, given) in [("partition", robust.partition), ("eventually", robust.eventually)] {
            if given {
                add(format!("--{name}"));
            }
        }
        robust.contents.iter().for_each(|start| add(format!("--contents {}", start_name(*start))));
        add(format!("--run {index}"));
        command
    }

    /// Prints what came of a campaign, or returns it as an object.
    fn print(
        &self,
        parameters: &Parameters,
        campaign: &Campaign,
        run: &Runs,
        s: &Summary,
    ) -> Result<Option<serde_json::Value>, Failure> {
        let mut out = anstream::stdout().lock();
        let replays: Vec<String> = s.unsettled.iter().map(|&index| self.replay(parameters, index)).collect();
        let network = match campaign.source {
            Source::System(system) => system.to_string(),
            Source::Adversary(adversary) => adversary.to_string(),
        };
        if self.json {
            let given: serde_json::Map<_, _> =
                parameters.given().into_iter().map(|(name, value)| (name, value.into())).collect();
            let mut result = json!({
                "version": 1, "algorithm": self.card.name, "size": parameters.size, "parameters": given,
                "network": network, "crash": campaign.crashes, "seed": self.seed, "horizon_deltas": run.horizon,
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
            if !run.links.is_empty() {
                result["links_over_time"] = json!(run.links);
            }
            return Ok(Some(result));
        }
        let n = parameters.size;
        writeln!(
            out,
            "{} with {n} processes in {network}, {} crashing: {} runs from seed {}",
            self.card.name, campaign.crashes, s.runs, self.seed
        )?;
        writeln!(out, "unsettled        {} within {} δ", s.unsettled.len(), run.horizon)?;
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
        if !run.links.is_empty() {
            let means: Vec<_> = run.links.iter().map(|(_, mean)| format!("{mean:.1}")).collect();
            writeln!(out, "links over time  in stretches of {STRETCH} δ: {}", means.join(" "))?;
        }
        writeln!(out, "deliveries       {}; event digest {:016x}", s.deliveries, s.digest)?;
        replays.iter().try_for_each(|replay| writeln!(out, "replay: {replay}"))?;
        Ok(None)
    }
}

fn start_name(start: Contents) -> &'static str {
    match start {
        Contents::Arbitrary => "arbitrary",
        Contents::Clean => "clean",
        Contents::Extreme(Extreme::Low) => "low",
        Contents::Extreme(Extreme::High) => "high",
        Contents::Extremes => "extremes",
    }
}

/// The weakest system in which the algorithm is claimed right.
fn own_system(card: &Card) -> Result<System, Failure> {
    let own = card.system.ok_or_else(|| Failure::usage(format!("--system: {} has none of its own", card.name)))?;
    own.parse().map_err(Failure::usage)
}

/// All runs of one size.
#[derive(Default)]
struct Runs {
    outcomes: Vec<(u64, Settlement)>,
    delta: u64,
    horizon: u64,
    /// When a stretch ended, in δ, and how many links carried messages in it, on average.
    links: Vec<(u64, f64)>,
}

impl Request<'_> {
    /// All runs of one size.
    fn all(&self, algorithm: &dyn TimedAlgorithm, campaign: &Campaign) -> Runs {
        let (delta, horizon) = (algorithm.timing().delta, campaign.horizon_in_deltas(algorithm));
        if let Some(index) = self.robust.run {
            let links = self.links(algorithm, campaign, index..index + 1);
            return Runs { outcomes: vec![(index, campaign.run(algorithm, index))], delta, horizon, links };
        }
        let bar = progress(self.runs);
        let done = |finished| {
            bar.set_position(finished);
            !interrupt::requested()
        };
        let outcomes = campaign.all(algorithm, self.runs, &done);
        bar.finish_and_clear();
        let links = self.links(algorithm, campaign, 0..self.runs.min(WATCHED));
        Runs { outcomes, delta, horizon, links }
    }

    fn links(
        &self,
        algorithm: &dyn TimedAlgorithm,
        campaign: &Campaign,
        runs: std::ops::Range<u64>,
    ) -> Vec<(u64, f64)> {
        if !self.robust.links_over_time {
            return vec![];
        }
        let count = (runs.end - runs.start) as f64;
        let watched: Vec<_> = runs.map(|run| campaign.links_over_time(algorithm, run, STRETCH, STRETCHES)).collect();
        let mean = |i: usize| watched.iter().map(|used| used[i] as f64).sum::<f64>() / count;
        (0..STRETCHES).map(|i| ((i + 1) * STRETCH, mean(i as usize))).collect()
    }

    fn instance(&self, parameters: &Parameters) -> Result<Arc<dyn TimedAlgorithm>, Failure> {
        match catalog().instance(self.card.name, parameters)? {
            Instance::Robust(algorithm) => Ok(algorithm),
            _ => Err(Failure::usage(format!("{} knows neither links nor crashes", self.card.name))),
        }
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
