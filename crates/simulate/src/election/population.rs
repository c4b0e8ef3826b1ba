//! Elections in a population, on the chosen kernel.

use crate::election::measure::{measure, possible};
use crate::election::{Election, ElectionError, Faults, KernelChoice, Limits, Unfit};
use crate::kernel::arcs::{Arcs, Arena};
use crate::kernel::{ByRule, ByTable, Count, Interactions, Kernel, Misled, PackedTable, Policy, Progress, Watched};
use crate::start::{Repeated, Start};
use crate::{Generator, Oracle, draws, still};
use ringleader_erased::{NoTable, PopulationInstance};
use ringleader_model::{CountCondition, Goal, Population, Stabilizing};
use std::cell::RefCell;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

/// A table of at most this size stays in a core's own cache, and is faster than the rule.
pub const TABLE_BYTES: u64 = 1 << 20;
/// The largest table that is compiled on request.
const LARGEST_TABLE: u64 = 1 << 26;

/// A population protocol on a graph, and its kernel.
pub(super) struct Meetings {
    pub(super) protocol: PopulationInstance,
    arena: Arena,
    choice: KernelChoice,
    oracle: Oracle,
    /// Whether agents hear a detector that is late or lies.
    misled: bool,
    table: Option<PackedTable>,
    /// The safe set, if it is a condition on the number of agents in each state.
    by_counts: Option<CountCondition>,
}

/// The input of one election.
struct Task<'a> {
    start: &'a Repeated,
    faults: Faults,
    limits: Limits<'a>,
}

impl Meetings {
    pub(super) fn new(
        protocol: PopulationInstance,
        arena: Arena,
        choice: KernelChoice,
        oracle: Oracle,
        stop: &AtomicBool,
    ) -> Result<Self, ElectionError> {
        protocol.check_declarations().map_err(ElectionError::Algorithm)?;
        let complete = matches!(arena, Arena::Complete(_));
        let limit = if choice == KernelChoice::Table { LARGEST_TABLE } else { TABLE_BYTES };
        let table = PackedTable::compile_while(&protocol, limit, &|| !stop.load(Relaxed));
        match &table {
            Ok(_) => {}
            Err(NoTable::LeavesDomain(error)) => return Err(ElectionError::LeavesDomain(error.clone())),
            Err(NoTable::Stopped) => return Err(ElectionError::Stopped),
            Err(NoTable::Unfit(unfit)) => return Err(ElectionError::Algorithm(unfit.clone())),
            Err(_) => protocol.check_domain().map_err(ElectionError::LeavesDomain)?,
        }
        let by_counts = if complete { protocol.safe_by_counts() } else { None };
        let countable = protocol.goal() == Goal::OneLeader || by_counts.is_some();
        let unfit = |why| Err(ElectionError::Kernel(choice, why));
        let misled = protocol.hears() && oracle != Oracle::Perfect;
        match (choice, &table) {
            (KernelChoice::Table | KernelChoice::Skip | KernelChoice::Count, _) if misled => {
                return unfit(Unfit::Misled);
            }
            (KernelChoice::Table | KernelChoice::Count, Err(why)) => return unfit(Unfit::NoTable(why.clone())),
            (KernelChoice::Count, _) if !complete => return unfit(Unfit::NotComplete),
            (KernelChoice::Count, _) if !countable => return unfit(Unfit::NotCounts),
            (KernelChoice::Count, Ok(table)) if table.tosses() => return unfit(Unfit::Tosses),
            (KernelChoice::Skip, _) if complete => return unfit(Unfit::Complete),
            _ => {}
        }
        let table = table.ok().filter(|_| choice != KernelChoice::Rule && !misled);
        Ok(Meetings { protocol, arena, choice, oracle, misled, table, by_counts })
    }

    pub(super) fn size(&self) -> usize {
        self.arena.agents()
    }

