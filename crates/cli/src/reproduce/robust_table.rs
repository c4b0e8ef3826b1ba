//! Table 1 of *Robust stabilizing leader election*, cell by cell.
//!
//! A yes cell is a campaign of random instances from arbitrary states. A no cell is the run of an adversary against an
//! algorithm that is right in a stronger system: a demonstration, not a proof. Between self- and pseudo-stabilization no
//! number of runs can tell; what tells them apart is whether a settled leader can still be lost.

use crate::failure::Failure;
use crate::{catalog, interrupt};
use ringleader_catalogue::Instance;
use ringleader_instance::Parameters;
use ringleader_simulate::network::{Adversary, Campaign, Scenario, Source, System};
use ringleader_simulate::{Generator, TimedAlgorithm};

/// How many runs of each yes cell and size, and the seed of everything random.
#[derive(Clone, Copy)]
pub(super) struct Effort {
    pub(super) runs: u64,
    pub(super) seed: u64,
}

const ROWS: [&str; 4] = [
    "communication-efficient self-stabilization",
    "self-stabilization",
    "communication-efficient pseudo-stabilization",
    "pseudo-stabilization",
];
const SIZES: std::ops::RangeInclusive<usize> = 2..=9;
/// Flooding as in the prose costs the fourth power of the size: beyond this one, only the aggregated form is run.
const LARGEST_FLOOD: usize = 5;
const ALL: [&str; 5] = ["robust-s1", "robust-s2", "robust-s3", "robust-s4", "robust-s5"];

