//! The built-in algorithms as running nodes, in the form for practice.

use crate::config::DEFAULT_ALGORITHM;
use crate::{Config, Handle, Node, NodeError, Preempt};
use ringleader_algorithms::robust::{s1::RobustS1, s2::RobustS2, s3::RobustS3, s4::RobustS4, s5::RobustS5};
use ringleader_erased::{Card, Entry, Parameters};
use ringleader_model::Timed;
use std::time::Duration;

/// The parameters for practice, of algorithms that have them. Stabilizing counters are the default anyway.
const PRACTICAL: [(&str, &str); 2] = [("pace", "fast"), ("form", "aggregated")];

/// The greatest patience with a silent leader, in heartbeats.
const PATIENCE: u32 = 4;

type Prepare = fn(Config) -> Result<Node, NodeError>;

/// The built-in algorithms.
const BUILT_IN: [(&str, Prepare); 5] = [
    (RobustS2::CARD.name, Node::prepare_as::<RobustS2>),
    (RobustS5::CARD.name, Node::prepare_as::<RobustS5>),
    (RobustS4::CARD.name, Node::prepare_as::<RobustS4>),
    (RobustS3::CARD.name, Node::prepare_as::<RobustS3>),
    (RobustS1::CARD.name, Node::prepare_as::<RobustS1>),
];

impl Node {
    /// Starts a node of [`Config::algorithm`], in the form for practice. It runs until the handle is stopped or dropped.
    ///
    /// ```
    /// use ringleader_node::{Config, Node, Role};
    /// use std::time::Duration;
    ///
    /// let mut config = Config::new(0, "127.0.0.1:0".parse().unwrap()).heartbeat(Duration::from_millis(20));
    /// config.peers.insert(1, "127.0.0.1:9".into());
    /// let node = Node::start(config).unwrap();
    /// // Its only peer never starts, so it becomes the leader.
    /// assert!(node.watch().any(|leadership| leadership.state == Role::Leader));
    /// node.stop();
    /// ```
    pub fn start(config: Config) -> Result<Handle, NodeError> {
        Node::prepare(config)?.run()
    }

    /// Validates the settings as for a start, without running the node.
    pub fn prepare(config: Config) -> Result<Node, NodeError> {
        match BUILT_IN.iter().find(|(name, _)| *name == config.algorithm) {
            Some((_, prepare)) => {
                suits(&config)?;
                prepare(config)
            }
            None => Err(NodeError::not_for_machines(&config.algorithm, Node::algorithms())),
        }
    }

    /// The names of the algorithms that [`Node::start`] accepts.
    pub fn algorithms() -> impl Iterator<Item = &'static str> {
        BUILT_IN.iter().map(|(name, _)| *name)
    }

    /// A node of any algorithm with a card, in the form for practice.
    pub fn prepare_as<A: Entry + Timed + 'static>(config: Config) -> Result<Node, NodeError> {
        config.validate()?;
        let (card, quick): (Card, bool) = (A::CARD, config.is_quick());
        let timing = if quick { config.tempo.timing() } else { config.tempo.tied_timing() };
        let mut parameters = Parameters::new(config.size())
            .with("alpha", timing.alpha.to_string())
            .with("beta", timing.beta.to_string())
            .with("delta", timing.delta.to_string());
        if quick {
            parameters = preferences(parameters, &config);
        }
        let mut meaning = config.algorithm.clone();
        for (parameter, value) in PRACTICAL {
            if card.parameters.iter().any(|known| known.name == parameter) {
                parameters = parameters.with(parameter, value);
                meaning += &format!(" {parameter}={value}");
            }
        }
        parameters.check(&card)?;
        A::supports(&parameters)?;
        Node::prepare_timed(config, A::build(&parameters)?, meaning)
    }
}

/// Refuses settings that other robust algorithms than the default one do not support.
fn suits(config: &Config) -> Result<(), NodeError> {
    let preferences =
        config.weight != 0 || config.preempt != Preempt::Yes || config.check.is_some() || config.drain.is_some();
    let name = &config.algorithm;
    let reason =
        format!("weight, preempt, check and drain are for {DEFAULT_ALGORITHM}: {name} has no rule for handing over");
    NodeError::refuse_if(preferences && !config.is_quick(), reason)?;
    let reason =
        format!("on-token is for algorithms that pass a token around, such as fich-johnen-token: {name} has no token");
    NodeError::refuse_if(config.token_waits, reason)
}

/// The parameters of the default algorithm besides the timing. The meaning of messages does not depend on them.
fn preferences(parameters: Parameters, config: &Config) -> Parameters {
    let iterations = |time: Duration| time.as_nanos().div_ceil(config.tempo.iteration().as_nanos().max(1)).to_string();
    let mut weights = vec!["0".to_string(); config.size()];
    if let Some(own) = weights.get_mut(config.id) {
        *own = config.weight.to_string();
    }
    let mut parameters = parameters
        .with("period", config.tempo.period().to_string())
        .with("yields", iterations(config.handover))
        .with("weights", weights.join(","))
        .with("preempt", config.preempt.after(config.tempo.heartbeat).map_or("no".into(), iterations));
    if let Some(guard) = &config.guard {
        // When the lease is over nobody leads.
        let most = guard.over().min(PATIENCE * config.tempo.heartbeat);
        parameters = parameters.with("most-patience", iterations(most));
    }
    parameters
}

impl NodeError {
    /// The refusal of an algorithm that does not run among machines, with a list of those that do.
    pub fn not_for_machines<'a>(name: &str, those_that_do: impl Iterator<Item = &'a str>) -> NodeError {
        let those_that_do: Vec<_> = those_that_do.collect();
        NodeError::new(format!("{name} does not run among machines; these algorithms do: {}", those_that_do.join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringleader_node_core::Guard;

    /// Nobody leads when the lease is over, so no follower waits longer; a long lease does not make followers more patient than without the guard.
    #[test]
    fn patience_ends_with_the_lease_or_after_four_heartbeats() {
        for (lease, iterations) in [(None, None), (Some(23), Some(47)), (Some(39), Some(79)), (Some(200), Some(80))] {
            let mut config = Config::new(0, "127.0.0.1:0".parse().unwrap()).heartbeat(Duration::from_millis(100));
            config.guard = lease.map(|tenths| Guard::new(config.tempo.heartbeat * tenths / 10));
            let parameters = preferences(Parameters::new(3), &config);
            assert_eq!(parameters.number("most-patience").unwrap(), iterations, "a lease of {lease:?} tenths");
        }
    }
}
