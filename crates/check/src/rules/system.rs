//! A population protocol on a graph, or processes on a ring or a graph: sites where pairs of agents change by a table.

mod symmetric;

use super::inverse::Inverse;
use crate::space::{Digits, Edge, MOST_AGENTS, Markov, MixedRadix, Reversible, StateGraph};
use ringleader_erased::{Change, RuleTable, common_denominator};
use ringleader_model::graph::Neighbours;
use ringleader_model::{Chain, Place};
use std::sync::Arc;
use symmetric::Classes;

/// The location of a step: an arc, or a process with its neighbours.
#[derive(Clone, Copy, Debug)]
pub struct Site {
    /// The left agent, or initiator; on a graph of processes the first neighbour of the process that steps.
    pub left: usize,
    /// The right agent, or responder; among processes the one that steps.
    pub right: usize,
    /// The agent to the right of `right`, which a process may read too; on a graph of processes `right` itself.
    pub beyond: usize,
    /// The index of its rule table.
    pub table: usize,
    /// The weights of the digits of `left` and `right`.
    pub(crate) powers: [u32; 2],
    /// The number by which the weights of its table are multiplied, so that all tables have the same whole.
    scale: u32,
    /// The number of its first action.
    first_action: u32,
}

/// The agents that show a mark, such as that of a leader.
#[derive(Clone, Debug)]
pub enum Marked {
    /// Determined by the agent's own state.
    Own(Vec<bool>),
    /// Determined by the states of its neighbours and its own, for each [place](Place::ALL), in the order of a
    /// [`RuleTable`].
    Seen([Vec<bool>; 3]),
    /// Determined by the states of its neighbours and its own, for each process of a graph, in the order of its [`RuleTable`].
    Each(Vec<Vec<bool>>),
}

impl Marked {
    /// Whether the mark is independent of the agent's place.
    pub(crate) fn is_uniform(&self) -> bool {
        match self {
            Marked::Own(_) => true,
            Marked::Seen([bottom, other, top]) => bottom == other && other == top,
            Marked::Each(_) => false,
        }
    }
}

/// A compiled system.
#[derive(Clone, Debug)]
pub struct System {
    /// Its configurations.
    pub space: MixedRadix,
    /// The sites of steps.
    pub sites: Vec<Site>,
    /// The compiled rules.
    pub tables: Vec<RuleTable>,
    /// The inverses of the tables, in the same order.
    pub(super) inverses: Vec<Inverse>,
    leaders: Marked,
    /// Whether this is a system of processes, on a ring, a line or a graph, rather than a population. Then a step schedules its right
    /// agent only.
    pub is_ring: bool,
    /// Whether a process of a ring or a line reads its right neighbour, too.
    pub reads_both_sides: bool,
    /// Whether a process reads more than one neighbour.
    reads_more: bool,
    /// Whether the processes form a line: the last and the first are not neighbours.
    pub is_line: bool,
    /// For each process of a graph, its neighbours besides the first, with their numbers of states; empty in other systems.
    others: Vec<Vec<(usize, u32)>>,
    /// For each process, its neighbours as bits; empty in populations.
    beside: Vec<u32>,
    /// The sum of the weights of a site's outcomes: the same for every site.
    whole: u32,
    /// If present, a digit is a class of this many states.
    weights: Option<Arc<[u64]>>,
    /// If present, a node of the graph is a class of configurations; otherwise a configuration.
    classes: Option<Arc<Classes>>,
}

impl System {
    /// A system on these `(left, right, table)` sites. With `is_ring` it is a ring of processes, and only the right
    /// process of a site changes. The contexts of a table are then the states of the next process; in a population they
    /// are the detector's answers.
    pub fn new(
        space: MixedRadix,
        sites: Vec<(usize, usize, usize)>,
        tables: Vec<RuleTable>,
        leaders: Marked,
        is_ring: bool,
    ) -> System {
        let whole = common_denominator(tables.iter().map(RuleTable::whole)).expect("refused before");
        let mut first_action = 0;
        let sites = sites.into_iter().map(|(left, right, table)| {
            let (beyond, scale) = ((right + 1) % space.agents, whole / tables[table].whole());
            let powers = [left, right].map(|agent| space.powers[agent]);
            let site = Site { left, right, beyond, table, powers, scale, first_action };
            first_action += tables[table].changes().len() as u32;
            site
        });
        let sites = sites.collect();
        let reads_both_sides = is_ring && tables[0].contexts() > 1;
        let beside = if is_ring { chained(space.agents, Chain::Ring) } else { vec![] };
        let inverses = tables.iter().map(Inverse::new).collect();
        System {
            space,
            sites,
            tables,
            inverses,
            leaders,
            is_ring,
            reads_both_sides,
            reads_more: reads_both_sides,
            is_line: false,
            others: vec![],
            beside,
            whole,
            weights: None,
            classes: None,
        }
    }

