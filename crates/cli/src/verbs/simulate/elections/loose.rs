//! Runs of loosely stabilizing algorithms: the time until one leader, and how long it stays.

use super::contest::{arena, measured};
use super::{Arguments, NO_LIMIT, ended};
use crate::catalog;
use crate::settings::refuse;
use crate::terminal::exit::Failure;
use crate::terminal::interrupt;
use ringleader_catalog::Instance;
use ringleader_erased::Card;
use ringleader_model::{Graph, Safety, Stabilizing as _};
use ringleader_report::experiment::Setting;
use ringleader_report::loose::{LooseReport, LooseSize};
use ringleader_simulate::{ElectionSeries, KernelChoice, Limits, LooseSystem, USUALLY_WATCHED};
use std::io::Write;
use std::process::ExitCode;

/// The runs of all settings.
pub(super) struct Loose<'a> {
    pub(super) arguments: &'a Arguments,
    pub(super) card: &'static Card,
    pub(super) graph: Option<&'a Graph>,
    pub(super) settings: &'a [Setting],
    pub(super) seed: u64,
}

/// Whether an algorithm is loosely stabilizing.
pub(super) fn is_loose(instance: &Instance) -> bool {
    match instance {
        Instance::Population(protocol) => protocol.safety() == Safety::ForLong,
        Instance::Ring(algorithm) => algorithm.safety() == Safety::ForLong,
        Instance::Graph(_) | Instance::Message(_) | Instance::Robust(_) => false,
    }
}

impl Loose<'_> {
    pub(super) fn run(&self) -> Result<ExitCode, Failure> {
        let arguments = self.arguments;
        let Arguments { corrupt, csv, resume, plot, kernel, count_rounds, .. } = arguments;
        let flags = [
            ("--corrupt", corrupt.is_some()),
            ("--csv", csv.is_some()),
            ("--resume", resume.is_some()),
            ("--plot", plot.is_some()),
            ("--count-rounds", *count_rounds),
            ("--kernel", *kernel != KernelChoice::Auto),
        ];
        refuse(self.card, &flags, "it is only loosely stabilizing: simulate measures how long its leader stays")?;
        interrupt::listen();
        let said = arguments.start(self.card);
        let watched = Some(arguments.limit).filter(|limit| *limit != NO_LIMIT).unwrap_or(USUALLY_WATCHED);
        let limits = Limits { steps: watched, stop: interrupt::flag() };
        let mut sizes = vec![];
        for Setting { parameters, .. } in self.settings {
            let size = parameters.size;
            let series = ElectionSeries {
                threads: arguments.threads.count(),
                ..ElectionSeries::new(self.seed, size, arguments.runs)
            };
            let start = said.load(self.card.name, parameters)?;
            let all = |system: LooseSystem<'_>| {
                system.hold_all(&series, &start, limits, |_, _| ()).map_err(|error| said.refusal(error))
            };
            let runs = match catalog().instance(self.card.name, parameters)? {
                Instance::Population(protocol) => {
                    let arena = arena(self.card, parameters, arguments.graph.as_deref(), self.graph)?;
                    all(LooseSystem::Population(&protocol, &arena))?
                }
                Instance::Ring(algorithm) => all(LooseSystem::Ring(&algorithm, measured(arguments, self.card)))?,
                Instance::Graph(_) | Instance::Message(_) | Instance::Robust(_) => break,
            };
            sizes.push(LooseSize { size, runs: runs.into_iter().map(|(_, held)| held).collect() });
            if interrupt::requested() {
                break;
            }
        }
        let report = LooseReport { card: self.card, start: said.to_string(), seed: self.seed, watched, sizes };
        let mut out = anstream::stdout().lock();
        match arguments.json {
            true => writeln!(out, "{:#}", report.json())?,
            false => report.text(&mut out)?,
        }
        Ok(ended(report.reached()))
    }
}
