//! Protocols in text as algorithms of each model.

pub(crate) mod graph;
pub(crate) mod host;
pub(crate) mod message;
pub(crate) mod population;
pub(crate) mod ring;

use crate::build::{Built, Problem};
use crate::configurations::predicates::Stabilized;
use crate::meaning::typed::Model;
use crate::models::graph::Linked;
use crate::models::message::TextMessages;
use crate::models::population::Pairs;
use crate::models::ring::Chained;
use ringleader_erased::{
    GraphInstance, Instance, MessageInstance, Parameters, PopulationInstance, Refusal, RingInstance,
};

/// Builds an instance.
pub(crate) fn instance(built: &Built<'_>, parameters: &Parameters) -> Result<Instance, Problem> {
    let beyond = |(_, wrong)| Refusal::new(format!("{}: in a rule or a set, at this size: {wrong}", built.unit.name));
    built.too_large().map_err(beyond)?;
    let instance = match built.unit.model {
        Model::Population { .. } => PopulationInstance::new(Stabilized::<Pairs>::new(built)?).map(Instance::Population),
        Model::Ring { chain, reads } => {
            RingInstance::new(Stabilized::<Chained>::new(built, chain, reads)?).map(Instance::Ring)
        }
        Model::Graph { .. } => GraphInstance::new(Stabilized::<Linked>::new(built)?).map(Instance::Graph),
        Model::Message { .. } => {
            return Ok(Instance::Message(MessageInstance::tried(TextMessages::new(built, parameters)?)?));
        }
    };
    Ok(instance.map_err(Refusal::from)?)
}