    /// The same system, in which a digit is a class of states. `sizes` has the number of states of each class.
    pub(crate) fn weighted(self, sizes: &[u64]) -> System {
        System { weights: Some(sizes.into()), ..self }
    }

    /// The number of configurations that a configuration of classes represents; 1 without classes.
    pub(crate) fn weight(&self, c: u32) -> u64 {
        self.weights.as_ref().map_or(1, |weights| self.product(weights, c))
    }

    fn product(&self, weights: &[u64], c: u32) -> u64 {
        let mut digits = [0; MOST_AGENTS];
        self.space.decode(c, &mut digits);
        digits[..self.space.agents].iter().map(|&digit| weights[digit as usize]).product()
    }

    /// The same processes in a line. The tables must not read beyond its ends.
    pub fn as_line(self) -> System {
        System { is_line: true, beside: chained(self.space.agents, Chain::Line), ..self }
    }

    /// The processes of a graph. `table_at` has the index of the table of each process.
    pub fn graph(
        space: MixedRadix,
        neighbours: &Neighbours,
        table_at: &[usize],
        tables: Vec<RuleTable>,
        leaders: Marked,
    ) -> System {
        let processes = || (0..space.agents).map(|process| (process, neighbours.of(process)));
        let sites = processes().map(|(process, near)| (near[0] as usize, process, table_at[process])).collect();
        let other = |&other: &u32| (other as usize, space.radix_of(other as usize));
        let others = processes().map(|(_, near)| near[1..].iter().map(other).collect()).collect();
        let beside = processes().map(|(_, near)| near.iter().fold(0, |bits, other| bits | 1 << other)).collect();
        let mut system = System::new(space, sites, tables, leaders, true);
        system.sites.iter_mut().for_each(|site| site.beyond = site.right);
        System { others, beside, reads_both_sides: false, reads_more: true, ..system }
    }

    /// Whether the processes are those of a graph that need not be a ring or a line.
    pub fn is_graph(&self) -> bool {
        !self.others.is_empty()
    }

    /// The neighbours of a process as bits.
    pub(crate) fn beside(&self, process: usize) -> u32 {
        self.beside[process]
    }

    /// The same system with other tables, which must have the same symmetries.
    pub fn with_tables(self, tables: Vec<RuleTable>) -> System {
        let wholes = |tables: &[RuleTable]| tables.iter().map(RuleTable::whole).collect::<Vec<_>>();
        assert_eq!(wholes(&tables), wholes(&self.tables), "other tables have the same weights");
        let inverses = tables.iter().map(Inverse::new).collect();
        let system = System { tables, inverses, ..self };
        assert!(system.keeps_its_classes(), "other tables have other symmetries");
        system
    }

    /// Whether the agents get inputs from a leader detector.
    pub fn has_inputs(&self) -> bool {
        !self.is_ring && self.tables[0].contexts() > 1
    }

    /// The tables of places that exist. With two processes there is no place between the ends.
    fn in_use(&self) -> impl Iterator<Item = &RuleTable> {
        self.sites.iter().map(|site| &self.tables[site.table])
    }

    /// Whether no rule tosses a coin.
    pub fn deterministic(&self) -> bool {
        self.in_use().all(RuleTable::deterministic)
    }

    /// Whether a rule tosses a coin.
    pub fn tosses(&self) -> bool {
        self.in_use().any(RuleTable::tosses)
    }

    /// Whether the scheduler may have to choose between rules.
    pub fn chooses(&self) -> bool {
        self.in_use().any(RuleTable::chooses)
    }

    /// Whether the scheduler may have to choose between rules after a coin was tossed.
    pub fn chooses_late(&self) -> bool {
        self.in_use().any(RuleTable::chooses_late)
    }

    /// The number of actions.
    pub fn actions(&self) -> usize {
        self.sites.iter().map(|s| self.tables[s.table].changes().len()).sum()
    }

    /// The agents that a site's step schedules, as a bit set.
    pub fn actors(&self, site: u32) -> u32 {
        let site = &self.sites[site as usize];
        if self.is_ring { 1 << site.right } else { 1 << site.left | 1 << site.right }
    }

    /// The agents of a configuration that some outcome of a step of theirs changes, as a bit set. Only for systems that are not
    /// up to symmetry.
    pub fn enabled(&self, c: u32) -> u32 {
        let mut enabled = 0;
        self.successors(c, |edge| enabled |= if edge.moves(c) { self.actors(edge.site) } else { 0 });
        enabled
    }

    /// All agents, as a bit set.
    pub(crate) fn everyone(&self) -> u32 {
        u32::MAX >> (32 - self.space.agents)
    }

