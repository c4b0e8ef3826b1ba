//! One verdict over several graphs.

use crate::Report;
use ringleader_model::Graph;

/// The checks of an algorithm on several graphs.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Everywhere<T> {
    /// The graph that is shown: the first on which the algorithm fails, or else the one on which it takes longest.
    pub graph: Graph,
    /// The report of this graph.
    pub report: Report,
    /// The other result of its check.
    pub with: T,
    /// The number of graphs on which the algorithm fails.
    pub failing: usize,
}

impl<T> Everywhere<T> {
    /// Checks each graph up to the first error of a check, which comes beside the result on the graphs before. `None` without a graph.
    pub fn check<E>(
        graphs: &[Graph],
        mut check: impl FnMut(&Graph) -> Result<(Report, T), E>,
    ) -> (Option<Everywhere<T>>, Result<(), E>) {
        let mut all: Option<Everywhere<T>> = None;
        for graph in graphs {
            let (report, with) = match check(graph) {
                Ok(found) => found,
                Err(error) => return (all, Err(error)),
            };
            let failing = all.as_ref().map_or(0, |all| all.failing) + usize::from(!report.holds);
            match &mut all {
                Some(all) if !worse(&report, &all.report) => all.failing = failing,
                _ => all = Some(Everywhere { graph: graph.clone(), report, with, failing }),
            }
        }
        (all, Ok(()))
    }
}

impl Report {
    /// The worst number of steps, of expected steps, or else of rounds, if it was computed; infinite if it has no bound.
    #[must_use]
    pub fn longest(&self) -> Option<f64> {
        let times = [self.expected_steps.as_ref(), self.steps.as_ref()].into_iter().flatten();
        let mut worst = times.filter_map(|times| times.to_really_safe.as_ref().or(times.to_own_safe.as_ref()));
        let unbounded = self.delay.as_ref().map(|_| f64::INFINITY);
        let rounds =
            || self.rounds.as_ref().map(|found| found.worst.as_ref().map_or(f64::INFINITY, |w| w.bounds().high));
        unbounded.or_else(|| worst.next().map(|time| time.worst.bounds().high)).or_else(rounds)
    }
}

/// Whether a report is worse than an earlier one: it fails, or takes longer.
fn worse(report: &Report, than: &Report) -> bool {
    than.holds && (!report.holds || report.longest() > than.longest())
}
