//! A leader detector with arbitrary answers: configurations, and configurations with an answer for every agent.
//!
//! The detector must eventually tell the truth. If from some point on there is always a leader, the answers are
//! eventually *true* everywhere; without leaders, *false*. If leaders come and go for ever, the answers stay arbitrary.
//! So besides the truthful executions, exactly those recurring sets count that have configurations of both kinds.

use crate::rules::System;
use crate::space::{Edge, MOST_AGENTS, NOBODY, StateGraph};

/// First the configurations in which the detector is about to answer; then each configuration with each answer.
#[derive(Debug)]
pub(crate) struct Misled<'a> {
    system: &'a System,
    agents: usize,
}

impl<'a> Misled<'a> {
    /// The graph for a system with a leader detector, if it has fewer than 2^32 nodes.
    pub(crate) fn new(system: &'a System) -> Option<Misled<'a>> {
        let agents = system.space.agents;
        let graph = Misled { system, agents };
        (system.has_inputs() && graph.size() < 1 << 32).then_some(graph)
    }

    /// The configuration of a node, and the inputs (bit `i` for agent `i`) if the detector has answered.
    pub(crate) fn node(&self, node: u32) -> (u32, Option<u32>) {
        match u64::from(node).checked_sub(self.system.size()) {
            None => (node, None),
            Some(said) => ((said >> self.agents) as u32, Some((said & ((1 << self.agents) - 1)) as u32)),
        }
    }

    /// Whether a set of nodes contains configurations with leaders and configurations without.
    pub(crate) fn mixed(&self, set: &[u32]) -> bool {
        let led = |node: u32| self.system.leaders(self.node(node).0) != 0;
        set.iter().any(|&node| led(node)) && set.iter().any(|&node| !led(node))
    }
}

impl StateGraph for Misled<'_> {
    fn size(&self) -> u64 {
        self.system.size() * (1 + (1_u64 << self.agents))
    }

    fn successors(&self, node: u32, mut visit: impl FnMut(Edge)) {
        match self.node(node) {
            (c, None) => {
                let first = self.system.size() as u32 + (c << self.agents);
                for said in 0..1 << self.agents {
                    visit(Edge { target: first + said, site: NOBODY, action: 0, turn: 0, weight: 0 });
                }
            }
            (c, Some(said)) => {
                let mut digits = [0; MOST_AGENTS];
                self.system.space.decode(c, &mut digits);
                let told = |agent: usize| (said >> agent & 1) as usize;
                self.system.steps(c, &digits, |site| 2 * told(site.left) + told(site.right), visit);
            }
        }
    }
}
