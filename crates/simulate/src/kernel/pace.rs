//! Rounds and moves of processes that read their neighbours.
//!
//! A round waits for the processes that were enabled at its start, until each has moved or has become disabled.

use crate::composite::Composite;
use ringleader_erased::Number;

/// The rounds and moves of a run so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Counted {
    /// The number of rounds in which a step was taken.
    pub rounds: u64,
    /// The number of steps of enabled processes. A step of several processes is several moves, and a step of a disabled process is none.
    pub moves: u64,
}

/// Follows the steps of a run.
#[derive(Clone, Debug)]
pub(super) struct Pace {
    algorithm: Composite,
    states: Vec<Number>,
    enabled: Vec<bool>,
    /// The processes for which the round waits, and their number.
    pending: Vec<bool>,
    waiting: usize,
    /// The number of rounds that have ended.
    ended: u64,
    /// Whether the present round has no step yet.
    fresh: bool,
    moves: u64,
}

impl Pace {
    pub(super) fn new(algorithm: Composite, states: Vec<Number>) -> Pace {
        let n = states.len();
        let (enabled, pending) = (vec![false; n], vec![false; n]);
        let mut pace = Pace { algorithm, states, enabled, pending, waiting: 0, ended: 0, fresh: true, moves: 0 };
        (0..n).for_each(|process| pace.look(process));
        pace.begin();
        pace
    }

    fn begin(&mut self) {
        self.pending.clone_from(&self.enabled);
        self.waiting = self.pending.iter().filter(|waits| **waits).count();
    }

    fn look(&mut self, process: usize) {
        self.enabled[process] = self.algorithm.is_enabled(&self.states, process);
        if !self.enabled[process] {
            self.leave(process);
        }
    }

    fn leave(&mut self, process: usize) {
        self.waiting -= usize::from(std::mem::replace(&mut self.pending[process], false));
    }

    /// These processes have stepped at once; `now` has their states.
    pub(super) fn stepped(&mut self, processes: &[u32], now: impl Fn(usize) -> Number) {
        let waited = self.waiting > 0;
        for process in processes.iter().map(|&process| process as usize) {
            self.moves += u64::from(self.enabled[process]);
            self.leave(process);
        }
        let algorithm = self.algorithm.clone();
        let changed: Vec<usize> = processes
            .iter()
            .map(|&process| process as usize)
            .filter(|&process| std::mem::replace(&mut self.states[process], now(process)) != now(process))
            .collect();
        for process in changed {
            algorithm.near(process, self.states.len()).for_each(|near| self.look(near));
        }
        self.fresh = self.waiting == 0;
        if self.fresh {
            self.ended += u64::from(waited);
            self.begin();
        }
    }

    /// A fault has changed states: the present round ends, and the next begins.
    pub(super) fn struck(&mut self, states: Vec<Number>) {
        let counted = self.counted();
        *self = Pace { ended: counted.rounds, moves: counted.moves, ..Pace::new(self.algorithm.clone(), states) };
    }

    pub(super) fn counted(&self) -> Counted {
        Counted { rounds: self.ended + u64::from(!self.fresh), moves: self.moves }
    }
}
