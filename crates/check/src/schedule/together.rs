//! Several processes at once, each from what it saw before: all of them under the synchronous daemon, any non-empty set of
//! those that can change something under the distributed one.
//!
//! A configuration has as many steps as there are combinations of what its processes may do, and no table finds the steps that
//! lead to it. So here the steps are kept, forward and backward.

use crate::memory;
use crate::rules::System;
use crate::space::{Edge, MOST_AGENTS, Markov, Reversible, StateGraph};
use crate::{Monitor, Stop, Uncheckable};
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Who steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Daemon {
    /// All processes.
    Synchronous,
    /// Any set of processes each of which changes.
    Distributed,
}

/// All configurations of a ring of processes, with the steps between them.
#[derive(Debug)]
pub struct Together<'a> {
    system: &'a System,
    daemon: Daemon,
    /// The steps of a node are `next[start[node]..start[node + 1]]`.
    start: Vec<u32>,
    next: Vec<AtomicU32>,
    /// The weight of each step; nothing where no coin is tossed.
    weights: Vec<AtomicU32>,
    total: u64,
    /// The same for the steps that lead to a node.
    before_start: Vec<u32>,
    before: Vec<u32>,
    most: u32,
}

/// What one process may do.
#[derive(Clone, Copy, Debug)]
struct Move {
    /// What is added to the number of the configuration.
    add: u32,
    weight: u32,
    /// Which outcome of its table, unless it rests.
    outcome: Option<usize>,
}

/// What every process may do in a configuration.
#[derive(Debug, Default)]
struct Moves(Vec<Vec<Move>>);

impl Moves {
    fn look(&mut self, system: &System, daemon: Daemon, c: u32) {
        let mut digits = [0; MOST_AGENTS];
        system.space().decode(c, &mut digits);
        self.0.resize(system.sites().len(), vec![]);
        for (moves, site) in self.0.iter_mut().zip(system.sites()) {
            moves.clear();
            if daemon == Daemon::Distributed {
                moves.push(Move { add: 0, weight: 1, outcome: None });
            }
            let (table, own) = (&system.tables()[site.table], digits[site.right]);
            for at in table.cell(system.context(site, &digits), digits[site.left], own) {
                let outcome = table.changes()[at];
                let add = u32::from(outcome.right).wrapping_sub(own).wrapping_mul(system.space().powers()[site.right]);
                if daemon == Daemon::Synchronous || add != 0 {
                    moves.push(Move { add, weight: outcome.weight, outcome: Some(at) });
                }
            }
        }
    }

    /// In how many ways they can be combined.
    fn combinations(&self) -> u64 {
        self.0.iter().fold(1, |product: u64, moves| product.saturating_mul(moves.len() as u64))
    }

    /// How many of these are steps: where nobody can change, the one that changes nothing; else all others under the
    /// distributed daemon.
    fn steps(&self, daemon: Daemon) -> u64 {
        let all = self.combinations();
        if daemon == Daemon::Distributed && all > 1 { all - 1 } else { all }
    }

    /// One combination; the step that changes nothing, where it is not wanted, would be the first.
    fn pick(&self, daemon: Daemon, step: u64) -> impl Iterator<Item = (usize, Move)> {
        let mut left = if self.steps(daemon) < self.combinations() { step + 1 } else { step };
        self.0.iter().enumerate().map(move |(process, moves)| {
            let picked = moves[(left % moves.len() as u64) as usize];
            left /= moves.len() as u64;
            (process, picked)
        })
    }
}

