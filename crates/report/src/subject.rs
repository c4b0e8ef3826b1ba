//! The subject of a report.

use ringleader_erased::{Card, Parameters};
use serde_json::{Map, Value, json};

/// An algorithm with its size, parameters and layers.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// Its card.
    pub card: &'a Card,
    /// Its size and the other given parameters.
    pub parameters: &'a Parameters,
}

/// The name of an algorithm's own steps, where published tables count other steps.
pub const OWN_STEPS: &str = "atomic";

impl Subject<'_> {
    /// The algorithm, its size and its parameters, as in `yokota-ring, 6 agents, bound 8`.
    #[must_use]
    pub fn title(&self) -> String {
        let Subject { card, parameters } = self;
        format!("{}, {} {}{}", card.name, parameters.size, card.kind.members(), self.given())
    }

    /// An object of a report, with the fields that say what it is about.
    pub(crate) fn describe(&self, mut object: Value) -> Value {
        object["version"] = json!(1);
        object["algorithm"] = json!(self.card.name);
        object["size"] = json!(self.parameters.size);
        object["parameters"] = self.given_json().into();
        object
    }

    /// The parameters besides the size, as in `, bound 8, form aggregated`.
    pub(crate) fn given(&self) -> String {
        self.parameters.given().iter().map(|(name, value)| format!(", {name} {value}")).collect()
    }

    pub(crate) fn given_json(&self) -> Map<String, Value> {
        self.parameters.given().into_iter().map(|(name, value)| (name, value.into())).collect()
    }

    /// The kind of steps that were counted, if there are several kinds.
    pub(crate) fn steps<'r>(&self, reading: Option<&'r str>) -> Option<&'r str> {
        (!self.card.readings.is_empty()).then_some(reading.unwrap_or(OWN_STEPS))
    }
}
