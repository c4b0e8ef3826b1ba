//! One run of an algorithm of any model, at its start.

use crate::Instance;
use ringleader_model::{Channels, Graph, Scheduler, Terminating};
use ringleader_simulate::kernel::MessageSteps;
use ringleader_simulate::plain::{SimulatedRun, StabilizingRun};
use ringleader_simulate::{Generator, Oracle, StabilizingInstance, Start, StartError};

/// The surroundings of one run. The same fields give the same run.
#[derive(Clone, Copy, Debug)]
pub struct Beginning<'a, 's> {
    /// The number of agents.
    pub size: usize,
    /// The start.
    pub start: &'s Start,
    /// The scheduler.
    pub scheduler: Scheduler,
    /// The graph of a population protocol.
    pub graph: Option<&'a Graph>,
    /// The leader detector of a population protocol that asks one.
    pub oracle: Option<Oracle>,
    /// The channels, where messages are passed until the algorithm ends; its own if absent.
    pub channels: Option<Channels>,
    /// The seed of all random choices.
    pub seed: u64,
}

/// Why a run cannot begin.
#[derive(Debug, thiserror::Error)]
pub enum BeginError {
    /// The start does not suit the algorithm.
    #[error(transparent)]
    Start(#[from] StartError),
    /// A population protocol has no graph.
    #[error("a population protocol runs on a graph")]
    NoGraph,
}

impl<'a> Beginning<'a, '_> {
    /// The run at its start, which [`Story`](ringleader_simulate::plain::Story) drives.
    pub fn of(&self, instance: &'a Instance) -> Result<Box<dyn SimulatedRun + 'a>, BeginError> {
        let (start, mut coin) = (self.start, Generator::new(self.seed));
        let states = |algorithm: &dyn StabilizingInstance, coin: &mut Generator| {
            let states = start.states(algorithm, self.size, coin)?;
            start.put_back(algorithm, states)
        };
        Ok(match instance {
            Instance::Population(algorithm) => {
                let (states, oracle) = (states(algorithm, &mut coin)?, self.oracle.unwrap_or(Oracle::Perfect));
                let graph = self.graph.ok_or(BeginError::NoGraph)?;
                Box::new(StabilizingRun::population(algorithm, graph, states, self.scheduler, oracle, coin))
            }
            Instance::Ring(algorithm) => {
                Box::new(StabilizingRun::processes(algorithm, states(algorithm, &mut coin)?, self.scheduler, coin))
            }
            Instance::Graph(algorithm) => {
                Box::new(StabilizingRun::processes(algorithm, states(algorithm, &mut coin)?, self.scheduler, coin))
            }
            Instance::Message(algorithm) => {
                Box::new(MessageSteps::new(algorithm, self.channels.unwrap_or(algorithm.channels()), coin))
            }
            Instance::Robust(algorithm) => {
                let stray = if *start == Start::Clean { 0 } else { 2 };
                algorithm.watch(start, stray, coin)?
            }
        })
    }
}
