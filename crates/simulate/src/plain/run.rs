//! A run of a self-stabilizing algorithm, one scheduled step at a time, to be watched or steered.

use crate::composite::{Composite, Turns};
use crate::kernel::arcs::Arena;
use crate::oracle::Detector;
use crate::plain::SimulatedRun;
use crate::plain::steered::{Checkpoint, ChosenStep, NotTaken, Recorder, TakenStep};
use crate::{Generator, Oracle, StabilizingInstance, still};
use ringleader_erased::{LeavesDomain, Number, PopulationInstance};
use ringleader_model::trace::Actor;
use ringleader_model::{Coin, Graph, Marks, Population, Scheduler, Stabilizing, Told, text};

/// An algorithm in its place.
enum Model<'a> {
    Population { protocol: &'a PopulationInstance, graph: &'a Graph },
    Processes(Composite),
}

impl Model<'_> {
    fn instance(&self) -> &dyn StabilizingInstance {
        match self {
            Model::Population { protocol, .. } => *protocol,
            Model::Processes(algorithm) => algorithm.instance(),
        }
    }
}

/// A run of a self-stabilizing algorithm, which the caller may steer.
///
/// ```
/// use ringleader_algorithms::population::fischer_jiang_ring::FischerJiangRing;
/// use ringleader_erased::{Number, PopulationInstance};
/// use ringleader_model::trace::Actor;
/// use ringleader_model::{Graph, Scheduler};
/// use ringleader_simulate::plain::{ChosenStep, StabilizingRun};
/// use ringleader_simulate::{Generator, Oracle};
///
/// let protocol = PopulationInstance::new(FischerJiangRing)?;
/// let graph = Graph::directed_ring(3)?;
/// let start = vec![Number(0); 3];
/// let mut run =
///     StabilizingRun::population(&protocol, &graph, start, Scheduler::Random, Oracle::Perfect, Generator::new(1));
/// let before = run.checkpoint();
/// let taken = run.take(&ChosenStep::of(Actor::Arc(0, 1)))?;
/// assert_eq!(taken.actor, Actor::Arc(0, 1));
/// assert!(run.take(&ChosenStep::of(Actor::Arc(1, 0))).is_err(), "the ring is directed");
/// run.go_to(&before);
/// assert_eq!(run.numbers(), [Number(0); 3]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct StabilizingRun<'a> {
    model: Model<'a>,
    scheduler: Scheduler,
    at: Checkpoint,
    /// The states that the last step wrote.
    after: Vec<(usize, Number)>,
    /// The agents or processes whose states the last step changed.
    wrote: Vec<usize>,
    wrong: Option<LeavesDomain>,
}

impl<'a> StabilizingRun<'a> {
    /// A run of a population protocol from `states` under the [`Scheduler::Random`] or [`Scheduler::RoundRobin`] scheduler.
    pub fn population(
        protocol: &'a PopulationInstance,
        graph: &'a Graph,
        mut states: Vec<Number>,
        scheduler: Scheduler,
        oracle: Oracle,
        mut coin: Generator,
    ) -> Self {
        assert_eq!(graph.size(), states.len(), "one state per agent");
        protocol.restore(&mut states);
        let detector = Detector::new(oracle, states.len(), protocol.has_leader(&states), &mut coin);
        let at = Checkpoint { detector: Some(detector), ..Checkpoint::new(states, coin) };
        StabilizingRun::begin(Model::Population { protocol, graph }, scheduler, at)
    }

    /// A run of processes from `states` under the [`Scheduler::Alternating`], [`Scheduler::RoundRobin`], [`Scheduler::Random`],
    /// [`Scheduler::Synchronous`] or [`Scheduler::Distributed`] scheduler.
    pub fn processes(
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
        StabilizingRun::begin(Model::Processes(algorithm), scheduler, at)
    }

    fn begin(model: Model<'a>, scheduler: Scheduler, at: Checkpoint) -> Self {
        let mut run = StabilizingRun { model, scheduler, at, after: vec![], wrote: vec![], wrong: None };
        run.look();
        run
    }

    fn look(&mut self) {
        let (instance, at) = (self.model.instance(), &mut self.at);
        at.safe_since = instance.safe(&at.states).then(|| at.safe_since.unwrap_or(at.steps));
        if let Some(detector) = &mut at.detector {
            detector.observe(at.steps, instance.has_leader(&at.states), &mut at.coin);
        }
    }

