//! Expected steps for the report: exact where the space is small, certified bounds elsewhere.

mod bounds;
mod fractions;
mod rows;

pub use bounds::{Effort, Expected, Successors, expected as bounded};
pub use rows::Rows;

use crate::report::{Report, Time, Times, Value};
use crate::space::{Bits, Markov};
use crate::{Monitor, Question, Stop};
use fractions::Fraction;

/// The relative width of the bounds, unless the space is large.
const NARROW: f64 = 1e-9;
/// From this many configurations on, the bounds have the width [`PROMISED`].
const LARGE: u64 = 1 << 24;
/// The relative width that the documentation promises.
const PROMISED: f64 = 1e-6;

/// Fills in the expected steps to the really safe set and to the algorithm's own safe set. Both sets must contain every
/// node that is not a configuration.
pub(crate) fn expected<G: Markov>(
    graph: &G,
    successors: &Successors<'_>,
    [safe, own]: [&Bits; 2],
    start: impl Fn(u32) -> Vec<u32>,
    question: &Question,
    report: &mut Report,
    monitor: &Monitor,
) -> Result<(), Stop> {
    monitor.decide(report);
    let time = |target: &Bits, guess: Option<Expected>| -> Result<(Time, Expected), Stop> {
        let width = question.width.unwrap_or(if graph.size() < LARGE { NARROW } else { PROMISED });
        let found = bounded(graph, successors, target, report.configurations, Effort::new(width), guess, monitor)?;
        let (worst, mean) = (Value::Between(found.worst), Value::Between(found.mean));
        let (low, high) = (found.worst.low, found.worst.high);
        monitor.find(format!("worst expected steps between {low} and {high}, after {} sweeps", found.sweeps));
        let worst_start = start(found.worst_start);
        let time = exactly(graph, target, &found, report.configurations, &start, monitor);
        Ok((time.unwrap_or(Time { worst, worst_start, worst_turns: None, mean }), found))
    };
    let (first, solution) = time(safe, None)?;
    let mut times = Times { to_really_safe: Some(first), to_own_safe: None };
    if report.own_is_reached == Some(true) {
        let within = report.own_is_really_safe;
        let same = within && safe.count() == own.count();
        let guess = within.then_some(solution);
        times.to_own_safe = if same { times.to_really_safe.clone() } else { Some(time(own, guess)?.0) };
    }
    report.expected_steps = Some(times);
    Ok(())
}

/// The same as exact fractions, if there are not too many unknowns. The worst start is chosen among the `candidates`.
fn exactly<G: Markov>(
    graph: &G,
    target: &Bits,
    found: &Expected,
    configurations: u64,
    start: impl Fn(u32) -> Vec<u32>,
    monitor: &Monitor,
) -> Option<Time> {
    if graph.size() - target.count() > fractions::MOST_UNKNOWNS {
        return None;
    }
    monitor.enter("expected steps, exactly", None);
    let candidates: Vec<u32> = target.missing().filter(|&c| found.at(c).high >= found.worst.low).collect();
    if candidates.is_empty() {
        let nothing = || Value::Exact(0.into(), 1.into());
        let worst_start = start(found.worst_start);
        return Some(Time { worst: nothing(), worst_start, worst_turns: None, mean: nothing() });
    }
    let (values, mean) = fractions::expected(graph, target, configurations, &candidates)?;
    // Among equal values, choose the first start.
    let larger =
        |(a, x): &(&u32, Fraction), (b, y): &(&u32, Fraction)| (&x.0 * &y.1).cmp(&(&y.0 * &x.1)).then(b.cmp(a));
    let (&worst_start, (p, q)) = candidates.iter().zip(values).max_by(larger)?;
    let (worst, mean) = (Value::Exact(p, q), Value::Exact(mean.0, mean.1));
    Some(Time { worst, worst_start: start(worst_start), worst_turns: None, mean })
}
