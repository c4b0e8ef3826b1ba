//! A population protocol on a graph, one interaction at a time.

use crate::Generator;
use crate::kernel::arcs::Arena;
use crate::oracle::{Detector, Oracle};
use crate::plain::run::{StabilizingRun, Steps};
use crate::plain::steered::{Checkpoint, ChosenStep, NotTaken, Recorder, TakenStep};
use crate::stabilizing::StabilizingInstance;
use crate::still;
use ringleader_erased::{Number, PopulationInstance};
use ringleader_model::trace::Actor;
use ringleader_model::{Coin, Graph, Population, Scheduler, Stabilizing, Told};

/// A population protocol on its graph.
pub struct Meetings<'a> {
    protocol: &'a PopulationInstance,
    graph: &'a Graph,
    scheduler: Scheduler,
}

/// A run of a population protocol.
pub type PopulationRun<'a> = StabilizingRun<Meetings<'a>>;

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
        let detector = Detector::new(oracle, states.len(), protocol.has_leader(&states), &mut coin);
        let at = Checkpoint { detector: Some(detector), ..Checkpoint::new(states, coin) };
        StabilizingRun::begin(Meetings { protocol, graph, scheduler }, at)
    }
}

impl Steps for Meetings<'_> {
    fn instance(&self) -> &dyn StabilizingInstance {
        self.protocol
    }

    fn scheduled(&self, at: &mut Checkpoint) -> Actor {
        let arcs = self.graph.arcs();
        let index = match self.scheduler {
            Scheduler::RoundRobin => (at.steps % arcs.len() as u64) as usize,
            _ => at.coin.below(arcs.len() as u32) as usize,
        };
        Actor::Arc(arcs[index].0 as usize, arcs[index].1 as usize)
    }

    fn has(&self, actor: &Actor, _: usize) -> bool {
        self.graph.arcs().iter().any(|&(u, v)| *actor == Actor::Arc(u as usize, v as usize))
    }

    fn act(
        &self,
        at: &mut Checkpoint,
        ChosenStep { actor, inputs, coin: shown }: ChosenStep,
        after: &mut Vec<(usize, Number)>,
    ) -> Result<TakenStep, NotTaken> {
        let Actor::Arc(u, v) = actor else { return Err(NotTaken::NoSuchActor) };
        let Checkpoint { states, coin, steps, detector, .. } = at;
        let mut read = |agent| detector.as_mut().is_some_and(|detector| detector.read(*steps, agent, coin));
        let (x, y) = inputs.unwrap_or_else(|| (read(u), read(v)));
        let mut coin = Recorder::new(coin, &shown);
        let met = self.protocol.try_interact(states[u].0, states[v].0, Told::each(x, y), &mut coin);
        let (rules, coin) = coin.finish()?;
        let (a, b) = met?;
        after.extend([(u, Number(a)), (v, Number(b))]);
        Ok(TakenStep { actor, inputs: self.protocol.hears().then_some((x, y)), rules, coin })
    }

    fn still(&self, states: &[Number], questions: u64) -> bool {
        let heard = self.protocol.has_leader(states);
        still::population(self.protocol, &Arena::of(self.graph), states, heard, questions)
    }
}
