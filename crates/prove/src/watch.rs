//! Budget, cancellation and progress of a search.

use crate::{Hints, Remainder, Unsolved};
use ringleader_verify::Coins;
use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// The activity of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// The search examines every configuration of a ring of this size.
    Ring {
        /// The number of agents.
        size: usize,
    },
    /// The safe set is learned: the search tries an automaton of this size.
    Safe {
        /// The number of states.
        states: usize,
    },
    /// The search tries this many formulas.
    Formulas {
        /// The number of formulas.
        count: usize,
    },
    /// The search chooses measures, one per level.
    Level {
        /// The number of chosen measures.
        measures: usize,
        /// The number of configurations (unfair: steps) of the sample that they solve.
        solved: usize,
        /// The number of configurations (unfair: steps) in the sample.
        of: usize,
    },
    /// The certificate is checked.
    Verify,
}

/// The limits of a search, its progress callback and its cancellation.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// Wall-clock time, approximately.
    pub budget: Duration,
    /// The largest number of attempts: choices of formulas and effort. The same number gives the same result on every
    /// machine, as long as the budget lasts.
    pub attempts: usize,
    /// Whether coins are fair. Otherwise the claim is for all their outcomes.
    pub coins: Coins,
    /// Whether the claim includes detectors that may lie for a while.
    pub lies: bool,
    /// Whether a failure is also generalized, if possible: to every size of a class.
    pub families: bool,
    /// A proof to check instead of searching.
    pub hints: Option<&'a Hints>,
    /// Set by another thread to end the search early.
    pub cancel: Option<&'a AtomicBool>,
    /// Called from time to time.
    pub progress: Option<&'a dyn Fn(Progress)>,
}

impl Options<'_> {
    /// A budget without a progress callback.
    pub fn seconds(seconds: u64) -> Options<'static> {
        Options {
            budget: Duration::from_secs(seconds),
            attempts: usize::MAX,
            coins: Coins::Adversarial,
            lies: false,
            families: true,
            hints: None,
            cancel: None,
            progress: None,
        }
    }
}

/// The request to end a search early. Inner loops test it and return at once; the caller of a cancelled loop uses no result of it.
#[derive(Clone, Copy, Default)]
pub(crate) struct Cancel<'a> {
    flag: Option<&'a AtomicBool>,
    limit: Option<&'a Limit>,
}

impl Cancel<'_> {
    pub(crate) fn asked(self) -> bool {
        self.flag.is_some_and(|flag| flag.load(Ordering::Relaxed)) || self.limit.is_some_and(Limit::reached)
    }
}

/// The end of the budget.
struct Limit {
    end: Instant,
    /// The clock is read once in a while: loops ask often.
    asked: AtomicU32,
    reached: AtomicBool,
}

impl Limit {
    fn reached(&self) -> bool {
        if self.asked.fetch_add(1, Ordering::Relaxed).is_multiple_of(64) && Instant::now() > self.end {
            self.reached.store(true, Ordering::Relaxed);
        }
        self.reached.load(Ordering::Relaxed)
    }
}

/// The options during a search.
pub(crate) struct Watch<'a> {
    pub(crate) options: Options<'a>,
    started: Instant,
    limit: Limit,
    /// The best result: the number solved, and the total.
    best: Cell<(usize, usize)>,
    /// A part that the best result leaves open.
    open: RefCell<Option<Unsolved>>,
}

impl<'a> Watch<'a> {
    pub(crate) fn new(options: Options<'a>) -> Watch<'a> {
        let started = Instant::now();
        // A budget beyond what the clock can hold does not end.
        let end = started.checked_add(options.budget).unwrap_or(started + Duration::from_secs(1 << 32));
        let limit = Limit { end, asked: AtomicU32::new(0), reached: AtomicBool::new(false) };
        Watch { options, started, limit, best: Cell::new((0, 0)), open: RefCell::new(None) }
    }

    pub(crate) fn cancel(&self) -> Cancel<'a> {
        Cancel { flag: self.options.cancel, limit: None }
    }

    /// The same, or the end of the budget.
    pub(crate) fn limit(&self) -> Cancel<'_> {
        Cancel { flag: self.options.cancel, limit: Some(&self.limit) }
    }

    pub(crate) fn cancelled(&self) -> bool {
        self.cancel().asked()
    }

    /// The rest of the budget.
    pub(crate) fn left(&self) -> Duration {
        self.options.budget.saturating_sub(self.started.elapsed())
    }

    /// The watch over a part of the search that may last so long.
    pub(crate) fn part(&self, budget: Duration) -> Watch<'a> {
        Watch::new(Options { budget, ..self.options })
    }

    pub(crate) fn over(&self) -> bool {
        self.cancelled() || self.started.elapsed() > self.options.budget
    }

    /// A level of a search for measures, with a part of the sample that it leaves open.
    pub(crate) fn level(&self, measures: usize, solved: usize, of: usize, open: impl FnOnce() -> Option<Unsolved>) {
        let (most, out_of) = self.best.get();
        if out_of == 0 || solved * out_of >= most * of {
            self.best.set((solved, of));
            self.open.replace(open());
        }
        self.tell(Progress::Level { measures, solved, of });
    }

    pub(crate) fn tell(&self, progress: Progress) {
        if let Some(tell) = self.options.progress {
            tell(progress);
        }
    }

    /// The remainder if the search ends now.
    pub(crate) fn remainder(&self, holds_up_to: Option<usize>) -> Remainder {
        let (solved, of) = self.best.get();
        let open = self.open.borrow().clone();
        Remainder { solved, of, holds_up_to, cancelled: self.cancelled(), spent: self.over(), open }
    }
}