impl<'a> Together<'a> {
    /// Finds all steps of a ring of processes, if they fit into so much memory.
    pub fn new(system: &'a System, daemon: Daemon, memory: u64, monitor: &Monitor) -> Result<Together<'a>, Stop> {
        let len = system.size();
        // With a choice of the scheduler nothing has a probability.
        let markov = daemon == Daemon::Synchronous && system.tosses() && !system.chooses();
        let wholes = system.sites().iter().map(|site| u64::from(system.tables()[site.table].whole()));
        let total = if markov { wholes.fold(1, u64::saturating_mul) } else { 1 };
        if total > u64::from(u32::MAX) {
            return Err(Uncheckable::TooManyCoins.into());
        }
        monitor.enter("how many steps each configuration has", Some(len));
        let counts: Vec<AtomicU32> = (0..len).map(|_| AtomicU32::new(0)).collect();
        let count = |moves: &mut (Moves, u64), range: Range<u64>| {
            for c in range {
                moves.0.look(system, daemon, c as u32);
                let steps = moves.0.steps(daemon);
                moves.1 = moves.1.saturating_add(steps);
                counts[c as usize].store(steps.min(u64::from(u32::MAX)) as u32, Relaxed);
            }
        };
        let found = monitor.blocks(len, 1 << 14, count, <(Moves, u64)>::default)?;
        let edges = found.iter().fold(0, |sum: u64, (_, edges)| sum.saturating_add(*edges));
        memory::admit(memory::of_steps(len, edges, markov), memory, Some(len))?;
        if edges >= 1 << 32 {
            return Err(Uncheckable::TooManySteps { configurations: len, steps: edges }.into());
        }
        let most = counts.iter().map(|count| count.load(Relaxed)).max().unwrap_or(0);
        let start = starts(counts.iter().map(|count| count.load(Relaxed)));
        drop(counts);
        let unfilled = |count: u64| (0..count).map(|_| AtomicU32::new(0)).collect();
        let (next, weights) = (unfilled(edges), unfilled(if markov { edges } else { 0 }));
        let (before_start, before) = (vec![], vec![]);
        let mut graph = Together { system, daemon, start, next, weights, total, before_start, before, most };
        graph.fill(monitor)?;
        graph.invert();
        Ok(graph)
    }

    fn fill(&self, monitor: &Monitor) -> Result<(), Stop> {
        monitor.enter("the steps of every configuration", Some(self.size()));
        let fill = |moves: &mut Moves, range: Range<u64>| {
            for c in range {
                moves.look(self.system, self.daemon, c as u32);
                for (step, at) in self.steps_of(c as u32).enumerate() {
                    let (mut target, mut weight) = (c as u32, 1_u32);
                    for (_, picked) in moves.pick(self.daemon, step as u64) {
                        target = target.wrapping_add(picked.add);
                        weight = weight.wrapping_mul(picked.weight);
                    }
                    self.next[at].store(target, Relaxed);
                    if let Some(place) = self.weights.get(at) {
                        place.store(weight, Relaxed);
                    }
                }
            }
        };
        monitor.blocks(self.size(), 1 << 12, fill, Moves::default).map(|_| ())
    }

    fn invert(&mut self) {
        let mut counts = vec![0; self.size() as usize];
        self.next.iter().for_each(|to| counts[to.load(Relaxed) as usize] += 1);
        self.before_start = starts(counts.into_iter());
        let mut fill = self.before_start.clone();
        self.before = vec![0; self.next.len()];
        for from in 0..self.size() as u32 {
            for at in self.steps_of(from) {
                let place = &mut fill[self.next[at].load(Relaxed) as usize];
                self.before[*place as usize] = from;
                *place += 1;
            }
        }
    }

    fn steps_of(&self, node: u32) -> Range<usize> {
        self.start[node as usize] as usize..self.start[node as usize + 1] as usize
    }

    /// Whether the steps have probabilities.
    pub fn is_markov(&self) -> bool {
        !self.weights.is_empty()
    }

    /// Who steps.
    pub fn daemon(&self) -> Daemon {
        self.daemon
    }

    /// The processes that take a step, each with the outcome of its table.
    pub fn actors(&self, node: u32, edge: Edge) -> Vec<(usize, usize)> {
        let mut moves = Moves::default();
        moves.look(self.system, self.daemon, node);
        let acting = moves.pick(self.daemon, edge.action.into());
        let acting: Vec<_> = acting.filter_map(|(process, picked)| Some((process, picked.outcome?))).collect();
        if !acting.is_empty() {
            return acting;
        }
        // Nobody can change anything: let all try.
        moves.look(self.system, Daemon::Synchronous, node);
        let trying = moves.pick(Daemon::Synchronous, 0);
        trying.filter_map(|(process, picked)| Some((process, picked.outcome?))).collect()
    }
}

/// Where the parts of a list begin, if they are so long.
fn starts(counts: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut sum = 0;
    std::iter::once(0)
        .chain(counts.map(|count| {
            sum += count;
            sum
        }))
        .collect()
}

impl StateGraph for Together<'_> {
    fn size(&self) -> u64 {
        self.system.size()
    }

    #[inline]
    fn successors(&self, node: u32, mut visit: impl FnMut(Edge)) {
        for (action, at) in (0..).zip(self.steps_of(node)) {
            let weight = self.weights.get(at).map_or(1, |weight| weight.load(Relaxed));
            visit(Edge { target: self.next[at].load(Relaxed), site: 0, action, turn: 0, weight });
        }
    }

    /// All step under the synchronous daemon, and where several rules are enabled it may take those that change nothing.
    fn may_rest(&self) -> bool {
        self.daemon == Daemon::Synchronous
    }
}

impl Reversible for Together<'_> {
    #[inline]
    fn predecessors(&self, node: u32, visit: impl FnMut(u32)) {
        let range = self.before_start[node as usize] as usize..self.before_start[node as usize + 1] as usize;
        self.before[range].iter().copied().filter(|&before| before != node).for_each(visit);
    }
}

impl Markov for Together<'_> {
    fn total(&self) -> u64 {
        self.total
    }

    fn steps_at_most(&self) -> u64 {
        self.most.into()
    }

    fn members(&self, _: u32) -> u64 {
        1
    }
}
