//! Several processes step at once, each from the states before the step. Under the synchronous daemon all processes
//! step; under the distributed daemon, any non-empty set of enabled processes; under the locally central daemon, any such
//! set without two neighbours.
//!
//! A configuration has a step for each combination of its processes' moves, and no table finds the predecessors. So the
//! steps are stored here, forward and backward. If all processes step and toss coins, there may be too many steps to
//! store: then those of all configurations are followed at once, process by process, and single ones are computed.

use crate::memory;
use crate::rules::System;
use crate::schedule::ProcessByProcess;
use crate::space::{Edge, MOST_AGENTS, Markov, Reversible, StateGraph};
use crate::{Monitor, Stop, Survey, Uncheckable};
use ringleader_model::{Grouped, Scheduler};
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// The daemon that chooses the processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Daemon {
    /// All processes.
    Synchronous,
    /// Any set of processes each of which changes.
    Distributed,
    /// Any set of processes without two neighbours, each of which changes.
    LocallyCentral,
}

impl Daemon {
    /// The daemon of a scheduler that schedules several processes at once.
    pub fn of(scheduler: Scheduler) -> Option<Daemon> {
        match scheduler {
            Scheduler::Synchronous => Some(Daemon::Synchronous),
            Scheduler::Distributed => Some(Daemon::Distributed),
            Scheduler::LocallyCentral => Some(Daemon::LocallyCentral),
            _ => None,
        }
    }
}

/// All configurations of a ring of processes, with the steps between them.
#[derive(Debug)]
pub struct Together<'a> {
    system: &'a System,
    /// The daemon that chooses the processes.
    pub daemon: Daemon,
    /// The steps of a node are `next[start[node]..start[node + 1]]`; empty if they are not stored.
    start: Vec<u32>,
    next: Vec<AtomicU32>,
    /// The weight of each step; empty if no coin is tossed.
    weights: Vec<AtomicU32>,
    total: u64,
    /// The same for the predecessors of a node.
    before: Grouped,
    most: u32,
    /// The source of all steps at once, if they are not stored.
    at_once: Option<ProcessByProcess>,
}

/// Fewer steps are stored.
const FEW: u64 = 1 << 22;

/// A possible move of one process.
#[derive(Clone, Copy, Debug)]
struct Move {
    /// The number added to the configuration.
    add: u32,
    weight: u32,
    /// The outcome of its table, unless the process does not step.
    outcome: Option<u32>,
}

impl Move {
    /// The configuration and the weight after this move, too.
    #[inline]
    fn after(self, (target, weight): (u32, u32)) -> (u32, u32) {
        (target.wrapping_add(self.add), weight.wrapping_mul(self.weight))
    }
}

/// The possible moves of every process in a configuration.
#[derive(Debug, Default)]
struct Combinations {
    /// The moves of all processes, process by process.
    moves: Vec<Move>,
    /// The moves of process `i` are `moves[start[i]..start[i + 1]]`.
    start: Vec<usize>,
    /// The number of combinations.
    count: u64,
    /// The number of the first combination that is a step.
    first: u64,
    /// Under the locally central daemon, the combinations that are steps.
    apart: Vec<u64>,
    /// The configuration after each step, and the weight of the step.
    reached: Vec<(u32, u32)>,
}

impl Combinations {
    fn look(&mut self, system: &System, daemon: Daemon, c: u32) {
        let mut digits = [0; MOST_AGENTS];
        system.space.decode(c, &mut digits);
        self.moves.clear();
        self.start.clear();
        self.start.push(0);
        self.count = 1;
        for site in &system.sites {
            let from = self.moves.len();
            if daemon != Daemon::Synchronous {
                self.moves.push(Move { add: 0, weight: 1, outcome: None });
            }
            let (table, own) = (&system.tables[site.table], digits[site.right]);
            let cell = table.cell(system.context(site, &digits), digits[site.left], own);
            for (at, outcome) in cell.clone().zip(&table.changes()[cell]) {
                let add = u32::from(outcome.right).wrapping_sub(own).wrapping_mul(site.powers[1]);
                if daemon == Daemon::Synchronous || add != 0 {
                    self.moves.push(Move { add, weight: outcome.weight, outcome: Some(at as u32) });
                }
            }
            self.start.push(self.moves.len());
            self.count = self.count.saturating_mul((self.moves.len() - from) as u64);
        }
        // If no process can change, the combination that changes nothing is a step; otherwise the distributed daemon excludes it.
        self.first = u64::from(daemon == Daemon::Distributed && self.count > 1);
        if daemon == Daemon::LocallyCentral {
            self.apart.clear();
            self.list_apart(system, 0, 1, 0, 0);
            if self.apart.is_empty() {
                self.apart.push(0);
            }
        }
    }

