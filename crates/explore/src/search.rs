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
//!
//! Over several processes every one has its own part of the set and expands its own states. After every batch they exchange
//! the successors that others own, and what their tables lack, so that all learn the same in the same order: a cell has the
//! same number everywhere.

use crate::crew::Crew;
use crate::peers::sums;
use crate::store::{Compact, Mail, Plain, Store};
use crate::system::cells::{Disproved, Missing};
use crate::system::{Counts, Layout, Stuck, System};
use crate::{Action, Failure, Model, Options, Peers, Progress, Set, Watch};
use round::{Bulletin, Homes, Round};

mod found;
mod round;

pub(crate) use found::{Found, Kept, Numbering, Whole};

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
    peers: &mut dyn Peers,
) -> Result<(System<'a>, Found), Failure> {
    let mut system = System::new(model, options)?;
    let crew = Crew::new(options.threads);
    let mut compact = options.set == Set::Compact;
    loop {
        if options.rotation && !system.symmetric() {
            return Err(Failure::NotSymmetric);
        }
        let ended = if compact {
            Search::<Compact>::new(&mut system, options, &crew, peers)
                .run(watch)
                .map(|found| found.map_set(Kept::Compact))
        } else {
            Search::<Plain>::new(&mut system, options, &crew, peers).run(watch).map(|found| found.map_set(Kept::Plain))
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
    crew: &'s Crew,
    peers: &'s mut dyn Peers,
    homes: Homes,
    set: S,
    /// By sender.
    mail: Vec<Mail<S::Target>>,
    harvests: Vec<Harvest<S>>,
    counts: Counts,
    expanded: u64,
    peak_bytes: u64,
    /// Words with states that were sent to other processes.
    sent: u64,
    /// What this process has to complain of, to be told in the next round.
    failure: Option<Failure>,
}

/// What a worker brings back from a batch, and what it remembers.
struct Harvest<S: Store> {
    /// States that could not be expanded, and why.
    aside: Vec<u128>,
    missing: Vec<Missing>,
    /// Targets that the set cannot tell the owner of yet.
    strangers: Vec<u128>,
    /// States that other processes own, in words, by process.
    abroad: Vec<Vec<u32>>,
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
            abroad: vec![],
            counts: Counts::default(),
            circular: false,
            memo: S::Memo::default(),
            recent: vec![u128::MAX; RECENT],
        }
    }
}

impl<'s, 'a, S: Store> Search<'s, 'a, S> {
    fn new(system: &'s mut System<'a>, options: &'s Options, crew: &'s Crew, peers: &'s mut dyn Peers) -> Self {
        let set = S::new(system.layout, options.threads.max(1), options.seed);
        let (workers, processes) = (set.parts(), peers.processes());
        let harvest = || Harvest { abroad: vec![vec![]; processes], ..Harvest::default() };
        Search {
            homes: Homes::new(system.layout, options.seed, processes),
            system,
            options,
            crew,
            peers,
            mail: (0..workers).map(|_| vec![vec![]; workers]).collect(),
            harvests: (0..workers).map(|_| harvest()).collect(),
            set,
            counts: Counts::default(),
            expanded: 0,
            peak_bytes: 0,
            sent: 0,
            failure: None,
        }
    }

    fn run(mut self, watch: Watch<'_>) -> Result<Found<S>, Interrupted> {
        let start = self.start()?;
        if self.homes.of(start) == self.peers.me() {
            self.harvests[0].strangers.push(start);
            self.introduce();
            self.set.insert(&self.mail, self.crew);
        }
        for depth in 0.. {
            let waiting = self.set.advance(self.crew) as u64;
            let strips = (0..self.set.parts()).map(|part| self.set.waiting(part)).max().unwrap_or(0).div_ceil(STRIP);
            let mut next = 0;
            loop {
                let stop = strips.min(next + BATCH / STRIP);
                self.expand(next, stop, strips);
                next = stop;
                let more = next < strips || self.harvests.iter().any(|h| !h.aside.is_empty());
                let round = self.exchange(depth, more, waiting)?;
                if round.waiting == 0 {
                    self.set.retreat();
                    return Ok(self.finish()?);
                }
                self.system.cells.learn(&round.missing)?;
                self.fits()?;
                self.introduce();
                self.receive(&round.states);
                self.set.insert(&self.mail, self.crew);
                self.account(depth, round.progress, watch);
                if !round.more {
                    break;
                }
            }
        }
        unreachable!("there are not so many levels")
    }

    /// Tells the other processes how far this one is, and sends what is theirs.
    fn exchange(&mut self, depth: u64, more: bool, waiting: u64) -> Result<Round, Failure> {
        let mut abroad = vec![vec![]; self.peers.processes()];
        for harvest in &mut self.harvests {
            for (all, states) in abroad.iter_mut().zip(&mut harvest.abroad) {
                all.append(states);
            }
        }
        self.sent += abroad.iter().map(|states| states.len() as u64).sum::<u64>();
        let failure = if self.harvests.iter().any(|h| h.circular) { Some(Failure::Circular) } else { self.failure };
        let (stored, bytes) = (self.set.len() as u64, self.set.bytes() + self.system.cells.bytes());
        let progress = Progress { depth, stored, expanded: self.expanded, bytes };
        let missing = self.harvests.iter_mut().flat_map(|h| h.missing.drain(..)).collect();
        let bulletin = Bulletin { failure, more, waiting, progress, missing };
        bulletin.exchange(abroad, self.peers, self.options.memory)
    }

