//! The greatest probability of reaching a set, as a certified interval.
//!
//! Value iteration from 0 rises to it, value iteration from 1 falls to it, once every end component outside both sets
//! has become one node: inside it, values would support each other for ever (interval iteration, Haddad and Monmege
//! 2014).

use super::collapsed::Collapsed;
use crate::decision::{Choices, EndComponent};
use crate::report::Bounds;
use crate::space::{Bits, Markov as _, StateGraph as _};
use crate::{Monitor, Stop};

/// Probabilities from every node.
#[derive(Debug)]
pub struct Probabilities {
    low: Vec<f64>,
    high: Vec<f64>,
    /// The node that stands for each node's end component.
    leader: Vec<u32>,
}

impl Probabilities {
    /// The probability from one node.
    pub fn at(&self, node: u32) -> Bounds {
        let leader = self.leader[node as usize] as usize;
        Bounds { low: self.low[leader], high: self.high[leader] }
    }
}

/// The greatest probability with which a daemon reaches `sought` before `target`. `inner` are the maximal end components
/// outside both.
pub fn greatest_probability(
    choices: &Choices,
    sought: &Bits,
    target: &Bits,
    inner: &[EndComponent],
    width: f64,
    monitor: &Monitor,
) -> Result<Probabilities, Stop> {
    let size = choices.size() as u32;
    let collapsed = Collapsed::new(choices, inner, |node| sought.contains(node) || target.contains(node));
    let start = |unknown: f64| -> Vec<f64> {
        let value = |node: u32| match (sought.contains(node), target.contains(node)) {
            (true, _) => 1.0,
            (_, true) => 0.0,
            _ => unknown,
        };
        (0..size).map(value).collect()
    };
    let (mut low, mut high) = (start(0.0), start(1.0));
    // One step changes a value by rounding at most this much; sums of products of numbers up to 1.
    let slack = 4.0 * (choices.steps_at_most() as f64 + 4.0) * f64::EPSILON;
    let improved = |values: &[f64], node: u32| collapsed.greatest(values, node, |_, _| 0.0);
    let mut sweeps = 0_u32;
    loop {
        sweeps += 1;
        monitor.enter(format!("probabilities, sweep {sweeps}"), Some(u64::from(size)));
        monitor.check()?;
        let mut apart = 0.0_f64;
        for &node in &collapsed.open {
            let at = node as usize;
            low[at] = low[at].max(improved(&low, node) - slack);
            high[at] = high[at].min(improved(&high, node) + slack);
            apart = apart.max(high[at] - low[at]);
        }
        // Rounding keeps the two apart by more than the slack of a sweep where runs are long.
        if apart <= width || sweeps >= 1 << 20 {
            break;
        }
    }
    Ok(Probabilities { low, high, leader: collapsed.leader })
}

/// The nodes from which some daemon reaches a set, without numbers: with probability more than 0, and with probability 1. For
/// the second, choices that may leave these nodes are not taken (de Alfaro 1997).
pub(crate) fn reached_by_some(choices: &Choices, target: &Bits, monitor: &Monitor) -> Result<[Bits; 2], Stop> {
    let size = choices.size() as u32;
    monitor.enter("configurations from which a daemon reaches the set", Some(choices.size()));
    let mut before = vec![vec![]; size as usize];
    for node in 0..size {
        for choice in choices.of(node) {
            choices.targets(choice).iter().for_each(|&to| before[to as usize].push((node, choice)));
        }
    }
    let search = |taken: &dyn Fn(u32) -> bool| {
        let (found, mut open) = (target.clone(), target.iter().collect::<Vec<_>>());
        while let Some(node) = open.pop() {
            for &(from, choice) in &before[node as usize] {
                if !found.contains(from) && taken(choice) {
                    found.insert(from);
                    open.push(from);
                }
            }
        }
        found
    };
    let able = search(&|_| true);
    let mut surely = able.clone();
    loop {
        monitor.check()?;
        let fewer = search(&|choice| choices.targets(choice).iter().all(|&to| surely.contains(to)));
        if fewer.count() == surely.count() {
            return Ok([able, surely]);
        }
        surely = fewer;
    }
}
