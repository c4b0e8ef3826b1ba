//! The greatest number of rounds before a set is entered.
//!
//! A round ends when every process that was enabled at its start has moved or has become disabled since. The nodes of the
//! product are configurations with the processes that the current round still waits for. A cycle of the product that ends
//! no round is harmless; a cycle that ends one repeats for ever.

use crate::rules::System;
use crate::space::{Bits, MOST_AGENTS, StateGraph};
use crate::{Monitor, Stop};
use ringleader_model::components::Components;

/// The greatest number of rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorstRounds {
    /// At most this many rounds begin before the set is entered.
    Bounded {
        /// The number of rounds.
        worst: u32,
        /// A configuration from which that many begin.
        start: u32,
    },
    /// From this configuration as many rounds as one likes.
    Unbounded(u32),
}

struct Product<'a, G> {
    graph: &'a G,
    system: &'a System,
    target: &'a Bits,
    /// The enabled processes of each configuration, as bits.
    enabled: Vec<u32>,
    /// Whether all processes step at once.
    all: bool,
}

impl<G: StateGraph> Product<'_, G> {
    fn agents(&self) -> u32 {
        self.system.space().agents() as u32
    }

    fn node(&self, c: u32, pending: u32) -> u32 {
        c << self.agents() | pending
    }

    /// Visits the nodes after a node outside the target, and whether a round begins with the step.
    fn steps(&self, node: u32, mut visit: impl FnMut(u32, bool)) {
        let (c, pending) = (node >> self.agents(), node & ((1 << self.agents()) - 1));
        let (mut before, mut after) = ([0; MOST_AGENTS], [0; MOST_AGENTS]);
        self.system.space().decode(c, &mut before);
        self.graph.successors(c, |edge| {
            if !edge.moves(c) || self.target.contains(edge.target) {
                return;
            }
            self.system.space().decode(edge.target, &mut after);
            let moved = (0..self.agents()).filter(|&i| self.all || before[i as usize] != after[i as usize]);
            let left = moved.fold(pending, |left, i| left & !(1 << i)) & self.enabled[edge.target as usize];
            let begins = left == 0;
            let left = if begins { self.enabled[edge.target as usize] } else { left };
            visit(self.node(edge.target, left), begins);
        });
    }
}

/// The greatest number of rounds that begin before `target` is entered, for a ring or a line of processes. `None` if there
/// are 2^32 or more configurations with pending processes. `all` says that all processes step at once.
pub fn rounds<G: StateGraph>(
    graph: &G,
    system: &System,
    target: &Bits,
    all: bool,
    monitor: &Monitor,
) -> Result<Option<WorstRounds>, Stop> {
    let size = system.space().size();
    let Some(nodes) = size.checked_shl(system.space().agents() as u32).filter(|nodes| *nodes < 1 << 32) else {
        return Ok(None);
    };
    monitor.enter("rounds", Some(size));
    let enabled_in = |c: u32| {
        let mut enabled = 0;
        system.successors(c, |edge| enabled |= if edge.moves(c) { system.actors(edge.site) } else { 0 });
        enabled
    };
    let product = Product { graph, system, target, enabled: (0..size as u32).map(enabled_in).collect(), all };
    let starts: Vec<u32> = target.missing().map(|c| product.node(c, product.enabled[c as usize])).collect();
    let (mut value, mut component_of) = (vec![0_u32; nodes as usize], vec![0_u32; nodes as usize]);
    let (mut count, mut unbounded) = (0, None);
    let successors = |node: u32, targets: &mut Vec<u32>| product.steps(node, |to, _| targets.push(to));
    let found = |component: &[u32]| {
        count += 1;
        component.iter().for_each(|&node| component_of[node as usize] = count);
        let (mut best, mut repeats) = (0, false);
        for &node in component {
            product.steps(node, |to, begins| {
                let inside = component_of[to as usize] == count;
                repeats |= inside && begins;
                best = best.max(if inside { 0 } else { value[to as usize] + u32::from(begins) });
            });
        }
        component.iter().for_each(|&node| value[node as usize] = best);
        unbounded = repeats.then_some(component[0]);
        unbounded.is_none()
    };
    Components::new(nodes as usize).find(
        &starts,
        successors,
        |_| true,
        found,
        |at| {
            if at.is_multiple_of(1 << 12) {
                monitor.check()?;
                monitor.advance(1 << 12);
            }
            Ok::<(), Stop>(())
        },
    )?;
    if let Some(node) = unbounded {
        return Ok(Some(WorstRounds::Unbounded(node >> product.agents())));
    }
    let worst = starts.iter().map(|&node| (value[node as usize] + 1, node >> product.agents()));
    let (worst, start) = worst.fold((0, 0), |best, next| if next.0 > best.0 { next } else { best });
    Ok(Some(WorstRounds::Bounded { worst, start }))
}
