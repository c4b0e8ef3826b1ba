//! An instance, wrapped in the layers it is asked for.

use crate::Instance;
use crate::claims::first;
use ringleader_algorithms::population::layers::{Distance, Timer, Undirected};
use ringleader_algorithms::read_write;
use ringleader_algorithms::ring::alternator::Alternator;
use ringleader_erased::{
    Card, DetectorLayer, GraphInstance, Layer, Parameters, PopulationInstance, Refusal, RingInstance,
};

/// Wraps an instance. What does not suit it has been refused before ([`ringleader_erased::Layers::suit`]).
pub(crate) fn layered(instance: Instance, card: &Card, parameters: &Parameters) -> Result<Instance, Refusal> {
    Ok(match instance {
        Instance::Population(inner) => Instance::Population(population(inner, parameters)?),
        Instance::Ring(inner) => Instance::Ring(ring(inner, card, parameters)?),
        Instance::Graph(inner) if parameters.layers.read_write => {
            Instance::Graph(GraphInstance::new(read_write::graph::ReadWrite::new(inner)?)?)
        }
        other => other,
    })
}

fn population(mut inner: PopulationInstance, parameters: &Parameters) -> Result<PopulationInstance, Refusal> {
    let layers = parameters.layers;
    inner = match layers.detector {
        None => inner,
        Some(DetectorLayer::Timer) => PopulationInstance::new(Timer { inner, limit: layers.timer(parameters)? })?,
        Some(DetectorLayer::Distance) => PopulationInstance::new(Distance { inner, bound: layers.bound(parameters)? })?,
    };
    Ok(if layers.undirected { PopulationInstance::new(Undirected { inner })? } else { inner })
}

fn ring(mut inner: RingInstance, card: &Card, parameters: &Parameters) -> Result<RingInstance, Refusal> {
    let layers = parameters.layers;
    if layers.alternator {
        if first(&inner).iter().any(|variable| variable.name == Alternator::<RingInstance>::VARIABLE) {
            let (algorithm, reason) = (card.name.into(), "it is behind an alternator already".into());
            return Err(Refusal::Unsuited { layer: Layer::Alternator, algorithm, reason });
        }
        inner = RingInstance::new(Alternator::new(inner, parameters.size))?;
    }
    Ok(if layers.read_write { RingInstance::new(read_write::ring::ReadWrite { inner })? } else { inner })
}
