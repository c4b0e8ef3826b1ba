//! Runs of loosely stabilizing algorithms: the time until one leader, and how long it stays.

use super::contest::{arena, measured};
use super::{Arguments, NO_LIMIT, Plan, ended};
use crate::catalog;
use crate::settings::refuse;
use crate::terminal::exit::Failure;
use crate::terminal::interrupt;
use ringleader_catalog::Instance;
use ringleader_report::experiment::Setting;
use ringleader_report::loose::{LooseReport, LooseSize};
use ringleader_simulate::{ElectionSeries, KernelChoice, Limits, LooseSystem, USUALLY_WATCHED};
use std::io::Write;
use std::process::ExitCode;

/// Runs and reports all settings of a plan.
pub(super) fn run(arguments: &Arguments, plan: &Plan) -> Result<ExitCode, Failure> {
    let (card, seed) = (plan.card, plan.seed);
    let Arguments { corrupt, csv, resume, plot, kernel, count_rounds, .. } = arguments;
    let flags = [
        ("--corrupt", corrupt.is_some()),
        ("--csv", csv.is_some()),
        ("--resume", resume.is_some()),
        ("--plot", plot.is_some()),
        ("--count-rounds", *count_rounds),
        ("--kernel", *kernel != KernelChoice::Auto),
    ];
    refuse(card, &flags, "it is only loosely stabilizing: simulate measures how long its leader stays")?;
    interrupt::listen();
    let said = arguments.start(card);
    let watched = Some(arguments.limit).filter(|limit| *limit != NO_LIMIT).unwrap_or(USUALLY_WATCHED);
    let limits = Limits { steps: watched, stop: interrupt::flag() };
    let mut sizes = vec![];
    for Setting { parameters, .. } in &plan.settings {
        let size = parameters.size;
        let threads = arguments.threads.count();
        let series = ElectionSeries { threads, ..ElectionSeries::new(seed, size, arguments.runs) };
        let start = said.load(card.name, parameters)?;
        let all = |system: LooseSystem<'_>| {
            system.hold_all(&series, &start, limits, |_, _| ()).map_err(|error| said.refusal(error))
        };
        let runs = match catalog().instance(card.name, parameters)? {
            Instance::Population(protocol) => {
                all(LooseSystem::Population(&protocol, &arena(card, parameters, &plan.graph)?))?
            }
            Instance::Ring(algorithm) => all(LooseSystem::Ring(&algorithm, measured(arguments, card)))?,
            Instance::Graph(_) | Instance::Message(_) | Instance::Robust(_) => break,
        };
        sizes.push(LooseSize { size, runs: runs.into_iter().map(|(_, held)| held).collect() });
        if interrupt::requested() {
            break;
        }
    }
    let report = LooseReport { card, start: said.to_string(), seed, watched, sizes };
    let mut out = anstream::stdout().lock();
    match arguments.json {
        true => writeln!(out, "{:#}", report.json())?,
        false => report.text(&mut out)?,
    }
    Ok(ended(report.reached()))
}
