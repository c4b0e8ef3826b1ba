//! An algorithm of any model, its type forgotten.

use ringleader_explore::Model;
use ringleader_instance::{Entry, Kind, PopulationInstance, RingInstance};
use ringleader_model::{Terminating, Timed};
use ringleader_node::{Config, Handle, Node, StartError};
use ringleader_simulate::{MessageSubject, TimedSubject};
use std::fmt;
use std::sync::Arc;

/// An algorithm, ready for the engines of its model.
#[derive(Clone)]
pub enum Instance {
    /// A population protocol: to be checked, simulated, watched, drawn.
    Population(PopulationInstance),
    /// A ring or a line of processes: the same.
    Ring(RingInstance),
    /// Message passing that starts clean and ends: to be explored, checked, simulated, watched, drawn.
    Message(Arc<dyn MessageInstance>),
    /// Message passing with clocks and crashes: to be simulated in a hostile network, and run among machines.
    Robust(Arc<dyn RobustInstance>),
}

impl Instance {
    /// The model.
    pub fn kind(&self) -> Kind {
        match self {
            Instance::Population(_) => Kind::Population,
            Instance::Ring(_) => Kind::Ring,
            Instance::Message(_) => Kind::Message,
            Instance::Robust(_) => Kind::Robust,
        }
    }
}

impl fmt::Debug for Instance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a {}", self.kind().describe())
    }
}

/// What the engines ask of message passing that starts clean and ends.
pub trait MessageInstance: Model + MessageSubject {
    /// As the explorer sees it.
    fn model(&self) -> &dyn Model;
    /// As the simulator sees it.
    fn subject(&self) -> &dyn MessageSubject;
}

impl<P: Terminating + 'static> MessageInstance for P {
    fn model(&self) -> &dyn Model {
        self
    }

    fn subject(&self) -> &dyn MessageSubject {
        self
    }
}

/// What the engines ask of a robust algorithm.
pub trait RobustInstance: Send + Sync {
    /// As the simulator sees it.
    fn subject(&self) -> &dyn TimedSubject;

    /// Runs it among machines, in the form that suits practice.
    fn launch(&self, config: Config) -> Result<Handle, StartError>;
}

/// A robust algorithm as it was built.
pub(crate) struct Robust<A>(pub(crate) A);

impl<A: Entry + Timed + 'static> RobustInstance for Robust<A> {
    fn subject(&self) -> &dyn TimedSubject {
        &self.0
    }

    fn launch(&self, config: Config) -> Result<Handle, StartError> {
        Node::start_as::<A>(config)
    }
}
