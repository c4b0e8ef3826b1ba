//! Expected steps under the uniformly random scheduler, with a certificate.
//!
//! The expected number of steps h to a closed set that is reached with probability 1 is the only bounded solution of
//! h = 1 + P h outside the set, h = 0 inside. Gauss-Seidel sweeps find an x near it. How near is then *proved*: if
//! x - P x >= 1 - a everywhere outside then x / (1 - a) >= h, and if x - P x <= 1 + b then x / (1 + b) <= h (optional
//! stopping). So one more sweep that measures the residual 1 + P x - x bounds every h(c) at once; no bound rests on values
//! having stopped changing.

use super::NARROW;
use super::descent::Descent;
use super::rows::Rows;
use crate::decision::{Choices, Extreme};
use crate::report::Bounds;
use crate::rules::System;
use crate::schedule::ProcessByProcess;
use crate::space::{Bits, Markov, StateGraph as _};
use crate::{Monitor, Question, Stop};
use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// The expected steps from every configuration to a set.
#[derive(Debug)]
pub struct Expected {
    /// The largest expectation.
    pub worst: Bounds,
    /// A configuration whose expectation lies within [`Expected::worst`].
    pub worst_start: u32,
    /// The mean over all configurations.
    pub mean: Bounds,
    /// The number of sweeps.
    pub sweeps: u32,
    values: Vec<AtomicU64>,
    below: f64,
    above: f64,
}

impl Expected {
    /// The expected steps from one configuration.
    pub fn at(&self, c: u32) -> Bounds {
        let x = self.value(c);
        Bounds { low: x * self.below, high: x * self.above }
    }

    /// The value of one configuration, between its bounds.
    pub(crate) fn value(&self, c: u32) -> f64 {
        get(&self.values, c)
    }

    /// Values without bounds, from which sweeps may start.
    pub(crate) fn guess(values: impl Iterator<Item = f64>) -> Expected {
        let unknown = Bounds { low: 0.0, high: f64::INFINITY };
        let values = values.map(|value| AtomicU64::new(value.to_bits())).collect();
        Expected { worst: unknown, worst_start: 0, mean: unknown, sweeps: 0, values, below: 0.0, above: f64::INFINITY }
    }
}

#[inline]
pub(super) fn get(values: &[AtomicU64], c: u32) -> f64 {
    f64::from_bits(values[c as usize].load(Relaxed))
}

/// One row of the system of equations, scaled so that all probabilities are whole numbers.
pub(super) struct Row {
    pub(super) c: u32,
    /// The sum of weight * x over the steps that change something.
    pub(super) moves: f64,
    /// The weight of the steps that change nothing.
    pub(super) stay: f64,
    /// The weight of all steps.
    pub(super) whole: f64,
}

impl Row {
    /// By how much the value falls short of its equation.
    #[inline]
    fn residual(&self, x: f64) -> f64 {
        (self.whole + self.moves + self.stay * x) / self.whole - x
    }

    /// The solution of the equation for the value itself.
    #[inline]
    fn solution(&self) -> f64 {
        (self.whole + self.moves) / (self.whole - self.stay)
    }
}

/// The row of a node whose steps all have the same weight.
#[inline]
fn row(values: &[AtomicU64], c: u32, whole: f64, next: impl Iterator<Item = u32>) -> Row {
    let (mut moves, mut stay) = (0.0, 0.0);
    for to in next {
        let same = f64::from(u8::from(to == c));
        moves += (1.0 - same) * get(values, to);
        stay += same;
    }
    Row { c, moves, stay, whole }
}

/// The row of a choice.
#[inline]
pub(super) fn choice_row(values: &[AtomicU64], c: u32, choices: &Choices, choice: u32) -> Row {
    let mut row = Row { c, moves: 0.0, stay: 0.0, whole: 0.0 };
    for (&to, &weight) in choices.targets(choice).iter().zip(choices.weights(choice)) {
        let weight = f64::from(weight);
        row.whole += weight;
        if to == c {
            row.stay += weight;
        } else {
            row.moves += weight * get(values, to);
        }
    }
    row
}

/// The equations of all configurations outside a set, and a value for each.
pub(super) struct Equations<'a, G> {
    pub(super) graph: &'a G,
    pub(super) steps: &'a Successors<'a>,
    pub(super) target: &'a Bits,
    /// The nodes at which executions start, unless they start everywhere.
    pub(super) among: Option<&'a Bits>,
    pub(super) values: Vec<AtomicU64>,
    /// The weight of all steps from a configuration.
    pub(super) total: f64,
    /// Where all steps are followed at once: the means of the values after a step, and the solver.
    pub(super) ahead: Vec<f64>,
    pub(super) descent: Descent,
}

