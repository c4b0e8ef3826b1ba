//! Means over all outcomes of a step in which every process of a ring or a line steps at once and tosses its own coins, for all
//! configurations together.
//!
//! Given the configuration before the step, the new states are independent. So the mean of a function of the new
//! configuration is taken over one new state at a time, and afterwards that digit holds the old state. A process reads the old
//! state of its left neighbour, whose digit is old by then, its own, and perhaps that of its right neighbour, which
//! is carried along as one more digit. The old state of the last process, which the first one reads, is fixed before. This is about n c^n work for c
//! states, where the outcomes of all configurations may be as many as c^2n.

use crate::monitor::on_threads;
use crate::rules::System;
use crate::space::Bits;
use crate::{Monitor, Stop};
use std::sync::Mutex;

/// The first processes are taken together, up to this many combinations of their states: the digits of the others are then
/// taken along long stretches of memory.
const TOGETHER: usize = 64;

/// The probabilities of the new states of every process.
#[derive(Debug)]
pub struct ProcessByProcess {
    states: usize,
    agents: usize,
    /// The number of states of a right neighbour, if a process reads it; otherwise 1.
    beyond: usize,
    /// How many processes are taken together, at least one and not all.
    low: usize,
    /// For each table the probability of each new state, by the states of the left neighbour, the process and its right
    /// neighbour.
    rates: Vec<Vec<f64>>,
    /// The table of each process.
    tables: Vec<usize>,
}

impl ProcessByProcess {
    /// Prepares a ring or a line of processes, in which the scheduler has no choice.
    pub fn new(system: &System) -> ProcessByProcess {
        let (states, agents) = (system.space.radix as usize, system.space.agents);
        let fits = |low: &usize| states.checked_pow(*low as u32).is_some_and(|all| all <= TOGETHER);
        let low = (1..agents).take_while(|low| *low == 1 || fits(low)).last().unwrap_or(1);
        ProcessByProcess::taking(system, low)
    }

    /// The same, which takes this many processes together.
    pub fn taking(system: &System, low: usize) -> ProcessByProcess {
        let (states, agents) = (system.space.radix as usize, system.space.agents);
        assert!(system.is_ring && !system.chooses() && (1..agents).contains(&low), "one process is last");
        let beyond = if system.reads_both_sides { states } else { 1 };
        let rates = system.tables.iter().map(|table| {
            let mut rates = vec![0.0; states * states * beyond * states];
            for (cell, rates) in rates.chunks_mut(states).enumerate() {
                let (right, own, left) = (cell % beyond, cell / beyond % states, cell / beyond / states);
                for change in &table.changes()[table.cell(right, left as u32, own as u32)] {
                    rates[usize::from(change.right)] += f64::from(change.weight) / f64::from(table.whole());
                }
            }
            rates
        });
        let tables = system.sites.iter().map(|site| site.table).collect();
        ProcessByProcess { states, agents, beyond, low, rates: rates.collect(), tables }
    }

    /// An estimate of the work for all configurations, in products.
    pub fn work(&self) -> u64 {
        let all = (self.states as u64).saturating_pow(self.agents as u32 + 2);
        all.saturating_mul(self.beyond as u64).saturating_mul(self.agents as u64)
    }

    /// The largest number of rounded operations on the way to one mean.
    pub fn terms(&self) -> u64 {
        (self.agents * (self.states + 3) + TOGETHER.max(self.states)) as u64
    }

    /// The number of states of a process.
    pub(crate) fn states(&self) -> usize {
        self.states
    }

    /// The bytes that a thread needs.
    pub fn bytes(&self) -> u64 {
        2 * 8 * (self.beyond as u64) * (self.states as u64).saturating_pow(self.agents as u32)
    }

    /// The probabilities of the new states of a process.
    fn rates(&self, process: usize, left: usize, own: usize, right: usize) -> &[f64] {
        let cell = (left * self.states + own) * self.beyond + if self.beyond > 1 { right } else { 0 };
        &self.rates[self.tables[process]][cell * self.states..][..self.states]
    }

    /// For every configuration, the mean of `values` after a step.
    pub fn means(&self, values: &[f64], monitor: &Monitor) -> Result<Vec<f64>, Stop> {
        let mut means = vec![0.0; values.len()];
        // The last process has the highest digit.
        let parts = Mutex::new(means.chunks_mut(values.len() / self.states).enumerate().collect::<Vec<_>>());
        on_threads(monitor.threads().min(self.states), &|| {
            let take = || parts.lock().expect("no thread panics while it holds the lock").pop();
            while let Some((last, part)) = take().filter(|_| !monitor.stopped()) {
                self.fill(values, last, part);
            }
        });
        monitor.check().map(|()| means)
    }

