//! Many elections of several sizes in one call: a series per size, and statistics.

use crate::statistics::{Censored, Fit, Summary};
use crate::{Contest, ElectionSeries, Faults, Limits, RunRecord};
use std::sync::atomic::AtomicBool;

/// Many elections of several sizes. The measurements depend only on these fields and on the elections.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[must_use]
pub struct Experiment {
    /// The sizes.
    pub sizes: Vec<usize>,
    /// The number of elections of each size.
    pub runs: u64,
    /// The seed of everything random.
    pub seed: u64,
    /// The faults that hit a run once it has reached its goal.
    pub faults: Faults,
    /// The step limit of a run.
    pub limit: u64,
}

/// The results of an experiment.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Measurements {
    /// The results of each size.
    pub points: Vec<Point>,
    /// The power law that fits the mean number of steps best, from the sizes at which no election hit the limit, if there are
    /// at least two.
    pub growth: Option<Fit>,
}

/// The results of one size.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Point {
    /// The number of agents.
    pub size: usize,
    /// All elections, in the order of their numbers.
    pub elections: Vec<RunRecord>,
    /// The steps to the goal; absent unless all elections reached it.
    pub steps: Option<Summary>,
    /// The known bounds of the steps, where some elections hit the limit.
    pub steps_cut_off: Option<Censored>,
    /// The steps until the last change of an output; absent unless all elections reached the goal.
    pub last_output_change: Option<Summary>,
    /// The steps to recover from a fault; absent if there was no fault, or a recovery hit the limit.
    pub recovery: Option<Summary>,
}

impl Experiment {
    /// `runs` elections of each of these sizes, without faults and without a step limit.
    ///
    /// Run `i` equals run `i` of `ringleader simulate` with the same seed.
    pub fn new(sizes: impl Into<Vec<usize>>, runs: u64, seed: u64) -> Experiment {
        Experiment { sizes: sizes.into(), runs, seed, faults: Faults::default(), limit: u64::MAX }
    }

    /// Holds the elections, on all cores. `elections` prepares those of a size.
    pub fn run<'a, C: Into<Contest<'a>>, E>(
        &self,
        mut elections: impl FnMut(usize) -> Result<C, E>,
    ) -> Result<Measurements, E> {
        let points: Vec<Point> =
            self.sizes.iter().map(|&size| Ok(self.point(size, &elections(size)?.into()))).collect::<Result<_, E>>()?;
        let known = points.iter().filter_map(|point| Some((point.size as f64, point.steps?)));
        let known: Vec<_> = known.filter_map(|(size, steps)| Some((size, steps.mean, steps.error?))).collect();
        Ok(Measurements { points, growth: Fit::of(&known) })
    }

    fn point(&self, size: usize, contest: &Contest<'_>) -> Point {
        let stop = AtomicBool::new(false);
        let limits = Limits { steps: self.limit, stop: &AtomicBool::new(false) };
        let mut held = vec![];
        ElectionSeries::new(self.seed, size, self.runs).hold(
            [],
            &stop,
            |coin| contest.elect(self.faults, limits, coin),
            |run, record| {
                held.extend(record.map(|record| RunRecord { run, ..record }));
                true
            },
        );
        held.sort_by_key(|record| record.run);
        Point::of(size, held)
    }
}

impl Point {
    fn of(size: usize, elections: Vec<RunRecord>) -> Point {
        let steps: Vec<(f64, bool)> = elections.iter().map(|e| (e.steps as f64, !e.reached)).collect();
        // Where some elections hit the limit, the others are no sample of all.
        let whole =
            |all: fn(&RunRecord) -> bool, values: Vec<f64>| elections.iter().all(all).then(|| Summary::of(values))?;
        let last_changes = elections.iter().filter_map(|e| e.last_output_change).map(|steps| steps as f64).collect();
        let recoveries = elections.iter().flat_map(|e| &e.recoveries).map(|&steps| steps as f64).collect();
        Point {
            size,
            steps: whole(|e| e.reached, steps.iter().map(|(steps, _)| *steps).collect()),
            last_output_change: whole(|e| e.reached, last_changes),
            recovery: whole(RunRecord::whole, recoveries),
            steps_cut_off: Censored::of(steps),
            elections,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Elections that hit the limit give no mean, only a lower bound of it.
    #[test]
    fn a_point_with_cut_off_elections_has_no_mean() {
        let ended = |reached, steps| RunRecord { reached, steps, last_output_change: Some(1), ..RunRecord::default() };
        let point = Point::of(8, vec![ended(true, 5), ended(false, 100)]);
        assert_eq!((point.steps, point.last_output_change), (None, None));
        assert_eq!(point.steps_cut_off.map(|cut| (cut.cut, cut.at_least)), Some((1, 52.5)));
        assert!(Point::of(8, vec![ended(true, 5)]).steps.is_some());
    }
}
