//! The processes of a graph under a daemon, one scheduled step at a time.

use crate::Generator;
use crate::plain::SimulatedRun;
use crate::still;
use ringleader_erased::{GraphInstance, LeavesDomain, Number};
use ringleader_model::{Coin, Marks, Scheduler, Stabilizing, corrupt};

/// A run of an algorithm for the processes of a graph.
pub struct GraphRun<'a> {
    algorithm: &'a GraphInstance,
    scheduler: Scheduler,
    states: Vec<Number>,
    coin: Generator,
    steps: u64,
    safe_since: Option<u64>,
    /// The processes whose states the last step changed.
    wrote: Vec<usize>,
    wrong: Option<LeavesDomain>,
}

impl<'a> GraphRun<'a> {
    /// A run from `states` under the [`Scheduler::Random`], [`Scheduler::RoundRobin`], [`Scheduler::Synchronous`] or
    /// [`Scheduler::Distributed`] scheduler.
    pub fn new(
        algorithm: &'a GraphInstance,
        mut states: Vec<Number>,
        scheduler: Scheduler,
        coin: Generator,
    ) -> GraphRun<'a> {
        algorithm.restore(&mut states);
        let mut run =
            GraphRun { algorithm, scheduler, states, coin, steps: 0, safe_since: None, wrote: vec![], wrong: None };
        run.look();
        run
    }

    /// The configuration.
    pub fn configuration(&self) -> &[Number] {
        &self.states
    }

    fn look(&mut self) {
        let safe = self.algorithm.safe(&self.states);
        self.safe_since = safe.then(|| self.safe_since.unwrap_or(self.steps));
    }

    /// The processes that step now.
    fn scheduled(&mut self) -> Vec<usize> {
        let n = self.states.len();
        match self.scheduler {
            Scheduler::Synchronous => (0..n).collect(),
            Scheduler::Distributed => loop {
                let some: Vec<usize> = (0..n).filter(|_| self.coin.below(2) == 1).collect();
                if !some.is_empty() {
                    return some;
                }
            },
            Scheduler::RoundRobin => vec![(self.steps % n as u64) as usize],
            _ => vec![self.coin.below(n as u32) as usize],
        }
    }
}

impl SimulatedRun for GraphRun<'_> {
    fn size(&self) -> usize {
        self.states.len()
    }

    fn steps(&self) -> u64 {
        self.steps
    }

    /// All scheduled processes read before any of them writes.
    fn step(&mut self) -> bool {
        let mut after = vec![];
        for process in self.scheduled() {
            let read = self.algorithm.read(process, &self.states);
            match self.algorithm.try_act(process, &read, &mut self.coin) {
                Ok(state) => after.push((process, Number(state))),
                Err(wrong) => {
                    self.wrong = Some(wrong);
                    return false;
                }
            }
        }
        self.steps += 1;
        after.retain(|&(process, state)| self.states[process] != state);
        self.wrote.clear();
        for &(process, state) in &after {
            self.states[process] = state;
            self.wrote.push(process);
        }
        if !after.is_empty() {
            self.look();
        }
        true
    }

    fn marks(&self) -> Vec<Marks> {
        let marks = |process| self.algorithm.marks_of(process, &self.algorithm.read(process, &self.states));
        (0..self.states.len()).map(marks).collect()
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

    fn wrote(&self) -> &[usize] {
        &self.wrote
    }

    fn states(&self) -> Vec<String> {
        self.states.iter().map(|state| self.algorithm.text(state.0)).collect()
    }

    fn wrong(&self) -> Option<&LeavesDomain> {
        self.wrong.as_ref()
    }

    fn still(&self, _: u64) -> bool {
        still::graph(self.algorithm, &self.states)
    }
}