    /// The configurations from which a step may lead to a set. No probability is small enough to vanish.
    pub fn before(&self, set: &Bits, monitor: &Monitor) -> Result<Bits, Stop> {
        let size = (self.states as u64).pow(self.agents as u32);
        let values: Vec<f64> = (0..size as u32).map(|c| f64::from(u8::from(set.contains(c)))).collect();
        let before = Bits::new(size);
        for (c, mean) in (0..).zip(self.means(&values, monitor)?) {
            if mean > 0.0 {
                before.insert(c);
            }
        }
        Ok(before)
    }

    /// The means for all configurations in which the last process is in this state.
    fn fill(&self, values: &[f64], last: usize, means: &mut [f64]) {
        let (s, all) = (self.states, values.len());
        let mut now = self.first_processes(values, last);
        let mut next = vec![0.0; now.len()];
        for process in self.low..self.agents - 1 {
            // Digits below the left neighbour's, and below the process's.
            let run = s.pow(process as u32 - 1);
            let unit = run * s;
            for right in 0..self.beyond {
                for (place, to) in next[right * all..][..all].chunks_mut(run).enumerate() {
                    let (left, own, top) = (place % s, place / s % s, place / s / s);
                    let carried = if self.beyond > 1 { own * all } else { 0 };
                    let from = |new: usize| &now[carried + (top * s + new) * unit + left * run..][..run];
                    add_up(to, self.rates(process, left, own, right), from);
                }
            }
            std::mem::swap(&mut now, &mut next);
        }
        let carried = if self.beyond > 1 { last * all } else { 0 };
        let (part, run) = (means.len(), means.len() / s);
        for (c, mean) in means.iter_mut().enumerate() {
            // The right neighbour of the last process is the first one, which has the lowest digit.
            let rates = self.rates(self.agents - 1, c / run, last, c % s);
            *mean = rates.iter().enumerate().map(|(new, rate)| rate * now[carried + new * part + c]).sum();
        }
    }

    /// The means over the new states of the first processes, for each state of the process after them if it is read.
    fn first_processes(&self, values: &[f64], last: usize) -> Vec<f64> {
        let block = self.states.pow(self.low as u32);
        let mut means = Vec::with_capacity(self.beyond * values.len());
        for right in 0..self.beyond {
            let outcomes: Vec<_> = (0..block).map(|before| self.outcomes(before, last, right)).collect();
            for values in values.chunks(block) {
                means.extend(
                    outcomes
                        .iter()
                        .map(|outcomes| outcomes.iter().map(|&(new, rate)| rate * values[new as usize]).sum::<f64>()),
                );
            }
        }
        means
    }

    /// The outcomes of the first processes, each with its probability.
    fn outcomes(&self, before: usize, last: usize, right: usize) -> Vec<(u32, f64)> {
        let s = self.states;
        let digit = |process: usize| before / s.pow(process as u32) % s;
        let mut all = vec![(0, 1.0)];
        for process in 0..self.low {
            let left = process.checked_sub(1).map_or(last, digit);
            let right = if process + 1 < self.low { digit(process + 1) } else { right };
            let rates = self.rates(process, left, digit(process), right);
            let unit = s.pow(process as u32) as u32;
            let add = |(new, p): (u32, f64)| {
                let likely = (0..).zip(rates).filter(|(_, rate)| **rate > 0.0);
                likely.map(move |(state, rate): (u32, &f64)| (new + state * unit, p * rate))
            };
            all = all.into_iter().flat_map(add).collect();
        }
        all
    }
}

/// Writes the sum of the sources, each times its rate.
fn add_up<'a>(to: &mut [f64], rates: &[f64], from: impl Fn(usize) -> &'a [f64]) {
    let mut likely = rates.iter().enumerate().filter(|(_, rate)| **rate > 0.0);
    let (first, &rate) = likely.next().expect("some state is next");
    to.iter_mut().zip(from(first)).for_each(|(to, x)| *to = rate * x);
    for (new, &rate) in likely {
        to.iter_mut().zip(from(new)).for_each(|(to, x)| *to += rate * x);
    }
}
