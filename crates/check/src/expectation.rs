//! Expected steps for the report: exact where the space is small, certified bounds elsewhere.

mod bounds;
mod chance;
mod descent;
mod fractions;
mod horizon;
mod rows;

pub use bounds::{Effort, Expected, Successors, expected as bounded};
pub(crate) use chance::chance;
pub(crate) use descent::Descent;
pub(crate) use horizon::Prospect;
#[cfg(any(feature = "cuda", all(test, unix)))]
pub(crate) use horizon::{MOST_STEPS, curve};
pub use rows::Rows;

use crate::report::{self, Report, Time, Value};
use crate::space::{Bits, Markov};
use crate::{Monitor, Question, Stop};
use fractions::Fraction;

/// The relative width of the bounds, unless the space is large or the question asks for another.
const NARROW: f64 = 1e-9;
/// From this many configurations on, the bounds have the width [`PROMISED`].
const LARGE: u64 = 1 << 24;
/// The relative width that the documentation promises.
const PROMISED: f64 = 1e-6;

/// The relative width that a question asks for, of a graph with this many nodes.
pub(crate) fn width_for(question: &Question, nodes: u64) -> f64 {
    question.width.unwrap_or(if nodes < LARGE { NARROW } else { PROMISED })
}

/// The times to sets of one Markov chain. Every set must contain every node that is not a configuration.
pub(crate) struct Times<'a, G, S, N> {
    pub(crate) graph: &'a G,
    pub(crate) successors: &'a Successors<'a>,
    /// The local states of a node.
    pub(crate) start: S,
    /// The node of local states.
    pub(crate) node: N,
    pub(crate) question: &'a Question,
    /// The nodes at which executions start, unless they start everywhere.
    pub(crate) among: Option<&'a Bits>,
    /// The number of starts of which a mean is taken.
    pub(crate) count: u64,
    pub(crate) monitor: &'a Monitor,
}

impl<G: Markov, S: Fn(u32) -> Vec<u32>, N: Fn(&[u32]) -> u32> Times<'_, G, S, N> {
    /// The expected steps to a set. `guess` is near the solution.
    pub(crate) fn to(&self, target: &Bits, guess: Option<Expected>) -> Result<(Time, Expected), Stop> {
        let Times { graph, monitor, among, count, .. } = *self;
        let width = width_for(self.question, graph.size());
        let found = bounded(graph, self.successors, (target, among), count, Effort::new(width), guess, monitor)?;
        let (worst, mean) = (Value::Between(found.worst), Value::Between(found.mean));
        let (low, high) = (found.worst.low, found.worst.high);
        monitor.find(format!("worst expected steps between {low} and {high}, after {} sweeps", found.sweeps));
        let worst_start = (self.start)(found.worst_start);
        let starts: Vec<u32> = self.starts().collect();
        let from = starts.iter().map(|&node| Value::Between(found.at(node))).collect();
        let exact = self.exactly(target, &found, &starts);
        Ok((exact.unwrap_or(Time { worst, worst_start, worst_turns: None, mean, from }), found))
    }

    /// Fills in the expected steps to the really safe set and to the algorithm's own safe set. The first may be `known`,
    /// with a solution near it.
    pub(crate) fn fill_in(
        &self,
        [safe, own]: [&Bits; 2],
        known: Option<(Time, Expected)>,
        report: &mut Report,
    ) -> Result<(), Stop> {
        self.monitor.decide(report);
        let (first, solution) = known.map_or_else(|| self.to(safe, None), Ok)?;
        let mut times = report::Times { to_really_safe: Some(first), to_own_safe: None };
        if report.own_is_reached == Some(true) {
            let within = report.own_is_really_safe;
            let same = within && safe.count() == own.count();
            let guess = within.then_some(solution);
            times.to_own_safe = if same { times.to_really_safe.clone() } else { Some(self.to(own, guess)?.0) };
        }
        report.expected_steps = Some(times);
        Ok(())
    }

    /// Fills in the probability of a set within some steps, if the question asks for it. `reached`: the set is reached with
    /// probability 1 from every start.
    pub(crate) fn within(&self, target: &Bits, reached: bool, report: &mut Report) -> Result<(), Stop> {
        let Times { graph, monitor, among, count, .. } = *self;
        let Some(horizon) = self.question.horizon else { return Ok(()) };
        let starts = self.starts().map(|node| vec![node]).collect();
        let prospect = Prospect { graph, target, among, count, starts, reached, horizon, monitor };
        report.reach = Some(prospect.by_chance(self.successors)?);
        Ok(())
    }

    /// The nodes of the configurations of the question.
    fn starts(&self) -> impl Iterator<Item = u32> {
        self.question.starts.iter().map(|start| (self.node)(&start.states))
    }

    /// The expected steps as exact fractions, if there are not too many unknowns.
    fn exactly(&self, target: &Bits, found: &Expected, starts: &[u32]) -> Option<Time> {
        let Times { graph, among, count, .. } = *self;
        if graph.has_shares() || graph.size() - target.count() > fractions::MOST_UNKNOWNS {
            return None;
        }
        self.monitor.enter("expected steps, exactly", None);
        let exact = |(p, q): Fraction| Value::Exact(p, q);
        let begins = |c: u32| among.is_none_or(|starts| starts.contains(c));
        let likely = |c: &u32| begins(*c) && found.at(*c).high >= found.worst.low;
        let mut nodes: Vec<u32> = target.missing().filter(likely).collect();
        if nodes.is_empty() {
            let nothing = || exact((0.into(), 1.into()));
            let worst_start = (self.start)(found.worst_start);
            let from = starts.iter().map(|_| nothing()).collect();
            return Some(Time { worst: nothing(), worst_start, worst_turns: None, mean: nothing(), from });
        }
        let candidates = nodes.len();
        nodes.extend(starts);
        let (mut values, mean) = fractions::expected(graph, (target, among), count, &nodes)?;
        let from = values.split_off(candidates).into_iter().map(exact).collect();
        // Among equal values, choose the first start.
        let larger =
            |(a, x): &(&u32, Fraction), (b, y): &(&u32, Fraction)| (&x.0 * &y.1).cmp(&(&y.0 * &x.1)).then(b.cmp(a));
        let (&worst_start, worst) = nodes.iter().zip(values).max_by(larger)?;
        let worst_start = (self.start)(worst_start);
        Some(Time { worst: exact(worst), worst_start, worst_turns: None, mean: exact(mean), from })
    }
}
