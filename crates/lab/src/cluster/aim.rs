//! What a cluster is watched for: not all algorithms tell everyone who leads.

use crate::Refused;
use ringleader_catalog::{Catalog, Instance};
use ringleader_erased::{Card, Kind, Number, Parameters, Topology};
use ringleader_model::{Goal, Stabilizing, text};
use ringleader_node::{Handle, NOBODY};

/// What all nodes are to reach.
pub(crate) enum Aim {
    /// All name the same leader.
    Named,
    /// One leads; the others do not know which.
    Leader,
    /// There is not more than one token.
    Token,
    /// All their states together are what the algorithm promises.
    Correct(Instance),
}

impl Aim {
    /// The aim of an algorithm.
    pub(crate) fn of(catalog: &Catalog, card: &Card, parameters: &Parameters) -> Result<Aim, Refused> {
        if card.kind == Kind::Robust {
            return Ok(Aim::Named);
        }
        let instance = catalog.instance(card.name, parameters).map_err(Refused::new)?;
        let goal = match &instance {
            Instance::Population(protocol) => protocol.goal(),
            Instance::Ring(algorithm) => algorithm.goal(),
            _ => Goal::OneLeader,
        };
        Ok(match (goal, instance) {
            (Goal::OneLeader, _) => Aim::Leader,
            (Goal::OneToken, _) => Aim::Token,
            (Goal::Agreement | Goal::Holds(_), instance) => Aim::Correct(instance),
        })
    }

    /// Whether nodes are told of their neighbours only.
    pub(crate) fn on_a_ring(card: &Card) -> bool {
        card.kind != Kind::Robust && card.topology != Topology::Complete
    }

    /// The leader if the sound nodes have reached it, or [`NOBODY`] if it is not about one.
    pub(crate) fn reached(&self, nodes: &[(usize, &Handle)], all: usize) -> Option<usize> {
        let leaders = || nodes.iter().map(|(id, node)| (*id, node.leadership().leader));
        match self {
            Aim::Named => {
                let (_, first) = leaders().next()?;
                let sound = nodes.iter().any(|(id, _)| *id == first);
                (leaders().all(|(_, leader)| leader == first) && sound).then_some(first)
            }
            // A ring with a gap has reached nothing.
            _ if nodes.len() < all => None,
            Aim::Leader => {
                let mut those = leaders().filter(|(id, leader)| id == leader).map(|(id, _)| id);
                those.next().filter(|_| those.next().is_none())
            }
            // Where something moves, states that were asked for one after the other are of no one moment.
            _ if nodes.iter().any(|(_, node)| node.token().is_some()) => {
                let held = nodes.iter().filter(|(_, node)| node.token() == Some(true)).count();
                (held < 2).then_some(NOBODY)
            }
            Aim::Token => None,
            Aim::Correct(Instance::Population(protocol)) => correct(protocol, nodes),
            Aim::Correct(Instance::Ring(algorithm)) => correct(algorithm, nodes),
            Aim::Correct(_) => None,
        }
    }
}

fn correct<A: Stabilizing<State = Number>>(algorithm: &A, nodes: &[(usize, &Handle)]) -> Option<usize> {
    let state = |(_, node): &(usize, &Handle)| text::parse_state(algorithm, &node.state()?, 1, 1).ok();
    let states: Vec<Number> = nodes.iter().map(state).collect::<Option<_>>()?;
    algorithm.correct(&states).then_some(NOBODY)
}
