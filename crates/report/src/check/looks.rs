//! How the numbered states of a check look: text, marks and documents.

use crate::Subject;
use ringleader_erased::{Number, PopulationInstance, RingInstance};
use ringleader_model::text::{self, Document};
use ringleader_model::{Goal, Marks, Population, Ring, Stabilizing, View};

/// What an algorithm's configurations look like, by the numbers of their local states.
#[derive(Clone, Copy, Debug)]
pub struct Looks<'a>(Of<'a>);

#[derive(Clone, Copy, Debug)]
enum Of<'a> {
    Population(&'a PopulationInstance),
    Ring(&'a RingInstance),
}

fn numbers(configuration: &[u32]) -> Vec<Number> {
    configuration.iter().map(|&state| Number(state.into())).collect()
}

impl<'a> Looks<'a> {
    /// Those of a population protocol.
    #[must_use]
    pub fn population(algorithm: &'a PopulationInstance) -> Looks<'a> {
        Looks(Of::Population(algorithm))
    }

    /// Those of a ring of processes.
    #[must_use]
    pub fn ring(algorithm: &'a RingInstance) -> Looks<'a> {
        Looks(Of::Ring(algorithm))
    }
}

impl Looks<'_> {
    pub(super) fn goal(&self) -> Goal {
        match self.0 {
            Of::Population(algorithm) => algorithm.goal(),
            Of::Ring(algorithm) => algorithm.goal(),
        }
    }

    /// The algorithm's name for its own safe set.
    pub(super) fn safe_set(&self) -> String {
        match self.0 {
            Of::Population(algorithm) => algorithm.safe_set(),
            Of::Ring(algorithm) => algorithm.safe_set(),
        }
    }

    /// What agents are called: one, and several.
    pub(super) fn agent(&self) -> (&'static str, &'static str) {
        match self.0 {
            Of::Population(_) => ("agent", "agents"),
            Of::Ring(_) => ("process", "processes"),
        }
    }

    /// The local states as text.
    pub(crate) fn states(&self, c: &[u32]) -> Vec<String> {
        let text = |&state: &u32| match self.0 {
            Of::Population(algorithm) => algorithm.text(state.into()),
            Of::Ring(algorithm) => algorithm.text(state.into()),
        };
        c.iter().map(text).collect()
    }

    /// The variables of each local state, their values in numbers.
    pub(crate) fn values(&self, c: &[u32]) -> Vec<Vec<(String, u64)>> {
        let values = |state: Number| match self.0 {
            Of::Population(algorithm) => text::values(algorithm, &state),
            Of::Ring(algorithm) => text::values(algorithm, &state),
        };
        numbers(c).into_iter().map(values).collect()
    }

    /// What each agent shows of itself.
    pub(super) fn marks(&self, c: &[u32]) -> Vec<Marks> {
        let c = numbers(c);
        match self.0 {
            Of::Population(algorithm) => algorithm.drawn(&c),
            Of::Ring(algorithm) => (0..c.len()).map(|i| algorithm.marks(View::of(&c, i, algorithm.chain()))).collect(),
        }
    }

    /// A configuration with its algorithm.
    pub(super) fn document(&self, subject: Subject<'_>, c: &[u32]) -> Document {
        let (name, given, c) = (subject.card.name, subject.parameters.given(), numbers(c));
        match self.0 {
            Of::Population(algorithm) => Document::new(name, algorithm, given, &c),
            Of::Ring(algorithm) => Document::new(name, algorithm, given, &c),
        }
    }
}
