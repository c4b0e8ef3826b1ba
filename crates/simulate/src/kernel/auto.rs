//! Steps while much happens, skips while little does.

use crate::kernel::arcs::Incidence;
use crate::kernel::{Cells, Kernel, Progress, Skip, Step};
use ringleader_erased::Number;

/// Chooses between [`Step`] and [`Skip`] again and again, by how many arcs are active now; or stays with one of them.
pub struct Auto<C, A> {
    now: Option<Now<C, A>>,
    /// How many more units to do before choosing again.
    patience: u64,
}

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

enum Now<C, A> {
    Step(Step<C, A>),
    Skip(Skip<C, A>),
}

impl<C: Cells, A: Incidence> Auto<C, A> {
    /// A run from these cells.
    pub fn new(cells: C, arcs: A, progress: Progress, policy: Policy) -> Self {
        let now = match policy {
            Policy::Skip => Now::Skip(Skip::new(cells, arcs, progress)),
            Policy::Choose | Policy::Step => Now::Step(Step::new(cells, arcs, progress)),
        };
        let patience = if policy == Policy::Choose { now.patience() } else { u64::MAX };
        Auto { now: Some(now), patience }
    }

    fn now(&self) -> &Now<C, A> {
        self.now.as_ref().expect("only empty while it changes over")
    }

    fn now_mut(&mut self) -> &mut Now<C, A> {
        self.now.as_mut().expect("only empty while it changes over")
    }

    fn choose(&mut self) {
        let now = self.now.take().map(Now::choose);
        self.patience = now.as_ref().map_or(u64::MAX, Now::patience);
        self.now = now;
    }
}

impl<C: Cells, A: Incidence> Now<C, A> {
    fn choose(self) -> Self {
        match self {
            Now::Step(step) if step.density() < C::SPARSE => {
                let (cells, arcs, progress) = step.into_parts();
                Now::Skip(Skip::new(cells, arcs, progress))
            }
            // Not at once: changing over takes time.
            Now::Skip(skip) if skip.density() > 1.3 * C::SPARSE => {
                let (cells, arcs, progress) = skip.into_parts();
                Now::Step(Step::new(cells, arcs, progress))
            }
            now => now,
        }
    }

    /// [`Step`] has to count the active arcs, so it is asked seldom; [`Skip`] knows their number.
    fn patience(&self) -> u64 {
        match self {
            Now::Step(step) => 32 * step.arcs() + 256,
            Now::Skip(skip) => skip.agents() as u64 + 32,
        }
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

impl<C: Cells, A: Incidence> Kernel for Auto<C, A> {
    fn advance(&mut self, units: u64) -> u64 {
        let mut left = units;
        while left > 0 {
            let part = left.min(self.patience);
            let done = either!(self.now_mut(), kernel => kernel.advance(part));
            left -= done;
            self.patience -= done;
            if self.patience == 0 {
                self.choose();
            }
            if done < part {
                break;
            }
        }
        units - left
    }

    fn run_to(&mut self, step: u64) {
        either!(self.now_mut(), kernel => kernel.run_to(step));
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

    fn safe(&self) -> bool {
        either!(self.now(), kernel => kernel.safe())
    }

    fn configuration(&self) -> Vec<Number> {
        either!(self.now(), kernel => kernel.configuration())
    }

    fn same(&self, other: &Self) -> bool {
        match (self.now(), other.now()) {
            (Now::Step(mine), Now::Step(theirs)) => mine.same(theirs),
            (Now::Skip(mine), Now::Skip(theirs)) => mine.same(theirs),
            _ => self.configuration() == other.configuration(),
        }
    }

    fn corrupt(&mut self, faults: &[(usize, Number)]) {
        either!(self.now_mut(), kernel => kernel.corrupt(faults));
    }
}

impl<C: Cells, A: Incidence> Clone for Auto<C, A> {
    fn clone(&self) -> Self {
        let now = match self.now() {
            Now::Step(step) => Now::Step(step.clone()),
            Now::Skip(skip) => Now::Skip(skip.clone()),
        };
        Auto { now: Some(now), patience: self.patience }
    }

    fn clone_from(&mut self, other: &Self) {
        self.patience = other.patience;
        match (&mut self.now, other.now()) {
            (Some(Now::Step(mine)), Now::Step(theirs)) => mine.clone_from(theirs),
            (Some(Now::Skip(mine)), Now::Skip(theirs)) => mine.clone_from(theirs),
            _ => *self = other.clone(),
        }
    }
}
