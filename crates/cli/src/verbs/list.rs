//! `ringleader list`: all algorithms.

use crate::catalog;
use crate::terminal::exit::{Failure, bail, usage};
use crate::terminal::program::program;
use crate::texts::{ENDING, read};
use anstyle::{AnsiColor, Style};
use ringleader_erased::Card;
use ringleader_report::json::OptionalFields as _;
use serde_json::json;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// List all algorithms, or the text protocols of a directory.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  ringleader list
  ringleader list my-protocols                      the *.ring files in that directory

Exit codes: 0 listed, 2 a file has errors: they are printed, and the other files are listed.")]
pub(crate) struct Arguments {
    /// A directory with text protocols, or one text protocol
    #[arg(value_name = "DIR")]
    place: Option<PathBuf>,
    /// Print one JSON array instead of the table
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let Some(place) = &arguments.place else {
        let listed = catalog().cards().map(|card| Listed { card, absent: catalog().why_absent(card.name), file: None });
        print(&listed.collect::<Vec<_>>(), arguments.json)?;
        return Ok(ExitCode::SUCCESS);
    };
    let (mut texts, mut wrong) = (vec![], vec![]);
    for file in files(place)? {
        match read(&file) {
            Ok(protocol) => texts.push((file.display().to_string(), protocol)),
            Err(failure) => wrong.push(failure),
        }
    }
    let listed = texts.iter().map(|(file, text)| Listed { card: text.card(), absent: None, file: Some(file) });
    print(&listed.collect::<Vec<_>>(), arguments.json)?;
    // The last failure also gives the exit code.
    let last = wrong.pop();
    for failure in wrong {
        failure.report();
    }
    last.map_or(Ok(ExitCode::SUCCESS), Err)
}

/// The text protocols in a directory, in order.
fn files(place: &Path) -> Result<Vec<PathBuf>, Failure> {
    if place.is_file() {
        return Ok(vec![place.into()]);
    }
    let refused = |e: std::io::Error| usage!("cannot read {}: {e}", place.display());
    let entries = std::fs::read_dir(place).map_err(refused)?;
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|file| file.extension().is_some_and(|ending| ending == ENDING));
    files.sort();
    if files.is_empty() {
        bail!("{} has no file that ends in .{ENDING}", place.display());
    }
    Ok(files)
}

/// A line of the table.
struct Listed<'a> {
    card: &'a Card,
    /// Why it cannot be run, if it cannot.
    absent: Option<&'static str>,
    /// The file of a text.
    file: Option<&'a str>,
}

fn print(listed: &[Listed<'_>], as_json: bool) -> std::io::Result<()> {
    let mut out = anstream::stdout().lock();
    if as_json {
        let line = |Listed { card, absent, file }: &Listed<'_>| {
            let line = json!({
                "name": card.name, "summary": card.summary, "model": card.kind.describe(),
                "graph": card.topology.describe(), "sizes": card.sizes, "states": card.states,
                "flawed": card.flaw.is_some(), "runs": absent.is_none(),
            });
            line.with("file", *file)
        };
        return writeln!(out, "{}", listed.iter().map(line).collect::<serde_json::Value>());
    }
    let bold = Style::new().bold();
    let flawed = AnsiColor::Red.on_default();
    let width = listed.iter().map(|line| line.card.name.len()).max().unwrap_or(0);
    for Listed { card, absent, file } in listed {
        write!(out, "{bold}{:width$}{bold:#}  {:20}  {}", card.name, card.topology.describe(), card.summary)?;
        if card.flaw.is_some() {
            write!(out, " {flawed}[flawed]{flawed:#}")?;
        }
        if let Some(reason) = absent {
            write!(out, " {flawed}[{reason}]{flawed:#}")?;
        }
        let same = listed.iter().filter(|other| other.card.name == card.name).count() > 1;
        match file.filter(|_| same) {
            Some(file) => writeln!(out, " ({file})")?,
            None => writeln!(out)?,
        }
    }
    let what = if listed.iter().any(|line| line.file.is_some()) { "FILE" } else { "NAME" };
    writeln!(out, "\n`{0} show {what}` prints the whole card, `{0} elect {what}` runs it.", program())
}
