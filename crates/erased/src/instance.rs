//! An algorithm of any model, its type forgotten.

use crate::{Card, GraphInstance, Kind, MessageInstance, PopulationInstance, Refusal, RingInstance, Topology};
use ringleader_model::{Chain, Ring as _};
use std::convert::Infallible;
use std::fmt;

/// An algorithm, ready for the engines of its model. `R` is a robust algorithm, where there are any.
#[derive(Clone)]
pub enum Instance<R = Infallible> {
    /// A population protocol: to be checked, simulated, watched, drawn.
    Population(PopulationInstance),
    /// A ring or a line of processes: the same.
    Ring(RingInstance),
    /// The processes of a graph: the same.
    Graph(GraphInstance),
    /// Message passing that starts clean and ends: to be explored, checked, simulated, watched, drawn.
    Message(MessageInstance),
    /// Message passing with clocks and crashes: to be simulated in a hostile network, and run among machines.
    Robust(R),
}

impl<R> Instance<R> {
    /// The model.
    pub fn kind(&self) -> Kind {
        match self {
            Instance::Population(_) => Kind::Population,
            Instance::Ring(_) => Kind::Ring,
            Instance::Graph(_) => Kind::Graph,
            Instance::Message(_) => Kind::Message,
            Instance::Robust(_) => Kind::Robust,
        }
    }

    /// Refuses an algorithm that is of another model or topology than its card says.
    pub fn suits(&self, card: &Card) -> Result<(), Refusal> {
        let unlike = |says: &str, is: &str| {
            Err(Refusal::new(format!("the card of {} says that it is a {says}, and it is a {is}", card.name)))
        };
        match self {
            _ if self.kind() != card.kind => unlike(card.kind.describe(), self.kind().describe()),
            Instance::Ring(ring) if (ring.chain() == Chain::Line) != (card.topology == Topology::Line) => {
                unlike(card.topology.describe(), if ring.chain() == Chain::Line { "line" } else { "ring" })
            }
            _ => Ok(()),
        }
    }
}

impl Instance {
    /// The same algorithm, among others that may be robust.
    pub fn among<R>(self) -> Instance<R> {
        match self {
            Instance::Population(instance) => Instance::Population(instance),
            Instance::Ring(instance) => Instance::Ring(instance),
            Instance::Graph(instance) => Instance::Graph(instance),
            Instance::Message(instance) => Instance::Message(instance),
        }
    }
}

impl<R> fmt::Debug for Instance<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a {}", self.kind().describe())
    }
}