    /// The moves of a process.
    fn of(&self, process: usize) -> &[Move] {
        &self.moves[self.start[process]..self.start[process + 1]]
    }

    /// The number of processes.
    fn processes(&self) -> usize {
        self.start.len() - 1
    }

    /// Lists the combinations without two neighbours. The processes before `process` are decided: `code` is the number of
    /// their combination, and `acting` has a bit for each that steps.
    fn list_apart(&mut self, system: &System, process: usize, unit: u64, code: u64, acting: u32) {
        if process == self.processes() {
            if acting != 0 {
                self.apart.push(code);
            }
            return;
        }
        let count = self.of(process).len() as u64;
        self.list_apart(system, process + 1, unit * count, code, acting);
        if acting & system.beside(process) == 0 {
            for digit in 1..count {
                self.list_apart(system, process + 1, unit * count, code + digit * unit, acting | 1 << process);
            }
        }
    }

    /// The number of combinations that are steps.
    fn steps(&self, daemon: Daemon) -> u64 {
        match daemon {
            Daemon::LocallyCentral => self.apart.len() as u64,
            _ => self.count - self.first,
        }
    }

    /// The configuration after each step from `c`, and the weight of the step.
    fn reached(&mut self, daemon: Daemon, c: u32) -> &[(u32, u32)] {
        let mut reached = std::mem::take(&mut self.reached);
        reached.clear();
        if daemon == Daemon::LocallyCentral {
            let step = |&code: &u64| self.pick(code).fold((c, 1), |before, (_, picked)| picked.after(before));
            reached.extend(self.apart.iter().map(step));
        } else {
            let processes = || self.start.windows(2).map(|ends| &self.moves[ends[0]..ends[1]]);
            let single = processes().filter(|moves| moves.len() == 1);
            reached.push(single.fold((c, 1), |before, moves| moves[0].after(before)));
            // A process follows all combinations of those before it, with its first move, then its second one, and so on.
            for moves in processes().filter(|moves| moves.len() > 1) {
                let known = reached.len();
                for picked in &moves[1..] {
                    let last = reached.len();
                    reached.extend_from_within(..known);
                    reached[last..].iter_mut().for_each(|step| *step = picked.after(*step));
                }
                reached[..known].iter_mut().for_each(|step| *step = moves[0].after(*step));
            }
        }
        self.reached = reached;
        &self.reached[self.first as usize..]
    }

    /// The combination of a step.
    fn code(&self, daemon: Daemon, step: u64) -> u64 {
        if daemon == Daemon::LocallyCentral { self.apart[step as usize] } else { step + self.first }
    }

    /// One combination.
    fn pick(&self, code: u64) -> impl Iterator<Item = (usize, Move)> {
        let mut left = code;
        (0..self.processes()).map(move |process| {
            let moves = self.of(process);
            let picked = moves[(left % moves.len() as u64) as usize];
            left /= moves.len() as u64;
            (process, picked)
        })
    }
}

/// Whether all processes step and only coins decide.
fn is_markov(system: &System, daemon: Daemon) -> bool {
    daemon == Daemon::Synchronous && system.tosses() && !system.chooses()
}

/// The weight of all steps of a configuration.
fn total(system: &System, daemon: Daemon) -> Result<u64, Stop> {
    let wholes = system.sites.iter().map(|site| u64::from(system.tables[site.table].whole()));
    let total = if is_markov(system, daemon) { wholes.fold(1, u64::saturating_mul) } else { 1 };
    if total > u64::from(u32::MAX) { Err(Uncheckable::TooManyCoins.into()) } else { Ok(total) }
}

