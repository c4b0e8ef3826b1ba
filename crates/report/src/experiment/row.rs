//! The statistics of each setting, and their growth.

use super::{ExperimentReport, RunRecord};
use ringleader_simulate::statistics::{self, Censored, Fit, Line, Summary};

/// A measured quantity of a run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Quantity {
    Steps,
    LastChange,
    Recovery,
    Messages,
    Rounds,
    Moves,
}

impl Quantity {
    /// The quantities that have a table and a law of their own.
    pub(super) const OTHERS: [Quantity; 4] =
        [Quantity::Recovery, Quantity::Messages, Quantity::Rounds, Quantity::Moves];

    /// Its name in JSON, and in words.
    pub(super) fn names(self) -> (&'static str, &'static str) {
        match self {
            Quantity::Steps => ("steps", "steps"),
            Quantity::LastChange => ("last_output_change", "steps until the last change"),
            Quantity::Recovery => ("recovery", "steps to recover"),
            Quantity::Messages => ("messages", "messages"),
            Quantity::Rounds => ("rounds", "rounds"),
            Quantity::Moves => ("moves", "moves"),
        }
    }

    pub(super) fn describe(self) -> &'static str {
        self.names().1
    }

    /// Its values in one run, each with whether the limit cut it off.
    fn of(self, r: &RunRecord) -> Vec<(u64, bool)> {
        let cut = !r.reached;
        match self {
            Quantity::Steps => vec![(r.steps, cut)],
            Quantity::Messages => r.messages.map(|messages| (messages, cut)).into_iter().collect(),
            Quantity::Rounds => r.rounds.map(|rounds| (rounds, cut)).into_iter().collect(),
            Quantity::Moves => r.moves.map(|moves| (moves, cut)).into_iter().collect(),
            // The time of the last change is unknown.
            Quantity::LastChange if cut => vec![(0, true)],
            Quantity::LastChange => r.last_output_change.map(|steps| (steps, false)).into_iter().collect(),
            Quantity::Recovery => {
                let healed = r.recoveries.iter().map(|&steps| (steps, false));
                healed.chain(r.unhealed.map(|steps| (steps, true))).collect()
            }
        }
    }
}

/// The results of one setting; `None` where nothing was measured.
pub(super) struct Row {
    pub(super) x: f64,
    pub(super) size: usize,
    pub(super) runs: usize,
    pub(super) not_reached: usize,
    measured: Vec<(Quantity, Sample)>,
    pub(super) cpu: Option<f64>,
    pub(super) rate: Option<f64>,
    pub(super) law: Option<f64>,
}

/// The statistics of a quantity in one setting.
#[derive(Clone, Copy)]
pub(super) enum Sample {
    Whole(Summary),
    /// Some runs hit the limit: the others are no sample of all.
    Cut(Censored),
}

impl Row {
    pub(super) fn sample(&self, quantity: Quantity) -> Option<Sample> {
        self.measured.iter().find(|(q, _)| *q == quantity).map(|(_, sample)| *sample)
    }

    /// The summary, if no run hit the limit.
    pub(super) fn get(&self, quantity: Quantity) -> Option<Summary> {
        if let Some(Sample::Whole(summary)) = self.sample(quantity) { Some(summary) } else { None }
    }

    /// The known bounds, where runs hit the limit.
    pub(super) fn cut(&self, quantity: Quantity) -> Option<Censored> {
        if let Some(Sample::Cut(censored)) = self.sample(quantity) { Some(censored) } else { None }
    }
}

/// The growth of a quantity, from the settings in which no run hit the limit.
pub(super) struct Growth {
    pub(super) power: Option<Fit>,
    /// The line, where a parameter varies: laws with an offset are no powers.
    pub(super) line: Option<Line>,
    /// The laws, where the size varies.
    pub(super) by_size: Option<statistics::Growth>,
    /// The settings in which runs hit the limit.
    pub(super) left_out: Vec<f64>,
}

impl ExperimentReport<'_> {
    pub(super) fn rows(&self) -> Vec<Row> {
        (0..self.settings.len()).map(|index| self.row(index)).collect()
    }

    fn row(&self, index: usize) -> Row {
        let mut all: Vec<&RunRecord> = self.records.iter().filter(|r| r.point == index).collect();
        // In a fixed order: sums of doubles depend on it.
        all.sort_by_key(|r| r.run);
        let all_quantities = [Quantity::Steps, Quantity::LastChange].into_iter().chain(Quantity::OTHERS);
        let measured = all_quantities.filter_map(|quantity| {
            let values: Vec<_> = all.iter().flat_map(|r| quantity.of(r)).map(|(v, cut)| (v as f64, cut)).collect();
            let whole = || Summary::of(values.iter().map(|(value, _)| *value).collect()).map(Sample::Whole);
            Some((quantity, Censored::of(values.clone()).map(Sample::Cut).or_else(whole)?))
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
            not_reached: all.iter().filter(|r| !r.reached).count(),
            measured,
            cpu: (!timed.is_empty()).then_some(cpu),
            rate: (cpu > 0.0).then(|| steps / cpu),
            law: self.card.law.map(|law| law.at(parameters.size as f64, bound as f64)),
        }
    }

    /// The growth of a quantity along the axis; empty if it cannot depend on it.
    pub(super) fn growth(&self, rows: &[Row], quantity: Quantity) -> Growth {
        let left_out = rows.iter().filter(|row| row.cut(quantity).is_some()).map(|row| row.x).collect();
        if self.axis == "corrupt" && quantity != Quantity::Recovery {
            return Growth { power: None, line: None, by_size: None, left_out };
        }
        let points = rows.iter().filter_map(|r| r.get(quantity).and_then(|s| Some((r.x, s.mean, s.error?))));
        let points: Vec<_> = points.collect();
        let by_size = if self.axis == "size" { statistics::Growth::of(&points) } else { None };
        let line = if self.axis == "size" { None } else { Line::of(&points) };
        Growth { power: Fit::of(&points), line, by_size, left_out }
    }
}

/// The plotted quantity: recovery where there are faults, messages where all count some, steps otherwise.
pub(super) fn shown(all: &[Vec<Row>]) -> Quantity {
    let measured = |of: &Quantity| all.iter().all(|rows| rows.iter().any(|row| row.sample(*of).is_some()));
    [Quantity::Recovery, Quantity::Messages].into_iter().find(measured).unwrap_or(Quantity::Steps)
}
