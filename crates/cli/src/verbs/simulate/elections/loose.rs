//! Runs of loosely stabilizing algorithms: the time until one leader, and how long it stays.

use super::contest::{arena, measured};
use super::{Arguments, NO_LIMIT, ended};
use crate::catalog;
use crate::settings::refuse;
use crate::terminal::exit::Failure;
use crate::terminal::interrupt;
use ringleader_catalog::Instance;
use ringleader_erased::{Card, Number, Parameters, PopulationInstance, RingInstance};
use ringleader_model::{Graph, Safety, Stabilizing as _};
use ringleader_report::experiment::Setting;
use ringleader_report::number::grouped;
use ringleader_simulate::statistics::Summary;
use ringleader_simulate::{
    ElectionSeries, Generator, Held, KernelChoice, Limits, StabilizingInstance, hold, hold_ring,
};
use serde_json::{Value, json};
use std::io::Write;
use std::process::ExitCode;

/// The default length of a run: the leader may stay longer than any simulation lasts.
const WATCHED: u64 = 20_000_000;

/// The results of one setting.
struct Row {
    size: usize,
    runs: Vec<Held>,
}

impl Row {
    fn reached(&self) -> Option<Summary> {
        Summary::of(self.runs.iter().filter_map(|run| run.reached).map(|steps| steps as f64).collect())
    }

    fn lost(&self) -> usize {
        self.runs.iter().filter(|run| run.lost).count()
    }

    /// All steps with a leader, divided by the number of losses; runs without a loss count too.
    fn held(&self) -> Option<f64> {
        let all: u64 = self.runs.iter().map(|run| run.held).sum();
        (self.lost() > 0).then(|| all as f64 / self.lost() as f64)
    }

    fn json(&self) -> Value {
        let reached = self.reached();
        json!({
            "size": self.size, "runs": self.runs.len(), "reached": self.runs.iter().filter(|r| r.reached.is_some()).count(),
            "mean_steps": reached.as_ref().map(|s| s.mean), "ci95": reached.as_ref().and_then(|s| s.ci95()),
            "lost": self.lost(), "steps_held_per_loss": self.held(),
        })
    }
}

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
        Instance::Message(_) | Instance::Robust(_) => false,
    }
}

impl Loose<'_> {
    pub(super) fn run(&self) -> Result<ExitCode, Failure> {
        let Arguments { corrupt, csv, resume, plot, kernel, .. } = self.arguments;
        let flags = [
            ("--corrupt", corrupt.is_some()),
            ("--csv", csv.is_some()),
            ("--resume", resume.is_some()),
            ("--plot", plot.is_some()),
            ("--kernel", *kernel != KernelChoice::Auto),
        ];
        refuse(self.card, &flags, "it is only loosely stabilizing: simulate measures how long its leader stays")?;
        interrupt::listen();
        let mut rows = vec![];
        for setting in self.settings {
            let runs = match catalog().instance(self.card.name, &setting.parameters)? {
                Instance::Population(protocol) => self.population(&protocol, &setting.parameters)?,
                Instance::Ring(algorithm) => self.ring(&algorithm, &setting.parameters)?,
                Instance::Message(_) | Instance::Robust(_) => break,
            };
            rows.push(Row { size: setting.parameters.size, runs });
            if interrupt::requested() {
                break;
            }
        }
        self.tell(&rows)?;
        Ok(ended(rows.iter().all(|row| row.runs.iter().all(|run| run.reached.is_some()))))
    }

    fn watched(&self) -> u64 {
        Some(self.arguments.limit).filter(|limit| *limit != NO_LIMIT).unwrap_or(WATCHED)
    }

    fn population(&self, protocol: &PopulationInstance, parameters: &Parameters) -> Result<Vec<Held>, Failure> {
        let arena = arena(self.card, parameters, self.arguments.graph.as_deref(), self.graph)?;
        self.all(protocol, parameters.size, |states, limits, coin| hold(protocol, &arena, states, limits, coin))
    }

    fn ring(&self, algorithm: &RingInstance, parameters: &Parameters) -> Result<Vec<Held>, Failure> {
        let scheduler = measured(self.arguments, self.card);
        self.all(algorithm, parameters.size, |states, limits, coin| {
            hold_ring(algorithm, states, scheduler, limits, coin)
        })
    }

    fn all(
        &self,
        algorithm: &dyn StabilizingInstance,
        size: usize,
        hold: impl Fn(&[Number], Limits<'_>, Generator) -> Option<Held> + Sync,
    ) -> Result<Vec<Held>, Failure> {
        let said = self.arguments.start(self.card);
        let start = said.load()?;
        let series = ElectionSeries {
            threads: self.arguments.threads(),
            ..ElectionSeries::new(self.seed, size, self.arguments.runs)
        };
        start.states(algorithm, size, &mut series.generator(0)).map_err(|error| said.refusal(error))?;
        let limits = Limits { steps: self.watched(), stop: interrupt::flag() };
        let mut found = vec![];
        let watch = |mut coin: Generator| {
            let states = start.states(algorithm, size, &mut coin).ok()?;
            hold(&states, limits, coin)
        };
        series.hold([], interrupt::flag(), watch, |_, held| {
            found.extend(held);
            true
        });
        Ok(found)
    }

    fn tell(&self, rows: &[Row]) -> Result<(), Failure> {
        let mut out = anstream::stdout().lock();
        if self.arguments.json {
            let sizes: Vec<_> = rows.iter().map(Row::json).collect();
            let report = json!({
                "version": 1, "algorithm": self.card.name, "seed": self.seed, "watched": self.watched(), "sizes": sizes,
            });
            writeln!(out, "{report:#}")?;
            return Ok(());
        }
        let start = self.arguments.start(self.card);
        writeln!(out, "{}: safe for long, not for ever · start {start} · seed {}", self.card.name, self.seed)?;
        writeln!(out, "each run watched for {} steps\n", grouped(self.watched()))?;
        writeln!(
            out,
            "{:>9} {:>6} {:>16} {:>9} {:>24}",
            "size", "runs", "steps until safe", "lost", "steps held per loss"
        )?;
        for row in rows {
            let reached = row.reached().map_or("never".into(), |s| format!("{:.1}", s.mean));
            let all: u64 = row.runs.iter().map(|run| run.held).sum();
            let held = row.held().map_or_else(|| format!("none in {}", grouped(all)), |held| grouped(held as u64));
            writeln!(out, "{:>9} {:>6} {reached:>16} {:>9} {held:>24}", row.size, row.runs.len(), row.lost())?;
        }
        Ok(())
    }
}
