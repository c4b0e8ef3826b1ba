//! `ringleader simulate` for several algorithms at once: the same sizes and settings, one after the other, in one plot and one
//! file of runs.

use super::{Arguments, elections, ended};
use crate::catalog;
use crate::settings::{first_given, fresh_seed, refuse_absent, refuse_flawed};
use crate::terminal::exit::{Failure, bail, usage};
use crate::terminal::{files, interrupt};
use elections::{Measured, Records};
use ringleader_erased::{Card, Kind};
use ringleader_report::experiment::{ExperimentReport, plot_together};
use serde_json::json;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

pub(super) fn run(arguments: &Arguments, names: &[&str]) -> Result<ExitCode, Failure> {
    let cards = names.iter().map(|name| catalog().card(name)).collect::<Result<Vec<_>, _>>()?;
    for (index, card) in cards.iter().enumerate() {
        refuse(card)?;
        refuse_flawed(card, arguments.allow_flawed)?;
        if cards[..index].iter().any(|before| before.name == card.name) {
            bail!("{} is named twice", card.name);
        }
    }
    if let Some(flag) = first_given(&[("--resume", arguments.resume.is_some()), ("--shard", arguments.shard.is_some())])
    {
        bail!("{flag} is for one algorithm: --csv FILE writes the runs of several");
    }
    arguments.check_plot()?;
    let seed = arguments.seed.unwrap_or_else(fresh_seed);
    // All plans are validated before the first one runs.
    let plans = cards.iter().map(|card| elections::plan(arguments, card, seed)).collect::<Result<Vec<_>, _>>()?;
    interrupt::listen();
    let said = arguments.in_one_line(&names.join(","), cards[0], seed);
    let mut file = match &arguments.csv {
        Some(path) => Records::create(path, &said, &plans[0], true)?,
        None => Records::nowhere(),
    };
    let mut all = vec![];
    for plan in plans {
        all.push(elections::measure(arguments, plan, vec![], &mut |plan, record| file.write(record, plan))?);
    }
    let reports: Vec<ExperimentReport<'_>> = all.iter().map(|measured| measured.report(arguments)).collect();
    tell(arguments, &reports, seed)?;
    let whole = all.into_iter().map(Measured::whole).collect::<Result<Vec<bool>, _>>()?;
    Ok(ended(whole.into_iter().all(|whole| whole)))
}

fn refuse(card: &Card) -> Result<(), Failure> {
    refuse_absent(card, "simulated")?;
    match card.kind {
        Kind::Robust => {
            Err(usage!("{} is measured in a hostile network, in units of time: simulate it alone", card.name))
        }
        _ => Ok(()),
    }
}

fn tell(arguments: &Arguments, reports: &[ExperimentReport<'_>], seed: u64) -> Result<(), Failure> {
    let mut out = anstream::stdout();
    if arguments.csv.as_deref() == Some(Path::new("-")) {
        // The rows are the output.
    } else if arguments.json {
        let each: Vec<_> = reports.iter().map(ExperimentReport::json).collect();
        writeln!(out, "{:#}", json!({ "version": 1, "seed": seed, "algorithms": each }))?;
    } else {
        for (index, report) in reports.iter().enumerate() {
            if index > 0 {
                writeln!(out)?;
            }
            report.text(&mut out)?;
        }
    }
    match &arguments.plot {
        Some(path) => files::write_picture(path, &plot_together(reports, &format!("seed {seed}"))),
        None => Ok(()),
    }
}
