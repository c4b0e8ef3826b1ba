//! The report of loosely stabilizing algorithms: the time until one leader, and how long it stays.

use crate::number::grouped;
use ringleader_erased::Card;
use ringleader_simulate::Held;
use ringleader_simulate::statistics::Summary;
use serde_json::{Value, json};
use std::io::{Result, Write};

/// The runs of several sizes.
#[derive(Clone, Debug)]
pub struct LooseReport<'a> {
    /// The algorithm.
    pub card: &'a Card,
    /// The start of the runs.
    pub start: String,
    /// The seed of everything random.
    pub seed: u64,
    /// The number of steps for which each run was watched.
    pub watched: u64,
    /// The results of each size.
    pub sizes: Vec<LooseSize>,
}

/// The runs of one size.
#[derive(Clone, Debug)]
pub struct LooseSize {
    /// The number of agents.
    pub size: usize,
    /// The runs.
    pub runs: Vec<Held>,
}

impl LooseSize {
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

impl LooseReport<'_> {
    /// The result as one object.
    pub fn json(&self) -> Value {
        let sizes: Vec<_> = self.sizes.iter().map(LooseSize::json).collect();
        let LooseReport { card, seed, watched, .. } = self;
        json!({ "version": 1, "algorithm": card.name, "seed": seed, "watched": watched, "sizes": sizes })
    }

    /// The result as a table.
    pub fn text(&self, out: &mut dyn Write) -> Result<()> {
        let LooseReport { card, start, seed, .. } = self;
        writeln!(out, "{}: safe for long, not for ever · start {start} · seed {seed}", card.name)?;
        writeln!(out, "each run watched for {} steps\n", grouped(self.watched))?;
        let titles = ["size", "runs", "steps until safe", "lost", "steps held per loss"];
        let [size, runs, until, lost, held] = titles;
        writeln!(out, "{size:>9} {runs:>6} {until:>16} {lost:>9} {held:>24}")?;
        for row in &self.sizes {
            let reached = row.reached().map_or("never".into(), |s| format!("{:.1}", s.mean));
            let all: u64 = row.runs.iter().map(|run| run.held).sum();
            let held = row.held().map_or_else(|| format!("none in {}", grouped(all)), |held| grouped(held as u64));
            writeln!(out, "{:>9} {:>6} {reached:>16} {:>9} {held:>24}", row.size, row.runs.len(), row.lost())?;
        }
        Ok(())
    }

    /// Whether every run reached one leader.
    pub fn reached(&self) -> bool {
        self.sizes.iter().all(|row| row.runs.iter().all(|run| run.reached.is_some()))
    }
}
