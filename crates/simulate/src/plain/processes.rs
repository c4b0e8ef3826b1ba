//! Processes that read their neighbours, under a daemon, one scheduled step at a time.

use crate::Generator;
use crate::composite::{Composite, Turns};
use crate::plain::SimulatedRun;
use crate::plain::steered::{Checkpoint, ChosenStep, NotTaken, Recorder, Steered, TakenStep};
use ringleader_erased::{LeavesDomain, Number};
use ringleader_model::trace::Actor;
use ringleader_model::{Coin, Marks, Scheduler, text};

/// A run of an algorithm for a ring, a line or a graph.
pub struct ProcessRun {
    algorithm: Composite,
    scheduler: Scheduler,
    states: Vec<Number>,
    turns: Option<Turns>,
    coin: Generator,
    steps: u64,
    safe_since: Option<u64>,
    /// The processes whose states the last step changed.
    wrote: Vec<usize>,
    wrong: Option<LeavesDomain>,
}

impl ProcessRun {
    /// A run from `states` under the [`Scheduler::Alternating`], [`Scheduler::RoundRobin`], [`Scheduler::Random`],
    /// [`Scheduler::Synchronous`] or [`Scheduler::Distributed`] scheduler.
    pub fn new(
        algorithm: impl Into<Composite>,
        mut states: Vec<Number>,
        scheduler: Scheduler,
        mut coin: Generator,
    ) -> Self {
        assert!(states.len() >= 2, "a ring has at least two processes");
        let algorithm = algorithm.into();
        algorithm.instance().restore(&mut states);
        let alternating = scheduler == Scheduler::Alternating;
        let turns = alternating.then(|| Turns::new(&algorithm, states.len(), &mut coin));
        let (wrote, wrong) = (vec![], None);
        let mut run =
            ProcessRun { algorithm, scheduler, states, turns, coin, steps: 0, safe_since: None, wrote, wrong };
        run.look();
        run
    }

    /// The configuration.
    pub fn configuration(&self) -> &[Number] {
        &self.states
    }

    fn look(&mut self) {
        let safe = self.algorithm.instance().safe(&self.states);
        self.safe_since = safe.then(|| self.safe_since.unwrap_or(self.steps));
    }

    /// The configuration after a fault.
    fn struck(&mut self) {
        self.algorithm.instance().restore(&mut self.states);
        self.safe_since = None;
        self.look();
    }

    /// The processes that step now.
    fn scheduled(&mut self) -> Vec<usize> {
        let n = self.states.len();
        match (self.scheduler, &mut self.turns) {
            (Scheduler::Synchronous, _) => (0..n).collect(),
            (Scheduler::Distributed, _) => loop {
                let some: Vec<usize> = (0..n).filter(|_| self.coin.below(2) == 1).collect();
                if !some.is_empty() {
                    return some;
                }
            },
            (Scheduler::RoundRobin, _) => vec![(self.steps % n as u64) as usize],
            (_, Some(turns)) => {
                let may_step: Vec<usize> = (0..n).filter(|&process| turns.may_step(process)).collect();
                let process = may_step[self.coin.below(may_step.len() as u32) as usize];
                turns.pass(process, self.algorithm.near(process, self.states.len()));
                vec![process]
            }
            _ => vec![self.coin.below(n as u32) as usize],
        }
    }

    /// These processes step at once: all read before any of them writes. The first coins show the given outcomes.
    fn take_together(&mut self, processes: &[usize], shown: &[u32]) -> Result<(Vec<u8>, Vec<u32>), NotTaken> {
        let mut coin = Recorder::new(&mut self.coin, shown);
        let mut after = vec![];
        for &process in processes {
            match self.algorithm.try_act(&self.states, process, &mut coin) {
                Ok(state) => after.push((process, state)),
                Err(wrong) => {
                    self.wrong = Some(wrong.clone());
                    return Err(NotTaken::LeavesDomain(wrong));
                }
            }
        }
        let fired = coin.finish()?;
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
        Ok(fired)
    }
}

/// The processes of a chosen step.
fn actors(choice: &ChosenStep, size: usize) -> Result<Vec<usize>, NotTaken> {
    let processes = match &choice.actor {
        Actor::Process(process) => vec![*process],
        Actor::Processes(several) => several.clone(),
        Actor::All => (0..size).collect(),
        Actor::Arc(..) => return Err(NotTaken::NoSuchActor),
    };
    let some = !processes.is_empty() && processes.iter().all(|&process| process < size);
    if some { Ok(processes) } else { Err(NotTaken::NoSuchActor) }
}

fn actor(mut processes: Vec<usize>, size: usize) -> Actor {
    match processes.len() {
        1 => Actor::Process(processes.remove(0)),
        all if all == size => Actor::All,
        _ => Actor::Processes(processes),
    }
}

impl Steered for ProcessRun {
    fn advance(&mut self) -> Result<TakenStep, NotTaken> {
        let processes = self.scheduled();
        let (rules, coin) = self.take_together(&processes, &[])?;
        Ok(TakenStep { actor: actor(processes, self.states.len()), inputs: None, rules, coin })
    }

    /// The turns of an alternating schedule are neither checked nor changed.
    fn take(&mut self, choice: &ChosenStep) -> Result<TakenStep, NotTaken> {
        let (rules, coin) = self.take_together(&actors(choice, self.states.len())?, &choice.coin)?;
        Ok(TakenStep { actor: choice.actor.clone(), inputs: None, rules, coin })
    }

    fn put(&mut self, agent: usize, state: Number) {
        self.states[agent] = state;
        self.struck();
    }

    fn numbers(&self) -> &[Number] {
        &self.states
    }

