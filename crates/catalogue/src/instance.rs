//! An algorithm of any model, its type forgotten.

use ringleader_explore::Model;
use ringleader_instance::{Kind, PopulationInstance, RingInstance};
use ringleader_model::Terminating;
use ringleader_simulate::{MessageAlgorithm, TimedAlgorithm};
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
    Robust(Arc<dyn TimedAlgorithm>),
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
pub trait MessageInstance: Model + MessageAlgorithm {
    /// As the explorer sees it.
    fn model(&self) -> &dyn Model;
    /// As the simulator sees it.
    fn subject(&self) -> &dyn MessageAlgorithm;
}

impl<P: Terminating + 'static> MessageInstance for P {
    fn model(&self) -> &dyn Model {
        self
    }

    fn subject(&self) -> &dyn MessageAlgorithm {
        self
    }
}
