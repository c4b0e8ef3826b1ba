//! The reports of many runs in a hostile network.
//!
//! ```
//! use ringleader_algorithms::robust::s5::RobustS5;
//! use ringleader_erased::{Entry, Parameters};
//! use ringleader_report::Subject;
//! use ringleader_report::campaign::RelapseReport;
//!
//! let parameters = Parameters::new(4);
//! let subject = Subject { card: &RobustS5::CARD, parameters: &parameters };
//! let report = RelapseReport { subject, adversary: "theorem-4", seed: 1, runs: 5, lost: 5 };
//! assert_eq!(report.json()["leader_lost"], 5);
//! ```

mod plot;
mod summary;

pub use plot::settling;
pub use summary::CampaignSummary;

use crate::Subject;
use crate::json::OptionalFields as _;
use ringleader_simulate::TimedAlgorithm;
use ringleader_simulate::network::Campaign;
use ringleader_simulate::statistics::Summary;
use serde_json::{Value, json};
use std::io::{Result, Write};
use std::ops::Range;

/// The number of links that carried messages, over time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LinksOverTime {
    /// The length of a stretch, in δ.
    pub stretch: u64,
    /// For each stretch its end, in δ, and the mean number of links that carried messages in it.
    pub means: Vec<(u64, f64)>,
}

impl LinksOverTime {
    /// The most runs in a mean.
    pub const MOST_RUNS: u64 = 100;
    /// The length of a stretch in δ, and the number of stretches.
    const STRETCH: u64 = 10;
    const STRETCHES: u64 = 40;

    /// The means over some runs of a campaign; `None` once `keep_going` returns `false`.
    pub fn of(
        campaign: &Campaign,
        algorithm: &dyn TimedAlgorithm,
        runs: Range<u64>,
        keep_going: impl Fn() -> bool,
    ) -> Option<LinksOverTime> {
        let count = (runs.end - runs.start) as f64;
        let watch = |run| campaign.links_over_time(algorithm, run, Self::STRETCH, Self::STRETCHES);
        let watched: Vec<_> = runs.map(|run| keep_going().then(|| watch(run))).collect::<Option<_>>()?;
        let mean = |i: usize| watched.iter().map(|used| used[i] as f64).sum::<f64>() / count;
        let means = (0..Self::STRETCHES).map(|i| ((i + 1) * Self::STRETCH, mean(i as usize))).collect();
        Some(LinksOverTime { stretch: Self::STRETCH, means })
    }
}

/// A campaign and its result.
#[derive(Clone, Copy, Debug)]
pub struct CampaignReport<'r> {
    /// The simulated algorithm.
    pub subject: Subject<'r>,
    /// The network: a system or an adversary.
    pub network: &'r str,
    /// The number of processes that crash.
    pub crashes: usize,
    /// The seed of everything random.
    pub seed: u64,
    /// The longest time to settle, in δ.
    pub horizon: u64,
    /// The summary of the runs.
    pub summary: &'r CampaignSummary,
    /// The links in use over time, if counted.
    pub links: Option<&'r LinksOverTime>,
    /// The commands that repeat the runs that did not settle.
    pub replays: &'r [String],
}

