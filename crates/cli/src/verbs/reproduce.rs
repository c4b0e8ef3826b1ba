//! `ringleader reproduce`: runs the claims of the papers.

use crate::terminal::exit::{FAILS, Failure, INTERRUPTED, usage};
use crate::terminal::program::program;
use crate::terminal::progress::Progress;
use crate::terminal::{files, interrupt};
use finding::{Attempt, Verdict};
use item::{Item, OTHERS, PAPERS, Paper};
use ringleader_catalog::nearest;
use runner::Runner;
use serde_json::json;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

mod finding;
mod formula;
mod item;
mod origin;
mod page;
mod runner;

/// Reproduce the results of the papers, and compare them with the printed ones.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  ringleader reproduce                                    every item, in a few minutes; then open reproduction/index.html
  ringleader reproduce --full --out results               also the largest state spaces
  ringleader reproduce robust-table yokota-table-1        some items only
  ringleader reproduce --shelf others                     numbers that other tools print, beside ours
  ringleader reproduce --list                             the names of all items

Each item runs commands of this program, and the page lists them. results.json has: items (name, paper, place, claim,
algorithms, commands, rows (what, claimed, seen, agrees, explanation), verdict, seconds, figures, pages that
play a run, drawings).
Exit codes: 0 every result was reproduced or its difference is explained,
1 some result was neither, 2 wrong usage, 130 interrupted.")]
pub(crate) struct Arguments {
    /// The items [default: all of them]
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// The collection of items, if no NAME is given: papers (the algorithms' own papers) or others (numbers that PRISM, Storm, TLC and
    /// Protocon print about the same protocols, with the seconds that they took on their machines)
    #[arg(long, value_name = "SHELF", value_enum, default_value_t = Shelf::Papers)]
    shelf: Shelf,
    /// Run the items that fit into five minutes on two cores; the default
    #[arg(long, conflicts_with = "full")]
    quick: bool,
    /// Run the largest state spaces and the longest campaigns as well: about 25 minutes on two cores, up to 8 GiB
    #[arg(long)]
    full: bool,
    /// The directory for index.html, results.json and the figures
    #[arg(long, value_name = "DIR", default_value = "reproduction")]
    out: PathBuf,
    /// The seed of all random choices
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print results.json as well
    #[arg(long)]
    json: bool,
    /// List the items and run none
    #[arg(long, conflicts_with = "json")]
    list: bool,
}

/// The sources of printed results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Shelf {
    Papers,
    Others,
}

/// An item with its paper.
type Of = (&'static Paper, &'static Item);

fn items(shelf: Shelf) -> impl Iterator<Item = Of> {
    let papers = if shelf == Shelf::Papers { &PAPERS } else { &OTHERS };
    papers.iter().flat_map(|paper| paper.items.iter().map(move |item| (paper, item)))
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    if arguments.list {
        let mut out = anstream::stdout().lock();
        for (paper, item) in choose(&arguments.names, arguments.shelf)? {
            writeln!(out, "{:26} {}, {}", item.name, paper.key, item.place)?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let chosen = choose(&arguments.names, arguments.shelf)?;
    for folder in ["figures", "runs"].map(|name| arguments.out.join(name)) {
        std::fs::create_dir_all(&folder).map_err(|e| usage!("cannot make {}: {e}", folder.display()))?;
    }
    interrupt::listen();
    let mut runner = Runner::new(&arguments.out, arguments.full, arguments.seed).map_err(Failure::usage)?;
    let begun = Instant::now();
    let mut attempts = vec![];
    for (at, &(paper, item)) in chosen.iter().enumerate() {
        let mut progress = Progress::at_once();
        progress.say(|| format!("[{}/{}] {} ...", at + 1, chosen.len(), item.name));
        let begun = Instant::now();
        let finding = item.run(&mut runner);
        let seconds = begun.elapsed().as_secs_f64();
        let attempt = Attempt { paper, item, finding, commands: runner.commands(), seconds };
        drop(progress);
        if interrupt::requested() {
            break;
        }
        report(&attempt, arguments)?;
        attempts.push(attempt);
    }
    let origin = origin::Origin::of_this_run(arguments.full, arguments.seed, begun.elapsed());
    let results = json!({
        "version": 1, "origin": origin.json(), "items": attempts.iter().map(Attempt::json).collect::<Vec<_>>(),
    });
    let text = serde_json::to_string_pretty(&results).unwrap_or_default() + "\n";
    files::write(&arguments.out.join("results.json"), &text)?;
    for figure in attempts.iter().flat_map(|o| o.finding.iter().flat_map(|f| &f.figures)) {
        files::write(&arguments.out.join(&figure.file), &figure.text)?;
    }
    files::write(&arguments.out.join("index.html"), page::page(&attempts, &origin))?;
    if arguments.json {
        anstream::print!("{text}");
    }
    conclude(&attempts, &arguments.out, chosen.len(), &origin)
}

fn choose(names: &[String], shelf: Shelf) -> Result<Vec<Of>, Failure> {
    let all = || items(Shelf::Papers).chain(items(Shelf::Others));
    let find = |name: &String| {
        all().find(|(_, item)| item.name == *name).ok_or_else(|| {
            let near = nearest(name, all().map(|(_, item)| &*item.name));
            let hint = near.map_or(String::new(), |near| format!("did you mean {near}? "));
            usage!("nothing to reproduce is called {name:?}; {hint}`{} reproduce --list` shows all names", program())
        })
    };
    if names.is_empty() { Ok(items(shelf).collect()) } else { names.iter().map(find).collect() }
}

/// A line per item; all of it for items that were asked for by name, or are not as claimed.
fn report(attempt: &Attempt, arguments: &Arguments) -> Result<(), Failure> {
    let mut err = anstream::stderr().lock();
    writeln!(err, "{:7.1} s  {:26} {}", attempt.seconds, attempt.item.name, attempt.verdict())?;
    if let Err(reason) = &attempt.finding {
        writeln!(err, "           {reason}")?;
    }
    if !arguments.json && (!arguments.names.is_empty() || attempt.verdict() == Verdict::NotReproduced) {
        write!(anstream::stdout().lock(), "{}", page::plain(attempt))?;
    }
    Ok(())
}

fn conclude(attempts: &[Attempt], out: &Path, of: usize, origin: &origin::Origin) -> Result<ExitCode, Failure> {
    let count = |verdict| attempts.iter().filter(|o| o.verdict() == verdict).count();
    let mut err = anstream::stderr().lock();
    writeln!(
        err,
        "{} of {of} items in {:.0} s: {} reproduced, {} with an explained difference, {} undecidable, {} not reproduced",
        attempts.len(),
        origin.seconds,
        count(Verdict::Reproduced),
        count(Verdict::Different),
        count(Verdict::Undecidable),
        count(Verdict::NotReproduced)
    )?;
    writeln!(err, "{}", out.join("index.html").display())?;
    Ok(match count(Verdict::NotReproduced) {
        _ if interrupt::requested() => ExitCode::from(INTERRUPTED),
        0 => ExitCode::SUCCESS,
        _ => ExitCode::from(FAILS),
    })
}
