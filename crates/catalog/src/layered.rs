//! An instance, wrapped in the layers it is asked for.

use crate::Instance;
use crate::claims::first;
use ringleader_algorithms::population::layers::{Distance, Timer, Undirected};
use ringleader_algorithms::read_write;
use ringleader_algorithms::ring::alternator::Alternator;
use ringleader_erased::{
    Card, DetectorLayer, GraphInstance, Layer, Parameters, PopulationInstance, Refusal, RingInstance, Unfit,
};
use ringleader_model::{Networked, Population, Ring, Stabilizing};

/// Wraps an instance. What does not suit it has been refused before ([`ringleader_erased::Layers::suit`]).
pub(crate) fn layered(instance: Instance, card: &Card, parameters: &Parameters) -> Result<Instance, Refusal> {
    match instance {
        Instance::Population(inner) => population(inner, parameters).map(Instance::Population),
        Instance::Ring(inner) => ring(inner, card, parameters).map(Instance::Ring),
        Instance::Graph(inner) if parameters.layers.read_write => {
            forget_graph(read_write::graph::ReadWrite::new(inner)?).map(Instance::Graph)
        }
        other => Ok(other),
    }
}

/// A protocol as an instance.
pub(crate) fn forget<P: Population + Stabilizing + 'static>(protocol: P) -> Result<PopulationInstance, Refusal> {
    PopulationInstance::new(protocol).map_err(unfit)
}

/// A ring algorithm as an instance.
pub(crate) fn forget_ring<R: Ring + Stabilizing + 'static>(algorithm: R) -> Result<RingInstance, Refusal> {
    RingInstance::new(algorithm).map_err(unfit)
}

/// An algorithm for a graph as an instance.
pub(crate) fn forget_graph<A: Networked + Stabilizing + 'static>(algorithm: A) -> Result<GraphInstance, Refusal> {
    GraphInstance::new(algorithm).map_err(unfit)
}

fn unfit(error: Unfit) -> Refusal {
    Refusal::new(error.to_string())
}

fn population(inner: PopulationInstance, parameters: &Parameters) -> Result<PopulationInstance, Refusal> {
    let layers = parameters.layers;
    let inner = match layers.detector {
        None => inner,
        Some(DetectorLayer::Timer) => forget(Timer { inner, limit: layers.timer(parameters)? })?,
        Some(DetectorLayer::Distance) => forget(Distance { inner, bound: layers.bound(parameters)? })?,
    };
    if layers.undirected { forget(Undirected { inner }) } else { Ok(inner) }
}

fn ring(inner: RingInstance, card: &Card, parameters: &Parameters) -> Result<RingInstance, Refusal> {
    let layers = parameters.layers;
    let inner = if layers.alternator { alternated(inner, card, parameters)? } else { inner };
    if layers.read_write { forget_ring(read_write::ring::ReadWrite { inner }) } else { Ok(inner) }
}

fn alternated(inner: RingInstance, card: &Card, parameters: &Parameters) -> Result<RingInstance, Refusal> {
    if first(&inner).iter().any(|variable| variable.name == Alternator::<RingInstance>::VARIABLE) {
        let (algorithm, reason) = (card.name.into(), "it is behind an alternator already".into());
        return Err(Refusal::Unsuited { layer: Layer::Alternator, algorithm, reason });
    }
    forget_ring(Alternator::new(inner, parameters.size))
}