    /// The configuration after a fault.
    fn struck(&mut self) {
        self.model.instance().restore(&mut self.at.states);
        self.at.safe_since = None;
        self.look();
    }

    /// Whether the detector, if there is one, is correct from now on.
    fn is_told_truth(&self) -> bool {
        self.at.detector.as_ref().is_none_or(|detector| detector.truthful(self.at.steps))
    }

    /// The agents or processes that the scheduler chooses.
    fn scheduled(&mut self) -> Actor {
        let (n, coin) = (self.at.states.len(), &mut self.at.coin);
        match (&self.model, self.scheduler, &mut self.at.turns) {
            (Model::Population { graph, .. }, scheduler, _) => {
                let arcs = graph.arcs();
                let index = match scheduler {
                    Scheduler::RoundRobin => (self.at.steps % arcs.len() as u64) as usize,
                    _ => coin.below(arcs.len() as u32) as usize,
                };
                Actor::Arc(arcs[index].0 as usize, arcs[index].1 as usize)
            }
            (_, Scheduler::Synchronous, _) => Actor::All,
            (_, Scheduler::Distributed, _) => loop {
                let some: Vec<usize> = (0..n).filter(|_| coin.below(2) == 1).collect();
                match some[..] {
                    [] => {}
                    [one] => return Actor::Process(one),
                    _ if some.len() == n => return Actor::All,
                    _ => return Actor::Processes(some),
                }
            },
            (_, Scheduler::RoundRobin, _) => Actor::Process((self.at.steps % n as u64) as usize),
            (Model::Processes(algorithm), _, Some(turns)) => {
                let may_step: Vec<usize> = (0..n).filter(|&process| turns.may_step(process)).collect();
                let process = may_step[coin.below(may_step.len() as u32) as usize];
                turns.pass(process, algorithm.near(process, n));
                Actor::Process(process)
            }
            _ => Actor::Process(coin.below(n as u32) as usize),
        }
    }

    /// Whether there is such an actor.
    fn has(&self, actor: &Actor) -> bool {
        let size = self.at.states.len();
        match (&self.model, actor) {
            (Model::Population { graph, .. }, _) => {
                graph.arcs().iter().any(|&(u, v)| *actor == Actor::Arc(u as usize, v as usize))
            }
            (_, Actor::Process(process)) => *process < size,
            (_, Actor::Processes(several)) => !several.is_empty() && several.iter().all(|&process| process < size),
            (_, Actor::All) => true,
            (_, Actor::Arc(..)) => false,
        }
    }

    /// A step of an actor that there is: `after` gets the agents or processes with their states after it. All processes read before any
    /// of them writes.
    fn act(&mut self, ChosenStep { actor, inputs, coin: shown }: ChosenStep) -> Result<TakenStep, NotTaken> {
        let StabilizingRun { model, after, at: Checkpoint { states, coin, steps, detector, .. }, .. } = self;
        after.clear();
        match (model, &actor) {
            (Model::Population { protocol, .. }, &Actor::Arc(u, v)) => {
                let mut read = |agent| detector.as_mut().is_some_and(|detector| detector.read(*steps, agent, coin));
                let (x, y) = inputs.unwrap_or_else(|| (read(u), read(v)));
                let mut coin = Recorder::new(coin, &shown);
                let met = protocol.try_interact(states[u].0, states[v].0, Told::each(x, y), &mut coin);
                let (rules, coin) = coin.finish()?;
                let (a, b) = met?;
                after.extend([(u, Number(a)), (v, Number(b))]);
                Ok(TakenStep { actor, inputs: protocol.hears().then_some((x, y)), rules, coin })
            }
            (Model::Processes(algorithm), who) => {
                let mut coin = Recorder::new(coin, &shown);
                let mut act = |process| {
                    after.push((process, algorithm.try_act(states, process, &mut coin)?));
                    Ok::<_, NotTaken>(())
                };
                match who {
                    Actor::Process(process) => act(*process)?,
                    Actor::Processes(several) => several.iter().copied().try_for_each(act)?,
                    Actor::All => (0..states.len()).try_for_each(act)?,
                    Actor::Arc(..) => return Err(NotTaken::NoSuchActor),
                }
                let (rules, coin) = coin.finish()?;
                Ok(TakenStep { actor, inputs: None, rules, coin })
            }
            (Model::Population { .. }, _) => Err(NotTaken::NoSuchActor),
        }
    }

