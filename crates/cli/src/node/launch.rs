//! From an algorithm's name to a running node: here, and not in the engine, algorithms have names.

use crate::failure::Failure;
use ringleader_algorithms::{Parameters, catalog};
use ringleader_model::{Population, Ring, Stabilizing, Terminating, Timed};
use ringleader_node::{Config, Handle, Node};

/// What runs where nothing else is said.
pub(crate) const DEFAULT_ALGORITHM: &str = "robust-s2";

/// The forms that suit practice, where an algorithm has them. Healing counters are the default anyway.
const PRACTICAL: [(&str, &str); 2] = [("pace", "fast"), ("form", "aggregated")];

/// Starts a node of the named algorithm in the form that suits practice.
pub(crate) fn launch(name: &str, mut config: Config, size: usize) -> Result<Handle, Failure> {
    let card = catalog::card(name)?;
    config.tempo.validate().map_err(Failure::usage)?;
    let timing = config.tempo.timing();
    let mut parameters = Parameters::new(size)
        .with("alpha", timing.alpha.to_string())
        .with("beta", timing.beta.to_string())
        .with("delta", timing.delta.to_string());
    config.algorithm = name.to_string();
    for (parameter, value) in PRACTICAL {
        if card.parameters.iter().any(|known| known.name == parameter) {
            parameters = parameters.with(parameter, value);
            config.algorithm += &format!(" {parameter}={value}");
        }
    }
    if !card.parameters.iter().any(|parameter| parameter.name == "delta") {
        return Err(not_for_machines(name));
    }
    catalog::supports(name, &parameters)?;
    catalog::visit(name, &parameters, Launch { name, config })?
}

fn not_for_machines(name: &str) -> Failure {
    Failure::usage(format!("{name} does not run among machines; robust-s2, -s5, -s4, -s3 and -s1 do"))
}

struct Launch<'a> {
    name: &'a str,
    config: Config,
}

impl catalog::Visitor for Launch<'_> {
    type Output = Result<Handle, Failure>;
    fn population<A: Population + Stabilizing + 'static>(self, _: A) -> Self::Output {
        Err(not_for_machines(self.name))
    }
    fn ring<A: Ring + Stabilizing + 'static>(self, _: A) -> Self::Output {
        Err(not_for_machines(self.name))
    }
    fn message<A: Terminating + 'static>(self, _: A) -> Self::Output {
        Err(not_for_machines(self.name))
    }
    fn robust<A: Timed + 'static>(self, algorithm: A) -> Self::Output {
        Node::start(self.config, algorithm).map_err(Failure::usage)
    }
}
