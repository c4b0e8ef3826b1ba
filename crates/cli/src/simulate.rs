//! `ringleader simulate`: many runs, and what they have in common.

use crate::arguments::{ParameterArguments, fresh_seed};
use crate::failure::Failure;
use crate::simulate_robust::{self, Request, RobustArguments};
use ringleader_algorithms::catalog;
use std::process::ExitCode;

/// Run an algorithm many times and report how long it takes.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  ringleader simulate robust-s2 --size 7 --crash 2 --runs 1000 --seed 1
  ringleader simulate robust-s4 --system s4 --size 5 --contents extremes --json

Exit codes: 0 all settled, 1 some did not, 2 bad usage or input, 130 interrupted.")]
pub(crate) struct Arguments {
    /// The algorithm, as `ringleader list` gives it
    algorithm: String,
    /// How many agents [default: the algorithm's own]
    #[arg(long, value_name = "N")]
    size: Option<usize>,
    /// How many runs
    #[arg(long, value_name = "R", default_value_t = 100)]
    runs: u64,
    /// The seed of everything random [default: a fresh one, printed]
    #[arg(long)]
    seed: Option<u64>,
    /// One JSON object instead of text
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    robust: RobustArguments,
    #[command(flatten)]
    parameters: ParameterArguments,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let card = catalog::card(&arguments.algorithm)?;
    let parameters = arguments.parameters.at(arguments.size.unwrap_or(card.default_size));
    simulate_robust::run(Request {
        algorithm: card.name,
        parameters: &parameters,
        runs: arguments.runs,
        seed: arguments.seed.unwrap_or_else(fresh_seed),
        json: arguments.json,
        robust: &arguments.robust,
    })
}
