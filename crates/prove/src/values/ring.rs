//! All configurations of one ring with one number of values, up to rotations of the values: the root has value 0.

use super::ValuesRefutation;
use crate::rings::settled;
use ringleader_verify::{Place, Scheduler, Takes, ValueRules, ValueWindow};

/// A step leads to a configuration; whether the root acts.
pub(super) struct Step {
    pub(super) to: usize,
    pub(super) root: bool,
}

pub(super) struct Ring {
    n: usize,
    k: usize,
    /// The steps from each configuration, by its code.
    pub(super) steps: Vec<Vec<Step>>,
    /// The really safe configurations.
    pub(super) safe: Vec<bool>,
}

fn sees(window: &ValueWindow, values: &[usize], agent: usize) -> bool {
    let n = values.len();
    let same = |other: usize| values[other % n] == values[agent];
    window.place == Place::of(agent, n)
        && window.left.is_none_or(|wanted| wanted == same(agent + n - 1))
        && window.right.is_none_or(|wanted| wanted == same(agent + 1))
}

impl Ring {
    pub(super) fn new(rules: &ValueRules, n: usize, k: usize, scheduler: Scheduler) -> Ring {
        let mut ring = Ring { n, k, steps: Vec::new(), safe: Vec::new() };
        let count = k.pow(n as u32 - 1);
        for code in 0..count {
            let values = ring.values(code);
            let token = |agent: &usize| rules.token.iter().any(|window| sees(window, &values, *agent));
            ring.safe.push((0..n).filter(token).count() == 1);
            ring.steps.push(ring.steps_from(rules, &values, scheduler));
        }
        ring.safe = settled(ring.safe, false, |code, safe| ring.steps[code].iter().any(|step| !safe[step.to]));
        ring
    }

    /// The values of agents 0 to n-1, the root's first.
    pub(super) fn values(&self, code: usize) -> Vec<usize> {
        let digit = |agent: usize| code / self.k.pow(agent as u32 - 1) % self.k;
        (0..self.n).map(|agent| if agent == 0 { 0 } else { digit(agent) }).collect()
    }

    fn code(&self, values: &[usize]) -> usize {
        let relative = values.iter().skip(1).map(|value| (value + self.k - values[0]) % self.k);
        relative.rev().fold(0, |code, digit| code * self.k + digit)
    }

    fn steps_from(&self, rules: &ValueRules, values: &[usize], scheduler: Scheduler) -> Vec<Step> {
        let mut after = vec![values.to_vec()];
        for agent in 0..self.n {
            let new = rules.moves.iter().filter(|m| sees(&m.sees, values, agent)).map(|m| match m.takes {
                Takes::Next => (values[agent] + 1) % self.k,
                Takes::Left => values[(agent + self.n - 1) % self.n],
                Takes::Right => values[(agent + 1) % self.n],
            });
            // One agent acts, or any set of them.
            let bases = if scheduler == Scheduler::Distributed { after.len() } else { 1 };
            for value in new {
                for base in 0..bases {
                    let mut changed = after[base].clone();
                    changed[agent] = value;
                    after.push(changed);
                }
            }
        }
        after[1..].iter().map(|after| Step { to: self.code(after), root: after[0] != values[0] }).collect()
    }

    /// A configuration from which some execution never reaches the really safe set.
    pub(super) fn failure(&self) -> Option<ValuesRefutation> {
        let good = settled(self.safe.clone(), true, |code, good| {
            !self.steps[code].is_empty() && self.steps[code].iter().all(|step| good[step.to])
        });
        let start = good.iter().position(|good| !good)?;
        let start = self.values(start).into_iter().map(|value| value as u64).collect();
        Some(ValuesRefutation { size: self.n, values: self.k, start })
    }
}
