//! Table 1 of *Robust stabilizing leader election*, cell by cell.
//!
//! A yes cell is a campaign of random instances from arbitrary states. A no cell is the run of an adversary against an
//! algorithm that is right in a stronger system: a demonstration, not a proof. Between self- and pseudo-stabilization no
//! number of runs can tell; what tells them apart is whether a settled leader can still be lost.

use super::numbers::number;
use super::runner::Runner;
use crate::terminal::exit::Failure;
use ringleader_simulate::network::{Adversary, System};
use serde_json::Value;
use std::collections::HashMap;

/// How many runs of each yes cell and size.
#[derive(Clone, Copy)]
pub(super) struct Effort(pub(super) u64);

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
pub(super) fn cells(runner: &mut Runner, effort: Effort) -> Result<Vec<Cell>, Failure> {
    let places = (0..ROWS.len()).flat_map(|row| System::ALL.into_iter().rev().map(move |system| (row, system)));
    let mut campaigns = Campaigns { runner, results: HashMap::new() };
    places.map(|(row, system)| cell(row, system, effort, &mut campaigns)).collect()
}

fn cell(row: usize, system: System, effort: Effort, campaigns: &mut Campaigns<'_>) -> Result<Cell, Failure> {
    let experiment = experiment(row, system);
    let claim = match experiment {
        Open => {
            let seen = "open in the paper, and nothing was run".to_string();
            return Ok(Cell { row, system, claim: "?", as_claimed: true, seen });
        }
        Settles { .. } => "yes",
        Isolated | Relapses { .. } | NeverSettles { .. } => "no",
    };
    let mut seen = Seen::default();
    for command in commands(experiment, system, effort, campaigns.runner.seed) {
        campaigns.results(&command)?.iter().for_each(|result| seen.add(result));
    }
    Ok(Cell { row, system, claim, as_claimed: seen.as_claimed(experiment), seen: seen.describe(experiment) })
}

/// What commands have found. Several cells ask for the same campaign; it is run once.
struct Campaigns<'r> {
    runner: &'r mut Runner,
    results: HashMap<String, Vec<Value>>,
}

impl Campaigns<'_> {
    /// What a command says of each size.
    fn results(&mut self, command: &str) -> Result<Vec<Value>, Failure> {
        if let Some(known) = self.results.get(command) {
            return Ok(known.clone());
        }
        let result = self.runner.json(command)?;
        let sizes = result["sizes"].as_array().cloned().unwrap_or_else(|| vec![result]);
        self.results.insert(command.to_string(), sizes.clone());
        Ok(sizes)
    }
}

/// The commands of an experiment.
fn commands(experiment: Experiment, system: System, effort: Effort, seed: u64) -> Vec<String> {
    let simulate = |(algorithm, form): (&str, &str), sizes: &[usize], how: String| {
        let sizes: Vec<_> = sizes.iter().map(ToString::to_string).collect();
        format!("simulate {algorithm}{form} --size {} {how} --seed {seed}", sizes.join(","))
    };
    match experiment {
        Settles { algorithm, .. } => {
            let Effort(runs) = effort;
            let mut commands = vec![];
            for (form, sizes) in forms(algorithm, SIZES.collect()) {
                // A third of the processes crash.
                for sizes in sizes.chunk_by(|a, b| a / 3 == b / 3) {
                    let how = format!("--system {system} --crash {} --runs {runs}", sizes[0] / 3);
                    commands.push(simulate((algorithm, form), sizes, how));
                }
            }
            commands
        }
        Relapses { algorithm, adversary } => {
            vec![simulate((algorithm, ""), &[4], format!("--adversary {adversary} --runs 5"))]
        }
        NeverSettles { algorithm, adversary } => {
            vec![simulate((algorithm, ""), &[4], format!("--adversary {adversary} --horizon 2000 --runs 5"))]
        }
        Isolated => {
            let how = format!("--adversary {} --horizon 2000 --runs 5", Adversary::Isolated);
            let all = ALL.into_iter().flat_map(|algorithm| {
                forms(algorithm, vec![2, 3, 4, 5]).into_iter().map(move |(form, sizes)| ((algorithm, form), sizes))
            });
            all.map(|(algorithm, sizes)| simulate(algorithm, &sizes, how.clone())).collect()
        }
        Open => vec![],
    }
}

/// The forms in which an algorithm is run, each with its sizes.
fn forms(algorithm: &str, sizes: Vec<usize>) -> Vec<(&'static str, Vec<usize>)> {
    match algorithm {
        "robust-s3" => {
            let small = sizes.iter().copied().filter(|size| *size <= LARGEST_FLOOD).collect();
            vec![("", small), (" --form aggregated", sizes)]
        }
        _ => vec![("", sizes)],
    }
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
    /// Adds what a command says of one size.
    fn add(&mut self, result: &Value) {
        let count = |path: &str| number(result, path).map_or(0, |n| n as usize);
        let (runs, settled) = (count("runs"), count("runs") - count("unsettled"));
        self.runs += runs;
        self.settled += settled;
        self.relapsed += count("leader_lost");
        self.inefficient += settled - count("efficient").min(settled);
        let deltas = |path: &str| number(result, path).map_or(0, |deltas| deltas.ceil() as u64);
        self.slowest = self.slowest.max(deltas("settling_deltas.max")).max(deltas("settling_deltas.longest_settled"));
        self.horizon = self.horizon.max(deltas("horizon_deltas"));
        let replays = result["unsettled_runs"].as_array().into_iter().flatten();
        self.replays.extend(replays.filter_map(Value::as_str).map(ToString::to_string));
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_cell_is_judged_by_what_its_commands_say() {
        let efficient = Settles { algorithm: "robust-s5", efficient: true };
        let mut seen = Seen::default();
        let settled = json!({"runs": 25, "unsettled": 0, "efficient": 25, "settling_deltas": {"max": 12.2}, "horizon_deltas": 80});
        seen.add(&settled);
        assert!(seen.as_claimed(efficient) && seen.slowest == 13 && seen.horizon == 80);
        seen.add(&json!({"runs": 25, "unsettled": 0, "efficient": 24}));
        assert!(!seen.as_claimed(efficient), "one run uses more links");
        assert!(seen.as_claimed(Settles { algorithm: "robust-s5", efficient: false }));
        seen.add(&json!({"runs": 1, "unsettled": 1, "unsettled_runs": ["ringleader simulate .."]}));
        assert!(!seen.as_claimed(Settles { algorithm: "robust-s5", efficient: false }), "one run did not settle");
        assert!(seen.describe(efficient).contains("replay: ringleader simulate .."));
        let relapses = Relapses { algorithm: "robust-s4", adversary: Adversary::Theorem4 };
        let mut seen = Seen::default();
        seen.add(&json!({"runs": 5, "leader_lost": 5}));
        assert!(seen.as_claimed(relapses));
        seen.add(&json!({"runs": 5, "leader_lost": 4}));
        assert!(!seen.as_claimed(relapses), "one leader was kept");
    }

    #[test]
    fn a_third_of_the_processes_crash_in_each_size() {
        let all = commands(Settles { algorithm: "robust-s3", efficient: false }, System::S3, Effort(25), 1);
        assert_eq!(all.len(), 2 + 4);
        assert_eq!(all[1], "simulate robust-s3 --size 3,4,5 --system s3 --crash 1 --runs 25 --seed 1");
        assert_eq!(all[5], "simulate robust-s3 --form aggregated --size 9 --system s3 --crash 3 --runs 25 --seed 1");
    }
}
