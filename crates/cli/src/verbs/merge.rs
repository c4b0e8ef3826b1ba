//! `ringleader merge`: the runs of several machines, told as if one had done them.
//!
//! The files of `simulate --shard` hold the arguments that their runs have in common. So merging is simulating with these
//! arguments, where every run is done already.

use super::simulate::arguments_of;
use crate::terminal::exit::Failure;
use crate::terminal::files;
use clap::{Args, FromArgMatches};
use std::ffi::OsString;
use std::path::PathBuf;

/// Put the files of `simulate --shard` together and print what one machine would have printed.
#[derive(Args)]
#[command(after_help = "\
Examples:
  ringleader simulate yokota-ring --size 64 --seed 1 --shard 1/2 --csv 1.csv      here
  ringleader simulate yokota-ring --size 64 --seed 1 --shard 2/2 --csv 2.csv      there
  ringleader merge 1.csv 2.csv --json

The files must hold all runs, each once. What they do not hold is the time that the runs took: `CPU s` and `steps/s` are left
out. Files that the runs read (--graph, --start, a text protocol) must be where they were.
Exit codes: 0 all reached their goal, 1 some did not within --limit, 2 bad usage or input, or runs are missing.")]
pub(crate) struct Arguments {
    /// The files, in any order
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The result as JSON
    #[arg(long)]
    json: bool,
    /// A picture of the growth: FILE.svg or FILE.png
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
}

/// The arguments that do what `merge` is to do; others are left as they are.
pub(crate) fn unfolded(arguments: Vec<OsString>) -> Result<Vec<OsString>, Failure> {
    if arguments.get(1).is_none_or(|verb| verb != "merge") {
        return Ok(arguments);
    }
    let command = Arguments::augment_args(clap::Command::new("merge").bin_name("ringleader merge"));
    let matches = command.get_matches_from(&arguments[1..]);
    let Arguments { files: paths, json, plot } =
        Arguments::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let (first, text) = (paths[0].display(), files::read(&paths[0])?);
    let recorded = arguments_of(&text).ok_or_else(|| {
        Failure::usage(format!("{first} was not written by `simulate --shard`: it does not say what to merge"))
    })?;
    let mut all = vec![arguments[0].clone()];
    all.extend(recorded.into_iter().map(OsString::from));
    all.extend(paths.into_iter().flat_map(|path| [OsString::from("--merge"), path.into()]));
    all.extend(json.then(|| "--json".into()));
    all.extend(plot.into_iter().flat_map(|path| [OsString::from("--plot"), path.into()]));
    Ok(all)
}
