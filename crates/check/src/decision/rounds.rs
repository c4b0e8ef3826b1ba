//! Expected rounds: the product of a decision process with the processes that the present round still waits for.
//!
//! A daemon stays in an end component of the product that ends no round as long as it wants, and a fair one leaves it: the
//! component is one node. If some choice inside a component ends a round, the daemon repeats it for ever.

use super::totals::Rewards;
use crate::decision::{Choices, end_components};
use crate::memory;
use crate::report::Bounds;
use crate::rules::System;
use crate::search::{WorstRounds, pending_after};
use crate::space::{Bits, StateGraph as _};
use crate::{Monitor, Stop};
use ringleader_model::Interner;

/// One outcome of a choice.
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    /// The number of the choice among those of its node.
    pub choice: u32,
    /// The processes that move, as bits.
    pub acting: u32,
    /// The node that it leads to.
    pub target: u32,
    /// Its weight.
    pub weight: u32,
}

/// Visits the outcomes of a node, choice by choice.
pub type Outcomes<'a> = dyn Fn(u32, &mut dyn FnMut(Outcome)) + Sync + 'a;

/// The executions whose rounds are counted.
pub struct LikelyRounds<'a> {
    /// The steps.
    pub steps: &'a Outcomes<'a>,
    /// The enabled processes of each node, as bits.
    pub enabled: Vec<u32>,
    /// The set that ends the count.
    pub target: &'a Bits,
    /// The relative width of the bounds.
    pub width: f64,
    /// The memory limit, in bytes.
    pub memory: u64,
}

impl LikelyRounds<'_> {
    /// Visits the outcomes of a node with pending processes: the choice, the place after it unless that is in the target, the
    /// weight, and whether a round begins.
    fn after(&self, (node, pending): (u32, u32), mut visit: impl FnMut(u32, Option<(u32, u32)>, u32, bool)) {
        (self.steps)(node, &mut |Outcome { choice, acting, target, weight }| {
            if self.target.contains(target) {
                return visit(choice, None, weight, false);
            }
            let (left, begins) = pending_after(pending, acting, self.enabled[target as usize]);
            visit(choice, Some((target, left)), weight, begins);
        });
    }

    /// The greatest expected number of rounds from some nodes, perhaps of the target.
    pub fn worst(
        &self,
        starts: &[u32],
        system: &System,
        monitor: &Monitor,
    ) -> Result<WorstRounds<Bounds, Bounds>, Stop> {
        monitor.enter("configurations with the processes that a round waits for", None);
        // The nodes of the product that executions reach, each with its pending processes.
        let mut nodes = Interner::default();
        let starts: Vec<u32> = starts.iter().map(|&c| nodes.number((c, self.enabled[c as usize]))).collect();
        let mut at = 0;
        while at < nodes.all().len() {
            monitor.pass(at as u64, 1 << 12)?;
            if at.is_multiple_of(1 << 12) {
                memory::admit(memory::of_choices(nodes.all().len() as u64, 0, 0), self.memory, None)?;
            }
            self.after(nodes.all()[at], |_, to, _, _| {
                to.map(|to| nodes.number(to));
            });
            at += 1;
        }
        // The last node stands for the target.
        let outside = nodes.all().len() as u32;
        let list = |node: u32, visit: &mut dyn FnMut(u32, u32, u32)| {
            let Some(&place) = nodes.all().get(node as usize) else { return };
            self.after(place, |choice, to, weight, _| {
                visit(choice, to.and_then(|to| nodes.find(&to)).unwrap_or(outside), weight);
            });
        };
        let choices = Choices::of_outcomes(u64::from(outside) + 1, self.memory, monitor, list)?;
        let mut begun = vec![0.0; choices.count() as usize];
        for node in 0..outside {
            let (mut last, mut numbers) = (None, choices.of(node));
            let mut current = 0;
            self.after(nodes.all()[node as usize], |choice, _, weight, begins| {
                if last != Some(choice) {
                    (last, current) = (Some(choice), numbers.next().expect("one for each choice"));
                }
                begun[current as usize] += f64::from(u8::from(begins)) * f64::from(weight);
            });
        }
        let target = Bits::new(choices.size());
        target.insert(outside);
        let inner = end_components(&choices, system, &target, None, monitor)?;
        let repeats = |inside: &[Vec<u32>]| inside.iter().flatten().any(|&choice| begun[choice as usize] > 0.0);
        if let Some(component) = inner.iter().find(|component| repeats(&component.choices)) {
            return Ok(WorstRounds::Unbounded(nodes.all()[component.nodes[0] as usize].0));
        }
        let rewards = Rewards { choices: &choices, weighted: &begun, target: &target, inner: &inner };
        let totals = rewards.totals("rounds", self.width, monitor)?;
        let rounds = |&node: &u32| (nodes.all()[node as usize].0, totals.at(node).plus(Bounds::ONE));
        let (worst, start, sum) = Bounds::greatest(starts.iter().map(rounds));
        // Each addition is rounded.
        let rounding = (starts.len() as f64 + 2.0) * f64::EPSILON;
        Ok(WorstRounds::Bounded { worst: worst.widened(rounding), start, sum: sum.widened(rounding) })
    }
}
