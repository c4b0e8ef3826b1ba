//! Breadth-first search, level by level, on a board.
//!
//! The set is a table with open addressing. A level is a list of states, expanded in batches; new states are added to the list
//! of the next level. A state whose expansion needs a missing entry of the tables of cells is put aside. The host computes the
//! entries, and the state is expanded again. States have no numbers, and their order depends on the timing of the device; no
//! count depends on it.

use super::kernels::{Job, Kernel, Sums};
use crate::space::{Summary, Verified};
use crate::system::cells::{Missing, UNKNOWN};
use crate::system::rules::Setback;
use crate::system::{Layout, System, Tally};
use crate::{Failure, Options, Progress, Watch};
use ringleader_device::{Board, Fault};
use ringleader_erased::MessageInstance;
use std::time::{Duration, Instant};

/// The slots of the first table, if the memory allows.
const FIRST_SLOTS: u64 = if cfg!(test) { 64 } else { 1 << 26 };
/// A batch has at most this many states, so that a search can be stopped.
const MOST_BATCH: u64 = if cfg!(test) { 1 << 12 } else { 1 << 22 };
/// A batch of several states has at most this many successors: there must be room for all of them.
const MOST_NEW: u64 = 1 << 27;
/// The most missing entries that a batch reports.
const MOST_MISSING: u64 = if cfg!(test) { 300 } else { 1 << 16 };
/// The number of slots that one kernel verifies.
const STRETCH: u64 = if cfg!(test) { 1 << 12 } else { 1 << 28 };
/// The bytes of a state.
const STATE: u64 = 16;
/// A port that stands for the arcs of a cell.
const ARCS: u32 = u32::MAX;

/// A search on a GPU.
#[derive(Clone, Copy, Debug)]
pub struct Searched {
    /// Its counts.
    pub summary: Summary,
    /// The result of the second pass over all states, if there was one.
    pub verified: Option<Verified>,
    /// The duration of that pass.
    pub verification: Option<Duration>,
    /// The duration of the search.
    pub time: Duration,
    /// The most bytes of the GPU in use.
    pub peak_bytes: u64,
}

/// Explores all reachable states, and verifies them if that is wanted.
pub(crate) fn search<B: Board>(
    board: &B,
    algorithm: &MessageInstance,
    options: &Options,
    verify: bool,
    watch: Watch<'_>,
) -> Result<Searched, Failure> {
    if options.confluence {
        return Err(Failure::NoConfluence);
    }
    let mut system = System::new(algorithm, options)?;
    loop {
        if options.rotation && !system.symmetric() {
            return Err(Failure::NotSymmetric);
        }
        system.layout = Layout::widest(system.layout.size)?;
        match Search::new(board, &mut system, options)?.run(verify, watch) {
            Ok(searched) => return Ok(searched),
            Err(Setback::Failed(failure)) => return Err(failure),
            Err(Setback::NotAlike) => {
                system = System::new(algorithm, options)?;
                system.cells.rules.anonymous = false;
            }
            Err(Setback::Wider) => {
                let Layout { size, bits } = system.layout;
                return Err(Failure::Width { size: size as usize, bits: bits + 1 });
            }
            Err(Setback::NewRoles) => return Err(Failure::NoConfluence),
        }
    }
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Failure {
        Failure::Device(fault.to_string())
    }
}

impl From<Fault> for Setback {
    fn from(fault: Fault) -> Setback {
        Failure::from(fault).into()
    }
}

/// A list of states on the board.
struct List<W> {
    words: W,
    room: u64,
    len: u64,
}

/// The tables of cells on the board.
struct Tables<N> {
    arcs_of: N,
    arcs: N,
    sends: N,
    arrivals: N,
    routes: N,
    messages: u32,
    /// The most successors of a state.
    most: u64,
    bytes: u64,
}

struct Search<'s, 'a, B: Board> {
    board: &'s B,
    system: &'s mut System<'a>,
    options: &'s Options,
    tables: Tables<B::Numbers>,
    table: B::Words,
    slots: u64,
    sums: B::Words,
    missing: B::Words,
    /// The present and the next level.
    levels: [List<B::Words>; 2],
    /// The states put aside, and those put aside before.
    asides: [List<B::Words>; 2],
    counts: Tally,
    stored: u64,
    expanded: u64,
    peak_bytes: u64,
}

