//! A population protocol on a graph, one interaction at a time.

use crate::plain::Run;
use crate::{Detector, Generator, Oracle};
use ringleader_model::{Coin, Graph, Input, Marks, Population, Scheduler, Stabilizing, corrupt, text};

/// A run of a population protocol.
pub struct PopulationRun<'a, P: Population + Stabilizing> {
    protocol: &'a P,
    graph: &'a Graph,
    scheduler: Scheduler,
    states: Vec<P::State>,
    detector: Detector,
    coin: Generator,
    steps: u64,
    /// When the present stretch of safe configurations began.
    safe_since: Option<u64>,
}

impl<'a, P: Population + Stabilizing> PopulationRun<'a, P> {
    /// A run from `states` under the [`Scheduler::Random`] or [`Scheduler::RoundRobin`] scheduler.
    pub fn new(
        protocol: &'a P,
        graph: &'a Graph,
        mut states: Vec<P::State>,
        scheduler: Scheduler,
        oracle: Oracle,
        mut coin: Generator,
    ) -> Self {
        assert_eq!(graph.size(), states.len(), "one state per agent");
        protocol.restore(&mut states);
        let truth = states.iter().any(|s| protocol.marks(s).leader());
        let detector = Detector::new(oracle, states.len(), truth, &mut coin);
        let mut run = PopulationRun { protocol, graph, scheduler, states, detector, coin, steps: 0, safe_since: None };
        run.look();
        run
    }

    /// The configuration.
    pub fn configuration(&self) -> &[P::State] {
        &self.states
    }

    fn look(&mut self) {
        let safe = self.protocol.safe(&self.states);
        self.safe_since = safe.then(|| self.safe_since.unwrap_or(self.steps));
        let leader_exists = self.states.iter().any(|s| self.protocol.marks(s).leader());
        self.detector.observe(self.steps, leader_exists, &mut self.coin);
    }
}

impl<P: Population + Stabilizing> Run for PopulationRun<'_, P> {
    fn size(&self) -> usize {
        self.states.len()
    }

    fn steps(&self) -> u64 {
        self.steps
    }

    fn step(&mut self) -> bool {
        let arcs = self.graph.arcs();
        let index = match self.scheduler {
            Scheduler::RoundRobin => (self.steps % arcs.len() as u64) as usize,
            _ => self.coin.below(arcs.len() as u32) as usize,
        };
        let (u, v) = (arcs[index].0 as usize, arcs[index].1 as usize);
        let before = (self.states[u], self.states[v]);
        let x = P::Input::from_detector(self.detector.read(self.steps, u, &mut self.coin));
        let y = P::Input::from_detector(self.detector.read(self.steps, v, &mut self.coin));
        let after = self.protocol.interact((before.0, x), (before.1, y), &mut self.coin);
        (self.states[u], self.states[v]) = after;
        self.steps += 1;
        if after != before {
            self.look();
        }
        true
    }

    fn marks(&self) -> Vec<Marks> {
        self.states.iter().map(|s| self.protocol.marks(s)).collect()
    }

    /// Safe, and the oracle no longer lies: a lie could still undo it.
    fn reached(&self) -> Option<u64> {
        self.safe_since.filter(|_| self.detector.truthful(self.steps))
    }

    fn corrupt(&mut self, agents: &[usize]) {
        for &agent in agents {
            self.states[agent] = corrupt::arbitrary(self.protocol, &mut self.coin);
        }
        self.protocol.restore(&mut self.states);
        self.safe_since = None;
        self.look();
    }

    fn states(&self) -> Vec<String> {
        self.states.iter().map(|s| text::print_state(self.protocol, s)).collect()
    }
}
