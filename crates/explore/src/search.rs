//! Breadth-first search, level by level, on several threads, with the same result whatever their timing.
//!
//! The set has many parts. A level is worked on in batches of two phases: the workers expand stretches of states and sort the
//! successors by part; then they add to every part what was found for it, in the order of the stretches. Whoever is done takes
//! the next stretch, or the next part; who takes which changes nothing. Nothing is locked while it is worked on. A state whose
//! expansion needs a table entry that does not exist yet is put aside; the entries are computed between the batches, in a
//! fixed order, and the state is expanded again.
//!
//! States found one after the other have many successors in common, so a worker remembers the targets it met lately and
//! does not send them again. For that a stretch takes its states from all parts, in the order of discovery: if it took them
//! from one part, the common successors of neighbours would be met in different stretches, and sent many times.
//!
//! Over several processes every one has its own part of the set and expands its own states. After every batch they send each
//! other the successors that others own, and what their tables lack, so that all learn the same in the same order: a cell has
//! the same number everywhere. Nobody waits for that: letters travel while the next batch is expanded.

use crate::crew::Crew;
use crate::peers::sums;
use crate::store::{Compact, Plain, Store};
use crate::system::rules::Surprise;
use crate::system::{Layout, Stuck, System, Tally};
use crate::{Failure, Options, Peers, Progress, Storage, Watch};
use level::LevelOrder;
use ringleader_erased::MessageInstance;
use ringleader_model::Terminating;
use round::{Bulletin, Owners, Round};
use std::collections::VecDeque;
use std::ops::Range;
use worker::{Expander, Output, Worker};

mod found;
mod level;
mod round;
#[cfg(test)]
mod tests;
mod worker;

pub(crate) use found::{Found, Kept, Numbering, Whole};

/// How many states are a stretch, and how many are a batch.
const STRETCH: usize = 1024;
const BATCH: usize = if cfg!(test) { 256 } else { 64 * STRETCH };

enum Interrupted {
    Wider,
    Surprised(Surprise),
    Failed(Failure),
}

impl From<Failure> for Interrupted {
    fn from(failure: Failure) -> Self {
        Interrupted::Failed(failure)
    }
}

impl From<Surprise> for Interrupted {
    fn from(surprise: Surprise) -> Self {
        Interrupted::Surprised(surprise)
    }
}

/// Explores everything reachable.
pub(crate) fn search<'a>(
    algorithm: &'a MessageInstance,
    options: &Options,
    watch: Watch<'_>,
    peers: &mut dyn Peers,
) -> Result<(System<'a>, Found), Failure> {
    let mut system = System::new(algorithm, options)?;
    let crew = Crew::new(options.threads);
    let mut compact = options.set == Storage::Compact;
    loop {
        if options.rotation && !system.symmetric() {
            return Err(Failure::NotSymmetric);
        }
        let ended = if compact {
            BreadthFirst::<Compact>::new(&mut system, options, &crew, peers)
                .run(watch)
                .map(|found| found.map_set(Kept::Compact))
        } else {
            BreadthFirst::<Plain>::new(&mut system, options, &crew, peers)
                .run(watch)
                .map(|found| found.map_set(Kept::Plain))
        };
        match ended {
            Ok(found) => return Ok((system, found)),
            Err(Interrupted::Failed(Failure::Memory { .. })) if options.set == Storage::Automatic && !compact => {
                compact = true
            }
            Err(Interrupted::Failed(failure)) => return Err(failure),
            Err(Interrupted::Wider) => {
                let bits = usize::BITS - (system.cells.len() - 1).leading_zeros();
                system.layout = Layout::with_at_least(system.layout.size, bits)?;
            }
            Err(Interrupted::Surprised(Surprise::NewRoles)) => system.cells.forget_roles(),
            Err(Interrupted::Surprised(Surprise::NoRoom)) => {
                return Err(Failure::Tables { cells: system.cells.len() as u64, allowed: system.cells.allowed() });
            }
            Err(Interrupted::Surprised(Surprise::NotAlike)) => {
                system = System::new(algorithm, options)?;
                system.cells.rules.anonymous = false;
            }
            Err(Interrupted::Surprised(Surprise::NoPort(port))) => {
                return Err(Failure::NoPort { port, ports: algorithm.network().ports() });
            }
            Err(Interrupted::Surprised(Surprise::OutOfDomain(written))) => {
                return Err(Failure::OutOfDomain(written));
            }
        }
    }
}

struct BreadthFirst<'s, 'a, S: Store> {
    system: &'s mut System<'a>,
    options: &'s Options,
    crew: &'s Crew,
    peers: &'s mut dyn Peers,
    homes: Owners,
    set: S,
    /// What came of every stretch of the present batch.
    sheets: Vec<Output<S>>,
    /// By worker.
    hands: Vec<Worker<S>>,
    counts: Tally,
    /// How many stretches there were.
    stretches: u64,
    expanded: u64,
    peak_bytes: u64,
    /// Words with states that were sent to other processes.
    sent: u64,
    /// What this process has to complain of, to be told in the next round.
    failure: Option<Failure>,
    /// The states that were put aside in each round that is under way, and those that can be expanded again.
    under_way: VecDeque<Vec<u128>>,
    again: Vec<u128>,
}

