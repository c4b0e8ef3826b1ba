//! The numbered states of a check as text, marks and documents.

use crate::Subject;
use ringleader_erased::{GraphInstance, Kind, Number, PopulationInstance, RingInstance};
use ringleader_model::Marks;
use ringleader_model::text::{self, Document};
use ringleader_simulate::StabilizingInstance;

/// The appearance of an algorithm's configurations, given by the numbers of their local states.
#[derive(Clone, Copy, Debug)]
pub struct Looks<'a> {
    pub(super) algorithm: &'a dyn StabilizingInstance,
    pub(super) kind: Kind,
}

fn numbers(configuration: &[u32]) -> Vec<Number> {
    configuration.iter().map(|&state| Number(state.into())).collect()
}

impl<'a> Looks<'a> {
    /// The appearance of an algorithm of this kind.
    #[must_use]
    pub fn new(algorithm: &'a dyn StabilizingInstance, kind: Kind) -> Looks<'a> {
        Looks { algorithm, kind }
    }

    /// The appearance of a population protocol.
    #[must_use]
    pub fn population(algorithm: &'a PopulationInstance) -> Looks<'a> {
        Looks::new(algorithm, Kind::Population)
    }

    /// The appearance of the processes of a graph.
    #[must_use]
    pub fn graph(algorithm: &'a GraphInstance) -> Looks<'a> {
        Looks::new(algorithm, Kind::Graph)
    }

    /// The appearance of a ring of processes.
    #[must_use]
    pub fn ring(algorithm: &'a RingInstance) -> Looks<'a> {
        Looks::new(algorithm, Kind::Ring)
    }
}

impl Looks<'_> {
    /// The local states as text.
    pub fn states(&self, c: &[u32]) -> Vec<String> {
        let states = numbers(c).into_iter().enumerate();
        states.map(|(agent, state)| text::print_state_at(self.algorithm, agent, &state)).collect()
    }

    /// The variables of each local state, their values in numbers.
    pub(crate) fn values(&self, c: &[u32]) -> Vec<Vec<(String, u64)>> {
        numbers(c).iter().map(|state| text::values(self.algorithm, state)).collect()
    }

    /// The marks of each agent.
    pub(super) fn marks(&self, c: &[u32]) -> Vec<Marks> {
        self.algorithm.show(&numbers(c))
    }

    /// A configuration with its algorithm.
    pub(super) fn document(&self, subject: Subject<'_>, c: &[u32]) -> Document {
        Document::new(subject.card.name, self.algorithm, subject.parameters.given(), &numbers(c))
    }
}