impl<'s, 'a, B: Board> Search<'s, 'a, B> {
    fn new(board: &'s B, system: &'s mut System<'a>, options: &'s Options) -> Result<Self, Failure> {
        let slots = FIRST_SLOTS.min(options.memory / (8 * STATE)).max(16);
        let list = |room: u64| -> Result<List<B::Words>, Failure> {
            Ok(List { words: board.zeros(2 * room as usize)?, room, len: 0 })
        };
        let room = slots / 8;
        Ok(Search {
            tables: Tables::new(board, system)?,
            table: board.zeros(2 * slots as usize)?,
            slots,
            sums: board.zeros(Sums::WORDS)?,
            missing: board.zeros(2 * MOST_MISSING as usize)?,
            levels: [list(room)?, list(room)?],
            asides: [list(1)?, list(1)?],
            counts: Tally::default(),
            stored: 0,
            expanded: 0,
            peak_bytes: 0,
            board,
            system,
            options,
        })
    }

    fn run(mut self, verify: bool, watch: Watch<'_>) -> Result<Searched, Setback> {
        let begun = Instant::now();
        self.start()?;
        let mut depth = 0;
        loop {
            self.level(depth, watch)?;
            self.levels.swap(0, 1);
            self.levels[1].len = 0;
            if self.levels[0].len == 0 {
                break;
            }
            depth += 1;
        }
        let time = begun.elapsed();
        let begun = Instant::now();
        let verified = if verify { Some(self.verify(depth, watch)?) } else { None };
        let verification = verify.then(|| begun.elapsed());
        let Search { counts, stored, slots, peak_bytes, .. } = self;
        let summary = Summary {
            states: Some(counts.states),
            transitions: Some(counts.transitions),
            deadlocks: Some(counts.deadlocks),
            invariant: self.options.rotation.then_some(counts.invariant),
            stored,
            depth,
            cells: self.system.cells.len() as u64,
            set: "table",
            entry_bytes: STATE,
            stored_bytes: slots * STATE,
        };
        Ok(Searched { summary, verified, verification, time, peak_bytes })
    }

    /// Adds the clean start to the set.
    fn start(&mut self) -> Result<(), Setback> {
        let start = self.system.start();
        self.learn(&[])?;
        let found = self.board.address(&self.levels[0].words, 0);
        self.admit(start, found)?;
        (self.levels[0].len, self.stored) = (1, 1);
        Ok(())
    }

    /// Adds the representative of a state to the set, and to the list at `found` if it is new. Returns the number of new states.
    fn admit(&mut self, state: u128, found: u64) -> Result<u64, Failure> {
        let kept = if self.options.rotation { self.system.layout.canonical(state) } else { state };
        let mut one = self.board.zeros(2)?;
        self.board.write(&words(!kept), &mut one)?;
        let job = Job { items: self.board.address(&one, 0), count: 1, found, ..self.job() };
        Ok(self.launch(Kernel::Admit, &job)?.found)
    }

    /// Expands the present level.
    fn level(&mut self, depth: u64, watch: Watch<'_>) -> Result<(), Setback> {
        let mut next = 0;
        while next < self.levels[0].len || self.asides[1].len > 0 {
            // The states put aside come first; there are at most as many as a batch.
            let again = self.asides[1].len;
            let batch = self.make_room(if again > 0 { again } else { self.levels[0].len - next })?;
            let (from, first) = if again > 0 { (&self.asides[1], again - batch) } else { (&self.levels[0], next) };
            let job = Job {
                items: self.board.address(&from.words, 2 * first as usize),
                count: batch,
                found: self.board.address(&self.levels[1].words, 2 * self.levels[1].len as usize),
                aside: self.board.address(&self.asides[0].words, 2 * self.asides[0].len as usize),
                ..self.job()
            };
            let sums = self.launch(Kernel::Expand, &job)?;
            if again > 0 {
                self.asides[1].len -= batch;
            } else {
                next += batch;
            }
            self.counts += tally(&sums);
            self.stored += sums.found;
            self.levels[1].len += sums.found;
            self.expanded += batch - sums.aside;
            self.asides[0].len += sums.aside;
            let told = sums.missing.min(MOST_MISSING);
            let missing = self.board.read(&self.missing, 0, 2 * told as usize)?;
            let mut missing: Vec<Missing> =
                missing.chunks_exact(2).map(|pair| read_missing(pair[0], pair[1])).collect();
            if !missing.is_empty() {
                missing.sort_unstable();
                missing.dedup();
                self.learn(&missing)?;
            }
            if self.asides[1].len == 0 {
                self.asides.swap(0, 1);
            }
            let bytes = self.bytes();
            let crowd = self.system.cells.crowd();
            if !watch(Progress { depth, stored: self.stored, expanded: self.expanded, bytes, crowd }) {
                return Err(Failure::Stopped.into());
            }
        }
        Ok(())
    }