    fn finish(self) -> Result<Found<S>, Failure> {
        let Counts { states, transitions, deadlocks, edges, invariant } = self.counts;
        let (stored, bytes, sent) = (self.set.len() as u64, self.set.bytes(), self.sent / self.homes.words() as u64);
        let numbers = [states, transitions, deadlocks, edges, invariant, stored, bytes, sent];
        let [states, transitions, deadlocks, edges, invariant, stored, bytes, sent] = sums(self.peers, numbers)?;
        let counts = Counts { states, transitions, deadlocks, edges, invariant };
        let whole = Whole { counts, stored, bytes, sent, processes: self.peers.processes() };
        Ok(Found { kept: self.set, whole, peak_bytes: self.peak_bytes })
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

    /// Makes strangers known to the set and sends them to their owners.
    fn introduce(&mut self) {
        for harvest in &self.harvests {
            self.set.meet(&harvest.strangers, self.crew);
        }
        for (harvest, mail) in self.harvests.iter_mut().zip(&mut self.mail) {
            let strangers = std::mem::take(&mut harvest.strangers);
            self.set.address(&strangers, &mut harvest.memo, mail, &mut harvest.strangers);
        }
    }

    /// Adds what other processes have found to the mail, shared out among the workers.
    fn receive(&mut self, letters: &[Vec<u32>]) {
        let (set, homes, workers) = (&self.set, self.homes, self.harvests.len());
        let foreign = letters.iter().map(Vec::len).sum::<usize>() / homes.words();
        if foreign == 0 {
            return;
        }
        let jobs = self.harvests.iter_mut().zip(&mut self.mail).enumerate().map(|(number, (harvest, mail))| {
            move || {
                let share = foreign * number / workers..foreign * (number + 1) / workers;
                let states = letters.iter().flat_map(|letter| homes.read(letter));
                let mut fresh = Vec::with_capacity(LETTERS);
                for state in states.skip(share.start).take(share.len()) {
                    fresh.push(state);
                    if fresh.len() == LETTERS {
                        set.address(&fresh, &mut harvest.memo, mail, &mut harvest.strangers);
                        fresh.clear();
                    }
                }
                set.address(&fresh, &mut harvest.memo, mail, &mut harvest.strangers);
            }
        });
        self.crew.work(foreign > 1000, jobs);
        self.introduce();
    }

    /// Counts, and complains in the next round if there is reason to: before that nothing is added to the set.
    fn account(&mut self, depth: u64, so_far: Progress, watch: Watch<'_>) {
        for harvest in &mut self.harvests {
            self.counts += std::mem::take(&mut harvest.counts);
        }
        let tables = self.system.cells.bytes();
        self.peak_bytes = self.peak_bytes.max(self.set.bytes() + tables);
        // What could be needed if all successors of the next batch were new.
        let more = if self.peers.processes() == 1 { BATCH } else { 2 * BATCH };
        if tables > self.system.cells.allowed() {
            let (cells, allowed) = (self.system.cells.len() as u64, self.system.cells.allowed());
            self.failure = Some(Failure::Tables { cells, allowed });
        } else if self.set.bytes_with(more) + tables > self.options.memory || self.set.is_full() {
            self.failure = Some(Failure::Memory { stored: self.set.len() as u64, allowed: self.options.memory });
        }
        let alone = self.peers.processes() == 1;
        let (stored, bytes) = (self.set.len() as u64, self.set.bytes() + tables);
        let progress = if alone { Progress { depth, stored, bytes, ..so_far } } else { so_far };
        self.peers.progress(progress);
        if !watch(progress) {
            self.failure = Some(Failure::Stopped);
        }
    }

    /// Expands what was put aside, and these strips of the level.
    fn expand(&mut self, from: usize, to: usize, strips: usize) {
        let (system, set, homes, me) = (&*self.system, &self.set, self.homes, self.peers.me());
        let (workers, lens) = (set.parts(), (0..set.parts()).map(|part| set.waiting(part)).collect::<Vec<_>>());
        let stretch = |part: usize, strip: usize| lens[part] * strip / strips.max(1);
        let stretch = &stretch;
        let jobs = self.harvests.iter_mut().zip(&mut self.mail).enumerate().map(|(number, (harvest, mail))| {
            move || {
                // What is written often is kept away from what other workers write.
                let (own, letters) = (std::mem::take(harvest), std::mem::take(mail));
                let (scratch, fresh) = (vec![], vec![]);
                let mut worker = Worker { system, set, homes, me, harvest: own, mail: letters, scratch, fresh };
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
        self.crew.work(to - from > 4, jobs);
        self.expanded += (0..workers).map(|part| (stretch(part, to) - stretch(part, from)) as u64).sum::<u64>();
    }
}

/// Expands states.
struct Worker<'w, 'a, S: Store> {
    system: &'w System<'a>,
    set: &'w S,
    homes: Homes,
    me: usize,
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
                match self.homes.of(target) {
                    home if home == self.me => self.fresh.push(target),
                    home => self.homes.write(target, &mut self.harvest.abroad[home]),
                }
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
