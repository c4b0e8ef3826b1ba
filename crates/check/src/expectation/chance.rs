//! The probability that a set is ever reached in a Markov chain, as certified intervals.
//!
//! Values rise from 0 and fall from 1. Each value is replaced by the mean of the values after a step, less or more its
//! rounding error, so the first stay lower bounds and the second upper ones. Nodes that cannot reach the set have
//! probability 0; all others leave for one of the two kinds with probability 1, so the bounds meet up to rounding.

use super::bounds::{Effort, Equations, Row, Successors, get};
use super::descent::Descent;
use crate::report::Bounds;
use crate::search::can_reach;
use crate::space::{Bits, Markov, Reversible};
use crate::{Monitor, Stop};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The probabilities from every node.
#[derive(Debug)]
pub(crate) struct Chance {
    low: Vec<AtomicU64>,
    high: Vec<AtomicU64>,
}

impl Chance {
    /// The probability from one node.
    pub(crate) fn at(&self, node: u32) -> Bounds {
        Bounds { low: get(&self.low, node), high: get(&self.high, node) }
    }
}

/// The probability of reaching `target` from every node.
pub(crate) fn chance<G: Markov + Reversible>(
    graph: &G,
    steps: &Successors<'_>,
    target: &Bits,
    effort: Effort,
    monitor: &Monitor,
) -> Result<Chance, Stop> {
    let (len, able) = (graph.size(), can_reach(graph, target, monitor)?);
    let known = target.clone();
    able.missing().for_each(|node| {
        known.insert(node);
    });
    let begin = |open: f64| {
        let value = |node: u32| match (target.contains(node), able.contains(node)) {
            (true, _) => 1.0,
            (false, true) => open,
            (false, false) => 0.0,
        };
        let values = (0..len as u32).map(|node| AtomicU64::new(f64::to_bits(value(node)))).collect();
        let (total, ahead, descent) = (graph.total() as f64, vec![], Descent::default());
        Equations { graph, steps, target: &known, among: None, values, total, ahead, descent }
    };
    let (mut low, mut high) = (begin(0.0), begin(1.0));
    let slack = 4.0 * (steps.terms(graph) as f64 + 4.0) * f64::EPSILON;
    let work = 2 * steps.work(graph).max(1);
    for sweep in 1_u64.. {
        monitor.enter(format!("probabilities, sweep {sweep}"), Some(2 * len));
        let risen = improve(&mut low, |old, mean| old.max(mean - slack), monitor)?;
        let fallen = improve(&mut high, |old, mean| old.min(mean + slack), monitor)?;
        let apart = known.missing().map(|node| get(&high.values, node) - get(&low.values, node)).fold(0.0, f64::max);
        if apart <= effort.after(work.saturating_mul(sweep)) || !(risen || fallen) {
            break;
        }
    }
    Ok(Chance { low: low.values, high: high.values })
}

/// Replaces every value by `next` of it and the mean after a step. Returns whether any value changed.
fn improve<G: Markov>(
    equations: &mut Equations<'_, G>,
    next: impl Fn(f64, f64) -> f64 + Sync,
    monitor: &Monitor,
) -> Result<bool, Stop> {
    equations.look_ahead(monitor)?;
    let (equations, len) = (&*equations, equations.values.len() as u64);
    let visit = |changed: &mut bool, range: Range<u64>| {
        equations.rows(range, false, |row: Row| {
            let old = get(&equations.values, row.c);
            let new = next(old, row.moves / (row.whole - row.stay));
            *changed |= new.to_bits() != old.to_bits();
            equations.values[row.c as usize].store(new.to_bits(), Relaxed);
        });
    };
    // Small spaces are one block for one thread, so that the result is the same on every run.
    let block = if len < 1 << 22 { len } else { equations.block() };
    Ok(monitor.blocks(len, block, visit, || false)?.contains(&true))
}
