//! An algorithm in its place, as the checker takes it.

use crate::Instance;
use ringleader_check::{Configurations, Monitor, Question, Report, Stop, Subject};
use ringleader_erased::{GraphInstance, PopulationInstance, RingInstance};
use ringleader_model::Graph;
use ringleader_simulate::StabilizingInstance;

/// An algorithm without messages, in its place: all its configurations can be checked.
#[derive(Clone, Debug)]
pub enum Placed {
    /// The agents of a population, on a graph.
    Population(PopulationInstance, Graph),
    /// A ring or a line of this many processes.
    Ring(RingInstance, usize),
    /// The processes of the graph for which the algorithm was built.
    Graph(GraphInstance),
}

/// The algorithm of an instance without messages.
pub fn stabilizing<R>(instance: &ringleader_erased::Instance<R>) -> Option<&dyn StabilizingInstance> {
    match instance {
        ringleader_erased::Instance::Population(algorithm) => Some(algorithm),
        ringleader_erased::Instance::Ring(algorithm) => Some(algorithm),
        ringleader_erased::Instance::Graph(algorithm) => Some(algorithm),
        ringleader_erased::Instance::Message(_) | ringleader_erased::Instance::Robust(_) => None,
    }
}

impl Placed {
    /// An instance in its place. `graph` gives the graph of a population. `None` if the algorithm passes messages.
    pub fn new<E>(
        instance: Instance,
        size: usize,
        graph: impl FnOnce() -> Result<Graph, E>,
    ) -> Result<Option<Placed>, E> {
        Ok(match instance {
            Instance::Population(algorithm) => Some(Placed::Population(algorithm, graph()?)),
            Instance::Ring(algorithm) => Some(Placed::Ring(algorithm, size)),
            Instance::Graph(algorithm) => Some(Placed::Graph(algorithm)),
            Instance::Message(_) | Instance::Robust(_) => None,
        })
    }

    /// The algorithm.
    pub fn algorithm(&self) -> &dyn StabilizingInstance {
        match self {
            Placed::Population(algorithm, _) => algorithm,
            Placed::Ring(algorithm, _) => algorithm,
            Placed::Graph(algorithm) => algorithm,
        }
    }

    fn subject(&self) -> Subject<'_> {
        match self {
            Placed::Population(algorithm, graph) => Subject::Population(algorithm, graph),
            Placed::Ring(algorithm, size) => Subject::Ring(algorithm, *size),
            Placed::Graph(algorithm) => Subject::Graph(algorithm),
        }
    }

    /// Checks all configurations.
    pub fn check(&self, question: &Question, monitor: &Monitor) -> Result<Report, Stop> {
        self.subject().check(question, monitor)
    }

    /// All configurations, with their steps.
    pub fn configurations(&self, question: &Question, monitor: &Monitor) -> Result<Configurations, Stop> {
        Configurations::new(&self.subject(), question, monitor)
    }
}