    fn take_step(&mut self, choice: ChosenStep) -> Result<TakenStep, NotTaken> {
        let taken = self.act(choice);
        if let Err(NotTaken::LeavesDomain(wrong)) = &taken {
            self.wrong = Some(wrong.clone());
        }
        let taken = taken?;
        self.at.steps += 1;
        self.wrote.clear();
        for &(place, state) in &self.after {
            if std::mem::replace(&mut self.at.states[place], state) != state {
                self.wrote.push(place);
            }
        }
        if !self.wrote.is_empty() {
            self.look();
        }
        Ok(taken)
    }

    /// Takes the step that the scheduler chooses.
    pub fn advance(&mut self) -> Result<TakenStep, NotTaken> {
        let actor = self.scheduled();
        self.take_step(ChosenStep::of(actor))
    }

    /// Takes a step that the caller chose. The turns of an alternating schedule are neither checked nor changed.
    pub fn take(&mut self, choice: &ChosenStep) -> Result<TakenStep, NotTaken> {
        if self.has(&choice.actor) { self.take_step(choice.clone()) } else { Err(NotTaken::NoSuchActor) }
    }

    /// Gives an agent a state, as a fault does; fixed variables are restored.
    pub fn put(&mut self, agent: usize, state: Number) {
        self.at.states[agent] = state;
        self.struck();
    }

    /// The states of all agents.
    pub fn numbers(&self) -> &[Number] {
        &self.at.states
    }

    /// The state of the run.
    pub fn checkpoint(&self) -> Checkpoint {
        self.at.clone()
    }

    /// Restores a checkpoint of this run, or of one of the same algorithm on the same graph.
    pub fn go_to(&mut self, checkpoint: &Checkpoint) {
        self.at.clone_from(checkpoint);
        self.wrote.clear();
        self.wrong = None;
    }
}

impl SimulatedRun for StabilizingRun<'_> {
    fn size(&self) -> usize {
        self.at.states.len()
    }

    fn steps(&self) -> u64 {
        self.at.steps
    }

    fn step(&mut self) -> bool {
        self.advance().is_ok()
    }

    fn marks(&self) -> Vec<Marks> {
        self.model.instance().show(&self.at.states)
    }

    /// Safe, and the oracle is correct from now on: a wrong answer could still undo it.
    fn reached(&self) -> Option<u64> {
        self.at.safe_since.filter(|_| self.is_told_truth())
    }

    fn corrupt(&mut self, agents: &[usize]) {
        for &agent in agents {
            self.at.states[agent] = self.model.instance().arbitrary(agent, &mut self.at.coin);
        }
        self.struck();
    }

    fn states(&self) -> Vec<String> {
        let states = self.at.states.iter().enumerate();
        states.map(|(agent, state)| text::print_state_at(self.model.instance(), agent, state)).collect()
    }

    fn wrote(&self) -> &[usize] {
        &self.wrote
    }

    fn wrong(&self) -> Option<&LeavesDomain> {
        self.wrong.as_ref()
    }

    /// Not before the oracle is correct: until then nothing counts as reached either. The detector tells the truth then.
    fn still(&self, questions: u64) -> bool {
        let states = &self.at.states;
        self.is_told_truth()
            && match &self.model {
                Model::Population { protocol, graph } => {
                    let heard = protocol.has_leader(states);
                    still::population(protocol, &Arena::of(graph), states, heard, questions)
                }
                Model::Processes(algorithm) => algorithm.still(states),
            }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::ProcessSteps;
    use crate::plain::Story;
    use ringleader_erased::GraphInstance;
    use ringleader_model::graph::Neighbours;
    use ringleader_model::{Goal, Networked, Safety, Variables, Vicinity, Visitor};

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
            let run = || StabilizingRun::processes(&star, start(), scheduler, Generator::new(7));
            let (mut watched, mut steered, mut again) = (run(), run(), run());
            let before = steered.checkpoint();
            for step in 0..40 {
                watched.step();
                let taken = steered.advance().unwrap();
                assert_eq!(watched.numbers(), steered.numbers(), "{scheduler} {step}");
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
        let mut run = StabilizingRun::processes(&star, start(), Scheduler::Random, Generator::new(1));
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