    /// The outcome of an action.
    pub fn outcome(&self, edge: Edge) -> Change {
        let site = &self.sites[edge.site as usize];
        self.tables[site.table].changes()[(edge.action - site.first_action) as usize]
    }

    /// A number that the edges of a site share if the scheduler's choices are the same, and only coins differ.
    pub fn choice(&self, edge: Edge) -> u32 {
        let site = &self.sites[edge.site as usize];
        self.tables[site.table].choice((edge.action - site.first_action) as usize)
    }

    /// Whether the step of an edge can change something, perhaps with other coins.
    pub fn is_enabled(&self, edge: Edge) -> bool {
        let site = &self.sites[edge.site as usize];
        self.tables[site.table].is_enabled((edge.action - site.first_action) as usize)
    }

    /// The scheduler's choices on an edge, in the order of the draws.
    pub fn choices(&self, edge: Edge) -> &[u32] {
        let site = &self.sites[edge.site as usize];
        self.tables[site.table].choices((edge.action - site.first_action) as usize)
    }

    /// The outcomes of the coins on an edge, in the order of their draws.
    pub fn coin(&self, edge: Edge) -> &[u32] {
        let site = &self.sites[edge.site as usize];
        self.tables[site.table].draws((edge.action - site.first_action) as usize)
    }

    /// The rules that fired on an edge.
    pub fn rules(&self, edge: Edge) -> &[u8] {
        self.tables[self.sites[edge.site as usize].table].rules(self.outcome(edge))
    }

    /// Which agents output that they are leader, as a bit set.
    pub fn leaders(&self, c: u32) -> u32 {
        let mut digits = [0; MOST_AGENTS];
        self.space.decode(c, &mut digits);
        self.leaders_of(&digits)
    }

    #[inline]
    pub(crate) fn leaders_of(&self, digits: &Digits) -> u32 {
        self.marked(&self.leaders, digits)
    }

    /// The agents that show a mark, as bits.
    #[inline]
    pub(crate) fn marked(&self, marked: &Marked, digits: &Digits) -> u32 {
        let n = self.space.agents;
        let shows = |i: usize| match marked {
            Marked::Own(states) => states[digits[i] as usize],
            Marked::Seen(places) => {
                let s = self.space.radix;
                let beyond = if self.reads_both_sides { digits[(i + 1) % n] } else { 0 };
                places[place(i, n)][((beyond * s + digits[(i + n - 1) % n]) * s + digits[i]) as usize]
            }
            Marked::Each(processes) => {
                let (site, table) = (&self.sites[i], &self.tables[self.sites[i].table]);
                let first = self.context(site, digits) * table.lefts() as usize + digits[site.left] as usize;
                processes[i][first * table.radix() as usize + digits[i] as usize]
            }
        };
        (0..n).fold(0, |mask, i| mask | u32::from(shows(i)) << i)
    }

    /// The context of a process: the states that it reads besides its left or first neighbour's and its own.
    #[inline]
    pub(crate) fn context(&self, site: &Site, digits: &Digits) -> usize {
        match self.others.get(site.right) {
            Some(others) => others
                .iter()
                .rev()
                .fold(0, |context, &(other, states)| context * states as usize + digits[other] as usize),
            None if self.reads_both_sides => digits[site.beyond] as usize,
            None => 0,
        }
    }

    /// The context of each process of a graph.
    #[inline(never)]
    fn contexts(&self, digits: &Digits) -> Digits {
        let mut contexts = [0; MOST_AGENTS];
        self.sites.iter().for_each(|site| contexts[site.right] = self.context(site, digits) as u32);
        contexts
    }

    /// The context of a site in a configuration, under a perfect detector.
    pub(crate) fn context_of(&self, site: &Site, digits: &Digits) -> usize {
        if self.has_inputs() { self.truthful(self.leaders_of(digits) != 0) } else { self.context(site, digits) }
    }

    /// The context of a pair to which a perfect detector says `truth`.
    #[inline]
    fn truthful(&self, truth: bool) -> usize {
        // The contexts are the four pairs of answers; the pair of two true answers is the last.
        if self.has_inputs() && truth { 3 } else { 0 }
    }

    /// Every other configuration from which a step of `site` leads to `c`, under a perfect detector.
    #[inline]
    pub(crate) fn before(&self, site: &Site, c: u32, digits: &Digits, visit: &mut impl FnMut(u32)) {
        let (l, r) = (digits[site.left], digits[site.right]);
        let mut from = |context: usize, truth: Option<bool>| {
            for (p, q) in self.inverses[site.table].before(context, l, r) {
                let before = c
                    .wrapping_add(p.wrapping_sub(l).wrapping_mul(site.powers[0]))
                    .wrapping_add(q.wrapping_sub(r).wrapping_mul(site.powers[1]));
                if truth.is_none_or(|truth| (self.leaders(before) != 0) == truth) {
                    visit(before);
                }
            }
        };
        if self.has_inputs() {
            from(self.truthful(false), Some(false));
            from(self.truthful(true), Some(true));
        } else {
            from(self.context(site, digits), None);
        }
    }