/// What is run for a cell.
#[derive(Clone, Copy)]
enum Experiment {
    /// This algorithm settles in the system; if `efficient`, on n - 1 links.
    Settles { algorithm: &'static str, efficient: bool },
    /// This algorithm, settled where all is timely, loses its leader to an adversary that the system allows.
    Relapses { algorithm: &'static str, adversary: Adversary },
    /// This algorithm does not settle in an adversary's network.
    NeverSettles { algorithm: &'static str, adversary: Adversary },
    /// No algorithm settles where nobody hears anybody; each would have to elect itself, as if all others had crashed.
    Isolated,
    /// Nobody knows.
    Open,
}

use Experiment::{Isolated, NeverSettles, Open, Relapses, Settles};

fn experiment(row: usize, system: System) -> Experiment {
    let settles = |algorithm, efficient| Settles { algorithm, efficient };
    match (row, system) {
        (_, System::S0) => Isolated,
        (0 | 2, System::S5) => settles("robust-s5", true),
        (_, System::S5) => settles("robust-s5", false),
        (0, System::S4 | System::S3) => Relapses { algorithm: "robust-s4", adversary: Adversary::Theorem4 },
        (0, _) => Relapses { algorithm: "robust-s2", adversary: Adversary::Theorem4 },
        (1, System::S4 | System::S3) => settles("robust-s3", false),
        (1, System::S2) => Relapses { algorithm: "robust-s2", adversary: Adversary::Theorem6 },
        (1, _) => Relapses { algorithm: "robust-s1", adversary: Adversary::Theorem6 },
        (2, System::S4) => settles("robust-s4", true),
        (_, System::S4) => settles("robust-s4", false),
        (2, System::S3) => Open,
        (_, System::S3) => settles("robust-s3", false),
        (2, System::S2) => settles("robust-s2", true),
        (_, System::S2) => settles("robust-s2", false),
        (2, System::S1) => NeverSettles { algorithm: "robust-s2", adversary: Adversary::Theorem8 },
        (_, System::S1) => settles("robust-s1", false),
    }
}

/// What was run and seen for a cell.
pub(super) struct Cell {
    row: usize,
    system: System,
    pub(super) claim: &'static str,
    pub(super) as_claimed: bool,
    pub(super) seen: String,
}

impl Cell {
    /// Which cell it is.
    pub(super) fn place(&self) -> String {
        format!("{}, {}", ROWS[self.row], self.system.to_string().to_uppercase())
    }
}

/// All cells, row by row, from the strongest system to the weakest.
pub(super) fn cells(effort: Effort) -> Result<Vec<Cell>, Failure> {
    let places = (0..ROWS.len()).flat_map(|row| System::ALL.into_iter().rev().map(move |system| (row, system)));
    places.map(|(row, system)| cell(row, system, effort)).collect()
}

fn cell(row: usize, system: System, effort: Effort) -> Result<Cell, Failure> {
    let experiment = experiment(row, system);
    let (algorithms, claim): (&[&str], _) = match experiment {
        Open => {
            let seen = "open in the paper, and nothing was run".to_string();
            return Ok(Cell { row, system, claim: "?", as_claimed: true, seen });
        }
        Isolated => (&ALL, "no"),
        Settles { algorithm, .. } => (&[algorithm], "yes"),
        Relapses { algorithm, .. } | NeverSettles { algorithm, .. } => (&[algorithm], "no"),
    };
    let sizes = match experiment {
        Settles { .. } => SIZES,
        Isolated => 2..=5,
        _ => 4..=4,
    };
    let mut seen = Seen::default();
    for (&algorithm, size) in algorithms.iter().flat_map(|algorithm| sizes.clone().map(move |size| (algorithm, size))) {
        let plain = (algorithm != "robust-s3" || size <= LARGEST_FLOOD).then(|| Parameters::new(size));
        let aggregated = (algorithm == "robust-s3").then(|| Parameters::new(size).with("form", "aggregated"));
        for parameters in plain.iter().chain(&aggregated) {
            let trial = Trial { algorithm, parameters, experiment, system, effort };
            if let Instance::Robust(instance) = catalog().instance(algorithm, parameters)? {
                seen.add(trial.run(&*instance));
            }
        }
    }
    Ok(Cell { row, system, claim, as_claimed: seen.as_claimed(experiment), seen: seen.describe(experiment) })
}

#[derive(Default)]
struct Seen {
    runs: usize,
    settled: usize,
    relapsed: usize,
    /// Settled runs that used other than n - 1 links at the end.
    inefficient: usize,
    slowest: u64,
    /// The longest of the derived horizons.
    horizon: u64,
    /// Commands that repeat what did not settle and should have.
    replays: Vec<String>,
}

impl Seen {
    fn add(&mut self, other: Seen) {
        self.runs += other.runs;
        self.settled += other.settled;
        self.relapsed += other.relapsed;
        self.inefficient += other.inefficient;
        self.slowest = self.slowest.max(other.slowest);
        self.horizon = self.horizon.max(other.horizon);
        self.replays.extend(other.replays);
    }

    fn as_claimed(&self, experiment: Experiment) -> bool {
        match experiment {
            Settles { efficient, .. } => self.settled == self.runs && !(efficient && self.inefficient > 0),
            Relapses { .. } => self.relapsed == self.runs,
            NeverSettles { .. } | Isolated => self.settled == 0,
            Open => true,
        }
    }

    fn describe(&self, experiment: Experiment) -> String {
        let Seen { runs, settled, relapsed, inefficient, slowest, horizon, ref replays } = *self;
        match experiment {
            Settles { algorithm, efficient } => {
                let links =
                    if efficient { format!(", {} on n - 1 links", settled - inefficient) } else { String::new() };
                let failed: String = replays.iter().map(|replay| format!("\n    replay: {replay}")).collect();
                format!(
                    "{algorithm}: {settled} of {runs} random runs settled{links}, the slowest after {slowest} δ (horizon up to \
                     {horizon} δ){failed}"
                )
            }
            Relapses { algorithm, adversary } => format!(
                "{algorithm} against {adversary}: in {relapsed} of {runs} settled runs a process changed its leader"
            ),
            NeverSettles { algorithm, adversary } => {
                format!("{algorithm} against {adversary}: {settled} of {runs} runs settled within 2000 δ")
            }
            Isolated => format!(
                "all five algorithms, all links losing everything: {settled} of {runs} runs settled within 2000 δ; each process \
                 sees what it would if all others had crashed"
            ),
            Open => String::new(),
        }
    }
}

struct Trial<'a> {
    algorithm: &'a str,
    parameters: &'a Parameters,
    experiment: Experiment,
    system: System,
    effort: Effort,
}

impl Trial<'_> {
    fn campaign(&self, algorithm: &dyn TimedAlgorithm, campaign: &Campaign, runs: u64) -> Seen {
        let outcomes = campaign.all(algorithm, runs, &|_| !interrupt::requested());
        let settled = || outcomes.iter().filter_map(|(_, o)| o.settled.as_ref());
        Seen {
            runs: outcomes.len(),
            settled: settled().count(),
            relapsed: 0,
            inefficient: settled().filter(|s| s.links.len() != algorithm.size() - 1).count(),
            slowest: settled().map(|s| s.after.div_ceil(algorithm.timing().delta)).max().unwrap_or(0),
            horizon: campaign.horizon_in_deltas(algorithm),
            replays: outcomes.iter().filter(|(_, o)| o.settled.is_none()).map(|(run, _)| self.replay(*run)).collect(),
        }
    }

    /// The command that repeats a run of a yes cell.
    fn replay(&self, run: u64) -> String {
        let Parameters { size, .. } = *self.parameters;
        let given: String = self.parameters.given().iter().map(|(name, value)| format!(" --{name} {value}")).collect();
        format!(
            "ringleader simulate {} --size {size}{given} --system {} --crash {} --seed {} --run {run}",
            self.algorithm,
            self.system,
            size / 3,
            self.effort.seed
        )
    }
}

impl Trial<'_> {
    fn run(&self, algorithm: &dyn TimedAlgorithm) -> Seen {
        let Effort { runs, seed } = self.effort;
        match self.experiment {
            Settles { .. } => {
                let crashes = algorithm.size() / 3;
                let campaign = Campaign { crashes, ..Campaign::new(Source::System(self.system), seed) };
                self.campaign(algorithm, &campaign, runs)
            }
            NeverSettles { adversary, .. } => {
                let campaign = Campaign { horizon: Some(2000), ..Campaign::new(Source::Adversary(adversary), seed) };
                self.campaign(algorithm, &campaign, 5)
            }
            Isolated => {
                let source = Source::Adversary(Adversary::Isolated);
                self.campaign(algorithm, &Campaign { horizon: Some(2000), ..Campaign::new(source, seed) }, 5)
            }
            Relapses { adversary, .. } => {
                let calm = Scenario::benign(algorithm.size());
                let tries = (0..5).filter_map(|i| algorithm.relapse(adversary, &calm, &Generator::stream(seed, i)));
                let lost: Vec<bool> = tries.map(|relapse| relapse.lost.is_some()).collect();
                let relapsed = lost.iter().filter(|lost| **lost).count();
                Seen { runs: lost.len(), settled: lost.len(), relapsed, ..Seen::default() }
            }
            Open => Seen::default(),
        }
    }
}
