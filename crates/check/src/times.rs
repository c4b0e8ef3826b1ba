//! Expected steps for the report: exact where the space is small, certified bounds elsewhere.

use crate::bits::Bits;
use crate::closed::can_reach;
use crate::exact;
use crate::expect::{self, Expected};
use crate::graph::Graph;
use crate::report::{Options, Report, Time, Times, Value};
use crate::survey::Survey;
use crate::watch::{Stop, Watch};

/// Bounds are this narrow, relatively, unless the space is large.
const NARROW: f64 = 1e-9;
/// From this many configurations on, they are only as narrow as promised.
const LARGE: u64 = 1 << 24;
/// What is promised.
const PROMISED: f64 = 1e-6;

/// Fills in the expected steps to the really safe set and to the algorithm's own; both contain what is no configuration.
pub(crate) fn expected(
    survey: &Survey,
    [safe, own]: [&Bits; 2],
    options: &Options,
    report: &mut Report,
    watch: &Watch,
) -> Result<(), Stop> {
    let (first, solution) = time(survey, safe, options, None, watch)?;
    let mut times = Times { to_really_safe: Some(first), to_own_safe: None };
    if report.own_is_closed {
        let reached = can_reach(&survey.system, own, watch)?.count() == survey.system.size();
        report.own_is_reached = Some(reached);
        if reached && safe.count() == own.count() {
            times.to_own_safe = times.to_really_safe.clone();
        } else if reached {
            times.to_own_safe = Some(time(survey, own, options, Some(solution), watch)?.0);
        }
    }
    report.expected_steps = Some(times);
    Ok(())
}

fn time(
    survey: &Survey,
    target: &Bits,
    options: &Options,
    guess: Option<Expected>,
    watch: &Watch,
) -> Result<(Time, Expected), Stop> {
    let system = &survey.system;
    let width = options.width.unwrap_or(if system.size() < LARGE { NARROW } else { PROMISED });
    let found = expect::expected(system, target, survey.configurations(), width, guess, watch)?;
    let digits = |node: u32| system.space().digits(system.configuration(node));
    // Which start is the worst is settled exactly among those that may be.
    let unknowns = system.size() - target.count();
    let rivals: Vec<u32> = if unknowns <= exact::MOST_UNKNOWNS {
        target.missing().filter(|&c| found.at(c).high >= found.worst.low).collect()
    } else {
        vec![]
    };
    watch.enter("expected steps, exactly", None);
    if let Some((values, mean)) = exact::expected(system, target, survey.configurations(), &rivals) {
        let worst = rivals.iter().zip(values).max_by(|(a, x), (b, y)| {
            // Of equals the first.
            (&x.0 * &y.1).cmp(&(&y.0 * &x.1)).then(b.cmp(a))
        });
        if let Some((&start, (p, q))) = worst {
            let (worst, mean) = (Value::Exact(p, q), Value::Exact(mean.0, mean.1));
            return Ok((Time { worst, worst_start: digits(start), worst_turns: None, mean }, found));
        }
    }
    let (worst, mean) = (Value::Between(found.worst), Value::Between(found.mean));
    let (low, high) = (found.worst.low, found.worst.high);
    watch.find(format!("worst expected steps between {low} and {high}, after {} sweeps", found.sweeps));
    Ok((Time { worst, worst_start: digits(found.worst_start), worst_turns: None, mean }, found))
}
