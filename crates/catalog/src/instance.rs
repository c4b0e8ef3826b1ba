//! An algorithm of any model, its type forgotten.

use ringleader_erased::{Card, Kind, PopulationInstance, Refusal, RingInstance, Topology, declared};
use ringleader_explore::Model;
use ringleader_model::ensemble::Processes;
use ringleader_model::{Chain, Ensemble, Ring as _, Terminating};
use ringleader_simulate::{Generator, MessageAlgorithm, TimedAlgorithm};
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

impl Instance {
    /// Whether it is what its card says.
    pub(crate) fn suits(&self, card: &Card) -> Result<(), Refusal> {
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
    /// Its processes at a clean start.
    fn ensemble(&self) -> Box<dyn Ensemble + '_>;
}

impl<P: Terminating + 'static> MessageInstance for P {
    fn model(&self) -> &dyn Model {
        self
    }

    fn subject(&self) -> &dyn MessageAlgorithm {
        self
    }

    fn ensemble(&self) -> Box<dyn Ensemble + '_> {
        Box::new(Processes::new(self))
    }
}

/// So many steps are tried when an algorithm is built.
const TRIED: u64 = 64;

/// Message passing as an instance, after a look at the beginning of a run: at what its author may have got wrong.
pub(crate) fn forget_message<P: Terminating + 'static>(algorithm: P) -> Result<Instance, Refusal> {
    declared(&algorithm).map_err(|unfit| Refusal::new(unfit.to_string()))?;
    let instance: Arc<dyn MessageInstance> = Arc::new(algorithm);
    tried(&mut *instance.ensemble(), instance.subject())?;
    Ok(Instance::Message(instance))
}

fn tried(processes: &mut dyn Ensemble, algorithm: &dyn MessageAlgorithm) -> Result<(), Refusal> {
    let (network, mut coin) = (processes.network(), Generator::new(0));
    let state = |processes: &dyn Ensemble, process: usize| match processes.outside(process) {
        Some(written) => Err(Refusal::new(format!("process {process} writes {written}"))),
        None => Ok(()),
    };
    (0..network.size()).try_for_each(|process| state(processes, process))?;
    for step in 0..TRIED {
        let choices = processes.all_choices(algorithm.channels());
        let Some(&(process, act)) = choices.get(step as usize % choices.len().max(1)) else { return Ok(()) };
        let mut stray = None;
        processes.take(process, act, &mut coin, &mut |port, _| {
            stray = stray.or((port >= network.ports()).then_some(port));
        });
        if let Some(port) = stray {
            let ports = network.ports();
            return Err(Refusal::new(format!(
                "process {process} sends through port {port}, and has only ports 0 to {}",
                ports - 1
            )));
        }
        state(processes, process)?;
    }
    Ok(())
}