impl<'s, 'a, S: Store> BreadthFirst<'s, 'a, S> {
    fn new(system: &'s mut System<'a>, options: &'s Options, crew: &'s Crew, peers: &'s mut dyn Peers) -> Self {
        BreadthFirst {
            homes: Owners::new(system.layout, options.seed, peers.processes()),
            set: S::new(system.layout, options.seed),
            system,
            options,
            crew,
            peers,
            sheets: vec![],
            hands: (0..crew.workers()).map(|_| Worker::default()).collect(),
            counts: Tally::default(),
            stretches: 0,
            expanded: 0,
            peak_bytes: 0,
            sent: 0,
            failure: None,
            under_way: VecDeque::new(),
            again: vec![],
        }
    }

    fn run(mut self, watch: Watch<'_>) -> Result<Found<S>, Interrupted> {
        let ended = self.levels(watch);
        if !matches!(ended, Err(Interrupted::Failed(Failure::Lost { .. }))) {
            // Another search may follow, and must not receive what belongs to this one.
            while self.under_way.pop_front().is_some() {
                self.peers.receive()?;
            }
        }
        ended?;
        Ok(self.finish()?)
    }

    /// Goes through all levels. While letters are under way, the next batch is expanded, if somebody has one.
    fn levels(&mut self, watch: Watch<'_>) -> Result<(), Interrupted> {
        let start = self.start()?;
        if self.homes.of(start) == self.peers.me() {
            self.sheets(1)[0].strangers.push(start);
            self.introduce();
            self.insert();
        }
        let mut crowd = 0;
        for depth in 0.. {
            let waiting = self.set.advance(self.crew) as u64;
            let level = LevelOrder::of(&self.set);
            let states = level.len();
            let mut next = 0;
            let mut left = self.guess(crowd);
            loop {
                let stop = states.min(next + BATCH);
                self.expand(&level, next..stop);
                next = stop;
                self.send(depth, (states - next).div_ceil(BATCH) as u32, waiting)?;
                left = left.saturating_sub(1);
                if self.failure.is_none() {
                    self.introduce();
                    self.insert();
                }
                while self.under_way.len() > usize::from(left > 0) {
                    self.again.extend(self.under_way.pop_front().into_iter().flatten());
                    let round = Round::receive(self.peers, depth, self.failure.clone(), self.options.memory)?;
                    crowd = round.waiting;
                    if crowd == 0 {
                        self.set.retreat();
                        return Ok(());
                    }
                    self.system.cells.learn(&round.missing)?;
                    self.fits()?;
                    self.receive(&round.states);
                    self.insert();
                    self.account(depth, round.progress, watch);
                    left = round.left.saturating_sub(self.under_way.len() as u32);
                }
                if left == 0 {
                    break;
                }
            }
        }
        unreachable!("there are not so many levels")
    }

    /// How many rounds a level will have at least, by how many states the one before it had: all processes must guess the same.
    /// If it has fewer, one was in vain.
    fn guess(&self, crowd: u64) -> u32 {
        let processes = self.peers.processes() as u64;
        let batches = crowd / (processes * BATCH as u64);
        if processes > 1 && batches > 2 { 2 } else { 1 }
    }

    /// Tells the other processes how far this one is, and sends what is theirs.
    fn send(&mut self, depth: u64, batches: u32, waiting: u64) -> Result<(), Failure> {
        let mut letters = vec![vec![]; self.peers.processes()];
        for sheet in &mut self.sheets {
            for (letter, states) in letters.iter_mut().zip(&mut sheet.abroad) {
                letter.append(states);
            }
        }
        self.sent += letters.iter().map(|states| states.len() as u64).sum::<u64>();
        self.under_way.push_back(self.sheets.iter_mut().flat_map(|sheet| sheet.aside.drain(..)).collect());
        let aside = self.under_way.iter().any(|aside| !aside.is_empty()) || !self.again.is_empty();
        let left = batches.max(u32::from(aside));
        let failure =
            if self.hands.iter().any(|hand| hand.circular) { Some(Failure::Circular) } else { self.failure.clone() };
        let (stored, bytes) = (self.set.len() as u64, self.set.bytes() + self.system.cells.bytes());
        let progress = Progress { depth, stored, expanded: self.expanded, bytes, crowd: None };
        let missing = self.sheets.iter_mut().flat_map(|sheet| sheet.missing.drain(..)).collect();
        Bulletin { failure, left, waiting, progress, missing }.send(letters, self.peers)
    }

