//! `ringleader explore`: all reachable states of an algorithm, or all configurations; counts and exports.

use crate::catalog;
use crate::settings::{CompanyArguments, DeviceArguments, Limits, Setup, Start};
use crate::terminal::exit::Failure;
use crate::verbs::check::CheckedOracle;
use ringleader_erased::Kind;
use ringleader_explore::{Equivalence, Storage, Visible};
use ringleader_model::{Channels, Scheduler};
use std::path::PathBuf;
use std::process::ExitCode;

mod configurations;
mod export;
#[cfg(feature = "cuda")]
mod gpu;
mod messages;

/// Explore the whole state space of an algorithm: count, reduce, minimize, export. Message passing starts from its clean start;
/// population protocols and processes on rings and graphs start from every configuration, or from given ones.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  ringleader explore franklin --size 4                              Table 1 of the paper: 380,609 states
  ringleader explore franklin --size 6 --reduce rotation            260,753,105 states, 43,461,635 of them stored
  ringleader explore franklin --size 4 --ids 3 --reading left-first Table 3, \"normal\"
  ringleader explore franklin --size 5 --reduce rotation,confluence --minimize branching
  ringleader explore fokkink-pang --size 3 --export ring.aut
  ringleader explore itai-rodeh --size 3 --rounds 3 --json
  ringleader explore franklin --size 5 --reduce rotation --set compact --verify
  ringleader explore franklin --size 6 --reduce rotation --hosts hosts.txt --process 0   the other processes run on other hosts
  ringleader explore fischer-jiang-ring --size 3 --export ring.drn             all configurations as a Markov chain for Storm
  ringleader explore fich-johnen --size 3 --scheduler unfair --reduce rotation --export ring.aut
  ringleader explore tree-leader --size 4 --graph star --export star.drn
  ringleader explore huang-chen --size 6 --graph star --scheduler unfair --reduce automorphism
  ringleader explore majority.ring --size 5 --start \"A: 3, B: 2\" --export majority.prism

`states` and `transitions` are those of the full state space; `stored` is the number of kept states; docs/exploring.md has the details.
For population protocols and rings, `transitions` are the steps that change something. `invariant` is the number of states that every rotation leaves unchanged.
--json has: version, algorithm, size, channels, states, transitions, deadlocks, stored, depth, invariant, set, entry_bytes,
stored_bytes, bytes_per_state (stored_bytes per stored state), seconds, peak_bytes, verified, quotient, hosts (stored and peak_bytes by process, sent_states, sent_bytes, letters);
of configurations: version, algorithm, size, scheduler, configurations,
transitions, stored, starts (if not every configuration is one), correct, own_safe, really_safe, seconds, peak_bytes.
Exit codes: 0 done, 1 verification failed, 2 bad usage or not enough memory,
3 a process of --hosts was lost, is unreachable or was started differently, 130 interrupted.")]
pub(crate) struct Arguments {
    /// The name of the algorithm (`ringleader list` shows all names) or the file of a protocol
    algorithm: String,
    /// The number of processes or agents
    #[arg(long, value_name = "N")]
    size: usize,
    /// The steps of franklin: both (Table 1), left-first (Tables 2 and 3) or atomic (its own steps) [default: both]
    #[arg(long, value_name = "STEPS")]
    reading: Option<String>,
    /// The order of delivery: bag (any message) or fifo (the oldest) [default: the weakest channels of the algorithm's claim]
    #[arg(long)]
    channels: Option<Channels>,
    /// Keep fewer states: rotation (one state of each rotation class of a ring), automorphism (one configuration of each orbit of a
    /// graph of processes), or, for message passing, confluence (no state with a confluent internal step), also with rotation,
    /// separated by a comma
    #[arg(long, value_name = "HOW", default_value = "none", value_parser = reductions)]
    reduce: Reductions,
    /// For population protocols and rings: random or synchronous (Markov chains), unfair, distributed, locally-central,
    /// random-partner or alternating (Markov decision processes) [default: the algorithm's own, without its fairness]
    #[arg(long)]
    scheduler: Option<Scheduler>,
    /// For population protocols and rings, the starts of executions: a condition, such as "all i : leader[i]", counts of local
    /// states, such as "A: 60, B: 40", clean, or a configuration file; `arbitrary` ignores the `start` of a text. Only the
    /// configurations that these executions reach are explored [default: the `start` of the text, or every configuration]
    #[arg(long, value_name = "START")]
    start: Option<Start>,
    /// The graph of an algorithm for any graph: a family such as star or grid:3x4, or a file with an edge list or DOT (docs/files.md)
    /// [default: the complete graph]
    #[arg(long, value_name = "GRAPH")]
    graph: Option<String>,
    /// Compute the smallest equivalent state space: branching or strong
    #[arg(long, value_name = "EQUIVALENCE")]
    minimize: Option<Equivalence>,
    /// The visible actions: leader, passive, or both, separated by a comma [default: leader]
    #[arg(long, value_name = "ACTIONS")]
    visible: Option<Visible>,
    /// Write the kept state space. The extension selects the format: .aut, .drn, .tra (with .sta and .lab), .dot, .prism
    #[arg(long, value_name = "FILE")]
    export: Vec<PathBuf>,
    #[command(flatten)]
    limits: Limits,
    #[command(flatten)]
    device: DeviceArguments,
    /// The storage of states: plain, or compact (a third of the memory, but slower) [default: compact if plain does not fit]
    #[arg(long, value_name = "HOW")]
    set: Option<Storage>,
    /// The seed of the hash function that places the states; no count depends on it
    #[arg(long, value_name = "SEED")]
    hash_seed: Option<u64>,
    /// Verify the result: every stored state and all its successors must be found
    #[arg(long)]
    verify: bool,
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    setup: Setup<CheckedOracle>,
    #[command(flatten)]
    company: CompanyArguments,
}

#[derive(Clone, Copy, Debug, Default)]
struct Reductions {
    rotation: bool,
    automorphism: bool,
    confluence: bool,
}

fn reductions(text: &str) -> Result<Reductions, String> {
    let mut reductions = Reductions::default();
    for word in text.split(',') {
        match word.trim() {
            "rotation" => reductions.rotation = true,
            "automorphism" => reductions.automorphism = true,
            "confluence" => reductions.confluence = true,
            "none" => {}
            other => {
                return Err(format!(
                    "no reduction is called {other:?}: there are rotation, automorphism and confluence"
                ));
            }
        }
    }
    Ok(reductions)
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let card = catalog().card(&arguments.algorithm)?;
    export::check(&arguments.export, arguments.minimize.is_some())?;
    match card.kind {
        Kind::Population | Kind::Ring | Kind::Graph => {
            #[cfg(feature = "cuda")]
            arguments.device.gpu(crate::settings::needs_cpu(&[("the exploration of configurations", true)]))?;
            configurations::run(arguments, card)
        }
        _ => messages::run(arguments, card),
    }
}
