//! A unidirectional ring under a daemon, one scheduled step at a time.

use crate::Generator;
use crate::plain::Run;
use ringleader_model::{Coin, Marks, Place, Ring, Scheduler, Stabilizing, corrupt, text};

/// A run of a ring algorithm.
pub struct RingRun<'a, R: Ring + Stabilizing> {
    algorithm: &'a R,
    scheduler: Scheduler,
    states: Vec<R::State>,
    /// Edge reversal: `turn[i]` says that on the edge between `i - 1` and `i` it is `i`'s turn to step.
    turn: Vec<bool>,
    coin: Generator,
    steps: u64,
    safe_since: Option<u64>,
}

impl<'a, R: Ring + Stabilizing> RingRun<'a, R> {
    /// A run from `states` under the [`Scheduler::Alternating`], [`Scheduler::RoundRobin`], [`Scheduler::Random`] or
    /// [`Scheduler::Synchronous`] scheduler.
    pub fn new(algorithm: &'a R, mut states: Vec<R::State>, scheduler: Scheduler, mut coin: Generator) -> Self {
        assert!(states.len() >= 2, "a ring has at least two processes");
        algorithm.restore(&mut states);
        let turn = match scheduler {
            Scheduler::Alternating => some_orientation(states.len(), &mut coin),
            _ => vec![],
        };
        let mut run = RingRun { algorithm, scheduler, states, turn, coin, steps: 0, safe_since: None };
        run.look();
        run
    }

    /// The configuration.
    pub fn configuration(&self) -> &[R::State] {
        &self.states
    }

    fn look(&mut self) {
        let safe = self.algorithm.safe(&self.states);
        self.safe_since = safe.then(|| self.safe_since.unwrap_or(self.steps));
    }

    fn left(&self, i: usize) -> R::State {
        let n = self.states.len();
        self.states[(i + n - 1) % n]
    }

    fn next_state(&mut self, i: usize) -> R::State {
        let left = self.left(i);
        self.algorithm.act(place(i), left, self.states[i], &mut self.coin)
    }

    /// An alternating schedule's next process: one whose turn it is on both its edges.
    fn alternate(&mut self) -> usize {
        let n = self.turn.len();
        let may_step: Vec<usize> = (0..n).filter(|&i| self.turn[i] && !self.turn[(i + 1) % n]).collect();
        let i = may_step[self.coin.below(may_step.len() as u32) as usize];
        self.turn[i] = false;
        self.turn[(i + 1) % n] = true;
        i
    }
}

/// Process 0 is the bottom of algorithms that need one.
fn place(i: usize) -> Place {
    if i == 0 { Place::Bottom } else { Place::Other }
}

/// A uniformly random orientation of the edges that is no directed cycle.
fn some_orientation(n: usize, coin: &mut Generator) -> Vec<bool> {
    loop {
        let turn: Vec<bool> = (0..n).map(|_| coin.below(2) == 1).collect();
        if turn.contains(&true) && turn.contains(&false) {
            return turn;
        }
    }
}

impl<R: Ring + Stabilizing> Run for RingRun<'_, R> {
    fn size(&self) -> usize {
        self.states.len()
    }

    fn steps(&self) -> u64 {
        self.steps
    }

    fn step(&mut self) -> bool {
        let n = self.states.len();
        let changed = if self.scheduler == Scheduler::Synchronous {
            let next: Vec<_> = (0..n).map(|i| self.next_state(i)).collect();
            std::mem::replace(&mut self.states, next) != self.states
        } else {
            let i = match self.scheduler {
                Scheduler::RoundRobin => (self.steps % n as u64) as usize,
                Scheduler::Alternating => self.alternate(),
                _ => self.coin.below(n as u32) as usize,
            };
            let next = self.next_state(i);
            std::mem::replace(&mut self.states[i], next) != next
        };
        self.steps += 1;
        if changed {
            self.look();
        }
        true
    }

    fn marks(&self) -> Vec<Marks> {
        (0..self.states.len()).map(|i| self.algorithm.marks(place(i), &self.left(i), &self.states[i])).collect()
    }

    fn reached(&self) -> Option<u64> {
        self.safe_since
    }

    fn corrupt(&mut self, agents: &[usize]) {
        for &agent in agents {
            self.states[agent] = corrupt::arbitrary(self.algorithm, &mut self.coin);
        }
        self.algorithm.restore(&mut self.states);
        self.safe_since = None;
        self.look();
    }

    fn states(&self) -> Vec<String> {
        self.states.iter().map(|s| text::print_state(self.algorithm, s)).collect()
    }
}
