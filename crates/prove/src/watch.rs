//! Budget, cancellation and progress of a search.

use crate::{Hints, Remainder};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// What a search is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Every configuration of a ring of this size is looked at.
    Ring {
        /// The number of agents.
        size: usize,
    },
    /// The safe set is learned: an automaton with so many states is tried.
    Safe {
        /// The number of states.
        states: usize,
    },
    /// So many formulas are tried.
    Formulas {
        /// The number of formulas.
        count: usize,
    },
    /// Measures are chosen, one a level.
    Level {
        /// How many have been chosen.
        measures: usize,
        /// How many configurations (unfair: steps) of the sample they solve,
        solved: usize,
        /// and of how many.
        of: usize,
    },
    /// The certificate is checked.
    Verify,
}

/// How long a search may take, and who may watch and stop it.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// Wall-clock time, roughly.
    pub budget: Duration,
    /// How many choices of formulas and effort are tried at most; the same number has the same result, however fast the
    /// machine is, as long as the budget lasts.
    pub attempts: usize,
    /// Whether the claim is made for detectors that may lie for a while, too.
    pub lies: bool,
    /// What to check instead of searching.
    pub hints: Option<&'a Hints>,
    /// Set by somebody else to end the search early.
    pub cancel: Option<&'a AtomicBool>,
    /// Called now and then.
    pub progress: Option<&'a dyn Fn(Progress)>,
}

impl Options<'_> {
    /// A budget, and nobody watching.
    pub fn seconds(seconds: u64) -> Options<'static> {
        Options {
            budget: Duration::from_secs(seconds),
            attempts: usize::MAX,
            lies: false,
            hints: None,
            cancel: None,
            progress: None,
        }
    }
}

/// The same while it runs.
pub(crate) struct Watch<'a> {
    options: Options<'a>,
    started: Instant,
    /// The most that was solved, and of how much.
    best: Cell<(usize, usize)>,
}

impl<'a> Watch<'a> {
    pub(crate) fn new(options: Options<'a>) -> Watch<'a> {
        Watch { options, started: Instant::now(), best: Cell::new((0, 0)) }
    }

    pub(crate) fn cancelled(&self) -> bool {
        self.options.cancel.is_some_and(|c| c.load(Ordering::Relaxed))
    }

    pub(crate) fn hints(&self) -> Option<&'a Hints> {
        self.options.hints
    }

    pub(crate) fn attempts(&self) -> usize {
        self.options.attempts
    }

    pub(crate) fn over(&self) -> bool {
        self.cancelled() || self.started.elapsed() > self.options.budget
    }

    pub(crate) fn tell(&self, progress: Progress) {
        if let Progress::Level { solved, of, .. } = progress {
            let (most, out_of) = self.best.get();
            if out_of == 0 || solved * out_of >= most * of {
                self.best.set((solved, of));
            }
        }
        if let Some(tell) = self.options.progress {
            tell(progress);
        }
    }

    /// What is left if the search ends now.
    pub(crate) fn remainder(&self, holds_up_to: usize) -> Remainder {
        let (solved, of) = self.best.get();
        Remainder { solved, of, holds_up_to, cancelled: self.cancelled(), spent: self.over() }
    }
}
