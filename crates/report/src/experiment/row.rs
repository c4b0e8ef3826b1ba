//! The statistics of each setting, and how they grow.

use super::{ExperimentReport, Record};
use ringleader_simulate::statistics::{Fit, Line, Summary};

/// What is measured of a run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Quantity {
    Steps,
    LastChange,
    Recovery,
    Messages,
    Rounds,
}

impl Quantity {
    /// Those that have a table and a law of their own.
    pub(super) const OTHERS: [Quantity; 3] = [Quantity::Recovery, Quantity::Messages, Quantity::Rounds];

    /// In front of a name in JSON.
    pub(super) fn prefix(self) -> &'static str {
        match self {
            Quantity::Steps => "",
            Quantity::LastChange => "last_output_change_",
            Quantity::Recovery => "recovery_",
            Quantity::Messages => "messages_",
            Quantity::Rounds => "rounds_",
        }
    }

    pub(super) fn describe(self) -> &'static str {
        match self {
            Quantity::Steps => "steps",
            Quantity::LastChange => "steps until the last change",
            Quantity::Recovery => "steps to recover",
            Quantity::Messages => "messages",
            Quantity::Rounds => "rounds",
        }
    }

    /// Its values in one run.
    fn of(self, r: &Record) -> Vec<u64> {
        match self {
            Quantity::Steps => vec![r.steps],
            Quantity::LastChange => r.last_output_change.into_iter().collect(),
            Quantity::Recovery => r.recoveries.clone(),
            Quantity::Messages => r.messages.into_iter().collect(),
            Quantity::Rounds => r.rounds.into_iter().collect(),
        }
    }
}

/// What the runs of one setting came to; `None` where nothing was measured.
pub(super) struct Row {
    pub(super) x: f64,
    pub(super) size: usize,
    pub(super) runs: usize,
    pub(super) not_reached: usize,
    measured: Vec<(Quantity, Summary)>,
    pub(super) cpu: Option<f64>,
    pub(super) rate: Option<f64>,
    pub(super) law: Option<f64>,
}

impl Row {
    pub(super) fn get(&self, quantity: Quantity) -> Option<Summary> {
        self.measured.iter().find(|(q, _)| *q == quantity).map(|(_, summary)| *summary)
    }
}

/// How a quantity grows.
#[derive(Clone, Copy)]
pub(super) struct Growth {
    pub(super) power: Option<Fit>,
    /// Where something else than the size varies: laws with an offset are no powers.
    pub(super) line: Option<Line>,
}

impl ExperimentReport<'_> {
    pub(super) fn rows(&self) -> Vec<Row> {
        (0..self.settings.len()).map(|index| self.row(index)).collect()
    }

    fn row(&self, index: usize) -> Row {
        let mut all: Vec<&Record> = self.records.iter().filter(|r| r.point == index).collect();
        // In one order, whatever came first: sums of doubles depend on it.
        all.sort_by_key(|r| r.run);
        let reached: Vec<&Record> = all.iter().copied().filter(|r| r.reached).collect();
        let all_quantities = [Quantity::Steps, Quantity::LastChange].into_iter().chain(Quantity::OTHERS);
        let measured = all_quantities.filter_map(|quantity| {
            let values = reached.iter().flat_map(|r| quantity.of(r)).map(|v| v as f64).collect();
            Some((quantity, Summary::of(values)?))
        });
        let measured = measured.collect();
        let timed: Vec<_> =
            all.iter().filter_map(|r| r.cpu.map(|cpu| (cpu, r.steps + r.recoveries.iter().sum::<u64>()))).collect();
        let cpu: f64 = timed.iter().map(|t| t.0).sum();
        let steps: f64 = timed.iter().map(|t| t.1 as f64).sum();
        let parameters = &self.settings[index].parameters;
        let bound = parameters.number("bound").ok().flatten().unwrap_or(parameters.size as u64);
        Row {
            x: self.settings[index].x as f64,
            size: parameters.size,
            runs: all.len(),
            not_reached: all.len() - reached.len(),
            measured,
            cpu: (!timed.is_empty()).then_some(cpu),
            rate: (cpu > 0.0).then(|| steps / cpu),
            law: self.law().map(|law| law.at(parameters.size as f64, bound as f64)),
        }
    }

    /// How a quantity grows along the axis; nothing if it cannot depend on it.
    pub(super) fn growth(&self, rows: &[Row], quantity: Quantity) -> Growth {
        if self.axis == "corrupt" && quantity != Quantity::Recovery {
            return Growth { power: None, line: None };
        }
        let points = rows.iter().filter_map(|r| r.get(quantity).and_then(|s| Some((r.x, s.mean, s.error?))));
        let points: Vec<_> = points.collect();
        Growth { power: Fit::of(&points), line: (self.axis != "size").then(|| Line::of(&points)).flatten() }
    }

    /// What the picture shows: recovery where there are faults, messages where there are some, steps otherwise.
    pub(super) fn shown(rows: &[Row]) -> Quantity {
        let measured = |quantity: &Quantity| rows.iter().any(|row| row.get(*quantity).is_some());
        [Quantity::Recovery, Quantity::Messages].into_iter().find(measured).unwrap_or(Quantity::Steps)
    }
}