/// The source of the successors of all nodes in a sweep.
#[derive(Debug)]
pub enum Successors<'a> {
    /// Computed a row at a time.
    Rows(Rows<'a>),
    /// Stored, one per site for each node. Computing the class of a configuration takes longer than reading it.
    Kept(Vec<AtomicU32>, usize),
    /// Computed one by one.
    Single,
    /// Those of a daemon's choice: the worst one, or the best one.
    Chosen(&'a Choices, Extreme),
    /// Those of all nodes at once.
    AtOnce(&'a ProcessByProcess),
}

impl<'a> Successors<'a> {
    /// The number of terms of all equations. Terms whose successors are computed one by one count more.
    pub(super) fn work<G: Markov>(&self, graph: &G) -> u64 {
        match self {
            Successors::AtOnce(all) => all.work(),
            Successors::Single => graph.size().saturating_mul(graph.steps_at_most()).saturating_mul(8),
            _ => graph.size().saturating_mul(graph.steps_at_most()),
        }
    }

    /// The largest number of terms of a node's equation, or of roundings on the way to it.
    pub(super) fn terms<G: Markov>(&self, graph: &G) -> u64 {
        if let Successors::AtOnce(all) = self { all.terms() } else { graph.steps_at_most() }
    }

    /// The fastest source for a system that takes at most `memory` bytes.
    pub fn new(system: &'a System, memory: u64, monitor: &Monitor) -> Result<Successors<'a>, Stop> {
        if let Some(sweep) = Rows::new(system) {
            return Ok(Successors::Rows(sweep));
        }
        let sites = system.sites.len();
        let stored = system.size().saturating_mul(4 * sites as u64);
        if !(system.is_up_to_symmetry() && system.deterministic()) || stored > memory {
            return Ok(Successors::Single);
        }
        monitor.enter("the steps between all classes", Some(system.size()));
        let kept: Vec<AtomicU32> = (0..system.size() as usize * sites).map(|_| AtomicU32::new(0)).collect();
        let fill = |node: u32| {
            let kept = &kept[node as usize * sites..];
            system.successors(node, |e| kept[e.site as usize].store(e.target, Relaxed));
        };
        monitor.each(system.size(), 1 << 14, fill)?;
        Ok(Successors::Kept(kept, sites))
    }
}

/// The measurements of a sweep.
#[derive(Clone, Copy, Debug)]
struct Seen {
    residual_high: f64,
    residual_low: f64,
    /// The largest value.
    greatest: f64,
    /// The sum of the values of all starts, and the largest of them.
    sum: f64,
    worst: (f64, u32),
}

impl Seen {
    const NOTHING: Seen = Seen { residual_high: 0.0, residual_low: 0.0, greatest: 0.0, sum: 0.0, worst: (0.0, 0) };

    #[inline(always)]
    fn residual(&mut self, residual: f64) {
        self.residual_high = self.residual_high.max(residual);
        self.residual_low = self.residual_low.min(residual);
    }

    /// The width of the interval of residuals.
    fn spread(&self) -> f64 {
        self.residual_high - self.residual_low
    }

    fn merge(self, other: Seen) -> Seen {
        let first = self.worst.0 > other.worst.0 || (self.worst.0 == other.worst.0 && self.worst.1 <= other.worst.1);
        Seen {
            residual_high: self.residual_high.max(other.residual_high),
            residual_low: self.residual_low.min(other.residual_low),
            greatest: self.greatest.max(other.greatest),
            sum: self.sum + other.sum,
            worst: if first { self.worst } else { other.worst },
        }
    }
}

/// A visitor of equations. A trait, since a closure that is called in several loops need not be inlined into any of them.
pub(super) trait See {
    fn see(&mut self, row: Row);
}

impl<F: FnMut(Row)> See for F {
    #[inline(always)]
    fn see(&mut self, row: Row) {
        self(row);
    }
}

/// Replaces each value by the solution of its own equation.
struct Improving<'a> {
    values: &'a [AtomicU64],
    seen: &'a mut Seen,
}

impl See for Improving<'_> {
    #[inline(always)]
    fn see(&mut self, row: Row) {
        let place = &self.values[row.c as usize];
        self.seen.residual(row.residual(f64::from_bits(place.load(Relaxed))));
        place.store(row.solution().to_bits(), Relaxed);
    }
}

impl<G: Markov> Equations<'_, G> {
    /// Visits the equations of a range of configurations outside the target.
    #[inline]
    pub(super) fn rows(&self, range: Range<u64>, improve: bool, mut visit: impl See) {
        let values = &self.values;
        match self.steps {
            Successors::Rows(sweep) => sweep.each(range, |c, next| {
                if !self.target.contains(c) {
                    visit.see(row(values, c, self.total, next.iter().copied()));
                }
            }),
            Successors::Kept(kept, sites) => {
                let sites = *sites;
                for c in range.map(|c| c as u32).filter(|&c| !self.target.contains(c)) {
                    let next = &kept[c as usize * sites..][..sites];
                    visit.see(row(values, c, self.total, next.iter().map(|to| to.load(Relaxed))));
                }
            }
            Successors::Single => {
                for c in range.map(|c| c as u32).filter(|&c| !self.target.contains(c)) {
                    let (mut moves, mut stay) = (0.0, 0.0);
                    self.graph.successors(c, |e| {
                        if e.target == c {
                            stay += f64::from(e.weight);
                        } else {
                            moves += f64::from(e.weight) * get(values, e.target);
                        }
                    });
                    visit.see(Row { c, moves, stay, whole: self.total });
                }
            }
            Successors::Chosen(choices, extreme) => self.chosen(choices, *extreme, range, improve, &mut visit),
            Successors::AtOnce(_) => {
                let visit: &mut dyn See = &mut visit;
                for c in range.map(|c| c as u32).filter(|&c| !self.target.contains(c)) {
                    visit.see(Row { c, moves: self.ahead[c as usize], stay: 0.0, whole: 1.0 });
                }
            }
        }
    }

    /// Visits the equations of the choices that an extreme daemon takes. It is a function of its own, so that the other loops of
    /// [`rows`](Self::rows) inline their visitor.
    fn chosen(&self, choices: &Choices, extreme: Extreme, range: Range<u64>, improve: bool, visit: &mut dyn See) {
        let values = &self.values;
        for c in range.map(|c| c as u32).filter(|&c| !self.target.contains(c)) {
            let x = get(values, c);
            let value = |row: &Row| if improve { row.solution() } else { row.residual(x) };
            let rows = choices.of(c).map(|choice| choice_row(values, c, choices, choice));
            let chosen = match extreme {
                Extreme::Worst => rows.max_by(|a, b| value(a).total_cmp(&value(b))),
                // A choice that never leaves the node takes infinitely many steps.
                Extreme::Best => rows.filter(|row| row.stay < row.whole).min_by(|a, b| value(a).total_cmp(&value(b))),
            };
            chosen.into_iter().for_each(|row| visit.see(row));
        }
    }

    /// Where all steps are followed at once: takes the means after a step, on which the rows depend.
    pub(super) fn look_ahead(&mut self, monitor: &Monitor) -> Result<(), Stop> {
        if let Successors::AtOnce(all) = self.steps {
            self.ahead = all.means(&self.plain(), monitor)?;
        }
        Ok(())
    }

    fn plain(&self) -> Vec<f64> {
        (0..self.values.len() as u32).map(|c| get(&self.values, c)).collect()
    }

    /// Improves all values. Returns the width of the interval of residuals before or after that.
    fn improve(&mut self, monitor: &Monitor) -> Result<f64, Stop> {
        let Successors::AtOnce(all) = self.steps else { return Ok(self.sweep(monitor, true)?.spread()) };
        let mut values = self.plain();
        let target = self.target;
        let masked = |mut change: Vec<f64>| {
            target.iter().for_each(|c| change[c as usize] = 0.0);
            change
        };
        let reduced = |change: &[f64]| {
            let means = all.means(change, monitor)?;
            Ok(masked(change.iter().zip(means).map(|(x, mean)| x - mean).collect()))
        };
        let residual = |values: &[f64]| {
            let means = all.means(values, monitor)?;
            Ok(masked(values.iter().zip(means).map(|(x, mean)| 1.0 + mean - x).collect()))
        };
        let spread = self.descent.improve(&mut values, residual, reduced)?;
        self.values.iter().zip(values).for_each(|(place, x)| place.store(x.to_bits(), Relaxed));
        Ok(spread)
    }

    /// The number of configurations that a thread takes at a time.
    pub(super) fn block(&self) -> u64 {
        let unit = if let Successors::Rows(sweep) = self.steps { sweep.row() } else { 64 };
        (1_u64 << 16).next_multiple_of(unit)
    }

    /// One sweep over all configurations. With `improve`, each value is replaced by the solution of its own equation.
    fn sweep(&self, monitor: &Monitor, improve: bool) -> Result<Seen, Stop> {
        let len = self.values.len() as u64;
        // Small spaces are one block for one thread, so that the result is the same on every run.
        let block = if len < 1 << 22 { len } else { self.block() };
        let measure = |seen: &mut Seen, row: Row| {
            let x = get(&self.values, row.c);
            seen.residual(row.residual(x));
            seen.greatest = seen.greatest.max(x);
            if self.among.is_none_or(|starts| starts.contains(row.c)) {
                seen.sum += x * self.graph.members(row.c) as f64;
                if x > seen.worst.0 {
                    seen.worst = (x, row.c);
                }
            }
        };
        let visit = |seen: &mut Seen, range: Range<u64>| match improve {
            true => self.rows(range, true, Improving { values: &self.values, seen }),
            false => self.rows(range, false, |row: Row| measure(seen, row)),
        };
        let seen = monitor.blocks(len, block, visit, || Seen::NOTHING)?;
        Ok(seen.into_iter().fold(Seen::NOTHING, Seen::merge))
    }
}

