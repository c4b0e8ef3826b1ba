//! Processes that read their neighbours, under a daemon, one scheduled step at a time.

use crate::Generator;
use crate::composite::{Composite, Turns};
use crate::plain::run::{StabilizingRun, Steps};
use crate::plain::steered::{Checkpoint, ChosenStep, NotTaken, Recorder, TakenStep};
use crate::stabilizing::StabilizingInstance;
use ringleader_erased::Number;
use ringleader_model::trace::Actor;
use ringleader_model::{Coin, Scheduler};

/// An algorithm for a ring, a line or a graph under its daemon.
pub struct Scheduled {
    algorithm: Composite,
    scheduler: Scheduler,
}

/// A run of an algorithm for a ring, a line or a graph.
pub type ProcessRun = StabilizingRun<Scheduled>;

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
        let at = Checkpoint { turns, ..Checkpoint::new(states, coin) };
        StabilizingRun::begin(Scheduled { algorithm, scheduler }, at)
    }
}

impl Steps for Scheduled {
    fn instance(&self) -> &dyn StabilizingInstance {
        self.algorithm.instance()
    }

    fn scheduled(&self, at: &mut Checkpoint) -> Actor {
        let (n, coin) = (at.states.len(), &mut at.coin);
        match (self.scheduler, &mut at.turns) {
            (Scheduler::Synchronous, _) => Actor::All,
            (Scheduler::Distributed, _) => loop {
                let some: Vec<usize> = (0..n).filter(|_| coin.below(2) == 1).collect();
                match some[..] {
                    [] => {}
                    [one] => return Actor::Process(one),
                    _ if some.len() == n => return Actor::All,
                    _ => return Actor::Processes(some),
                }
            },
            (Scheduler::RoundRobin, _) => Actor::Process((at.steps % n as u64) as usize),
            (_, Some(turns)) => {
                let may_step: Vec<usize> = (0..n).filter(|&process| turns.may_step(process)).collect();
                let process = may_step[coin.below(may_step.len() as u32) as usize];
                turns.pass(process, self.algorithm.near(process, n));
                Actor::Process(process)
            }
            _ => Actor::Process(coin.below(n as u32) as usize),
        }
    }

    fn has(&self, actor: &Actor, size: usize) -> bool {
        match actor {
            Actor::Process(process) => *process < size,
            Actor::Processes(several) => !several.is_empty() && several.iter().all(|&process| process < size),
            Actor::All => true,
            Actor::Arc(..) => false,
        }
    }

    /// All read before any of them writes.
    fn act(
        &self,
        at: &mut Checkpoint,
        ChosenStep { actor, coin: shown, .. }: ChosenStep,
        after: &mut Vec<(usize, Number)>,
    ) -> Result<TakenStep, NotTaken> {
        let mut coin = Recorder::new(&mut at.coin, &shown);
        let mut act = |process| {
            after.push((process, self.algorithm.try_act(&at.states, process, &mut coin)?));
            Ok::<_, NotTaken>(())
        };
        match &actor {
            Actor::Process(process) => act(*process)?,
            Actor::Processes(several) => several.iter().copied().try_for_each(act)?,
            Actor::All => (0..at.states.len()).try_for_each(act)?,
            Actor::Arc(..) => return Err(NotTaken::NoSuchActor),
        }
        let (rules, coin) = coin.finish()?;
        Ok(TakenStep { actor, inputs: None, rules, coin })
    }

    fn still(&self, states: &[Number], _: u64) -> bool {
        self.algorithm.still(states)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::ProcessSteps;
    use crate::plain::{SimulatedRun, Steered, Story};
    use ringleader_erased::GraphInstance;
    use ringleader_model::graph::Neighbours;
    use ringleader_model::{Goal, Graph, Marks, Networked, Safety, Stabilizing, Variables, Vicinity, Visitor};

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
