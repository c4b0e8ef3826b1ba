//! Self-stabilizing algorithms of either model, behind one trait.

use crate::Generator;
use ringleader_erased::{GraphInstance, Number, PopulationInstance, RingInstance};
use ringleader_model::{Marks, Networked, Place, Population, Ring, Stabilizing, View};
use std::fmt::Debug;

/// The most agents whose marks are looked at, if they are more than one configuration.
const MARKS_SEEN: usize = 1 << 17;

/// A population protocol or an algorithm for a ring or a graph of processes whose states are numbers.
pub trait StabilizingInstance: Stabilizing<State = Number> + Debug {
    /// The algorithm's name for its safe set.
    fn safe_set(&self) -> String {
        self.closed_sets().pop().map_or_else(|| "safe".into(), |set| set.name.to_string())
    }

    /// The number of local states.
    fn states(&self) -> u64;

    /// The marks of an agent among others in the same state.
    fn alone(&self, state: Number) -> Marks;

    /// Whether an agent outputs that it is the leader, by itself.
    fn has_leader(&self, states: &[Number]) -> bool {
        states.iter().any(|state| self.alone(*state).leader())
    }

    /// The marks of the agents of a configuration, for a picture.
    fn show(&self, states: &[Number]) -> Vec<Marks>;

    /// A state in which a fault may leave an agent, apart from the variables that depend on other agents.
    fn arbitrary(&self, agent: usize, coin: &mut Generator) -> Number;

    /// The only number of agents, for an algorithm on a given graph.
    fn size(&self) -> Option<usize> {
        None
    }

    /// All marks that occur in many arbitrary configurations of a few agents, for a legend.
    fn marks_seen(&self) -> Marks {
        let (size, mut coin) = (self.size().unwrap_or(4), Generator::new(0));
        let arbitrary = |_| {
            let mut states: Vec<Number> = (0..size).map(|agent| self.arbitrary(agent, &mut coin)).collect();
            self.restore(&mut states);
            self.show(&states)
        };
        (0..(MARKS_SEEN / size).clamp(1, 500)).flat_map(arbitrary).fold(Marks::NONE, |all, marks| all | marks)
    }
}

impl StabilizingInstance for PopulationInstance {
    fn states(&self) -> u64 {
        PopulationInstance::states(self)
    }

    fn alone(&self, state: Number) -> Marks {
        self.marks_of(state.0)
    }

    fn show(&self, states: &[Number]) -> Vec<Marks> {
        self.drawn(states)
    }

    fn arbitrary(&self, _: usize, coin: &mut Generator) -> Number {
        self.arbitrary_state(coin)
    }
}

impl StabilizingInstance for GraphInstance {
    fn states(&self) -> u64 {
        GraphInstance::states(self)
    }

    fn alone(&self, Number(state): Number) -> Marks {
        self.marks_of(0, &vec![state; self.neighbours().of(0).len() + 1])
    }

    fn show(&self, states: &[Number]) -> Vec<Marks> {
        (0..states.len()).map(|process| self.marks_of(process, &self.read(process, states))).collect()
    }

    fn arbitrary(&self, agent: usize, coin: &mut Generator) -> Number {
        Networked::arbitrary(self, agent, coin)
    }

    fn size(&self) -> Option<usize> {
        Some(GraphInstance::size(self))
    }
}

impl StabilizingInstance for RingInstance {
    fn states(&self) -> u64 {
        RingInstance::states(self)
    }

    fn alone(&self, Number(state): Number) -> Marks {
        self.marks_of(View { at: Place::Other, left: state, own: state, right: state })
    }

    fn show(&self, states: &[Number]) -> Vec<Marks> {
        (0..states.len()).map(|i| self.marks(View::of(states, i, self.chain()))).collect()
    }

    fn arbitrary(&self, _: usize, coin: &mut Generator) -> Number {
        self.arbitrary_state(coin)
    }
}
