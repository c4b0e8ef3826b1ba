//! `ringleader elect`: shows one election.

use crate::settings::election::{Election, NOT_SELF_STABILIZING, RunArguments, Surroundings};
use crate::settings::refuse;
use crate::terminal::exit::{Failure, bail};
use crate::terminal::interrupt;
use crate::{catalog, page, texts};
use ringleader_catalog::{Instance, stabilizing};
use ringleader_erased::DetectorLayer;
use ringleader_model::{Goal, Marks, Safety};
use ringleader_simulate::StabilizingInstance;
use std::path::PathBuf;
use std::process::ExitCode;

pub(crate) mod replay;
mod story;

use story::Story;

/// Show one election: from an arbitrary configuration to the goal, then through faults and back to the goal.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  ringleader elect
  ringleader elect fischer-jiang-ring --size 24 --oracle delayed:200 --seed 1
  ringleader elect fich-johnen --size 13 --start all-leaders --corrupt 3
  ringleader elect franklin --size 12 --ids 3 --variant b
  ringleader elect robust-s5 --size 7 --json
  ringleader elect yokota-ring --size 8 --seed 3 --html run.html   the run and its recovery, as a page that plays them

The last line of --json has: algorithm, size, seed, parameters, start, scheduler, reached, basis, leaders, steps, recoveries;
with --replay: algorithm, steps, sound (whether it is the run that the trace claims),
because (the reason, if not sound), verified, not_verified, and
repeats if there is a cycle; for message passing also channels, leaders and ended.
Exit codes: 0 reached, 1 not reached within --limit, 2 wrong usage or input, 130 interrupted.")]
pub(crate) struct Arguments {
    /// The algorithm: a name that `ringleader list` prints, or a text protocol [default: yokota-ring]
    algorithm: Option<String>,
    #[command(flatten)]
    run: RunArguments,
    #[command(flatten)]
    surroundings: Surroundings,
    /// Print a line every STEPS steps [default: at growing intervals]
    #[arg(long, value_name = "STEPS")]
    every: Option<u64>,
    /// The number of agents that a fault corrupts; 0 for no fault [default: a quarter]
    #[arg(long, value_name = "K")]
    corrupt: Option<usize>,
    /// The number of faults, one after the other [default: 1]
    #[arg(long, value_name = "F")]
    faults: Option<usize>,
    /// Give up after this many steps in all
    #[arg(long, value_name = "STEPS", default_value_t = 1_000_000_000)]
    limit: u64,
    /// Replay the run in this file, such as one that `check --save` wrote. A strategy against fair coins is played anew with --seed
    #[arg(long, value_name = "FILE", conflicts_with_all = ["algorithm", "size", "start", "scheduler",
        "graph", "every", "corrupt", "faults", "limit", "channels"])]
    replay: Option<PathBuf>,
    /// Write one page that plays the run and its faults, or the run of --replay; it needs no other file and no network
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Print JSON lines instead of pictures; the last line is the result
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    if let Some(path) = &arguments.replay {
        arguments.run.refuse_beside_replay()?;
        if let Some(page) = &arguments.html {
            page::writable(page)?;
            page::replay(page, &texts::run_file(path)?, None)?;
        }
        return replay::run(path, arguments.run.seed, arguments.json);
    }
    let election = Election::new(arguments.algorithm.as_ref(), &arguments.run, &arguments.surroundings, usize::MAX)?;
    if let Some(page) = &arguments.html {
        page::writable_for(page, &election)?;
    }
    let (corrupt, faults) = faults(arguments, &election)?;
    let (goal, shows, basis, because) = promise(&election);
    interrupt::listen();
    let mut run = election.begin()?;
    Story { arguments, election: &election, goal, shows, basis, because, corrupt, faults }.tell(&mut *run)
}

/// The number of agents that each fault corrupts, and the number of faults.
fn faults(arguments: &Arguments, election: &Election) -> Result<(usize, usize), Failure> {
    if let Instance::Message(_) = election.instance {
        let given = [
            ("--corrupt", arguments.corrupt.is_some_and(|agents| agents > 0)),
            ("--faults", arguments.faults.is_some_and(|faults| faults > 0)),
        ];
        return refuse(election.card, &given, NOT_SELF_STABILIZING).map(|()| (0, 0));
    }
    let size = election.parameters.size;
    let corrupt = arguments.corrupt.unwrap_or(size.div_ceil(4));
    if corrupt > size {
        bail!("--corrupt {corrupt}: there are only {size} {}", election.card.kind.members());
    }
    Ok((corrupt, if corrupt == 0 { 0 } else { arguments.faults.unwrap_or(1) }))
}

/// The goal of a run, the marks of its agents, what "reached" means (`safe-set`, `goal`, `terminated` or `settled`), and how that is known.
fn promise(election: &Election) -> (Goal, Marks, &'static str, String) {
    if let Some(algorithm) = stabilizing(&election.instance) {
        let because = because_safe(election, algorithm);
        let basis = if algorithm.safety() == Safety::Unknown { "goal" } else { "safe-set" };
        return (algorithm.goal(), algorithm.marks_seen(), basis, because);
    }
    match &election.instance {
        Instance::Robust(algorithm) => {
            let because = format!(
                "all have named the same leader for {} δ, many times the longest timeout (the run has settled; this is no \
                 proof); every link was timely, as each of the systems S1 to S5 allows; `simulate` runs the worst links of each",
                algorithm.settling_stretch() / algorithm.timing().delta
            );
            (Goal::OneLeader, Marks::LEADER, "settled", because)
        }
        _ => {
            let because = "no process can take another step, and exactly one is leader";
            let shows = Marks::LEADER | Marks::ACTIVE | Marks::PASSIVE;
            (Goal::OneLeader, shows, "terminated", because.into())
        }
    }
}

/// How it is known that a self-stabilizing algorithm has reached its goal.
fn because_safe(election: &Election, algorithm: &dyn StabilizingInstance) -> String {
    if election.parameters.layers.detector == Some(DetectorLayer::Timer) {
        return "no agent misses a leader now; the timer layer is only loosely stabilizing, so a false alarm may still \
                undo this, after a time that grows exponentially with --timer"
            .into();
    }
    let (promise, set) = (algorithm.goal().describe(), algorithm.safe_set());
    match algorithm.safety() {
        Safety::ForEver if !catalog().is_built_in(election.card.name) => format!(
            "the configuration is in the safe set that its author names ({set}): {promise}, if that set is closed; `check` \
             finds out"
        ),
        Safety::ForEver => {
            format!("the configuration is in the proof's safe set ({set}), which is closed: {promise}")
        }
        Safety::ForLong => "the configuration is correct for a long time, but not for ever, even without faults".into(),
        Safety::Unknown => {
            "the configuration is correct now; whether it stays correct is not known: `check` finds out".into()
        }
    }
}