/// The bounds are computed after this many sweeps or terms, and then at intervals, even if they cannot be narrow yet.
/// The size of the values determines how narrow rounding allows the bounds to become.
const FIRST_LOOK: u32 = 1000;
const FIRST_TERMS: u64 = 1 << 31;

/// The effort for narrow bounds. One more sweep proves bounds for any values, so the work always ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effort {
    /// The requested relative width.
    pub width: f64,
    /// After this many terms of the equations, accept a width of 10^-6; after four times as many, 10^-3; after eight
    /// times as many, any width. A hundred million terms take about a second. Terms whose successors are computed one
    /// by one count eight times.
    pub terms: u64,
}

impl Effort {
    /// This relative width, within some minutes.
    pub fn new(width: f64) -> Effort {
        Effort { width, terms: 1 << 34 }
    }

    /// The effort that a question asks for.
    pub(crate) fn of(question: &Question) -> Effort {
        Effort::new(question.width.unwrap_or(NARROW))
    }

    /// The width to accept after this many terms.
    pub(crate) fn after(self, terms: u64) -> f64 {
        match terms / self.terms.max(1) {
            0 => self.width,
            1..=3 => self.width.max(1e-6),
            4..=7 => self.width.max(1e-3),
            _ => f64::INFINITY,
        }
    }
}

