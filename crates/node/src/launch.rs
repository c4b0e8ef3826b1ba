//! From an algorithm's name to a running node: the one place of this crate where algorithms have names.

use crate::{Config, Handle, Node, Preempt, StartError};
use ringleader_algorithms::{Parameters, Refusal, catalog};
use ringleader_model::{Population, Ring, Stabilizing, Terminating, Timed};
use std::time::Duration;

/// What runs where nothing else is said.
pub const DEFAULT_ALGORITHM: &str = "robust-s2";

/// How many bytes of a message of the default algorithm the first version of the wire format knows: kind, counter and phase.
const KNOWN_BYTES: usize = 17;

/// Whether it is the algorithm that knows itself when to act, asks, and hands over.
pub(crate) fn is_quick(name: &str) -> bool {
    name == DEFAULT_ALGORITHM
}

/// Whether an algorithm of the catalogue has this name.
pub(crate) fn is_known(name: &str) -> bool {
    catalog::card(name).is_ok()
}

/// The forms that suit practice, where an algorithm has them. Healing counters are the default anyway.
const PRACTICAL: [(&str, &str); 2] = [("pace", "fast"), ("form", "aggregated")];

impl Node {
    /// Starts a node of [`Config::algorithm`], in the form that suits practice. It runs until the handle is stopped or
    /// dropped.
    ///
    /// ```
    /// use ringleader_node::{Config, Node, Role};
    /// use std::time::Duration;
    ///
    /// let mut config = Config::new(0, "127.0.0.1:0".parse().unwrap()).heartbeat(Duration::from_millis(20));
    /// config.peers.insert(1, "127.0.0.1:9".into());
    /// let node = Node::start(config).unwrap();
    /// // Its only peer never starts, so it ends up leading.
    /// assert!(node.watch().any(|leadership| leadership.state == Role::Leader));
    /// node.stop();
    /// ```
    pub fn start(mut config: Config) -> Result<Handle, StartError> {
        let name = config.algorithm.clone();
        let card = catalog::card(&name)?;
        let quick = is_quick(&name);
        config.tempo.validate(!quick).map_err(StartError)?;
        let timing = if quick { config.tempo.timing() } else { config.tempo.tied_timing() };
        let mut parameters = Parameters::new(config.size())
            .with("alpha", timing.alpha.to_string())
            .with("beta", timing.beta.to_string())
            .with("delta", timing.delta.to_string());
        if quick {
            parameters = told(parameters, &config);
        }
        for (parameter, value) in PRACTICAL {
            if card.parameters.iter().any(|known| known.name == parameter) {
                parameters = parameters.with(parameter, value);
                config.algorithm += &format!(" {parameter}={value}");
            }
        }
        if !card.parameters.iter().any(|parameter| parameter.name == "delta") {
            return Err(not_for_machines(&name));
        }
        catalog::supports(&name, &parameters)?;
        catalog::visit(&name, &parameters, Launch { name: &name, config, known: quick.then_some(KNOWN_BYTES) })?
    }
}

/// What the default algorithm is told besides the timing. It is no part of what its messages mean.
fn told(parameters: Parameters, config: &Config) -> Parameters {
    let iterations = |time: Duration| time.as_nanos().div_ceil(config.tempo.iteration().as_nanos().max(1)).to_string();
    let mut weights = vec!["0".to_string(); config.size()];
    if let Some(own) = weights.get_mut(config.id) {
        *own = config.weight.to_string();
    }
    let parameters = parameters
        .with("period", config.tempo.period().to_string())
        .with("yields", iterations(config.handover))
        .with("weights", weights.join(","));
    match config.preempt {
        Preempt::Yes => parameters,
        Preempt::No => parameters.with("preempt", "no"),
        Preempt::After(time) => parameters.with("preempt", iterations(time)),
    }
}

impl From<Refusal> for StartError {
    fn from(refusal: Refusal) -> StartError {
        StartError(refusal.to_string())
    }
}

fn not_for_machines(name: &str) -> StartError {
    StartError(format!("{name} does not run among machines; robust-s2, -s5, -s4, -s3 and -s1 do"))
}

struct Launch<'a> {
    name: &'a str,
    config: Config,
    known: Option<usize>,
}

impl catalog::Visitor for Launch<'_> {
    type Output = Result<Handle, StartError>;
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
        Node::start_known(self.config, algorithm, self.known)
    }
}