    /// Makes room for all successors of a batch, and returns its size: at most `wanted`.
    fn make_room(&mut self, wanted: u64) -> Result<u64, Failure> {
        // At least a quarter of the table is free after a batch whose successors are all new.
        let (most, stored) = (self.tables.most.max(1), self.stored);
        let batch = |slots: u64| wanted.min(MOST_BATCH).min(((slots / 16).min(MOST_NEW) / most).max(1));
        let fits = |slots: u64| (stored + batch(slots) * most) * 4 <= slots * 3;
        let mut slots = self.slots;
        while !fits(slots) {
            slots *= 2;
        }
        if slots > self.slots {
            // Two tables are there while the set moves. If this one is the last that can, it takes most of the memory; the lists will
            // have that of the present table.
            let left = self.options.memory.saturating_sub(self.bytes()) / STATE / 16 * 15;
            let last = 3 * slots * STATE > self.options.memory;
            self.grow_table(if last && fits(left) { left } else { slots })?;
        }
        let batch = batch(self.slots);
        self.lengthen(|search| &mut search.levels[1], batch * most)?;
        self.lengthen(|search| &mut search.asides[0], batch)?;
        Ok(batch)
    }

    /// Moves the set to a larger table.
    fn grow_table(&mut self, slots: u64) -> Result<(), Failure> {
        self.reserve(slots * STATE)?;
        let old = std::mem::replace(&mut self.table, self.board.zeros(2 * slots as usize)?);
        let count = std::mem::replace(&mut self.slots, slots);
        let job = Job { items: self.board.address(&old, 0), count, ..self.job() };
        self.launch(Kernel::Admit, &job)?;
        Ok(())
    }

    /// Makes room for more states in a list.
    fn lengthen(&mut self, list: impl Fn(&mut Self) -> &mut List<B::Words>, more: u64) -> Result<(), Failure> {
        let (len, room) = (list(self).len, list(self).room);
        if len + more <= room {
            return Ok(());
        }
        let room = (len + more).max(room + room / 2);
        self.reserve(room * STATE)?;
        let board = self.board;
        let mut words = board.zeros(2 * room as usize)?;
        let list = list(self);
        board.copy(&list.words, 2 * len as usize, &mut words)?;
        (list.words, list.room) = (words, room);
        Ok(())
    }

    /// Whether the memory suffices for this many bytes more.
    fn reserve(&mut self, bytes: u64) -> Result<(), Failure> {
        let all = self.bytes() + bytes;
        if all > self.options.memory {
            return Err(Failure::Memory { stored: self.stored, allowed: self.options.memory });
        }
        self.peak_bytes = self.peak_bytes.max(all);
        Ok(())
    }

    /// The bytes in use on the board.
    fn bytes(&self) -> u64 {
        let lists = self.levels.iter().chain(&self.asides).map(|list| list.room).sum::<u64>();
        (self.slots + lists + MOST_MISSING) * STATE + self.tables.bytes
    }

    /// Fills gaps of the tables.
    fn learn(&mut self, missing: &[Missing]) -> Result<(), Setback> {
        self.system.cells.learn(missing)?;
        self.system.cells.check_memory()?;
        // The largest number is not a cell: inverted, it would be an empty slot.
        if self.system.cells.len() as u64 >= 1 << self.system.layout.bits {
            return Err(Setback::Wider);
        }
        self.tables = Tables::new(self.board, self.system)?;
        self.reserve(0)?;
        Ok(())
    }

