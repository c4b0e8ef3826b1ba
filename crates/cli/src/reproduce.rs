//! `ringleader reproduce`: a paper's table as an experiment.

use crate::failure::Failure;
use std::process::ExitCode;

mod robust_table;

/// Run the experiments behind a paper's table.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  ringleader reproduce robust-table --runs 100 --seed 1
  ringleader reproduce robust-table --json

Exit codes: 0 everything was seen as the paper claims, 1 something was not, 2 bad usage, 130 interrupted.")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    table: Table,
}

#[derive(clap::Subcommand)]
enum Table {
    /// Table 1 of Delporte-Gallet, Devismes, Fauconnier (SSS 2007): where robust stabilizing election is possible
    RobustTable(robust_table::Arguments),
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    match &arguments.table {
        Table::RobustTable(arguments) => robust_table::run(arguments),
    }
}
