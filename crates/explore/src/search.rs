//! Breadth-first search, level by level, on several threads. The result does not depend on their timing.
//!
//! The set has many parts. A level is processed in batches of two phases. First the workers expand stretches of states and sort the
//! successors by part. Then they add the successors to their parts, in the order of the stretches. An idle worker takes the next
//! stretch or the next part; the assignment does not change the result. No data is locked during a phase. A state whose expansion
//! needs a missing table entry is put aside. The entries are computed between the batches, in a fixed order, and the state is
//! expanded again.
//!
//! Consecutive states have many successors in common, so a worker remembers its recent targets and does not send them again. For
//! this a stretch takes its states from all parts, in the order of discovery. If it took them from one part, the common successors
//! of consecutive states would occur in different stretches and be sent many times.
//!
//! With several processes, each one has its own part of the set and expands its own states. After every batch they send each other
//! the successors that others own and the missing table entries. So all processes learn the same entries in the same order, and a
//! cell has the same number everywhere. The next batch is expanded while letters are in transit.

use crate::crew::Crew;
use crate::peers::sums;
use crate::store::{Compact, Plain, Store};
use crate::system::rules::Setback;
use crate::system::{Layout, Stuck, System, Tally};
use crate::{Failure, Options, Peers, Progress, Storage, Watch};
use level::LevelOrder;
use ringleader_erased::MessageInstance;
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

pub(crate) use found::{Found, Numbering, Whole, on_threads};

/// The number of states of a stretch, and of a batch.
const STRETCH: usize = 1024;
const BATCH: usize = if cfg!(test) { 256 } else { 64 * STRETCH };