    fn job(&self) -> Job {
        let (board, tables, layout) = (self.board, &self.tables, self.system.layout);
        Job {
            table: board.address(&self.table, 0),
            slots: self.slots,
            missing: board.address(&self.missing, 0),
            most_missing: MOST_MISSING,
            sums: board.address(&self.sums, 0),
            arcs_of: board.address_of(&tables.arcs_of),
            arcs: board.address_of(&tables.arcs),
            sends: board.address_of(&tables.sends),
            arrivals: board.address_of(&tables.arrivals),
            routes: board.address_of(&tables.routes),
            seed: self.options.seed,
            size: layout.size,
            bits: layout.bits,
            ports: self.system.cells.rules.ports as u32,
            messages: tables.messages,
            rotation: self.options.rotation.into(),
            ..Job::default()
        }
    }

    /// Runs a kernel and returns its sums.
    fn launch(&mut self, kernel: Kernel, job: &Job) -> Result<Sums, Failure> {
        self.board.write(&[0; Sums::WORDS], &mut self.sums)?;
        self.board.run(kernel as usize, job.count, job)?;
        let sums = self.board.read(&self.sums, 0, Sums::WORDS)?;
        Ok(Sums::new(sums.try_into().map_err(|_| Failure::Device("the sums are not complete".into()))?))
    }

    /// Looks at every slot: each stored state is found at its own, and so are all its successors.
    fn verify(&mut self, depth: u64, watch: Watch<'_>) -> Result<Verified, Failure> {
        let mut seen = Verified { before: self.counts, ..Verified::default() };
        for first in (0..self.slots).step_by(STRETCH as usize) {
            let count = STRETCH.min(self.slots - first);
            let job = Job { items: self.board.address(&self.table, 2 * first as usize), count, ..self.job() };
            let sums = self.launch(Kernel::Verify, &job)?;
            seen.add(sums.stored, sums.lost, sums.absent, tally(&sums));
            let (stored, expanded, bytes) = (self.stored, self.expanded, self.bytes());
            if !watch(Progress { depth, stored, expanded, bytes, crowd: None }) {
                return Err(Failure::Stopped);
            }
        }
        // The start must be stored, too: it is found if it is not new.
        let new = self.board.zeros(2)?;
        let absent = self.admit(self.system.start_again(), self.board.address(&new, 0))?;
        seen.add(0, self.stored.abs_diff(seen.stored), absent, Tally::default());
        Ok(seen)
    }
}

impl<N> Tables<N> {
    fn new<B: Board<Numbers = N>>(board: &B, system: &System<'_>) -> Result<Tables<N>, Failure> {
        let (cells, pair) = (&system.cells, |&(first, second): &(u32, u32)| [first, second]);
        let known = |arcs: &Option<(u32, u32)>| arcs.map_or([UNKNOWN; 2], |(from, to)| [from, to]);
        let arcs_of: Vec<u32> = cells.arcs_of.iter().flat_map(known).collect();
        let arcs: Vec<u32> = cells.arcs.iter().flat_map(|arc| [arc.next, arc.sends.0, arc.sends.1]).collect();
        let [sends, routes] =
            [&cells.sends, &system.arrivals].map(|pairs| pairs.iter().flat_map(pair).collect::<Vec<_>>());
        let most_arcs = cells.arcs_of.iter().flatten().map(|(from, to)| to - from).max().unwrap_or(0);
        let mut bytes = 0;
        let mut place = |numbers: &[u32]| {
            bytes += 4 * numbers.len() as u64;
            board.place(numbers)
        };
        Ok(Tables {
            arcs_of: place(&arcs_of)?,
            arcs: place(&arcs)?,
            sends: place(&sends)?,
            arrivals: place(&cells.arrivals)?,
            routes: place(&routes)?,
            messages: cells.message_capacity as u32,
            most: u64::from(system.layout.size) * u64::from(most_arcs),
            bytes,
        })
    }
}

/// A state in words.
fn words(state: u128) -> [u64; 2] {
    [state as u64, (state >> 64) as u64]
}

fn read_missing(first: u64, second: u64) -> Missing {
    let (cell, port) = (first as u32, (first >> 32) as u32);
    if port == ARCS { Missing::Moves(cell) } else { Missing::Arrival(cell, port, second as u32) }
}

fn tally(sums: &Sums) -> Tally {
    let Sums { states, transitions, deadlocks, edges, invariant, .. } = *sums;
    Tally { states, transitions, deadlocks, edges, invariant }
}
