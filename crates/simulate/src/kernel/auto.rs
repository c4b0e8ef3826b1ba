//! Steps while much happens, skips while little does.

use crate::arcs::Incidence;
use crate::kernel::{Kernel, Progress, skip::Skip, step::Step};
use crate::rule::Rule;

/// Chooses between [`Step`] and [`Skip`] again and again, by how many arcs are active now; or stays with one of them.
pub struct Auto<R: Rule, A> {
    now: Option<Now<R, A>>,
    policy: Policy,
    /// How often there was a chance to change over while stepping.
    chances: u32,
}

/// Counting the active arcs takes time too: it is done at every so many chances.
const PATIENCE: u32 = 4;

/// Whether to choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// By how much happens.
    Choose,
    /// Always step: the rule and the table kernel.
    Step,
    /// Always skip.
    Skip,
}

enum Now<R: Rule, A> {
    Step(Step<R, A>),
    Skip(Skip<R, A>),
}

impl<R: Rule, A: Incidence> Auto<R, A> {
    /// A run from these cells.
    pub fn new(rule: R, arcs: A, cells: Vec<R::Cell>, progress: Progress, policy: Policy) -> Self {
        let now = match policy {
            Policy::Skip => Now::Skip(Skip::new(rule, arcs, cells, progress)),
            Policy::Choose | Policy::Step => Now::Step(Step::new(rule, arcs, cells, progress)),
        };
        Auto { now: Some(now), policy, chances: 0 }
    }

    fn now(&self) -> &Now<R, A> {
        self.now.as_ref().expect("only empty while it changes over")
    }
}

/// The same for both.
macro_rules! either {
    ($now:expr, $kernel:ident => $body:expr) => {
        match $now {
            Now::Step($kernel) => $body,
            Now::Skip($kernel) => $body,
        }
    };
}

impl<R: Rule, A: Incidence> Kernel for Auto<R, A> {
    type Cell = R::Cell;

    fn advance(&mut self, units: u64) -> u64 {
        either!(self.now.as_mut().expect("only empty while it changes over"), kernel => kernel.advance(units))
    }

    fn run_to(&mut self, step: u64) {
        either!(self.now.as_mut().expect("only empty while it changes over"), kernel => kernel.run_to(step));
    }

    fn agents(&self) -> usize {
        either!(self.now(), kernel => kernel.agents())
    }

    fn progress(&self) -> &Progress {
        either!(self.now(), kernel => kernel.progress())
    }

    fn stuck(&self) -> bool {
        either!(self.now(), kernel => kernel.stuck())
    }

    fn configuration(&self, look: &mut dyn FnMut(&[R::Cell])) {
        either!(self.now(), kernel => kernel.configuration(look))
    }

    fn corrupt(&mut self, faults: &[(usize, R::Cell)]) {
        either!(self.now.as_mut().expect("only empty while it changes over"), kernel => kernel.corrupt(faults));
    }

    fn reconsider(&mut self) {
        if self.policy != Policy::Choose {
            return;
        }
        self.chances += 1;
        let due = self.chances.is_multiple_of(PATIENCE);
        self.now = self.now.take().map(|now| match now {
            Now::Step(step) if due && step.density() < R::SPARSE => {
                let (rule, arcs, cells, progress) = step.into_parts();
                Now::Skip(Skip::new(rule, arcs, cells, progress))
            }
            // Not at once: changing over costs something too.
            Now::Skip(skip) if skip.density() > 1.3 * R::SPARSE => {
                let (rule, arcs, cells, progress) = skip.into_parts();
                Now::Step(Step::new(rule, arcs, cells, progress))
            }
            now => now,
        });
    }
}

impl<R: Rule, A: Incidence> Clone for Auto<R, A> {
    fn clone(&self) -> Self {
        let now = match self.now() {
            Now::Step(step) => Now::Step(step.clone()),
            Now::Skip(skip) => Now::Skip(skip.clone()),
        };
        Auto { now: Some(now), policy: self.policy, chances: self.chances }
    }

    fn clone_from(&mut self, other: &Self) {
        self.chances = other.chances;
        match (&mut self.now, other.now()) {
            (Some(Now::Step(mine)), Now::Step(theirs)) => mine.clone_from(theirs),
            (Some(Now::Skip(mine)), Now::Skip(theirs)) => mine.clone_from(theirs),
            _ => *self = other.clone(),
        }
    }
}
