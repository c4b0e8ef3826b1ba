//! A population protocol on a graph, one interaction at a time.

use crate::Generator;
use crate::oracle::{Detector, Oracle};
use crate::plain::Run;
use ringleader_instance::{LeavesDomain, Number, PopulationInstance};
use ringleader_model::{Coin, Graph, Marks, Scheduler, Stabilizing, Told, corrupt};

/// A run of a population protocol.
pub struct PopulationRun<'a> {
    protocol: &'a PopulationInstance,
    graph: &'a Graph,
    scheduler: Scheduler,
    states: Vec<Number>,
    detector: Detector,
    coin: Generator,
    steps: u64,
    /// When the present stretch of safe configurations began.
    safe_since: Option<u64>,
    wrong: Option<LeavesDomain>,
}

impl<'a> PopulationRun<'a> {
    /// A run from `states` under the [`Scheduler::Random`] or [`Scheduler::RoundRobin`] scheduler.
    pub fn new(
        protocol: &'a PopulationInstance,
        graph: &'a Graph,
        mut states: Vec<Number>,
        scheduler: Scheduler,
        oracle: Oracle,
        mut coin: Generator,
    ) -> Self {
        assert_eq!(graph.size(), states.len(), "one state per agent");
        protocol.restore(&mut states);
        let truth = states.iter().any(|s| protocol.marks_of(s.0).leader());
        let detector = Detector::new(oracle, states.len(), truth, &mut coin);
        let (steps, safe_since, wrong) = (0, None, None);
        let mut run = PopulationRun { protocol, graph, scheduler, states, detector, coin, steps, safe_since, wrong };
        run.look();
        run
    }

    /// The configuration.
    pub fn configuration(&self) -> &[Number] {
        &self.states
    }

    fn look(&mut self) {
        let safe = self.protocol.safe(&self.states);
        self.safe_since = safe.then(|| self.safe_since.unwrap_or(self.steps));
        let leader_exists = self.states.iter().any(|s| self.protocol.marks_of(s.0).leader());
        self.detector.observe(self.steps, leader_exists, &mut self.coin);
    }
}

impl Run for PopulationRun<'_> {
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
        let before = (self.states[u].0, self.states[v].0);
        let x = self.detector.read(self.steps, u, &mut self.coin);
        let y = self.detector.read(self.steps, v, &mut self.coin);
        let after = match self.protocol.try_interact(before.0, before.1, Told::each(x, y), &mut self.coin) {
            Ok(after) => after,
            Err(wrong) => {
                self.wrong = Some(wrong);
                return false;
            }
        };
        (self.states[u], self.states[v]) = (Number(after.0), Number(after.1));
        self.steps += 1;
        if after != before {
            self.look();
        }
        true
    }

    fn marks(&self) -> Vec<Marks> {
        self.states.iter().map(|s| self.protocol.marks_of(s.0)).collect()
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
        self.states.iter().map(|s| self.protocol.text(s.0)).collect()
    }

    fn wrong(&self) -> Option<&LeavesDomain> {
        self.wrong.as_ref()
    }
}