/// The source of all steps at once, if the steps are many and it takes less work.
fn process_by_process(system: &System, steps: u64, markov: bool) -> Option<ProcessByProcess> {
    // The table of all probabilities must be small.
    let cells = u64::from(system.space.radix).pow(if system.reads_both_sides { 4 } else { 3 });
    let suits = markov && steps >= FEW && !system.is_graph() && cells <= FEW;
    suits.then(|| ProcessByProcess::new(system)).filter(|all| all.work() < steps)
}

/// The bytes for following all steps at once.
fn all_at_once(all: &ProcessByProcess, len: u64, threads: usize) -> u64 {
    let threads = threads.min(all.states()) as u64;
    threads.saturating_mul(all.bytes()).saturating_add(memory::of_values(len))
}

/// Refuses more steps than can be stored.
fn admit(len: u64, steps: u64, markov: bool, memory: u64) -> Result<(), Stop> {
    memory::admit(memory::of_steps(len, steps, markov), memory, Some(len))?;
    Uncheckable::TooManySteps { configurations: len, steps }.refuse_if(steps >= 1 << 32)
}

/// The number of steps of all configurations of a ring or a line in which all processes step, from the numbers of outcomes of
/// each process with its neighbours; `None` if a process has many states.
pub fn count_steps(system: &System) -> Option<u64> {
    const MOST_STATES: usize = 32;
    let (states, sites) = (system.space.radix as usize, &system.sites);
    if system.is_graph() || states > MOST_STATES || sites.len() < 3 {
        return None;
    }
    let outcomes = |process: usize, left: usize, own: usize, right: usize| {
        let table = &system.tables[sites[process].table];
        let context = if system.reads_both_sides { right } else { 0 };
        table.cell(context, left as u32, own as u32).len() as u64
    };
    let (last, mut steps) = (sites.len() - 1, 0_u64);
    for (first, second) in (0..states).flat_map(|first| (0..states).map(move |second| (first, second))) {
        // The combinations of the processes before one, by its state and that of its left neighbour.
        let mut ways = vec![0_u64; states * states];
        ways[first * states + second] = 1;
        for process in 1..last {
            let mut next = vec![0_u64; states * states];
            for (at, &count) in ways.iter().enumerate().filter(|(_, count)| **count > 0) {
                let (left, own) = (at / states, at % states);
                for right in 0..states {
                    let more = count.saturating_mul(outcomes(process, left, own, right));
                    next[own * states + right] = next[own * states + right].saturating_add(more);
                }
            }
            ways = next;
        }
        for (at, &count) in ways.iter().enumerate() {
            let (left, own) = (at / states, at % states);
            let ends = outcomes(last, left, own, first).saturating_mul(outcomes(0, own, first, second));
            steps = steps.saturating_add(count.saturating_mul(ends));
        }
    }
    Some(steps)
}

impl<'a> Together<'a> {
    /// Finds all steps of a ring of processes, if they fit into `memory` bytes.
    pub fn new(system: &'a System, daemon: Daemon, memory: u64, monitor: &Monitor) -> Result<Together<'a>, Stop> {
        Together::found(system, daemon, |_, _| None, memory, monitor)
    }

    /// The same, but follows the steps process by process if they are many and that takes less work.
    pub fn or_at_once(
        system: &'a System,
        daemon: Daemon,
        memory: u64,
        monitor: &Monitor,
    ) -> Result<Together<'a>, Stop> {
        Together::found(system, daemon, |steps, markov| process_by_process(system, steps, markov), memory, monitor)
    }

    /// Refuses a Markov chain of all processes that will not fit, before any other work. Its steps are counted without looking
    /// at each configuration.
    pub(crate) fn refuse(system: &System, memory: u64, threads: usize) -> Result<(), Stop> {
        let len = system.size();
        if !is_markov(system, Daemon::Synchronous) || len < FEW {
            return Ok(());
        }
        total(system, Daemon::Synchronous)?;
        let Some(steps) = count_steps(system) else { return Ok(()) };
        match process_by_process(system, steps, true) {
            Some(all) => memory::admit(all_at_once(&all, len, threads), memory, Some(len)),
            None => admit(len, steps, true, memory),
        }
    }