/// Explores all reachable states.
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
            BreadthFirst::<Compact>::new(&mut system, options, &crew, peers).run(watch)
        } else {
            BreadthFirst::<Plain>::new(&mut system, options, &crew, peers).run(watch)
        };
        match ended {
            Ok(found) => return Ok((system, found)),
            Err(Setback::Failed(Failure::Memory { .. })) if options.set == Storage::Automatic && !compact => {
                compact = true
            }
            Err(Setback::Failed(failure)) => return Err(failure),
            Err(Setback::Wider) => {
                let bits = usize::BITS - (system.cells.len() - 1).leading_zeros();
                system.layout = Layout::with_at_least(system.layout.size, bits)?;
            }
            Err(Setback::NewRoles) => system.cells.forget_roles(),
            Err(Setback::NotAlike) => {
                system = System::new(algorithm, options)?;
                system.cells.rules.anonymous = false;
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
    /// The output of each stretch of the present batch.
    sheets: Vec<Output<S>>,
    /// By worker.
    hands: Vec<Worker<S>>,
    counts: Tally,
    /// The number of stretches so far.
    stretches: u64,
    expanded: u64,
    peak_bytes: u64,
    /// The number of words of states sent to other processes.
    sent: u64,
    /// A failure of this process, which it reports in the next round.
    failure: Option<Failure>,
    /// The states that were put aside, for each round in transit; and those that can be expanded again.
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

    fn run(mut self, watch: Watch<'_>) -> Result<Found, Setback> {
        let ended = self.levels(watch);
        if !matches!(ended, Err(Setback::Failed(Failure::Lost { .. }))) {
            // Another search may follow. It must not receive the letters of this one.
            while self.under_way.pop_front().is_some() {
                self.peers.receive()?;
            }
        }
        ended?;
        Ok(self.finish()?)
    }

    /// Explores all levels. While letters are in transit, the next batch is expanded, if a process has one.
    fn levels(&mut self, watch: Watch<'_>) -> Result<(), Setback> {
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
        unreachable!("there are fewer than 2^64 levels")
    }

    /// A lower bound on the number of rounds of a level, from the number of states of the level before it. All processes must guess
    /// the same number. If the level has fewer rounds, one round is wasted.
    fn guess(&self, crowd: u64) -> u32 {
        let processes = self.peers.processes() as u64;
        let batches = crowd / (processes * BATCH as u64);
        if processes > 1 && batches > 2 { 2 } else { 1 }
    }

    /// Sends the progress of this process, and the states that the other processes own.
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

    fn finish(self) -> Result<Found, Failure> {
        let Tally { states, transitions, deadlocks, edges, invariant } = self.counts;
        let (stored, bytes, sent) = (self.set.len() as u64, self.set.bytes(), self.sent / self.homes.words() as u64);
        let numbers = [states, transitions, deadlocks, edges, invariant, stored, bytes, sent];
        let [states, transitions, deadlocks, edges, invariant, stored, bytes, sent] = sums(self.peers, numbers)?;
        let counts = Tally { states, transitions, deadlocks, edges, invariant };
        let whole = Whole { counts, stored, bytes, sent, processes: self.peers.processes() };
        Ok(Found { kept: Box::new(self.set), whole, peak_bytes: self.peak_bytes })
    }

    fn start(&mut self) -> Result<u128, Setback> {
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

    /// Whether the tables fit the fields of a packed state.
    fn fits(&self) -> Result<(), Setback> {
        if self.system.cells.len() as u64 > 1 << self.system.layout.bits { Err(Setback::Wider) } else { Ok(()) }
    }

    /// The first `count` outputs.
    fn sheets(&mut self, count: usize) -> &mut [Output<S>] {
        let processes = self.peers.processes();
        while self.sheets.len() < count {
            self.sheets.push(Output::new(processes));
        }
        &mut self.sheets[..count]
    }

    /// Adds strangers to the set's halves and sorts them by part.
    fn introduce(&mut self) {
        for sheet in self.sheets.iter_mut().filter(|sheet| !sheet.strangers.is_empty()) {
            self.set.meet(&sheet.strangers, self.crew);
            let strangers = std::mem::take(&mut sheet.strangers);
            self.set.address(&strangers, &mut self.hands[0].memo, &mut sheet.mail, &mut sheet.strangers);
            sheet.mail.seal();
        }
    }

    /// Adds all found states to the set.
    fn insert(&mut self) {
        let mail: Vec<_> = self.sheets.iter().map(|sheet| &sheet.mail).collect();
        self.set.insert(&mail, self.crew);
        self.sheets.iter_mut().for_each(|sheet| sheet.mail.clear());
    }

    /// Adds the states that other processes have found to the mail.
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

    /// Counts, and checks the limits. A failure is reported in the next round; states found from then on are not added to the set.
    fn account(&mut self, depth: u64, so_far: Progress, watch: Watch<'_>) {
        for hand in &mut self.hands {
            self.counts += std::mem::take(&mut hand.counts);
        }
        let tables = self.system.cells.bytes();
        self.peak_bytes = self.peak_bytes.max(self.set.bytes() + tables);
        // The number of new states if all successors of the next batch, and of batches in transit, are new.
        let more = if self.peers.processes() == 1 { BATCH } else { 4 * BATCH };
        if let Err(failure) = self.system.cells.check_memory() {
            self.failure = Some(failure);
        } else if self.set.bytes_with(more) + tables > self.options.memory || self.set.is_full() {
            self.failure = Some(Failure::Memory { stored: self.set.len() as u64, allowed: self.options.memory });
        }
        let alone = self.peers.processes() == 1;
        let (stored, bytes) = (self.set.len() as u64, self.set.bytes() + tables);
        // All processes have the same tables.
        let so_far = Progress { crowd: self.system.cells.crowd(), ..so_far };
        let progress = if alone { Progress { depth, stored, bytes, ..so_far } } else { so_far };
        if !watch(progress) {
            self.failure = Some(Failure::Stopped);
        }
    }

    /// Expands the states that were put aside, and these states of the level.
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

/// The work of one stretch.
#[derive(Clone)]
enum Work<'w> {
    /// States that were put aside.
    Again(&'w [u128]),
    /// States of the level.
    Next(Range<usize>),
}
