//! Breadth-first search, level by level, on several threads, with the same result whatever their timing.
//!
//! Every part of the set has an owner. A level is worked on in batches of two phases: all workers expand states and sort the
//! successors by owner; then all owners insert what has come for them, in a fixed order. Nothing is locked. A state whose
//! expansion needs a table entry that does not exist yet is put aside; the entries are computed between the batches, in a
//! fixed order, and the state is expanded again.
//!
//! States found one after the other have many successors in common, so a worker remembers the targets it met lately and
//! does not send them again. For that the workers share out a level in stretches of the order of discovery, whoever owns
//! the states: if each expanded its own, the common successors of neighbours would be met by different workers, and sent
//! twice as often.

use crate::store::{Compact, Mail, Plain, Store, in_parallel};
use crate::system::cells::{Disproved, Missing};
use crate::system::{Counts, Layout, Stuck, System};
use crate::{Action, Failure, Model, Options, Progress, Set, Watch};

mod found;

pub(crate) use found::{Found, Kept, Numbering};

/// How many states a worker expands in one batch.
const BATCH: usize = 1 << 15;

/// How many states of every part lie side by side when a level is shared out.
const STRIP: usize = 64;

/// How many targets are sent at once.
const LETTERS: usize = 256;

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
    let mut compact = options.set == Set::Compact;
    loop {
        if options.rotation && !system.symmetric() {
            return Err(Failure::NotSymmetric);
        }
        let ended = if compact {
            Search::<Compact>::new(&mut system, options).run(watch).map(|found| found.map_set(Kept::Compact))
        } else {
            Search::<Plain>::new(&mut system, options).run(watch).map(|found| found.map_set(Kept::Plain))
        };
        match ended {
            Ok(found) => return Ok((system, found)),
            Err(Interrupted::Failed(Failure::Memory { .. })) if options.set == Set::Automatic && !compact => {
                compact = true
            }
            Err(Interrupted::Failed(failure)) => return Err(failure),
            Err(Interrupted::Wider) => {
                let bits = usize::BITS - (system.cells.len() - 1).leading_zeros();
                system.layout = Layout::with_at_least(system.layout.size, bits)?;
            }
            Err(Interrupted::Disproved(Disproved::Roles)) => system.cells.forget_roles(),
            Err(Interrupted::Disproved(Disproved::Room)) => {
                return Err(Failure::Tables { cells: system.cells.len() as u64, allowed: system.cells.allowed() });
            }
            Err(Interrupted::Disproved(Disproved::Anonymous)) => {
                system = System::new(model, options)?;
                system.cells.rules.anonymous = false;
            }
        }
    }
}

struct Search<'s, 'a, S: Store> {
    system: &'s mut System<'a>,
    options: &'s Options,
    set: S,
    /// By sender.
    mail: Vec<Mail<S::Target>>,
    harvests: Vec<Harvest<S>>,
    counts: Counts,
    expanded: u64,
    peak_bytes: u64,
}

/// What a worker brings back from a batch, and what it remembers.
struct Harvest<S: Store> {
    /// States that could not be expanded, and why.
    aside: Vec<u128>,
    missing: Vec<Missing>,
    /// Targets that the set cannot tell the owner of yet.
    strangers: Vec<u128>,
    counts: Counts,
    circular: bool,
    memo: S::Memo,
    /// Targets met lately, to be spared the way to their owner.
    recent: Vec<u128>,
}

impl<S: Store> Default for Harvest<S> {
    fn default() -> Self {
        Harvest {
            aside: vec![],
            missing: vec![],
            strangers: vec![],
            counts: Counts::default(),
            circular: false,
            memo: S::Memo::default(),
            recent: vec![u128::MAX; RECENT],
        }
    }
}

impl<'s, 'a, S: Store> Search<'s, 'a, S> {
    fn new(system: &'s mut System<'a>, options: &'s Options) -> Self {
        let set = S::new(system.layout, options.threads.max(1), options.seed);
        let workers = set.parts();
        Search {
            system,
            options,
            mail: (0..workers).map(|_| vec![vec![]; workers]).collect(),
            harvests: (0..workers).map(|_| Harvest::default()).collect(),
            set,
            counts: Counts::default(),
            expanded: 0,
            peak_bytes: 0,
        }
    }

