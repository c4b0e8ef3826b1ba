//! A population protocol on a graph, one interaction at a time.

use crate::Generator;
use crate::kernel::arcs::Arena;
use crate::oracle::{Detector, Oracle};
use crate::plain::SimulatedRun;
use crate::plain::steered::{Checkpoint, ChosenStep, NotTaken, Recorder, Steered, TakenStep};
use crate::still;
use ringleader_erased::{LeavesDomain, Number, PopulationInstance};
use ringleader_model::trace::Actor;
use ringleader_model::{Coin, Graph, Marks, Population, Scheduler, Stabilizing, Told, corrupt};

/// A run of a population protocol.
pub struct PopulationRun<'a> {
    protocol: &'a PopulationInstance,
    graph: &'a Graph,
    scheduler: Scheduler,
    states: Vec<Number>,
    detector: Detector,
    coin: Generator,
    steps: u64,
    /// The step at which the present stretch of safe configurations began.
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

    /// The configuration after a fault.
    fn struck(&mut self) {
        self.protocol.restore(&mut self.states);
        self.safe_since = None;
        self.look();
    }

    /// The arc that the scheduler chooses.
    fn scheduled(&mut self) -> (usize, usize) {
        let arcs = self.graph.arcs();
        let index = match self.scheduler {
            Scheduler::RoundRobin => (self.steps % arcs.len() as u64) as usize,
            _ => self.coin.below(arcs.len() as u32) as usize,
        };
        (arcs[index].0 as usize, arcs[index].1 as usize)
    }

    /// The detector's answers to the two agents of an arc.
    fn told(&mut self, (u, v): (usize, usize)) -> Told {
        let x = self.detector.read(self.steps, u, &mut self.coin);
        let y = self.detector.read(self.steps, v, &mut self.coin);
        Told::each(x, y)
    }

    /// Writes the new states of the two agents.
    fn write(&mut self, (u, v): (usize, usize), after: (u64, u64)) {
        let after = (Number(after.0), Number(after.1));
        let before = (self.states[u], self.states[v]);
        (self.states[u], self.states[v]) = after;
        self.steps += 1;
        if after != before {
            self.look();
        }
    }

    fn take_on(&mut self, (u, v): (usize, usize), told: Told, shown: &[u32]) -> Result<TakenStep, NotTaken> {
        let mut coin = Recorder::new(&mut self.coin, shown);
        let after = self.protocol.try_interact(self.states[u].0, self.states[v].0, told, &mut coin);
        let (rules, coin) = coin.finish()?;
        let after = after.map_err(|wrong| {
            self.wrong = Some(wrong.clone());
            NotTaken::LeavesDomain(wrong)
        })?;
        self.write((u, v), after);
        let inputs = self.protocol.hears().then_some((told.initiator, told.responder));
        Ok(TakenStep { actor: Actor::Arc(u, v), inputs, rules, coin })
    }
}

impl Steered for PopulationRun<'_> {
    fn advance(&mut self) -> Result<TakenStep, NotTaken> {
        let arc = self.scheduled();
        let told = self.told(arc);
        self.take_on(arc, told, &[])
    }

    fn take(&mut self, choice: &ChosenStep) -> Result<TakenStep, NotTaken> {
        let Actor::Arc(u, v) = choice.actor else { return Err(NotTaken::NoSuchActor) };
        if !self.graph.arcs().iter().any(|&(a, b)| (a as usize, b as usize) == (u, v)) {
            return Err(NotTaken::NoSuchActor);
        }
        let told = match choice.inputs {
            Some((x, y)) => Told::each(x, y),
            None => self.told((u, v)),
        };
        self.take_on((u, v), told, &choice.coin)
    }

    fn put(&mut self, agent: usize, state: Number) {
        self.states[agent] = state;
        self.struck();
    }

    fn numbers(&self) -> &[Number] {
        &self.states
    }

    fn checkpoint(&self) -> Checkpoint {
        Checkpoint {
            states: self.states.clone(),
            coin: self.coin.clone(),
            steps: self.steps,
            safe_since: self.safe_since,
            detector: Some(self.detector.clone()),
            turns: None,
        }
    }

    fn go_to(&mut self, checkpoint: &Checkpoint) {
        let Checkpoint { states, coin, steps, safe_since, detector, .. } = checkpoint.clone();
        (self.states, self.coin, self.steps, self.safe_since, self.wrong) = (states, coin, steps, safe_since, None);
        if let Some(detector) = detector {
            self.detector = detector;
        }
    }
}

impl SimulatedRun for PopulationRun<'_> {
    fn size(&self) -> usize {
        self.states.len()
    }

    fn steps(&self) -> u64 {
        self.steps
    }

    fn step(&mut self) -> bool {
        let (u, v) = self.scheduled();
        let told = self.told((u, v));
        match self.protocol.try_interact(self.states[u].0, self.states[v].0, told, &mut self.coin) {
            Ok(after) => self.write((u, v), after),
            Err(wrong) => {
                self.wrong = Some(wrong);
                return false;
            }
        }
        true
    }

    fn marks(&self) -> Vec<Marks> {
        self.protocol.drawn(&self.states)
    }

    /// Safe, and the oracle is correct from now on: a wrong answer could still undo it.
    fn reached(&self) -> Option<u64> {
        self.safe_since.filter(|_| self.detector.truthful(self.steps))
    }

    fn corrupt(&mut self, agents: &[usize]) {
        for &agent in agents {
            self.states[agent] = corrupt::arbitrary(self.protocol, &mut self.coin);
        }
        self.struck();
    }

    fn states(&self) -> Vec<String> {
        self.states.iter().map(|s| self.protocol.text(s.0)).collect()
    }

    fn wrong(&self) -> Option<&LeavesDomain> {
        self.wrong.as_ref()
    }

    /// Not before the oracle is correct: until then nothing counts as reached either.
    fn still(&self, questions: u64) -> bool {
        let heard = self.states.iter().any(|s| self.protocol.marks_of(s.0).leader());
        self.detector.truthful(self.steps)
            && still::population(self.protocol, &Arena::of(self.graph), &self.states, heard, questions)
    }
}