    /// The same, but always follows the steps process by process: of a Markov chain on a ring or a line.
    pub fn at_once(system: &'a System, at_once: ProcessByProcess, monitor: &Monitor) -> Result<Together<'a>, Stop> {
        Together::found(system, Daemon::Synchronous, |_, _| Some(at_once), u64::MAX, monitor)
    }

    fn found(
        system: &'a System,
        daemon: Daemon,
        at_once: impl FnOnce(u64, bool) -> Option<ProcessByProcess>,
        memory: u64,
        monitor: &Monitor,
    ) -> Result<Together<'a>, Stop> {
        let len = system.size();
        // If the scheduler has a choice, steps have no probabilities.
        let (markov, total) = (is_markov(system, daemon), total(system, daemon)?);
        monitor.enter("counting the steps of each configuration", Some(len));
        let counts: Vec<AtomicU32> = (0..len).map(|_| AtomicU32::new(0)).collect();
        let count = |moves: &mut (Combinations, u64), range: Range<u64>| {
            for c in range {
                moves.0.look(system, daemon, c as u32);
                let steps = moves.0.steps(daemon);
                moves.1 = moves.1.saturating_add(steps);
                counts[c as usize].store(steps.min(u64::from(u32::MAX)) as u32, Relaxed);
            }
        };
        let found = monitor.blocks(len, 1 << 14, count, <(Combinations, u64)>::default)?;
        let edges = found.iter().fold(0, |sum: u64, (_, edges)| sum.saturating_add(*edges));
        let most = counts.iter().map(|count| count.load(Relaxed)).max().unwrap_or(0);
        let (start, next, weights, before) = (vec![], vec![], vec![], Grouped::new(0, std::iter::empty()));
        let at_once = at_once(edges, markov);
        let mut graph = Together { system, daemon, start, next, weights, total, before, most, at_once };
        if let Some(all) = &graph.at_once {
            memory::admit(all_at_once(all, len, monitor.threads()), memory, Some(len))?;
            return Ok(graph);
        }
        admit(len, edges, markov, memory)?;
        let offset = |sum: &mut u32, count: AtomicU32| Some(std::mem::replace(sum, *sum + count.into_inner()));
        graph.start = counts.into_iter().chain([0.into()]).scan(0, offset).collect();
        let unfilled = |count: u64| (0..count).map(|_| AtomicU32::new(0)).collect();
        (graph.next, graph.weights) = (unfilled(edges), unfilled(if markov { edges } else { 0 }));
        graph.fill(monitor)?;
        let steps = |from| graph.next[graph.steps_of(from)].iter().map(move |to| (to.load(Relaxed), from));
        graph.before = Grouped::new(len as usize, (0..len as u32).flat_map(steps));
        Ok(graph)
    }

    /// The bytes of the stored steps.
    pub(crate) fn bytes(&self) -> u64 {
        // The steps are there backward, too.
        4 * (2 * (self.start.len() + self.next.len()) + self.weights.len()) as u64
    }

    fn fill(&self, monitor: &Monitor) -> Result<(), Stop> {
        monitor.enter("the steps of every configuration", Some(self.size()));
        let fill = |moves: &mut Combinations, range: Range<u64>| {
            for c in range {
                moves.look(self.system, self.daemon, c as u32);
                let steps = self.steps_of(c as u32);
                for (at, &(target, weight)) in steps.zip(moves.reached(self.daemon, c as u32)) {
                    self.next[at].store(target, Relaxed);
                    if let Some(place) = self.weights.get(at) {
                        place.store(weight, Relaxed);
                    }
                }
            }
        };
        monitor.blocks(self.size(), 1 << 12, fill, Combinations::default).map(|_| ())
    }

    fn steps_of(&self, node: u32) -> Range<usize> {
        self.start[node as usize] as usize..self.start[node as usize + 1] as usize
    }

    /// The number of steps from configurations of the algorithm: those that change something, or all that are scheduled.
    pub(crate) fn transitions(&self, survey: &Survey) -> u64 {
        let possible = (0..self.size() as u32).filter(|&node| survey.possible(node));
        if self.at_once.is_some() {
            return possible.map(|node| self.look(node).steps(self.daemon)).sum();
        }
        let steps = possible.map(|node| (node, self.steps_of(node)));
        if self.daemon == Daemon::Synchronous {
            return steps.map(|(_, steps)| steps.len() as u64).sum();
        }
        let moves = |(node, steps): (u32, Range<usize>)| {
            self.next[steps].iter().filter(|target| target.load(Relaxed) != node).count() as u64
        };
        steps.map(moves).sum()
    }

