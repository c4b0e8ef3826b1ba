//! A ring or a line of processes under a daemon, one scheduled step at a time.

use crate::Generator;
use crate::plain::SimulatedRun;
use crate::plain::steered::{Checkpoint, ChosenStep, NotTaken, Recorder, Steered, TakenStep};
use crate::still;
use ringleader_erased::{LeavesDomain, Number, RingInstance};
use ringleader_model::trace::Actor;
use ringleader_model::{Chain, Coin, Marks, Ring, Scheduler, Stabilizing, View, corrupt};

/// A run of a ring algorithm.
pub struct RingRun<'a> {
    algorithm: &'a RingInstance,
    scheduler: Scheduler,
    states: Vec<Number>,
    /// Edge reversal: `turn[i]` means that on the edge between `i - 1` and `i` it is `i`'s turn to step; always true at the left
    /// end of a line.
    turn: Vec<bool>,
    coin: Generator,
    steps: u64,
    safe_since: Option<u64>,
    wrong: Option<LeavesDomain>,
}

impl<'a> RingRun<'a> {
    /// A run from `states` under the [`Scheduler::Alternating`], [`Scheduler::RoundRobin`], [`Scheduler::Random`],
    /// [`Scheduler::Synchronous`] or [`Scheduler::Distributed`] scheduler.
    pub fn new(
        algorithm: &'a RingInstance,
        mut states: Vec<Number>,
        scheduler: Scheduler,
        mut coin: Generator,
    ) -> Self {
        assert!(states.len() >= 2, "a ring has at least two processes");
        algorithm.restore(&mut states);
        let turn = match scheduler {
            Scheduler::Alternating => some_orientation(algorithm.chain(), states.len(), &mut coin),
            _ => vec![],
        };
        let mut run = RingRun { algorithm, scheduler, states, turn, coin, steps: 0, safe_since: None, wrong: None };
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

    fn view(&self, i: usize) -> View<u64> {
        View::of(&self.states, i, self.algorithm.chain()).map(|state| state.0)
    }

    /// An alternating schedule's next process: one whose turn it is on all its edges.
    fn alternate(&mut self) -> usize {
        let n = self.turn.len();
        let line = self.algorithm.chain() == Chain::Line;
        let right_waits = |i: usize| (line && i + 1 == n) || !self.turn[(i + 1) % n];
        let may_step: Vec<usize> = (0..n).filter(|&i| self.turn[i] && right_waits(i)).collect();
        let i = may_step[self.coin.below(may_step.len() as u32) as usize];
        self.turn[i] = false;
        self.turn[(i + 1) % n] = true;
        self.turn[0] |= line;
        i
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
            Scheduler::Alternating => vec![self.alternate()],
            _ => vec![self.coin.below(n as u32) as usize],
        }
    }
}

impl RingRun<'_> {
    /// These processes step at once; the first coins show the given outcomes.
    fn take_together(&mut self, processes: &[usize], shown: &[u32]) -> Result<(Vec<u8>, Vec<u32>), NotTaken> {
        let mut after = self.states.clone();
        let views: Vec<_> = processes.iter().map(|&i| self.view(i)).collect();
        let mut coin = Recorder::new(&mut self.coin, shown);
        for (&i, view) in processes.iter().zip(views) {
            match self.algorithm.try_act(view, &mut coin) {
                Ok(state) => after[i] = Number(state),
                Err(wrong) => {
                    self.wrong = Some(wrong.clone());
                    return Err(NotTaken::LeavesDomain(wrong));
                }
            }
        }
        let fired = coin.finish()?;
        self.write(after);
        Ok(fired)
    }

    fn write(&mut self, after: Vec<Number>) {
        self.steps += 1;
        if after != self.states {
            self.states = after;
            self.look();
        }
    }
}

/// The processes of a chosen step.
pub(super) fn actors(choice: &ChosenStep, size: usize) -> Result<Vec<usize>, NotTaken> {
    let processes = match &choice.actor {
        Actor::Process(process) => vec![*process],
        Actor::Processes(several) => several.clone(),
        Actor::All => (0..size).collect(),
        Actor::Arc(..) => return Err(NotTaken::NoSuchActor),
    };
    let some = !processes.is_empty() && processes.iter().all(|&process| process < size);
    if some { Ok(processes) } else { Err(NotTaken::NoSuchActor) }
}

pub(super) fn actor(mut processes: Vec<usize>, size: usize) -> Actor {
    match processes.len() {
        1 => Actor::Process(processes.remove(0)),
        all if all == size => Actor::All,
        _ => Actor::Processes(processes),
    }
}

impl Steered for RingRun<'_> {
    fn advance(&mut self) -> Result<TakenStep, NotTaken> {
        let processes = self.scheduled();
        let (rules, coin) = self.take_together(&processes, &[])?;
        Ok(TakenStep { actor: actor(processes, self.states.len()), inputs: None, rules, coin })
    }

    /// The turns of an alternating schedule are neither checked nor changed.
    fn take(&mut self, choice: &ChosenStep) -> Result<TakenStep, NotTaken> {
        let processes = actors(choice, self.states.len())?;
        let (rules, coin) = self.take_together(&processes, &choice.coin)?;
        Ok(TakenStep { actor: choice.actor.clone(), inputs: None, rules, coin })
    }

    fn put(&mut self, agent: usize, state: Number) {
        self.states[agent] = state;
        self.algorithm.restore(&mut self.states);
        self.safe_since = None;
        self.look();
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
            detector: None,
            turn: self.turn.clone(),
        }
    }

    fn go_to(&mut self, checkpoint: &Checkpoint) {
        let Checkpoint { states, coin, steps, safe_since, turn, .. } = checkpoint.clone();
        (self.states, self.coin, self.steps, self.safe_since, self.turn) = (states, coin, steps, safe_since, turn);
        self.wrong = None;
    }
}

/// A uniformly random orientation of the edges that is no directed cycle.
fn some_orientation(chain: Chain, n: usize, coin: &mut Generator) -> Vec<bool> {
    if chain == Chain::Line {
        return (0..n).map(|i| i == 0 || coin.below(2) == 1).collect();
    }
    loop {
        let turn: Vec<bool> = (0..n).map(|_| coin.below(2) == 1).collect();
        if turn.contains(&true) && turn.contains(&false) {
            return turn;
        }
    }
}

impl SimulatedRun for RingRun<'_> {
    fn size(&self) -> usize {
        self.states.len()
    }

    fn steps(&self) -> u64 {
        self.steps
    }

    /// All scheduled processes read before any of them writes.
    fn step(&mut self) -> bool {
        let mut after = self.states.clone();
        for i in self.scheduled() {
            match self.algorithm.try_act(self.view(i), &mut self.coin) {
                Ok(state) => after[i] = Number(state),
                Err(wrong) => {
                    self.wrong = Some(wrong);
                    return false;
                }
            }
        }
        self.write(after);
        true
    }

    fn marks(&self) -> Vec<Marks> {
        (0..self.states.len()).map(|i| self.algorithm.marks_of(self.view(i))).collect()
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
        self.states.iter().map(|state| self.algorithm.text(state.0)).collect()
    }

    fn wrong(&self) -> Option<&LeavesDomain> {
        self.wrong.as_ref()
    }

    fn still(&self, _: u64) -> bool {
        still::ring(self.algorithm, &self.states)
    }
}
