//! `ringleader merge`: reports the runs of several machines as if one machine had done all of them.
//!
//! The files of `simulate --shard` record the arguments that their runs share. They tell how to read the runs; nothing is
//! run or written because a file says so.

use super::simulate::arguments_of;
use crate::terminal::exit::{Failure, usage};
use crate::terminal::files;
use crate::terminal::program::program;
use crate::{Verb, catalog, command, parsed};
use clap::Args;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

/// Combine the files of `simulate --shard` and print the report of all runs.
#[derive(Args)]
#[command(after_help = "\
Examples:
  ringleader simulate yokota-ring --size 64 --seed 1 --shard 1/2 --csv 1.csv      here
  ringleader simulate yokota-ring --size 64 --seed 1 --shard 2/2 --csv 2.csv      there
  ringleader merge 1.csv 2.csv --json

The files must hold all runs, each once. They do not hold the CPU time of the runs, so `CPU s` and `steps/s` are
omitted. Files that the runs read (--graph, --start, a text protocol) must still exist.
Exit codes: 0 all reached their goal, 1 some did not within --limit, 2 bad usage or input, or runs are missing.")]
pub(crate) struct Arguments {
    /// The files, in any order
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The result as JSON
    #[arg(long)]
    json: bool,
    /// A picture of the growth: FILE.svg, FILE.png or FILE.tex (TikZ)
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
}

/// The arguments of `simulate` in the text of a file that `simulate --shard` wrote.
pub(crate) fn recorded(text: &str) -> Option<Vec<OsString>> {
    let recorded = arguments_of(text)?;
    Some([program().into()].into_iter().chain(recorded.into_iter().map(OsString::from)).collect())
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let first = &arguments.files[0];
    let wrong = |why: String| usage!("{} {why}", first.display());
    let recorded = recorded(&files::read(first)?).ok_or_else(|| {
        wrong("was not written by `simulate --shard`: it does not record the arguments of its runs".into())
    })?;
    let refused = |error: clap::Error| wrong(format!("records arguments that `simulate` does not take: {error}"));
    let Verb::Simulate(simulated) = parsed(command(catalog(), &recorded), recorded).map_err(refused)? else {
        return Err(wrong("records another verb than `simulate`".into()));
    };
    if let Some(flag) = simulated.writes() {
        return Err(wrong(format!("records the flag {flag}: a file of runs cannot choose output files")));
    }
    simulated.merged(&arguments.files, arguments.json, arguments.plot.as_ref())
}