impl CampaignReport<'_> {
    /// The whole report as one JSON object.
    #[must_use]
    pub fn json(&self) -> Value {
        let CampaignReport { subject, summary: s, .. } = self;
        let mut result = subject.describe(json!({
            "network": self.network, "crash": self.crashes, "seed": self.seed, "horizon_deltas": self.horizon,
            "runs": s.runs, "unsettled": s.unsettled.len(), "unsettled_runs": self.replays,
            "deliveries": s.deliveries, "digest": format!("{:016x}", s.digest),
        }));
        if let Some(Summary { mean, median, p90, p99, max, .. }) = s.times {
            result["settling_deltas"] = match s.cut_off {
                None => json!({"mean": mean, "median": median, "p90": p90, "p99": p99, "max": max}),
                Some(cut) => json!({"mean_at_least": cut.at_least, "longest_settled": max})
                    .with("median", cut.median)
                    .with("p90", cut.p90)
                    .with("p99", cut.p99),
            };
            result["leader_changes"] = json!({"mean": s.leader_changes, "max": s.most_changes});
            result["messages_per_delta"] = json!(s.messages_per_delta);
            result["final_links"] = json!({"min": s.fewest_links, "max": s.most_links});
            result["efficient"] = json!(s.efficient);
            result["final_link_sets"] = json!(s.link_sets);
        }
        result.with("links_over_time", self.links.map(|links| json!(links.means)))
    }

    /// The report as text.
    pub fn text(&self, out: &mut impl Write) -> Result<()> {
        let CampaignReport { subject, network, summary: s, .. } = self;
        let (name, n) = (subject.card.name, subject.parameters.size);
        let runs = format!("{} runs from seed {}", s.runs, self.seed);
        writeln!(out, "{name} with {n} processes in {network}, {} crashing: {runs}", self.crashes)?;
        writeln!(out, "unsettled        {} within {} δ", s.unsettled.len(), self.horizon)?;
        if let Some(Summary { mean, p99, max, .. }) = s.times {
            match s.cut_off {
                None => writeln!(out, "settling time    mean {mean:.1} δ, 99% {p99:.1} δ, max {max:.1} δ")?,
                Some(cut) => {
                    let known = |value: Option<f64>| value.map_or("unknown".into(), |value| format!("{value:.1} δ"));
                    let (median, p99) = (known(cut.median), known(cut.p99));
                    let others = format!("median {median}, 99% {p99}: {} runs hit the horizon", cut.cut);
                    writeln!(out, "settling time    mean above {:.1} δ, {others}", cut.at_least)?;
                }
            }
            writeln!(out, "leader changes   mean {:.1}, max {}", s.leader_changes, s.most_changes)?;
            writeln!(out, "messages per δ   {:.1} in the final stretch", s.messages_per_delta)?;
            writeln!(out, "links at the end {} to {} (n - 1 = {})", s.fewest_links, s.most_links, n - 1)?;
            if let [links] = &s.link_sets[..] {
                let links: Vec<_> = links.iter().map(|(p, q)| format!("{p}→{q}")).collect();
                writeln!(out, "                 {}", links.join(" "))?;
            }
        }
        if let Some(links) = self.links {
            let means: Vec<_> = links.means.iter().map(|(_, mean)| format!("{mean:.1}")).collect();
            writeln!(out, "links over time  in stretches of {} δ: {}", links.stretch, means.join(" "))?;
        }
        writeln!(out, "deliveries       {}; event digest {:016x}", s.deliveries, s.digest)?;
        self.replays.iter().try_for_each(|replay| writeln!(out, "replay: {replay}"))
    }
}

/// The effect of an adversary that waits for a settled leader.
#[derive(Clone, Copy, Debug)]
pub struct RelapseReport<'r> {
    /// The simulated algorithm.
    pub subject: Subject<'r>,
    /// The adversary.
    pub adversary: &'r str,
    /// The seed of everything random.
    pub seed: u64,
    /// The number of runs that settled and that the adversary then struck.
    pub runs: usize,
    /// The number of these runs in which the leader was lost.
    pub lost: usize,
}

impl RelapseReport<'_> {
    /// The whole report as one JSON object.
    #[must_use]
    pub fn json(&self) -> Value {
        json!({
            "version": 1, "algorithm": self.subject.card.name, "size": self.subject.parameters.size, "network": self.adversary,
            "seed": self.seed, "runs": self.runs, "leader_lost": self.lost,
        })
    }

    /// The report as text.
    pub fn text(&self, out: &mut impl Write) -> Result<()> {
        let RelapseReport { subject, adversary, seed, runs, lost } = self;
        let (name, n, runs) = (subject.card.name, subject.parameters.size, format!("{lost} of {runs} runs"));
        write!(out, "{name} with {n} processes, settled where all links are timely, then {adversary}: ")?;
        writeln!(out, "in {runs} from seed {seed} the leader was lost")
    }
}
