//! A crash-free network of looping processes in virtual time, every link timely.

use crate::network::{NetworkRun, Scenario};
use crate::plain::SimulatedRun;
use crate::{Generator, TimedAlgorithm};
use ringleader_model::{Marks, Timed, text};

/// A run of a robust algorithm in system S5: loops take α to β, messages at most δ.
pub struct TimedRun<'a, P: Timed> {
    algorithm: &'a P,
    network: NetworkRun<'a, P>,
}

impl<'a, P: Timed> TimedRun<'a, P> {
    /// A run from `states`; up to `strays` messages with arbitrary contents are already in transit on every link.
    pub fn new(algorithm: &'a P, states: Vec<P::State>, strays: u32, coin: Generator) -> Self {
        let scenario = Scenario { strays, ..Scenario::benign(states.len()) };
        TimedRun { algorithm, network: NetworkRun::from_states(algorithm, &scenario, states, coin) }
    }
}

impl<P: Timed> SimulatedRun for TimedRun<'_, P> {
    fn size(&self) -> usize {
        Timed::size(self.algorithm)
    }

    fn steps(&self) -> u64 {
        self.network.iterations
    }

    /// One loop iteration of one process, after all messages that arrive before it.
    fn step(&mut self) -> bool {
        let before = self.steps();
        while self.steps() == before {
            if !self.network.step() {
                return false;
            }
        }
        true
    }

    fn marks(&self) -> Vec<Marks> {
        self.network.states.iter().enumerate().map(|(me, s)| self.algorithm.marks(me, s)).collect()
    }

    /// Settled: all have named the same leader for the whole stretch. Counts the steps until they began to agree.
    fn reached(&self) -> Option<u64> {
        let (since, steps) = self.network.agreed_since?;
        (self.network.now - since >= self.algorithm.settling_stretch()).then_some(steps)
    }

    fn corrupt(&mut self, agents: &[usize]) {
        self.network.corrupt(agents);
    }

    fn states(&self) -> Vec<String> {
        self.network.states.iter().map(|s| text::print_state(self.algorithm, s)).collect()
    }

    fn followed(&self) -> Option<Vec<usize>> {
        Some(self.network.named.clone())
    }
}
