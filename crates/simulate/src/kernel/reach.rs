//! Runs a kernel until the algorithm's goal, and finds the exact step at which it was reached.
//!
//! A safe set is closed: once in it, always in it ([`Stabilizing::safe`](ringleader_model::Stabilizing::safe)). So it is
//! enough to look sometimes. A kernel counts leaders, and only a configuration with one leader is tested; the
//! first test that succeeds shows that the configuration became safe since the test before. Bisection of that stretch, run
//! again from a copy, finds the exact step. The loops of the kernels have no extra cost.

use crate::kernel::Kernel;
use crate::still::LookTimes;
use std::sync::atomic::{AtomicBool, Ordering};

/// The end of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub enum End {
    /// The goal was reached after this many steps.
    Reached(u64),
    /// The run hit its limit after this many steps.
    Limit(u64),
    /// Nothing could change any more, and the goal was not reached.
    Stuck(u64),
    /// The run was interrupted.
    Interrupted,
}

/// Whether nothing can change any more, decided with at most this many questions.
pub type Still<'a, K> = dyn Fn(&K, u64) -> bool + 'a;

/// The conditions that end a run.
pub struct Watched<'a, K> {
    /// Whether the run has reached its goal.
    pub goal: &'a dyn Fn(&K) -> bool,
    /// Whether nothing can change any more, unless the kernel knows it itself. It may ask this many questions about
    /// interactions, and returns `false` if they do not decide it. It is called ever more rarely, and only where nothing has changed lately.
    pub still: Option<&'a Still<'a, K>>,
}

/// Runs `kernel` until the goal holds, at most `limit` steps. The goal must be closed; it is tested rarely.
///
/// On return the kernel is at the step at which the goal was reached first.
pub fn reach<K: Kernel>(kernel: &mut K, watched: &Watched<'_, K>, limit: u64, stop: &AtomicBool) -> End {
    let Watched { goal, still } = watched;
    if goal(kernel) {
        return End::Reached(kernel.progress().steps);
    }
    let mut saved = kernel.clone();
    let (mut done, mut looks) = (0, LookTimes::every(128 * kernel.stretch()));
    loop {
        // Long enough that saving and testing cost little, and short enough that a second run of a stretch does too.
        let units = (done / 16).clamp(kernel.stretch(), 16 * kernel.stretch());
        saved.clone_from(kernel);
        let units = kernel.advance(units);
        done += units;
        if goal(kernel) {
            let steps = halve(kernel, saved, units, goal);
            return if steps <= limit { End::Reached(steps) } else { End::Limit(limit) };
        }
        let steps = kernel.progress().steps;
        match () {
            () if stop.load(Ordering::Relaxed) => return End::Interrupted,
            () if steps >= limit => return End::Limit(limit),
            () if kernel.stuck() => return End::Stuck(steps),
            () if still.is_some_and(|still| idle(kernel, &saved, &mut looks, done, still)) => return End::Stuck(steps),
            () => {}
        }
    }
}

/// Runs `kernel` until the goal holds for the first time, at most `limit` steps. The goal need not be closed: it is tested after every
/// step that changes something, as far as the kernel knows.
pub fn meet<K: Kernel>(kernel: &mut K, watched: &Watched<'_, K>, limit: u64, stop: &AtomicBool) -> End {
    let Watched { goal, still } = watched;
    let (mut done, mut looks) = (0, LookTimes::every(128 * kernel.stretch()));
    let mut changed = true;
    loop {
        let steps = kernel.progress().steps;
        match () {
            () if steps > limit => return End::Limit(limit),
            () if changed && goal(kernel) => return End::Reached(steps),
            () if steps == limit => return End::Limit(limit),
            () if stop.load(Ordering::Relaxed) => return End::Interrupted,
            () if still.is_some_and(|still| looks.due(done).is_some_and(|questions| still(kernel, questions))) => {
                return End::Stuck(steps);
            }
            () => {}
        }
        match kernel.one() {
            Some(moved) if !kernel.stuck() || goal(kernel) => (changed, done) = (moved || kernel.stuck(), done + 1),
            _ => return End::Stuck(kernel.progress().steps),
        }
    }
}

/// Whether nothing has changed since `before`, and nothing can; tested only when due.
fn idle<K: Kernel>(kernel: &K, before: &K, looks: &mut LookTimes, done: u64, still: &Still<'_, K>) -> bool {
    let due = looks.due(done).filter(|_| kernel.same(before));
    due.is_some_and(|questions| still(kernel, questions))
}

/// The goal does not hold at `early`, and holds `units` later: leaves `kernel` at the first step where it holds.
fn halve<K: Kernel>(kernel: &mut K, mut early: K, mut units: u64, goal: &dyn Fn(&K) -> bool) -> u64 {
    while units > 1 {
        let half = units / 2;
        kernel.clone_from(&early);
        kernel.advance(half);
        if goal(kernel) {
            units = half;
        } else {
            std::mem::swap(kernel, &mut early);
            units -= half;
        }
    }
    kernel.clone_from(&early);
    kernel.advance(1);
    kernel.progress().steps
}
