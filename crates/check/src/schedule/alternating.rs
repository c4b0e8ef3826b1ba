//! All alternating schedules at once: the product of configurations with edge-reversal tokens.
//!
//! Between two steps of a process each of its neighbours steps exactly once. Equivalently, every edge of the ring gives
//! the turn to one of its two ends. A process steps when it has the turn on both its edges, and hands both over. Every
//! orientation that is no directed cycle starts a class of schedules: 2^n - 2 orientations. A line has n - 1 edges, and
//! no orientation of them is a cycle.

use crate::rules::System;
use crate::space::{Bits, Edge, MOST_AGENTS, Reversible, StateGraph};

/// Configurations of a ring of processes, each with every orientation of its edges.
#[derive(Debug)]
pub struct Alternating<'a> {
    system: &'a System,
    agents: usize,
    line: bool,
    /// The number of nodes of the system.
    bases: u64,
    /// For each process, the bits of the edges to its left and to its right; 0 for a missing edge.
    edges: Vec<(u32, u32)>,
}

impl<'a> Alternating<'a> {
    /// The product for a ring, if it has fewer than 2^32 states.
    pub fn new(system: &'a System) -> Option<Alternating<'a>> {
        let (agents, line, bases) = (system.space.agents, system.is_line, system.size());
        let edge = |i: usize| if line && i.is_multiple_of(agents) { 0 } else { 1 << (i % agents) };
        let edges = (0..agents).map(|process| (edge(process), edge(process + 1))).collect();
        let product = Alternating { system, agents, line, bases, edges };
        ((2..MOST_AGENTS).contains(&agents) && product.size() < 1 << 32).then_some(product)
    }

    /// The number of orientations.
    pub fn count(&self) -> u64 {
        if self.line { 1 << (self.agents - 1) } else { (1 << self.agents) - 2 }
    }

    /// All orientations.
    pub fn orientations(&self) -> impl Iterator<Item = u32> + use<> {
        let line = self.line;
        (0..self.count() as u32).map(move |index| orientation(line, index))
    }

    /// The product states of some nodes of the system, with every orientation.
    pub(crate) fn every(&self, bases: &Bits) -> Bits {
        let nodes = |base| self.orientations().map(move |turns| self.node(base, turns));
        Bits::new(self.size()).with(bases.iter().flat_map(nodes))
    }

    /// The number of orientations in which a process may step.
    pub fn chances(&self, process: usize) -> u64 {
        let (left, right) = self.edges[process];
        (1 << (self.agents - usize::from(self.line))) >> (u32::from(left != 0) + u32::from(right != 0))
    }

    /// The system's node in a product state.
    #[inline]
    pub fn base(&self, node: u32) -> u32 {
        (u64::from(node) % self.bases) as u32
    }

    /// Bit `i` is set if `i` has the turn on the edge between `i - 1` and `i`. On a line bit 0 is unused.
    #[inline]
    pub fn turns(&self, node: u32) -> u32 {
        orientation(self.line, (u64::from(node) / self.bases) as u32)
    }

    /// The product state of a system's node and an orientation.
    #[inline]
    pub fn node(&self, base: u32, turns: u32) -> u32 {
        let index = if self.line { turns >> 1 } else { turns - 1 };
        (u64::from(index) * self.bases) as u32 + base
    }

    /// An orientation after rotating everything back.
    #[inline]
    pub(crate) fn turned_back(&self, turns: u32, by: u32) -> u32 {
        (turns >> by | turns << (self.agents as u32 - by)) & ((1 << self.agents) - 1)
    }

    /// The least rotation that leaves a configuration as it is; all are multiples of it.
    #[inline]
    fn period(&self, base: u32) -> usize {
        if self.system.is_up_to_symmetry() { self.system.orbit(base) as usize } else { self.agents }
    }

    /// The orientation after (or with `back`, before) a step of process `i`, if it may step.
    #[inline]
    fn handed_over(&self, turns: u32, i: usize, back: bool) -> Option<u32> {
        let (own, right) = self.edges[i];
        let (needed, excluded) = if back { (right, own) } else { (own, right) };
        (turns & needed == needed && turns & excluded == 0).then_some(turns ^ own ^ right)
    }
}

/// The orientation with a number: on a ring all but the first and the last, on a line those without edge 0.
#[inline]
fn orientation(line: bool, index: u32) -> u32 {
    if line { index << 1 } else { index + 1 }
}

impl StateGraph for Alternating<'_> {
    fn size(&self) -> u64 {
        self.bases * self.count()
    }

    #[inline]
    fn successors(&self, node: u32, mut visit: impl FnMut(Edge)) {
        let (base, turns) = (self.base(node), self.turns(node));
        self.system.successors(base, |edge| {
            // On a ring of processes site `i` is process `i`.
            if let Some(turns) = self.handed_over(turns, edge.site as usize, false) {
                let turns = self.turned_back(turns, edge.turn);
                visit(Edge { target: self.node(edge.target, turns), ..edge });
            }
        });
    }
}

impl Reversible for Alternating<'_> {
    #[inline]
    fn predecessors(&self, node: u32, mut visit: impl FnMut(u32)) {
        let (base, turns) = (self.base(node), self.turns(node));
        let c = self.system.configuration(base);
        let mut digits = [0; MOST_AGENTS];
        self.system.space.decode(c, &mut digits);
        for (i, site) in self.system.sites.iter().enumerate() {
            let Some(before) = self.handed_over(turns, i, true) else { continue };
            self.system.before(site, c, &digits, &mut |was| {
                let (was, turn) = self.system.node(was);
                // Every rotation that leaves the configuration as it is gives an equivalent state.
                for same in (0..self.agents as u32).step_by(self.period(was)) {
                    visit(self.node(was, self.turned_back(before, (turn + same) % self.agents as u32)));
                }
            });
            let table = &self.system.tables[site.table];
            let own = digits[site.right];
            let idle = table.cell(self.system.context(site, &digits), digits[site.left], own);
            if table.changes()[idle].iter().any(|o| u32::from(o.right) == own) {
                visit(self.node(base, before));
            }
        }
    }
}
