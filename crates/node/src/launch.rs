//! From an algorithm to a running node, in the form that suits practice.

use crate::{Config, Handle, Node, Preempt, StartError};
use ringleader_algorithms::robust::{s1::RobustS1, s2::RobustS2, s3::RobustS3, s4::RobustS4, s5::RobustS5};
use ringleader_erased::{Card, Entry, Parameters, Refusal};
use ringleader_model::Timed;
use std::time::Duration;

/// What runs where nothing else is said.
pub const DEFAULT_ALGORITHM: &str = RobustS2::CARD.name;

/// How many bytes of a message of the default algorithm the first version of the wire format knows: kind, counter and phase.
const KNOWN_BYTES: usize = 17;

/// Whether it is the algorithm that knows itself when to act, asks, and hands over.
pub(crate) fn is_quick(name: &str) -> bool {
    name == DEFAULT_ALGORITHM
}

/// Whether an algorithm that is built in has this name.
pub(crate) fn is_known(name: &str) -> bool {
    BUILT_IN.iter().any(|(known, _)| *known == name)
}

/// The forms that suit practice, where an algorithm has them. Healing counters are the default anyway.
const PRACTICAL: [(&str, &str); 2] = [("pace", "fast"), ("form", "aggregated")];

type Start = fn(Config) -> Result<Handle, StartError>;

/// The algorithms that are built in.
const BUILT_IN: [(&str, Start); 5] = [
    (RobustS2::CARD.name, Node::start_as::<RobustS2>),
    (RobustS5::CARD.name, Node::start_as::<RobustS5>),
    (RobustS4::CARD.name, Node::start_as::<RobustS4>),
    (RobustS3::CARD.name, Node::start_as::<RobustS3>),
    (RobustS1::CARD.name, Node::start_as::<RobustS1>),
];

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
    pub fn start(config: Config) -> Result<Handle, StartError> {
        match BUILT_IN.iter().find(|(name, _)| *name == config.algorithm) {
            Some((_, start)) => start(config),
            None => Err(StartError::not_for_machines(&config.algorithm, Node::algorithms())),
        }
    }

    /// The names of the algorithms that [`Node::start`] takes.
    pub fn algorithms() -> impl Iterator<Item = &'static str> {
        BUILT_IN.iter().map(|(name, _)| *name)
    }

    /// Starts a node of an algorithm that has a card, built in or not, in the form that suits practice.
    pub fn start_as<A: Entry + Timed + 'static>(mut config: Config) -> Result<Handle, StartError> {
        let card: Card = A::CARD;
        let quick = is_quick(card.name);
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
        parameters.check(&card)?;
        A::supports(&parameters)?;
        Node::start_known(config, A::build(&parameters)?, quick.then_some(KNOWN_BYTES))
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

impl StartError {
    /// The refusal of an algorithm that does not run among machines, beside those that do.
    pub fn not_for_machines<'a>(name: &str, those_that_do: impl Iterator<Item = &'a str>) -> StartError {
        let those_that_do: Vec<_> = those_that_do.collect();
        StartError(format!("{name} does not run among machines; those that do: {}", those_that_do.join(", ")))
    }
}