    fn run(mut self, watch: Watch<'_>) -> Result<Found<S>, Interrupted> {
        let start = self.start()?;
        self.harvests[0].strangers.push(start);
        self.introduce();
        self.set.insert(&self.mail);
        let mut depth = 0;
        while self.set.advance() {
            let strips = (0..self.set.parts()).map(|part| self.set.waiting(part)).max().unwrap_or(0).div_ceil(STRIP);
            let mut next = 0;
            while next < strips || self.harvests.iter().any(|h| !h.aside.is_empty()) {
                let stop = strips.min(next + BATCH / STRIP);
                self.expand(next, stop, strips);
                next = stop;
                if self.harvests.iter().any(|harvest| harvest.circular) {
                    return Err(Failure::Circular.into());
                }
                self.learn()?;
                self.introduce();
                self.set.insert(&self.mail);
                self.account(depth, watch)?;
            }
            depth += 1;
        }
        Ok(Found { kept: self.set, counts: self.counts, peak_bytes: self.peak_bytes })
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

    fn learn(&mut self) -> Result<(), Interrupted> {
        let mut missing: Vec<Missing> = self.harvests.iter_mut().flat_map(|h| h.missing.drain(..)).collect();
        missing.sort_unstable();
        missing.dedup();
        self.system.cells.learn(&missing)?;
        self.fits()
    }

    /// Makes strangers known to the set and sends them to their owners.
    fn introduce(&mut self) {
        for harvest in &self.harvests {
            self.set.meet(&harvest.strangers);
        }
        for (harvest, mail) in self.harvests.iter_mut().zip(&mut self.mail) {
            let strangers = std::mem::take(&mut harvest.strangers);
            self.set.address(&strangers, &mut harvest.memo, mail, &mut harvest.strangers);
        }
    }

    fn account(&mut self, depth: u64, watch: Watch<'_>) -> Result<(), Failure> {
        for harvest in &mut self.harvests {
            self.counts += std::mem::take(&mut harvest.counts);
        }
        let stored = self.set.len() as u64;
        let tables = self.system.cells.bytes();
        let bytes = self.set.bytes() + tables;
        self.peak_bytes = self.peak_bytes.max(bytes);
        if tables > self.system.cells.allowed() {
            let (cells, allowed) = (self.system.cells.len() as u64, self.system.cells.allowed());
            return Err(Failure::Tables { cells, allowed });
        }
        // Before the next batch: what could be needed if all its successors were new.
        if self.set.bytes_with(BATCH) + tables > self.options.memory || self.set.is_full() {
            return Err(Failure::Memory { stored, allowed: self.options.memory });
        }
        if watch(Progress { depth, stored, expanded: self.expanded, bytes }) { Ok(()) } else { Err(Failure::Stopped) }
    }

    /// Expands what was put aside, and these strips of the level.
    fn expand(&mut self, from: usize, to: usize, strips: usize) {
        let (system, set) = (&*self.system, &self.set);
        let (workers, lens) = (set.parts(), (0..set.parts()).map(|part| set.waiting(part)).collect::<Vec<_>>());
        let stretch = |part: usize, strip: usize| lens[part] * strip / strips;
        let stretch = &stretch;
        let jobs = self.harvests.iter_mut().zip(&mut self.mail).enumerate().map(|(number, (harvest, mail))| {
            move || {
                // What is written often is kept away from what other workers write.
                let (own, letters) = (std::mem::take(harvest), std::mem::take(mail));
                let mut worker = Worker { system, set, harvest: own, mail: letters, scratch: vec![], fresh: vec![] };
                worker.mail.iter_mut().for_each(Vec::clear);
                for state in std::mem::take(&mut worker.harvest.aside) {
                    worker.expand(state);
                }
                let share = |worker: usize| from + (to - from) * worker / workers;
                for strip in share(number)..share(number + 1) {
                    for part in 0..workers {
                        for index in stretch(part, strip)..stretch(part, strip + 1) {
                            worker.expand(set.waiting_state(part, index));
                        }
                    }
                }
                worker.send();
                (*harvest, *mail) = (worker.harvest, worker.mail);
            }
        });
        in_parallel(to - from > 4, jobs);
        self.expanded += (0..workers).map(|part| (stretch(part, to) - stretch(part, from)) as u64).sum::<u64>();
    }
}

/// Expands states.
struct Worker<'w, 'a, S: Store> {
    system: &'w System<'a>,
    set: &'w S,
    harvest: Harvest<S>,
    mail: Mail<S::Target>,
    scratch: Vec<(Action, u128)>,
    /// Targets to be sent.
    fresh: Vec<u128>,
}

impl<S: Store> Worker<'_, '_, S> {
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
        self.system.kept_successors(state, &mut self.scratch)?;
        self.harvest.counts += self.system.count(state, self.scratch.len() as u64);
        for &(_, target) in &self.scratch {
            let recent = &mut self.harvest.recent[recent_place(target)];
            if *recent != target {
                *recent = target;
                self.fresh.push(target);
            }
        }
        if self.fresh.len() >= LETTERS {
            self.send();
        }
        Ok(())
    }

    fn send(&mut self) {
        let Harvest { memo, strangers, .. } = &mut self.harvest;
        self.set.address(&self.fresh, memo, &mut self.mail, strangers);
        self.fresh.clear();
    }
}

/// Where a target is remembered.
#[inline]
fn recent_place(target: u128) -> usize {
    let folded = (target as u64) ^ ((target >> 64) as u64).rotate_left(23);
    (folded.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - RECENT.ilog2())) as usize
}
