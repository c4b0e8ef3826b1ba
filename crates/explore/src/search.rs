//! Breadth-first search, level by level, on several threads, with the same result whatever their timing.
//!
//! Every worker owns the states whose hash falls to it. A level is worked on in batches of two phases: all workers expand
//! states of their own and sort the successors by owner; then all of them insert what has come for them, in a fixed order.
//! Nothing is locked. A state whose expansion needs a table entry that does not exist yet is put aside; the entries are
//! computed between the batches, in a fixed order, and the state is expanded again.

use crate::store::{Shard, hash, owner};
use crate::system::cells::{Disproved, Missing};
use crate::system::{Layout, Stuck, System};
use crate::{Action, Failure, Model, Options, Progress, Watch};

mod found;

pub(crate) use found::{Counts, Found};

/// How many states a worker expands in one batch.
const BATCH: usize = 1 << 15;

/// How many recent targets a worker remembers.
const RECENT: usize = 1 << 14;

enum Interrupted {
    Wider,
    Disproved(Disproved),
    Failed(Failure),
}

impl From<Failure> for Interrupted {
    fn from(failure: Failure) -> Self {
        Interrupted::Failed(failure)
    }
}

impl From<Disproved> for Interrupted {
    fn from(disproved: Disproved) -> Self {
        Interrupted::Disproved(disproved)
    }
}

/// Explores everything reachable.
pub(crate) fn search<'a>(
    model: &'a dyn Model,
    options: &Options,
    watch: Watch<'_>,
) -> Result<(System<'a>, Found), Failure> {
    let mut system = System::new(model, options)?;
    loop {
        if options.rotation && !system.symmetric() {
            return Err(Failure::NotSymmetric);
        }
        match (Search { system: &mut system, options, peak_bytes: 0 }).run(watch) {
            Ok(found) => return Ok((system, found)),
            Err(Interrupted::Failed(failure)) => return Err(failure),
            Err(Interrupted::Wider) => {
                let bits = usize::BITS - (system.cells.len() - 1).leading_zeros();
                system.layout = Layout::with_at_least(system.layout.size, bits)?;
            }
            Err(Interrupted::Disproved(Disproved::Roles)) => system.cells.forget_roles(),
            Err(Interrupted::Disproved(Disproved::Room)) => {
                return Err(Failure::Tables { cells: system.cells.len() as u64, allowed: options.memory });
            }
            Err(Interrupted::Disproved(Disproved::Anonymous)) => {
                system = System::new(model, options)?;
                system.cells.rules.anonymous = false;
            }
        }
    }
}

struct Search<'s, 'a> {
    system: &'s mut System<'a>,
    options: &'s Options,
    peak_bytes: u64,
}

/// What a worker brings back from a batch.
#[derive(Default)]
struct Harvest {
    /// By owner.
    targets: Vec<Vec<(u128, u64)>>,
    /// States that could not be expanded, and why.
    aside: Vec<u128>,
    missing: Vec<Missing>,
    counts: Counts,
    circular: bool,
}

impl Search<'_, '_> {
    fn run(&mut self, watch: Watch<'_>) -> Result<Found, Interrupted> {
        let threads = self.options.threads.max(1);
        let start = self.start()?;
        let mut shards = vec![Shard::new(self.system.layout.words()); threads];
        shards[owner(hash(start), threads)].insert(start, hash(start));
        let mut levels = vec![vec![0; threads]];
        let mut counts = Counts::default();
        let mut harvests: Vec<Harvest> = (0..threads).map(|_| Harvest::default()).collect();
        loop {
            let ends: Vec<usize> = shards.iter().map(Shard::len).collect();
            let mut next = levels[levels.len() - 1].clone();
            if next == ends {
                return Ok(Found { shards, levels, counts, peak_bytes: self.peak_bytes });
            }
            levels.push(ends.clone());
            while next != ends || harvests.iter().any(|h| !h.aside.is_empty()) {
                let stops: Vec<usize> = next.iter().zip(&ends).map(|(&from, &end)| end.min(from + BATCH)).collect();
                self.expand(&shards, &next, &stops, &mut harvests);
                next = stops;
                if harvests.iter().any(|harvest| harvest.circular) {
                    return Err(Failure::Circular.into());
                }
                self.learn(&mut harvests)?;
                insert(&mut shards, &harvests);
                for harvest in &mut harvests {
                    let batch = std::mem::take(&mut harvest.counts);
                    counts.states += batch.states;
                    counts.transitions += batch.transitions;
                    counts.deadlocks += batch.deadlocks;
                    counts.edges += batch.edges;
                }
                let expanded = next.iter().sum::<usize>() as u64;
                self.account(&shards, levels.len() as u64 - 2, expanded, watch)?;
            }
        }
    }

    fn start(&mut self) -> Result<u128, Interrupted> {
        let start = self.system.start();
        self.system.cells.learn(&[])?;
        loop {
            self.fits()?;
            match self.system.representative(start) {
                Ok(kept) => return Ok(kept),
                Err(Stuck::Missing(missing)) => self.system.cells.learn(&[missing])?,
                Err(Stuck::Circular) => return Err(Failure::Circular.into()),
            }
        }
    }

