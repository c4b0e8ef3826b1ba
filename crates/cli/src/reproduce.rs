//! `ringleader reproduce`: what the papers claim, executed.

use crate::failure::{FAILS, Failure, INTERRUPTED};
use crate::interrupt;
use finding::{Item, Outcome, Verdict};
use lab::{Extent, Lab};
use ringleader_catalogue::nearest;
use serde_json::json;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

mod fich_johnen;
mod finding;
mod fischer_jiang;
mod franklin;
mod lab;
mod numbers;
mod origin;
mod page;
mod robust;
mod robust_table;
mod yokota;

/// Run what the papers claim, and set it beside what they printed.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  ringleader reproduce                                    everything, in a few minutes; then open reproduction/index.html
  ringleader reproduce --full --out results               the largest state spaces too
  ringleader reproduce robust-table yokota-table-1        some items only
  ringleader reproduce --list                             the names of all items

Each item runs ringleader's own commands; the page prints them. results.json has: items (name, paper, place, claim,
algorithms, commands, rows (what, claimed, seen, agrees, explanation), verdict, seconds, figures, drawings).
Exit codes: 0 all reproduced or explained, 1 something was not, 2 bad usage, 130 interrupted.")]
pub(crate) struct Arguments {
    /// Which items [default: all of them]
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// Within five minutes on two cores; the default
    #[arg(long, conflicts_with = "full")]
    quick: bool,
    /// The largest state spaces and the longest campaigns too: some 25 minutes on two cores, up to 8 GiB
    #[arg(long)]
    full: bool,
    /// Where to write index.html, results.json and the figures
    #[arg(long, value_name = "DIR", default_value = "reproduction")]
    out: PathBuf,
    /// The seed of everything random
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print results.json, too
    #[arg(long)]
    json: bool,
    /// List the items and do nothing
    #[arg(long, conflicts_with = "json")]
    list: bool,
}

fn items() -> impl Iterator<Item = &'static Item> {
    [fischer_jiang::ITEMS, fich_johnen::ITEMS, yokota::ITEMS, franklin::ITEMS, robust::ITEMS].into_iter().flatten()
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    if arguments.list {
        let mut out = anstream::stdout().lock();
        for item in choose(&arguments.names)? {
            writeln!(out, "{:26} {}, {}", item.name, item.paper.key, item.place)?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let chosen = choose(&arguments.names)?;
    let figures = arguments.out.join("figures");
    std::fs::create_dir_all(&figures).map_err(|e| Failure::usage(format!("cannot make {}: {e}", figures.display())))?;
    interrupt::listen();
    let extent = if arguments.full { Extent::Full } else { Extent::Quick };
    let mut lab = Lab::new(&arguments.out, extent, arguments.seed)?;
    let begun = Instant::now();
    let mut outcomes = vec![];
    for (at, item) in chosen.iter().enumerate() {
        announce(at + 1, chosen.len(), item)?;
        let outcome = attempt(&mut lab, item);
        if interrupt::requested() {
            break;
        }
        report(&outcome, arguments)?;
        outcomes.push(outcome);
    }
    let origin = origin::Origin::of_this_run(extent, arguments.seed, begun.elapsed());
    let results = json!({
        "version": 1, "origin": origin.json(), "items": outcomes.iter().map(Outcome::json).collect::<Vec<_>>(),
    });
    let text = serde_json::to_string_pretty(&results).unwrap_or_default() + "\n";
    write(&arguments.out, "results.json", &text)?;
    for figure in outcomes.iter().flat_map(|o| o.finding.iter().flat_map(|f| &f.figures)) {
        write(&figures, &format!("{}.svg", figure.name), &figure.svg)?;
    }
    write(&arguments.out, "index.html", &page::page(&outcomes, &origin))?;
    if arguments.json {
        anstream::print!("{text}");
    }
    conclude(&outcomes, &arguments.out, chosen.len(), &origin)
}

fn choose(names: &[String]) -> Result<Vec<&'static Item>, Failure> {
    let find = |name: &String| {
        items().find(|item| item.name == name).ok_or_else(|| {
            let near = nearest(name, items().map(|item| item.name));
            let hint = near.map_or(String::new(), |near| format!("did you mean {near}? "));
            Failure::usage(format!(
                "nothing to reproduce is called {name:?}; {hint}`ringleader reproduce --list` shows all names"
            ))
        })
    };
    if names.is_empty() { Ok(items().collect()) } else { names.iter().map(find).collect() }
}

fn attempt(lab: &mut Lab, item: &'static Item) -> Outcome {
    let begun = Instant::now();
    let finding = (item.run)(lab).map_err(|failure| failure.to_string());
    Outcome { item, finding, commands: lab.commands(), seconds: begun.elapsed().as_secs_f64() }
}

/// Says what is going on, where somebody may be watching.
fn announce(at: usize, of: usize, item: &Item) -> Result<(), Failure> {
    let mut err = anstream::stderr().lock();
    if std::io::stderr().is_terminal() {
        write!(err, "\r\x1b[K[{at}/{of}] {} ...", item.name)?;
        err.flush()?;
    }
    Ok(())
}

/// A line per item; all of it for items that were asked for by name, or are not as claimed.
fn report(outcome: &Outcome, arguments: &Arguments) -> Result<(), Failure> {
    let mut err = anstream::stderr().lock();
    if std::io::stderr().is_terminal() {
        write!(err, "\r\x1b[K")?;
    }
    writeln!(err, "{:7.1} s  {:26} {}", outcome.seconds, outcome.item.name, outcome.verdict().words())?;
    if let Err(reason) = &outcome.finding {
        writeln!(err, "           {reason}")?;
    }
    if !arguments.json && (!arguments.names.is_empty() || outcome.verdict() == Verdict::NotReproduced) {
        write!(anstream::stdout().lock(), "{}", page::plain(outcome))?;
    }
    Ok(())
}

fn conclude(outcomes: &[Outcome], out: &Path, of: usize, origin: &origin::Origin) -> Result<ExitCode, Failure> {
    let count = |verdict| outcomes.iter().filter(|o| o.verdict() == verdict).count();
    let mut err = anstream::stderr().lock();
    writeln!(
        err,
        "{} of {of} items in {:.0} s: {} reproduced, {} with an explained difference, {} undecidable, {} not reproduced",
        outcomes.len(),
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

fn write(directory: &Path, name: &str, text: &str) -> Result<(), Failure> {
    let path = directory.join(name);
    std::fs::write(&path, text).map_err(|e| Failure::usage(format!("cannot write {}: {e}", path.display())))
}
