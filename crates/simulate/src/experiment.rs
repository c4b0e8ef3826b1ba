//! Many elections of several sizes in one call: a series per size, and statistics.

use crate::statistics::{Censored, Fit, Summary};
use crate::{Contest, Faults, Limits, Record, Series};
use std::sync::atomic::AtomicBool;

/// Many elections of several sizes. What it measures depends on nothing but what stands here and the elections.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[must_use]
pub struct Experiment {
    /// The sizes.
    pub sizes: Vec<usize>,
    /// How many elections of each size.
    pub runs: u64,
    /// The seed of everything random.
    pub seed: u64,
    /// What hits a run once it has reached its goal.
    pub faults: Faults,
    /// After how many steps a run is given up.
    pub limit: u64,
}

/// What an experiment measured.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Measurements {
    /// Size by size.
    pub points: Vec<Point>,
    /// The power law that fits the mean number of steps best, where there are two sizes or more at which no election was
    /// given up.
    pub growth: Option<Fit>,
}

/// What was measured of one size.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Point {
    /// How many agents there were.
    pub size: usize,
    /// Every election, in the order of their numbers.
    pub elections: Vec<Record>,
    /// How many steps it took to reach the goal; absent unless all elections did.
    pub steps: Option<Summary>,
    /// What is known of them where some were given up.
    pub steps_cut_off: Option<Censored>,
    /// After how many of them the output of an agent changed for the last time; absent unless all reached the goal.
    pub last_output_change: Option<Summary>,
    /// How many steps it took to recover from a fault; absent if there was none, or one was given up.
    pub recovery: Option<Summary>,
}

impl Experiment {
    /// So many elections of each of these sizes, without faults, however long they take.
    ///
    /// Run `i` is that of `ringleader simulate` with the same seed.
    pub fn new(sizes: impl Into<Vec<usize>>, runs: u64, seed: u64) -> Experiment {
        Experiment { sizes: sizes.into(), runs, seed, faults: Faults::default(), limit: u64::MAX }
    }

    /// Holds the elections, on all cores. `elections` makes those of a size ready.
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
        Series::new(self.seed, size, self.runs).hold(
            [],
            &stop,
            |coin| contest.elect(self.faults, limits, coin),
            |run, record| {
                held.extend(record.map(|record| Record { run, ..record }));
                true
            },
        );
        held.sort_by_key(|record| record.run);
        Point::of(size, held)
    }
}

impl Point {
    fn of(size: usize, elections: Vec<Record>) -> Point {
        let steps: Vec<(f64, bool)> = elections.iter().map(|e| (e.steps as f64, !e.reached)).collect();
        // Where some were given up, the others are no sample of all.
        let whole =
            |all: fn(&Record) -> bool, values: Vec<f64>| elections.iter().all(all).then(|| Summary::of(values))?;
        let last_changes = elections.iter().filter_map(|e| e.last_output_change).map(|steps| steps as f64).collect();
        let recoveries = elections.iter().flat_map(|e| &e.recoveries).map(|&steps| steps as f64).collect();
        Point {
            size,
            steps: whole(|e| e.reached, steps.iter().map(|(steps, _)| *steps).collect()),
            last_output_change: whole(|e| e.reached, last_changes),
            recovery: whole(Record::whole, recoveries),
            steps_cut_off: Censored::of(steps),
            elections,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Elections that were given up leave no mean behind, only what it exceeds.
    #[test]
    fn a_point_with_cut_off_elections_has_no_mean() {
        let ended = |reached, steps| Record { reached, steps, last_output_change: Some(1), ..Record::default() };
        let point = Point::of(8, vec![ended(true, 5), ended(false, 100)]);
        assert_eq!((point.steps, point.last_output_change), (None, None));
        assert_eq!(point.steps_cut_off.map(|cut| (cut.cut, cut.at_least)), Some((1, 52.5)));
        assert!(Point::of(8, vec![ended(true, 5)]).steps.is_some());
    }
}
