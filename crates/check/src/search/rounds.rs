//! The greatest number of rounds before a set is entered.
//!
//! A round ends when every process that was enabled at its start has moved or has become disabled since. The nodes of the
//! product are configurations with the processes that the current round still waits for. A cycle of the product that ends
//! no round is harmless; a cycle that ends one repeats for ever.

use crate::rules::System;
use crate::space::{Bits, MOST_AGENTS, StateGraph};
use crate::{Monitor, Stop};
use ringleader_model::components::Components;

/// The greatest number of rounds that begin before a set is entered, exact or expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorstRounds<T, S> {
    /// There is a bound.
    Bounded {
        /// The number of rounds from the worst start.
        worst: T,
        /// A start from which that many begin.
        start: u32,
        /// The sum of the greatest numbers of rounds over all starts.
        sum: S,
    },
    /// From this node as many rounds as one likes.
    Unbounded(u32),
}

/// The processes that the present round still waits for, after these have moved: they leave the set when they move or become
/// disabled. If none is left, the next round begins with all enabled processes; then the second value is true.
pub(crate) fn pending_after(pending: u32, moved: u32, enabled: u32) -> (u32, bool) {
    let left = pending & !moved & enabled;
    if left == 0 { (enabled, true) } else { (left, false) }
}

/// The executions whose rounds are counted.
pub struct Rounds<'a, G> {
    /// The steps.
    pub graph: &'a G,
    /// The processes that take them.
    pub system: &'a System,
    /// The configuration of each node.
    pub configurations: Vec<u32>,
    /// The enabled processes of each node, as bits.
    pub enabled: Vec<u32>,
    /// The set that ends the count.
    pub target: &'a Bits,
    /// Whether all processes step at once.
    pub all: bool,
}

impl<G: StateGraph> Rounds<'_, G> {
    fn agents(&self) -> u32 {
        self.system.space.agents as u32
    }

    fn node(&self, node: u32, pending: u32) -> u32 {
        node << self.agents() | pending
    }

    /// Visits the nodes of the product after a node, unless they are in the target, and whether a round begins with the step.
    fn steps(&self, node: u32, mut visit: impl FnMut(u32, bool)) {
        let Rounds { graph, system, configurations, enabled, target, all } = self;
        let (c, pending) = (node >> self.agents(), node & ((1 << self.agents()) - 1));
        let (mut before, mut after) = ([0; MOST_AGENTS], [0; MOST_AGENTS]);
        system.space.decode(configurations[c as usize], &mut before);
        graph.successors(c, |edge| {
            if !edge.moves(c) || target.contains(edge.target) {
                return;
            }
            system.space.decode(configurations[edge.target as usize], &mut after);
            let moved = (0..self.agents()).filter(|&i| *all || before[i as usize] != after[i as usize]);
            let moved = moved.fold(0, |set, i| set | 1 << i);
            let (left, begins) = pending_after(pending, moved, enabled[edge.target as usize]);
            visit(self.node(edge.target, left), begins);
        });
    }

    /// The greatest number of rounds that begin before the target is entered, from some nodes, perhaps of the target. `None`
    /// if there are 2^32 or more nodes with pending processes.
    pub fn most(&self, starts: &[u32], monitor: &Monitor) -> Result<Option<WorstRounds<u32, u64>>, Stop> {
        let size = self.graph.size();
        let Some(nodes) = size.checked_shl(self.system.space.agents as u32).filter(|nodes| *nodes < 1 << 32) else {
            return Ok(None);
        };
        monitor.enter("rounds", Some(size));
        let starts: Vec<u32> = starts.iter().map(|&c| self.node(c, self.enabled[c as usize])).collect();
        let (mut value, mut component_of) = (vec![0_u32; nodes as usize], vec![0_u32; nodes as usize]);
        let (mut count, mut unbounded) = (0, None);
        let successors = |node: u32, targets: &mut Vec<u32>| self.steps(node, |to, _| targets.push(to));
        let found = |component: &[u32]| {
            count += 1;
            component.iter().for_each(|&node| component_of[node as usize] = count);
            let (mut best, mut repeats) = (0, false);
            for &node in component {
                self.steps(node, |to, begins| {
                    let inside = component_of[to as usize] == count;
                    repeats |= inside && begins;
                    best = best.max(if inside { 0 } else { value[to as usize] + u32::from(begins) });
                });
            }
            component.iter().for_each(|&node| value[node as usize] = best);
            unbounded = repeats.then_some(component[0]);
            unbounded.is_none()
        };
        let pause = |at| monitor.pass(at as u64, 1 << 12);
        Components::new(nodes as usize).find(&starts, successors, |_| true, found, pause)?;
        if let Some(node) = unbounded {
            return Ok(Some(WorstRounds::Unbounded(node >> self.agents())));
        }
        let (mut worst, mut start, mut sum) = (0, 0, 0);
        for node in starts {
            let rounds = value[node as usize] + 1;
            sum += u64::from(rounds);
            if rounds > worst {
                (worst, start) = (rounds, node >> self.agents());
            }
        }
        Ok(Some(WorstRounds::Bounded { worst, start, sum }))
    }
}