    /// The steps between configurations, for given digits and contexts.
    #[inline]
    pub(crate) fn steps(&self, c: u32, digits: &Digits, context: impl Fn(&Site) -> usize, mut visit: impl FnMut(Edge)) {
        for (index, site) in self.sites.iter().enumerate() {
            let table = &self.tables[site.table];
            let (l, r) = (digits[site.left], digits[site.right]);
            for at in table.cell(context(site), l, r) {
                let o = table.changes()[at];
                let target = c
                    .wrapping_add((u32::from(o.left).wrapping_sub(l)).wrapping_mul(site.powers[0]))
                    .wrapping_add((u32::from(o.right).wrapping_sub(r)).wrapping_mul(site.powers[1]));
                let action = site.first_action + at as u32;
                visit(Edge { target, site: index as u32, action, turn: 0, weight: o.weight * site.scale });
            }
        }
    }

    /// Every step from a configuration to a configuration, with a perfect detector where there are inputs.
    #[inline(always)]
    pub(crate) fn plain_steps(&self, c: u32, visit: impl FnMut(Edge)) {
        let mut digits = [0; MOST_AGENTS];
        self.space.decode(c, &mut digits);
        let told = if self.has_inputs() { self.truthful(self.leaders_of(&digits) != 0) } else { 0 };
        // One loop for all systems: it inlines its visitor.
        let contexts;
        let read = if self.is_graph() {
            contexts = self.contexts(&digits);
            &contexts
        } else {
            &digits
        };
        let context = |site: &Site| if self.reads_more { read[site.beyond] as usize } else { told };
        self.steps(c, &digits, context, visit);
    }

    /// The steps of a configuration by initiator, with all outcomes of its arcs. Each arc has the same weight. Only for
    /// systems that are not up to symmetry.
    pub(crate) fn by_initiator(&self, c: u32) -> Vec<Vec<Edge>> {
        let mut all = vec![vec![]; self.space.agents];
        self.successors(c, |edge| all[self.sites[edge.site as usize].left].push(edge));
        all.retain(|edges| !edges.is_empty());
        all
    }

    /// Every step of a configuration, for all answers of the detector. Only for systems that are not up to symmetry.
    pub(crate) fn misled(&self, c: u32, mut visit: impl FnMut(Edge)) {
        let mut digits = [0; MOST_AGENTS];
        self.space.decode(c, &mut digits);
        (0..self.tables[0].contexts()).for_each(|told| self.steps(c, &digits, |_| told, &mut visit));
    }
}

/// The neighbours of each process of a ring or a line, as bits.
fn chained(size: usize, chain: Chain) -> Vec<u32> {
    let beside = |process: usize| {
        let (left, right) = chain.neighbours(process, size);
        (1 << left | 1 << right) & !(1 << process)
    };
    (0..size).map(beside).collect()
}

/// The place of a process, as a number.
pub(crate) fn place(process: usize, size: usize) -> usize {
    match Place::of(process, size) {
        Place::Bottom => 0,
        Place::Other => 1,
        Place::Top => 2,
    }
}

/// Every step of every site, with a perfect detector where there are inputs.
impl StateGraph for System {
    fn size(&self) -> u64 {
        self.classes.as_ref().map_or(self.space.size(), |classes| classes.count())
    }

    #[inline]
    fn successors(&self, node: u32, mut visit: impl FnMut(Edge)) {
        let c = self.configuration(node);
        // A step that changes nothing stays at its node: no class is computed.
        self.plain_steps(c, |edge| {
            visit(if edge.target == c { Edge { target: node, ..edge } } else { self.class_of(edge) });
        });
    }
}

impl Reversible for System {
    #[inline]
    fn predecessors(&self, node: u32, mut visit: impl FnMut(u32)) {
        let c = self.configuration(node);
        let mut digits = [0; MOST_AGENTS];
        self.space.decode(c, &mut digits);
        for site in &self.sites {
            self.before(site, c, &digits, &mut |before| visit(self.node(before).0));
        }
    }
}

impl Markov for System {
    fn total(&self) -> u64 {
        self.sites.len() as u64 * u64::from(self.whole)
    }

    fn steps_at_most(&self) -> u64 {
        self.sites.iter().map(|site| self.tables[site.table].most_changes()).sum()
    }

    #[inline]
    fn members(&self, node: u32) -> u64 {
        let orbit = self.orbit(node);
        self.weights.as_ref().map_or(orbit, |weights| orbit * self.product(weights, self.configuration(node)))
    }
}
