//! The communication of processes after every batch: their progress, the missing table entries, and the states that others own.

use crate::peers::{halved, joined};
use crate::store::{Hash, owner};
use crate::system::Layout;
use crate::system::cells::Missing;
use crate::{Failure, Peers, Progress};

/// The owners of states, by a hash of their first half. Most transitions leave one half of a state unchanged, so many successors
/// have the same owner, and the processes number different first halves.
#[derive(Clone, Copy)]
pub(super) struct Owners {
    hash: Hash,
    processes: usize,
    mask: u128,
    words: usize,
}

impl Owners {
    pub(super) fn new(layout: Layout, seed: u64, processes: usize) -> Owners {
        let mask = (1 << (layout.size / 2 * layout.bits)) - 1;
        // Other hash functions are used within a process.
        Owners { hash: Hash::new(seed ^ 0x686f_7374), processes, mask, words: layout.words() }
    }

    #[inline]
    pub(super) fn of(&self, state: u128) -> usize {
        if self.processes == 1 { 0 } else { owner(self.hash.of(state & self.mask), self.processes) }
    }

    /// Adds a state to a letter.
    #[inline]
    pub(super) fn write(&self, state: u128, letter: &mut Vec<u32>) {
        letter.extend((0..self.words).map(|word| (state >> (32 * word)) as u32));
    }

    /// The states of a letter.
    pub(super) fn read<'l>(&self, letter: &'l [u32]) -> impl ExactSizeIterator<Item = u128> + use<'l> {
        letter.chunks_exact(self.words).map(|state| state.iter().rev().fold(0, |s, &word| s << 32 | u128::from(word)))
    }

    pub(super) fn words(&self) -> usize {
        self.words
    }
}

/// The report of a process to all others.
pub(super) struct Bulletin {
    pub(super) failure: Option<Failure>,
    /// A lower bound on the number of its remaining batches of this level.
    pub(super) left: u32,
    /// The number of its states of this level.
    pub(super) waiting: u64,
    pub(super) progress: Progress,
    pub(super) missing: Vec<Missing>,
}

/// The reports of all processes.
pub(super) struct Round {
    /// The maximum over all processes.
    pub(super) left: u32,
    pub(super) waiting: u64,
    pub(super) progress: Progress,
    /// Sorted.
    pub(super) missing: Vec<Missing>,
    /// The states that others have sent, in words, by sender.
    pub(super) states: Vec<Vec<u32>>,
}

/// The code of no failure, and the codes of failures that a single process may have.
const FINE: u32 = 0;
const STOPPED: u32 = 1;
const MEMORY: u32 = 2;
const TABLES: u32 = 3;
const CIRCULAR: u32 = 4;

impl Bulletin {
    /// Appends the report to the states for every process and sends the letters.
    pub(super) fn send(self, mut letters: Vec<Vec<u32>>, peers: &mut dyn Peers) -> Result<(), Failure> {
        let words = self.words();
        letters.iter_mut().for_each(|letter| letter.extend_from_slice(&words));
        peers.send(letters)
    }

    fn words(&self) -> Vec<u32> {
        let failure = match self.failure {
            None => FINE,
            Some(Failure::Stopped) => STOPPED,
            Some(Failure::Tables { .. }) => TABLES,
            Some(Failure::Circular) => CIRCULAR,
            Some(_) => MEMORY,
        };
        let Progress { stored, expanded, bytes, .. } = self.progress;
        let numbers = [self.waiting, stored, expanded, bytes].into_iter().flat_map(halved);
        let missing = self.missing.iter().flat_map(|gap| match *gap {
            Missing::Moves(cell) => [0, cell, 0, 0],
            Missing::Arrival(cell, port, message) => [1, cell, port, message],
        });
        missing.chain([self.missing.len() as u32, failure, self.left]).chain(numbers).collect()
    }
}

impl Round {
    /// The reports of the earliest round that was not received yet. `own` is the failure of this process, `allowed` the memory limit.
    pub(super) fn receive(
        peers: &mut dyn Peers,
        depth: u64,
        own: Option<Failure>,
        allowed: u64,
    ) -> Result<Round, Failure> {
        let progress = Progress { depth, stored: 0, expanded: 0, bytes: 0, crowd: None };
        let mut round = Round { left: 0, waiting: 0, progress, missing: vec![], states: vec![] };
        let mut worst = FINE;
        for (process, mut letter) in peers.receive()?.into_iter().enumerate() {
            worst = worst.max(round.take(&mut letter).ok_or(Failure::Lost { process })?);
            round.states.push(letter);
        }
        round.missing.sort_unstable();
        round.missing.dedup();
        match worst {
            FINE => Ok(round),
            STOPPED => Err(Failure::Stopped),
            MEMORY => Err(Failure::Memory { stored: round.progress.stored, allowed }),
            // All processes have the same tables.
            TABLES => Err(own.unwrap_or(Failure::Memory { stored: round.progress.stored, allowed })),
            _ => Err(Failure::Circular),
        }
    }

    /// Removes the report from the end of a letter and leaves the states. Returns the code of its failure, or `None` if the letter is
    /// too short.
    fn take(&mut self, letter: &mut Vec<u32>) -> Option<u32> {
        const NUMBERS: usize = 11;
        let begin = letter.len().checked_sub(NUMBERS)?;
        let (gaps, failure, left) = (letter[begin], letter[begin + 1], letter[begin + 2]);
        let number = |place: usize| joined(letter[begin + 3 + 2 * place], letter[begin + 4 + 2 * place]);
        self.left = self.left.max(left);
        self.waiting += number(0);
        self.progress.stored += number(1);
        self.progress.expanded += number(2);
        self.progress.bytes += number(3);
        let states = begin.checked_sub(4 * gaps as usize)?;
        self.missing.extend(letter[states..begin].chunks_exact(4).map(|gap| match gap[0] {
            0 => Missing::Moves(gap[1]),
            _ => Missing::Arrival(gap[1], gap[2], gap[3]),
        }));
        letter.truncate(states);
        Some(failure)
    }
}
