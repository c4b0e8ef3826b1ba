//! The expansion of states, and the sorting of successors by part.

use super::round::Owners;
use crate::Action;
use crate::store::{Mail, Store};
use crate::system::cells::Missing;
use crate::system::{Stuck, System, Tally};

/// The number of states whose successors form a letter. The number of successors cannot determine the end of a letter, because it
/// depends on the worker's memory.
const LETTER: usize = 64;

/// The number of recent targets that a worker remembers.
const RECENT: usize = 1 << 14;

/// The output of one stretch of a level. Stretches have an order that does not depend on the workers.
pub(super) struct Output<S: Store> {
    pub(super) mail: Mail<S::Target>,
    /// The states that could not be expanded, and the missing entries.
    pub(super) aside: Vec<u128>,
    pub(super) missing: Vec<Missing>,
    /// The targets whose part is not known yet.
    pub(super) strangers: Vec<u128>,
    /// The states that other processes own, in words, by process.
    pub(super) abroad: Vec<Vec<u32>>,
}

impl<S: Store> Output<S> {
    pub(super) fn new(processes: usize) -> Self {
        let mail = Mail::new();
        Output { mail, aside: vec![], missing: vec![], strangers: vec![], abroad: vec![vec![]; processes] }
    }
}

/// The memory and the sums of a worker. The alignment separates them from the data of other workers.
#[repr(align(128))]
pub(super) struct Worker<S: Store> {
    pub(super) counts: Tally,
    /// The number of expanded states.
    pub(super) expanded: u64,
    pub(super) circular: bool,
    pub(super) memo: S::Memo,
    /// Recent targets, which need not be sent again.
    recent: Vec<u128>,
    /// The latest stretch.
    stretch: u64,
    scratch: Vec<(Action, u128)>,
    /// The targets to sort, and the number of states that they are successors of.
    fresh: Vec<u128>,
    since: usize,
}

impl<S: Store> Worker<S> {
    /// Starts another stretch. Stretches are numbered in their order through the whole search. Targets of a later stretch must be
    /// sent again; otherwise the first stretch that sends them would depend on the timing of threads.
    pub(super) fn turn_to(&mut self, stretch: u64) {
        if stretch < self.stretch {
            self.recent.fill(u128::MAX);
        }
        self.stretch = stretch;
    }
}

impl<S: Store> Default for Worker<S> {
    fn default() -> Self {
        Worker {
            counts: Tally::default(),
            expanded: 0,
            circular: false,
            memo: S::Memo::default(),
            recent: vec![u128::MAX; RECENT],
            stretch: 0,
            scratch: vec![],
            fresh: vec![],
            since: 0,
        }
    }
}

/// The data that all workers share while they expand a batch.
pub(super) struct Expander<'w, 'a, S: Store> {
    pub(super) system: &'w System<'a>,
    pub(super) set: &'w S,
    pub(super) homes: Owners,
    pub(super) me: usize,
}

impl<S: Store> Expander<'_, '_, S> {
    /// Expands a state.
    #[inline]
    pub(super) fn expand(&self, hand: &mut Worker<S>, sheet: &mut Output<S>, state: u128) {
        match self.targets(hand, sheet, state) {
            Ok(()) => {}
            Err(Stuck::Circular) => hand.circular = true,
            Err(Stuck::Missing(missing)) => {
                sheet.aside.push(state);
                sheet.missing.push(missing);
            }
        }
        hand.since += 1;
        if hand.since == LETTER {
            self.sort(hand, sheet);
        }
    }

    /// Sorts states that another process has found.
    pub(super) fn receive(&self, hand: &mut Worker<S>, sheet: &mut Output<S>, states: impl Iterator<Item = u128>) {
        hand.fresh.extend(states);
        self.sort(hand, sheet);
    }

    #[inline]
    fn targets(&self, hand: &mut Worker<S>, sheet: &mut Output<S>, state: u128) -> Result<(), Stuck> {
        self.system.kept_successors(state, &mut hand.scratch)?;
        hand.expanded += 1;
        hand.counts += self.system.count(state, hand.scratch.len() as u64);
        for &(_, target) in &hand.scratch {
            let recent = &mut hand.recent[recent_place(target)];
            if *recent != target {
                *recent = target;
                match self.homes.of(target) {
                    home if home == self.me => hand.fresh.push(target),
                    home => self.homes.write(target, &mut sheet.abroad[home]),
                }
            }
        }
        Ok(())
    }

    /// Sorts the unsorted targets and ends the letter.
    pub(super) fn sort(&self, hand: &mut Worker<S>, sheet: &mut Output<S>) {
        self.set.address(&hand.fresh, &mut hand.memo, &mut sheet.mail, &mut sheet.strangers);
        sheet.mail.seal();
        hand.fresh.clear();
        hand.since = 0;
    }
}

/// The index of a target among the recent ones.
#[inline]
fn recent_place(target: u128) -> usize {
    let folded = (target as u64) ^ ((target >> 64) as u64).rotate_left(23);
    (folded.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - RECENT.ilog2())) as usize
}