    pub(super) fn means(&self) -> &'static str {
        match (&self.table, &self.arena, self.choice) {
            _ if self.counts() => "count",
            (Some(_), Arena::Complete(_), _) => "table",
            (Some(_), _, KernelChoice::Auto) => "auto: table and skip",
            (None, Arena::Complete(_), _) => "rule",
            (None, _, KernelChoice::Auto) if self.misled => "rule",
            (None, _, KernelChoice::Auto) => "auto: rule and skip",
            (_, _, KernelChoice::Rule) => "rule",
            (_, _, KernelChoice::Skip) => "skip",
            _ => "table",
        }
    }

    /// The bytes of a kernel and its copy, or of the configuration that a count is expanded to, if it is.
    pub(super) fn bytes_per_agent(&self) -> usize {
        let state = self.protocol.state_bytes();
        match (self.counts(), &self.by_counts) {
            (true, Some(_)) => 0,
            (true, None) => 2 + state,
            (false, _) => 2 * state + 24,
        }
    }

    fn counts(&self) -> bool {
        let asked = matches!(self.choice, KernelChoice::Auto | KernelChoice::Count);
        let one_leader = self.protocol.goal() == Goal::OneLeader;
        let able = matches!(self.arena, Arena::Complete(_)) && (one_leader || self.by_counts.is_some());
        asked && able && self.table.as_ref().is_some_and(|table| !table.tosses())
    }

    pub(super) fn run(&self, start: &Repeated, faults: Faults, limits: Limits<'_>, coin: Generator) -> Election {
        let task = Task { start, faults, limits };
        match &self.table {
            Some(table) if self.protocol.hears() => self.by_table::<true>(table, &task, coin),
            Some(table) => self.by_table::<false>(table, &task, coin),
            None => self.by_rule(&task, coin),
        }
    }

    fn by_rule(&self, task: &Task<'_>, mut coin: Generator) -> Election {
        let states = task.start.states(&self.protocol, self.size(), &mut coin);
        let progress = Progress::new(coin);
        let cells = ByRule::new(&self.protocol, &states);
        if self.misled {
            let kernel = Misled::new(cells, self.arena.clone(), self.oracle, progress);
            let goal = |k: &Misled<Arena>| k.truthful() && self.safe(k);
            let still = |k: &Misled<Arena>, questions| k.truthful() && self.still(k, questions);
            return self.watch(kernel, &Watched { goal: &goal, still: Some(&still) }, task);
        }
        let kernel = Interactions::new(cells, self.arena.clone(), progress, self.policy());
        self.measure(kernel, task)
    }

    fn policy(&self) -> Policy {
        match (&self.arena, self.choice) {
            (Arena::Complete(_), _) => Policy::Step,
            (_, KernelChoice::Skip) => Policy::Skip,
            (_, KernelChoice::Auto) => Policy::Choose,
            _ => Policy::Step,
        }
    }

    fn by_table<const HEARS: bool>(&self, table: &PackedTable, task: &Task<'_>, mut coin: Generator) -> Election {
        if self.counts() {
            let counts = self.start_counts(task.start, &mut coin);
            let kernel = Count::<HEARS>::new(table, counts, Progress::new(coin));
            return self.counted(kernel.judged_by(self.by_counts.clone()), task);
        }
        let states = task.start.states(&self.protocol, self.size(), &mut coin);
        let cells = ByTable::<HEARS>::new(table, &states);
        let (progress, policy) = (Progress::new(coin), self.policy());
        // The speed depends on the type of the arcs, so rings, the most frequent graphs, have a loop of their own.
        match &self.arena {
            Arena::Ring(arcs) => self.measure(Interactions::new(cells, *arcs, progress, policy), task),
            arena => self.measure(Interactions::new(cells, arena.clone(), progress, policy), task),
        }
    }

    /// Counted agents are interchangeable, so equal counts need one look.
    fn counted<const HEARS: bool>(&self, kernel: Count<'_, HEARS>, task: &Task<'_>) -> Election {
        let last = RefCell::new((vec![], false));
        let goal = |kernel: &Count<'_, HEARS>| {
            if last.borrow().0 != kernel.counts() {
                let safe = self.safe(kernel);
                *last.borrow_mut() = (kernel.counts().to_vec(), safe);
            }
            last.borrow().1
        };
        // The kernel knows itself when nothing can change.
        self.watch(kernel, &Watched { goal: &goal, still: None }, task)
    }

    fn safe(&self, kernel: &impl Kernel) -> bool {
        possible(&self.protocol, kernel.progress()) && kernel.safe()
    }

    /// The counts have the same distribution as those of states drawn one by one.
    fn start_counts(&self, start: &Repeated, coin: &mut Generator) -> Vec<u64> {
        let mut counts = vec![0; self.protocol.states() as usize];
        match start {
            Repeated::States(states) => states.iter().for_each(|state| counts[state.0 as usize] += 1),
            Repeated::Drawn(Start::Counted(given)) => {
                given.iter().for_each(|&(state, count)| counts[state.0 as usize] += count as u64);
            }
            Repeated::Drawn(Start::Among(_)) => {
                let states = start.states(&self.protocol, self.size(), coin);
                states.iter().for_each(|state| counts[state.0 as usize] += 1);
            }
            Repeated::Drawn(drawn) => {
                let wanted = drawn.wanted();
                let suits = |state: &u64| wanted.is_none_or(|w| self.protocol.marks_of(*state).leader() == w);
                let eligible: Vec<u64> = (0..self.protocol.states()).filter(suits).collect();
                let mut left = self.size() as u64;
                for (done, &state) in eligible.iter().enumerate() {
                    let count = draws::binomial(coin, left, 1.0 / (eligible.len() - done) as f64);
                    counts[state as usize] = count;
                    left -= count;
                }
            }
        }
        counts
    }

    fn still(&self, kernel: &impl Kernel, questions: u64) -> bool {
        let heard = kernel.progress().leaders > 0;
        still::population(&self.protocol, &self.arena, &kernel.configuration(), heard, questions)
    }

    fn measure<K: Kernel>(&self, kernel: K, task: &Task<'_>) -> Election {
        let watched = Watched { goal: &|k| self.safe(k), still: Some(&|k, questions| self.still(k, questions)) };
        self.watch(kernel, &watched, task)
    }

    fn watch<K: Kernel>(&self, kernel: K, watched: &Watched<'_, K>, task: &Task<'_>) -> Election {
        measure(&self.protocol, kernel, watched, task.faults, task.limits)
    }
}
