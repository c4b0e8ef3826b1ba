//! A unidirectional ring under a daemon, with everything counted as it goes.

use crate::kernel::active::Active;
use crate::kernel::{Kernel, Progress};
use ringleader_model::{Coin, Marks, Place, Ring, Scheduler};

/// Takes every scheduled step, those that change nothing too.
pub struct RingSteps<'a, R: Ring> {
    algorithm: &'a R,
    scheduler: Scheduler,
    states: Vec<R::State>,
    progress: Progress,
    /// Edge reversal: whether on the edge between `i - 1` and `i` it is `i`'s turn.
    turn: Vec<bool>,
    /// Those whose turn it is on both edges.
    may_step: Active,
}

impl<'a, R: Ring> RingSteps<'a, R> {
    /// A run from `states` under the alternating, round-robin, random or synchronous scheduler.
    pub fn new(algorithm: &'a R, states: Vec<R::State>, scheduler: Scheduler, mut progress: Progress) -> Self {
        let n = states.len();
        assert!(n >= 2, "a ring has at least two processes");
        let mut may_step = Active::new(n as u64);
        let mut turn = vec![];
        if scheduler == Scheduler::Alternating {
            // Any orientation but the two directed cycles, each as likely.
            while !(turn.contains(&true) && turn.contains(&false)) {
                turn = (0..n).map(|_| progress.coin.below(2) == 1).collect();
            }
            (0..n).for_each(|i| may_step.set(i, turn[i] && !turn[(i + 1) % n]));
        }
        let mut ring = RingSteps { algorithm, scheduler, states, progress, turn, may_step };
        ring.count_leaders();
        ring
    }

    fn left(&self, i: usize) -> usize {
        if i == 0 { self.states.len() - 1 } else { i - 1 }
    }

    fn right(&self, i: usize) -> usize {
        if i + 1 == self.states.len() { 0 } else { i + 1 }
    }

    fn output(&self, i: usize) -> Marks {
        self.algorithm.marks(place(i), &self.states[self.left(i)], &self.states[i]).output()
    }

    fn count_leaders(&mut self) {
        self.progress.leaders = (0..self.states.len()).filter(|&i| self.output(i).leader()).count() as u64;
    }

    fn next_state(&mut self, i: usize) -> R::State {
        let (left, own) = (self.states[self.left(i)], self.states[i]);
        self.algorithm.act(place(i), left, own, &mut self.progress.tosses)
    }

    fn alternate(&mut self) -> usize {
        let i = self.may_step.draw(&mut self.progress.coin, |_| ());
        let right = self.right(i);
        self.turn[i] = false;
        self.turn[right] = true;
        for j in [self.left(i), i, right] {
            let may = self.turn[j] && !self.turn[self.right(j)];
            self.may_step.set(j, may);
        }
        i
    }

    fn step(&mut self) {
        let n = self.states.len();
        let i = match self.scheduler {
            Scheduler::Synchronous => return self.all_at_once(),
            Scheduler::RoundRobin => (self.progress.steps % n as u64) as usize,
            Scheduler::Alternating => self.alternate(),
            _ => self.progress.coin.below(n as u32) as usize,
        };
        self.progress.steps += 1;
        let next = self.next_state(i);
        if next == self.states[i] {
            return;
        }
        // A token is a relation to the left neighbour, so the process to the right may show something else too.
        let outputs = |ring: &Self| (ring.output(i), ring.output(ring.right(i)));
        let before = outputs(self);
        self.states[i] = next;
        let after = outputs(self);
        if before != after {
            let count = |(a, b): (Marks, Marks)| u64::from(a.leader()) + u64::from(b.leader());
            self.progress.leaders = self.progress.leaders + count(after) - count(before);
            self.progress.last_output_change = self.progress.steps;
        }
    }

    fn all_at_once(&mut self) {
        let n = self.states.len();
        let before: Vec<_> = (0..n).map(|i| self.output(i)).collect();
        self.states = (0..n).map(|i| self.next_state(i)).collect();
        self.progress.steps += 1;
        if (0..n).any(|i| self.output(i) != before[i]) {
            self.progress.last_output_change = self.progress.steps;
        }
        self.count_leaders();
    }
}

/// Process 0 is the bottom of algorithms that need one.
fn place(i: usize) -> Place {
    if i == 0 { Place::Bottom } else { Place::Other }
}

impl<R: Ring> Kernel for RingSteps<'_, R> {
    type Cell = R::State;

    fn advance(&mut self, units: u64) -> u64 {
        for _ in 0..units {
            self.step();
        }
        units
    }

    fn agents(&self) -> usize {
        self.states.len()
    }

    fn progress(&self) -> &Progress {
        &self.progress
    }

    fn configuration(&self, look: &mut dyn FnMut(&[R::State])) {
        look(&self.states);
    }

    fn corrupt(&mut self, faults: &[(usize, R::State)]) {
        for &(process, state) in faults {
            self.states[process] = state;
        }
        self.count_leaders();
    }
}

impl<R: Ring> Clone for RingSteps<'_, R> {
    fn clone(&self) -> Self {
        RingSteps {
            states: self.states.clone(),
            progress: self.progress.clone(),
            turn: self.turn.clone(),
            may_step: self.may_step.clone(),
            ..*self
        }
    }

    fn clone_from(&mut self, other: &Self) {
        self.states.clone_from(&other.states);
        self.progress.clone_from(&other.progress);
        self.turn.clone_from(&other.turn);
        self.may_step.clone_from(&other.may_step);
    }
}