    /// The number of processes that move in a step: that change, or under the synchronous daemon, that are enabled.
    pub fn moves(&self, node: u32, edge: Edge) -> u32 {
        if self.daemon == Daemon::Synchronous {
            return self.system.enabled(node).count_ones();
        }
        let (mut before, mut after) = ([0; MOST_AGENTS], [0; MOST_AGENTS]);
        self.system.space.decode(node, &mut before);
        self.system.space.decode(edge.target, &mut after);
        before.iter().zip(&after).filter(|(before, after)| before != after).count() as u32
    }

    /// The steps of a node and their weights, if they are not stored.
    #[inline(never)]
    fn computed(&self, node: u32) -> [Vec<AtomicU32>; 2] {
        let mut moves = self.look(node);
        let steps = moves.reached(self.daemon, node);
        [steps.iter().map(|step| step.0.into()).collect(), steps.iter().map(|step| step.1.into()).collect()]
    }

    /// The moves of every process in a configuration.
    fn look(&self, node: u32) -> Combinations {
        let mut moves = Combinations::default();
        moves.look(self.system, self.daemon, node);
        moves
    }

    /// Whether the steps have probabilities.
    pub fn is_markov(&self) -> bool {
        !self.weights.is_empty() || self.at_once.is_some()
    }

    /// The processes that take a step, each with the outcome of its table.
    pub fn actors(&self, node: u32, edge: Edge) -> Vec<(usize, usize)> {
        let outcome = |(process, picked): (usize, Move)| Some((process, picked.outcome? as usize));
        let mut moves = self.look(node);
        let acting: Vec<_> = moves.pick(moves.code(self.daemon, edge.action.into())).filter_map(outcome).collect();
        if !acting.is_empty() {
            return acting;
        }
        // No process can change anything: show a step of all of them, or of one where neighbours must not step together.
        moves.look(self.system, Daemon::Synchronous, node);
        let shown = if self.daemon == Daemon::LocallyCentral { 1 } else { usize::MAX };
        moves.pick(0).filter_map(outcome).take(shown).collect()
    }
}

impl StateGraph for Together<'_> {
    fn size(&self) -> u64 {
        self.system.size()
    }

    #[inline]
    fn successors(&self, node: u32, mut visit: impl FnMut(Edge)) {
        // One loop for all steps: it inlines its visitor.
        let computed;
        let (next, weights) = if self.at_once.is_some() {
            computed = self.computed(node);
            (&computed[0][..], &computed[1][..])
        } else {
            let steps = self.steps_of(node);
            (&self.next[steps.clone()], self.weights.get(steps).unwrap_or_default())
        };
        for (action, target) in next.iter().enumerate() {
            let weight = weights.get(action).map_or(1, |weight| weight.load(Relaxed));
            visit(Edge { target: target.load(Relaxed), site: 0, action: action as u32, turn: 0, weight });
        }
    }

    fn at_once(&self) -> Option<&ProcessByProcess> {
        self.at_once.as_ref()
    }

    /// All processes step under the synchronous daemon. Where several rules are enabled, it may choose rules that
    /// change nothing.
    fn may_rest(&self) -> bool {
        self.daemon == Daemon::Synchronous
    }
}

impl Reversible for Together<'_> {
    #[inline]
    fn predecessors(&self, node: u32, visit: impl FnMut(u32)) {
        if self.at_once.is_some() {
            let leads = |before: &u32| {
                let mut leads = false;
                self.successors(*before, |edge| leads |= edge.target == node);
                leads
            };
            return (0..self.size() as u32).filter(|&before| before != node).filter(leads).for_each(visit);
        }
        self.before.of(node as usize).iter().copied().filter(|&before| before != node).for_each(visit);
    }
}

impl Markov for Together<'_> {
    fn total(&self) -> u64 {
        self.total
    }

    fn steps_at_most(&self) -> u64 {
        self.most.into()
    }
}