    fn finish(self) -> Result<Found<S>, Failure> {
        let Tally { states, transitions, deadlocks, edges, invariant } = self.counts;
        let (stored, bytes, sent) = (self.set.len() as u64, self.set.bytes(), self.sent / self.homes.words() as u64);
        let numbers = [states, transitions, deadlocks, edges, invariant, stored, bytes, sent];
        let [states, transitions, deadlocks, edges, invariant, stored, bytes, sent] = sums(self.peers, numbers)?;
        let counts = Tally { states, transitions, deadlocks, edges, invariant };
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

    /// The first so many sheets.
    fn sheets(&mut self, count: usize) -> &mut [Output<S>] {
        let processes = self.peers.processes();
        while self.sheets.len() < count {
            self.sheets.push(Output::new(processes));
        }
        &mut self.sheets[..count]
    }

    /// Makes strangers known to the set and sorts them by part.
    fn introduce(&mut self) {
        for sheet in self.sheets.iter_mut().filter(|sheet| !sheet.strangers.is_empty()) {
            self.set.meet(&sheet.strangers, self.crew);
            let strangers = std::mem::take(&mut sheet.strangers);
            self.set.address(&strangers, &mut self.hands[0].memo, &mut sheet.mail, &mut sheet.strangers);
            sheet.mail.seal();
        }
    }

    /// Adds all that was found to the set.
    fn insert(&mut self) {
        let mail: Vec<_> = self.sheets.iter().map(|sheet| &sheet.mail).collect();
        self.set.insert(&mail, self.crew);
        self.sheets.iter_mut().for_each(|sheet| sheet.mail.clear());
    }

    /// Adds what other processes have found to the mail.
    fn receive(&mut self, letters: &[Vec<u32>]) {
        let homes = self.homes;
        let pieces = letters.iter().flat_map(|letter| letter.chunks(STRETCH * homes.words()));
        let worthwhile = letters.iter().map(Vec::len).sum::<usize>() > 1000 * homes.words();
        let count = pieces.clone().count();
        self.sheets(count);
        let ground = Expander { system: self.system, set: &self.set, homes, me: self.peers.me() };
        self.crew.share(worthwhile, &mut self.hands, self.sheets.iter_mut().zip(pieces), |hand, (sheet, piece)| {
            ground.receive(hand, sheet, homes.read(piece))
        });
        self.introduce();
    }

    /// Tally, and complains in the next round if there is reason to: what this process finds from then on is not added to the set.
    fn account(&mut self, depth: u64, so_far: Progress, watch: Watch<'_>) {
        for hand in &mut self.hands {
            self.counts += std::mem::take(&mut hand.counts);
        }
        let tables = self.system.cells.bytes();
        self.peak_bytes = self.peak_bytes.max(self.set.bytes() + tables);
        // What could be needed if all successors of the next batch were new, here and of a batch that was under way, elsewhere.
        let more = if self.peers.processes() == 1 { BATCH } else { 4 * BATCH };
        if tables > self.system.cells.allowed() {
            let (cells, allowed) = (self.system.cells.len() as u64, self.system.cells.allowed());
            self.failure = Some(Failure::Tables { cells, allowed });
        } else if self.set.bytes_with(more) + tables > self.options.memory || self.set.is_full() {
            self.failure = Some(Failure::Memory { stored: self.set.len() as u64, allowed: self.options.memory });
        }
        let alone = self.peers.processes() == 1;
        let (stored, bytes) = (self.set.len() as u64, self.set.bytes() + tables);
        // All processes have the same tables.
        let so_far = Progress { crowd: self.system.cells.crowd(), ..so_far };
        let progress = if alone { Progress { depth, stored, bytes, ..so_far } } else { so_far };
        self.peers.progress(progress);
        if !watch(progress) {
            self.failure = Some(Failure::Stopped);
        }
    }

    /// Expands what was put aside, and these states of the level.
    fn expand(&mut self, level: &LevelOrder, states: Range<usize>) {
        let again = std::mem::take(&mut self.again);
        let stretches = states.clone().step_by(STRETCH).map(|first| first..states.end.min(first + STRETCH));
        let work = again.chunks(STRETCH).map(Work::Again).chain(stretches.map(Work::Next));
        self.sheets(work.clone().count());
        let ground = Expander { system: self.system, set: &self.set, homes: self.homes, me: self.peers.me() };
        let worthwhile = again.len() + states.len() > STRETCH;
        let items = (self.stretches..).zip(self.sheets.iter_mut()).zip(work);
        self.crew.share(worthwhile, &mut self.hands, items, |hand, ((stretch, sheet), work)| {
            hand.turn_to(stretch);
            match work {
                Work::Again(states) => states.iter().for_each(|&state| ground.expand(hand, sheet, state)),
                Work::Next(states) => {
                    level.show(states, |part, place| ground.expand(hand, sheet, ground.set.waiting_state(part, place)))
                }
            }
            ground.sort(hand, sheet);
        });
        self.stretches += self.sheets.len() as u64;
        self.expanded += self.hands.iter_mut().map(|hand| std::mem::take(&mut hand.expanded)).sum::<u64>();
    }
}

/// What a worker may take.
#[derive(Clone)]
enum Work<'w> {
    /// States that were put aside.
    Again(&'w [u128]),
    /// States of the level.
    Next(Range<usize>),
}