/// The expected steps to a closed set that is reachable from everywhere, with the requested width if rounding allows
/// it. With expectations of millions no sweep achieves a width of 10^-9.
///
/// Executions start at the nodes `among`, or everywhere; the worst and the mean are over the `count` starts at these nodes. `guess` may
/// be a solution for a larger set; it is a better start than zero.
pub fn expected<G: Markov>(
    graph: &G,
    steps: &Successors<'_>,
    (target, among): (&Bits, Option<&Bits>),
    count: u64,
    effort: Effort,
    guess: Option<Expected>,
    monitor: &Monitor,
) -> Result<Expected, Stop> {
    let (len, width) = (graph.size(), effort.width);
    let terms_a_sweep = steps.work(graph).max(1);
    let total = graph.total() as f64;
    let values = guess.map_or_else(|| (0..len).map(|_| AtomicU64::new(0)).collect(), |guess| guess.values);
    let (ahead, descent) = (vec![], Descent::default());
    let mut equations = Equations { graph, steps, target, among, values, total, ahead, descent };
    let first_look = (FIRST_TERMS.min(effort.terms) / terms_a_sweep).clamp(1, FIRST_LOOK.into()) as u32;
    let most = effort.terms.saturating_mul(8).div_ceil(terms_a_sweep);
    let (mut sweeps, mut next_look, mut noise, mut known) = (0_u32, first_look, 0.0, String::new());
    loop {
        monitor.enter(format!("expected steps, sweep {} of {most} at most{known}", sweeps + 1), Some(len));
        let near = equations.improve(monitor)? <= f64::max(width / 2.0, noise);
        sweeps += 1;
        if !near && sweeps < next_look {
            continue;
        }
        next_look = sweeps + (sweeps / 4).max(1);
        monitor.enter("expected steps, proving the bounds", Some(len));
        equations.look_ahead(monitor)?;
        let seen = equations.sweep(monitor, false)?;
        // The largest rounding error of a sum of that many products, of values up to the worst.
        let slack = 8.0 * (steps.terms(graph) as f64 + 4.0) * f64::EPSILON * (seen.greatest + 1.0);
        let (high, low) = (seen.residual_high + slack, seen.residual_low - slack);
        noise = 2.0 * slack;
        let narrow = high - low <= width;
        // If the values are this large, no sweep achieves the requested width. Then these bounds are the narrowest
        // possible.
        let narrowest = slack >= width / 8.0 && seen.spread() <= f64::max(width / 2.0, noise);
        let will_do = high - low <= effort.after(terms_a_sweep.saturating_mul(sweeps.into()));
        if !(near && narrow || narrowest || will_do && !narrow) {
            known = format!(", known to within {:.0e}", high - low);
            continue;
        }
        // Before the values have grown, they have no upper bound.
        let above = if high < 1.0 { (1.0 + f64::EPSILON) / (1.0 - high) } else { f64::INFINITY };
        let below = (1.0 - f64::EPSILON) / (1.0 - low);
        let scaled = |x: f64, slack: f64| Bounds { low: x * below * (1.0 - slack), high: x * above * (1.0 + slack) };
        // Adding len numbers one after the other loses at most len roundings.
        let mean = scaled(seen.sum / count as f64, len as f64 * f64::EPSILON);
        let values = std::mem::take(&mut equations.values);
        let (worst, worst_start) = (scaled(seen.worst.0, 0.0), seen.worst.1);
        return Ok(Expected { worst, worst_start, mean, sweeps, values, below, above });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::Edge;

    /// Node 1 stays with all its weight but one, and then goes to node 0.
    struct Patient(u32);

    impl crate::space::StateGraph for Patient {
        fn size(&self) -> u64 {
            2
        }

        fn successors(&self, node: u32, mut visit: impl FnMut(Edge)) {
            let edge = Edge { target: node, site: 0, action: 0, turn: 0, weight: self.0 - 1 };
            visit(edge);
            visit(Edge { target: 0, action: 1, weight: 1, ..edge });
        }
    }

    impl Markov for Patient {
        fn total(&self) -> u64 {
            self.0.into()
        }

        fn steps_at_most(&self) -> u64 {
            2
        }
    }

    #[test]
    fn bounds_that_cannot_be_narrow_are_given_as_narrow_as_they_are() {
        let target = Bits::new(2);
        target.insert(0);
        for (steps, narrow) in
            [(1000, true), (20_003, true), (1_000_003, false), (100_000_007, false), (4_000_000_007, false)]
        {
            let (graph, monitor) = (Patient(steps), Monitor::new(1));
            let found =
                expected(&graph, &Successors::Single, (&target, None), 2, Effort::new(1e-9), None, &monitor).unwrap();
            let (bounds, truth) = (found.worst, f64::from(steps));
            assert!(bounds.low <= truth && truth <= bounds.high, "{bounds:?}");
            let width = (bounds.high - bounds.low) / truth;
            assert_eq!(width <= 1e-9, narrow, "{bounds:?}");
            assert!(width < 1e-4, "{bounds:?}");
        }
    }

    /// A walk on a line; it needs about as many sweeps as the square of its nodes.
    struct Walk(u32);

    impl crate::space::StateGraph for Walk {
        fn size(&self) -> u64 {
            self.0.into()
        }

        fn successors(&self, node: u32, mut visit: impl FnMut(Edge)) {
            let edge = Edge { target: node.saturating_sub(1), site: 0, action: 0, turn: 0, weight: 1 };
            visit(edge);
            visit(Edge { target: (node + 1).min(self.0 - 1), action: 1, ..edge });
        }
    }

    impl Markov for Walk {
        fn total(&self) -> u64 {
            2
        }

        fn steps_at_most(&self) -> u64 {
            2
        }
    }

    /// However slowly values grow, the work ends, and the bounds hold.
    #[test]
    fn the_work_ends_and_its_bounds_hold() {
        let (nodes, target) = (100_u32, Bits::new(100));
        target.insert(0);
        // From the last node, n(n - 1) steps.
        let truth = f64::from(nodes) * f64::from(nodes - 1);
        let mut widths = vec![];
        for terms in [1 << 12, 1 << 17, 1 << 20, 1 << 27] {
            let effort = Effort { width: 1e-9, terms };
            let found =
                expected(&Walk(nodes), &Successors::Single, (&target, None), 100, effort, None, &Monitor::new(1))
                    .unwrap();
            let Bounds { low, high } = found.worst;
            assert!(low <= truth && truth <= high, "{terms}: {low} .. {high}");
            assert!(u64::from(found.sweeps) * 1600 <= 10 * terms + 3200, "{terms}: {} sweeps", found.sweeps);
            widths.push((high - low) / truth);
        }
        assert!(widths[0].is_infinite() && widths[3] < 1e-9 && widths.is_sorted_by(|a, b| a >= b), "{widths:?}");
    }
}