    fn checkpoint(&self) -> Checkpoint {
        let ProcessRun { states, coin, steps, safe_since, turns, .. } = self;
        let (states, coin, turns) = (states.clone(), coin.clone(), turns.clone());
        Checkpoint { states, coin, steps: *steps, safe_since: *safe_since, detector: None, turns }
    }

    fn go_to(&mut self, checkpoint: &Checkpoint) {
        let Checkpoint { states, coin, steps, safe_since, turns, .. } = checkpoint.clone();
        (self.states, self.coin, self.steps, self.safe_since, self.turns) = (states, coin, steps, safe_since, turns);
        self.wrote.clear();
        self.wrong = None;
    }
}

impl SimulatedRun for ProcessRun {
    fn size(&self) -> usize {
        self.states.len()
    }

    fn steps(&self) -> u64 {
        self.steps
    }

    fn step(&mut self) -> bool {
        let processes = self.scheduled();
        self.take_together(&processes, &[]).is_ok()
    }

    fn marks(&self) -> Vec<Marks> {
        (0..self.states.len()).map(|process| self.algorithm.marks(&self.states, process)).collect()
    }

    fn reached(&self) -> Option<u64> {
        self.safe_since
    }

    fn corrupt(&mut self, agents: &[usize]) {
        for &agent in agents {
            self.states[agent] = self.algorithm.instance().arbitrary(agent, &mut self.coin);
        }
        self.struck();
    }

    fn wrote(&self) -> &[usize] {
        &self.wrote
    }

    fn states(&self) -> Vec<String> {
        let states = self.states.iter().enumerate();
        states.map(|(process, state)| text::print_state_at(self.algorithm.instance(), process, state)).collect()
    }

    fn wrong(&self) -> Option<&LeavesDomain> {
        self.wrong.as_ref()
    }

    fn still(&self, _: u64) -> bool {
        self.algorithm.still(&self.states)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::ProcessSteps;
    use crate::plain::Story;
    use ringleader_erased::GraphInstance;
    use ringleader_model::graph::Neighbours;
    use ringleader_model::{Goal, Graph, Networked, Safety, Stabilizing, Variables, Vicinity, Visitor};

    /// A process copies a random bit if it differs from its neighbours.
    #[derive(Clone)]
    struct Agree(Neighbours);

    impl Variables for Agree {
        type State = bool;
        fn variables(&self, bit: &mut bool, v: &mut dyn Visitor) {
            v.bit("bit", bit);
        }
    }

    impl Networked for Agree {
        fn neighbours(&self) -> &Neighbours {
            &self.0
        }
        fn act(&self, view: Vicinity<'_, bool>, coin: &mut impl Coin) -> bool {
            coin.fired(1);
            if view.neighbours.iter().any(|bit| *bit != view.own) { coin.below(2) == 1 } else { view.own }
        }
        fn marks(&self, _: Vicinity<'_, bool>) -> Marks {
            Marks::NONE
        }
    }

    impl Stabilizing for Agree {
        fn goal(&self) -> Goal {
            Goal::Agreement
        }
        fn safety(&self) -> Safety {
            Safety::ForEver
        }
        fn correct(&self, states: &[bool]) -> bool {
            self.safe(states)
        }
        fn safe(&self, states: &[bool]) -> bool {
            states.iter().all(|bit| *bit == states[0])
        }
    }

    fn star() -> GraphInstance {
        GraphInstance::new(Agree(Graph::parse("0 1\n0 2\n0 3").unwrap().neighbours())).unwrap()
    }

    fn start() -> Vec<Number> {
        [0, 1, 0, 1].map(Number).to_vec()
    }

    #[test]
    fn a_steered_run_is_the_run_that_is_only_watched() {
        let star = star();
        for scheduler in ProcessSteps::SCHEDULERS {
            let run = || ProcessRun::new(&star, start(), scheduler, Generator::new(7));
            let (mut watched, mut steered, mut again) = (run(), run(), run());
            let before = steered.checkpoint();
            for step in 0..40 {
                watched.step();
                let taken = steered.advance().unwrap();
                assert_eq!(watched.configuration(), steered.numbers(), "{scheduler} {step}");
                // The recorded step, taken by hand, leads to the same configuration.
                again.take(&ChosenStep { actor: taken.actor, inputs: None, coin: taken.coin }).unwrap();
                assert_eq!(again.numbers(), steered.numbers(), "{scheduler} {step}");
            }
            let last = steered.numbers().to_vec();
            steered.go_to(&before);
            (0..40).for_each(|_| drop(steered.advance().unwrap()));
            assert_eq!(steered.numbers(), last);
        }
    }

    #[test]
    fn steps_of_nobody_and_of_strangers_are_refused() {
        let star = star();
        let mut run = ProcessRun::new(&star, start(), Scheduler::Random, Generator::new(1));
        for actor in [Actor::Process(4), Actor::Processes(vec![]), Actor::Arc(0, 1)] {
            assert_eq!(run.take(&ChosenStep::of(actor)), Err(NotTaken::NoSuchActor));
        }
        let loaded = ChosenStep { actor: Actor::Process(1), inputs: None, coin: vec![2] };
        assert_eq!(run.take(&loaded), Err(NotTaken::NoSuchSide { sides: 2, shown: 2 }));
        assert_eq!((run.steps(), run.numbers()), (0, &start()[..]));
        let story = Story { limit: 1000, corrupt: 0, faults: 0, seed: 1 };
        story.run(&mut run, |_, _| Ok::<_, std::convert::Infallible>(true)).unwrap();
        assert!(run.reached().is_some());
    }
}