    /// The tables have outgrown the fields of a packed state.
    fn fits(&self) -> Result<(), Interrupted> {
        if self.system.cells.len() as u64 > 1 << self.system.layout.bits { Err(Interrupted::Wider) } else { Ok(()) }
    }

    fn learn(&mut self, harvests: &mut [Harvest]) -> Result<(), Interrupted> {
        let mut missing: Vec<Missing> = harvests.iter_mut().flat_map(|h| h.missing.drain(..)).collect();
        missing.sort_unstable();
        missing.dedup();
        self.system.cells.learn(&missing)?;
        self.fits()
    }

    fn account(&mut self, shards: &[Shard], depth: u64, expanded: u64, watch: Watch<'_>) -> Result<(), Failure> {
        let stored = shards.iter().map(|s| s.len() as u64).sum();
        let tables = self.system.cells.bytes();
        let bytes = shards.iter().map(Shard::bytes).sum::<u64>() + tables;
        self.peak_bytes = self.peak_bytes.max(bytes);
        // Before the next batch: what could be needed if all its successors were new.
        let ahead: u64 = shards.iter().map(|s| s.bytes_with(s.len() / 50 + BATCH)).sum();
        if ahead + tables > self.options.memory || shards.iter().any(|s| s.len() > Shard::MOST) {
            return Err(Failure::Memory { stored, allowed: self.options.memory });
        }
        if watch(Progress { depth, stored, expanded, bytes }) { Ok(()) } else { Err(Failure::Stopped) }
    }

    fn expand(&self, shards: &[Shard], from: &[usize], to: &[usize], harvests: &mut [Harvest]) {
        let work = |shard: &Shard, from: usize, to: usize, harvest: &mut Harvest| {
            let mut worker = Worker::new(self.system, std::mem::take(harvest), shards.len());
            for state in std::mem::take(&mut worker.harvest.aside) {
                worker.expand(state);
            }
            for number in from..to {
                worker.expand(shard.get(number));
            }
            *harvest = worker.harvest;
        };
        let jobs = shards.iter().zip(from).zip(to).zip(harvests);
        in_parallel(from != to, jobs.map(|(((shard, &from), &to), harvest)| move || work(shard, from, to, harvest)));
    }
}

/// Runs jobs on threads of their own, or one after the other if there is too little to do.
fn in_parallel<F: FnOnce() + Send>(worthwhile: bool, jobs: impl Iterator<Item = F>) {
    if !worthwhile {
        return jobs.for_each(|job| job());
    }
    std::thread::scope(|scope| {
        for job in jobs {
            scope.spawn(job);
        }
    });
}

fn insert(shards: &mut [Shard], harvests: &[Harvest]) {
    let jobs = shards.iter_mut().enumerate().map(|(number, shard)| {
        move || {
            for harvest in harvests {
                shard.insert_all(&harvest.targets[number]);
            }
        }
    });
    in_parallel(harvests.iter().any(|h| h.targets.iter().any(|t| t.len() > 1000)), jobs);
}

/// Expands states of one shard.
struct Worker<'w, 'a> {
    system: &'w System<'a>,
    harvest: Harvest,
    scratch: Vec<(Action, u128)>,
    /// Targets met lately, to be spared the way to their owner.
    recent: Vec<u128>,
    threads: usize,
}

impl<'w, 'a> Worker<'w, 'a> {
    fn new(system: &'w System<'a>, mut harvest: Harvest, threads: usize) -> Self {
        harvest.targets.resize_with(threads, Vec::new);
        harvest.targets.iter_mut().for_each(Vec::clear);
        Worker { system, harvest, scratch: vec![], recent: vec![u128::MAX; RECENT], threads }
    }

    fn expand(&mut self, state: u128) {
        match self.targets(state) {
            Ok(()) => {}
            Err(Stuck::Circular) => self.harvest.circular = true,
            Err(Stuck::Missing(missing)) => {
                self.harvest.aside.push(state);
                self.harvest.missing.push(missing);
            }
        }
    }

    fn targets(&mut self, state: u128) -> Result<(), Stuck> {
        self.system.successors(state, &mut self.scratch)?;
        for (_, target) in &mut self.scratch {
            *target = self.system.representative(*target)?;
        }
        let class = self.system.class_size(state);
        let counts = &mut self.harvest.counts;
        counts.states += class;
        counts.transitions += class * self.scratch.len() as u64;
        counts.deadlocks += if self.scratch.is_empty() { class } else { 0 };
        counts.edges += self.scratch.len() as u64;
        for &(_, target) in &self.scratch {
            let hash = hash(target);
            let recent = &mut self.recent[hash as usize % RECENT];
            if *recent != target {
                *recent = target;
                self.harvest.targets[owner(hash, self.threads)].push((target, hash));
            }
        }
        Ok(())
    }
}
