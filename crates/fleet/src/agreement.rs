//! When a cluster has reached its goal. Not every algorithm tells every node who leads.

use ringleader_catalog::{Catalog, Instance, stabilizing};
use ringleader_erased::{Card, Kind, Number, Parameters, Refusal};
use ringleader_model::{Goal, text};
use ringleader_node::Handle;
use std::fmt;

/// The goal that a cluster has reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Agreement {
    /// This node is the one leader.
    Leader(usize),
    /// The states together are correct; the algorithm elects no leader.
    Correct,
}

impl Agreement {
    /// The one leader, if the goal is a leader.
    #[must_use]
    pub fn leader(self) -> Option<usize> {
        if let Agreement::Leader(id) = self { Some(id) } else { None }
    }
}

impl fmt::Display for Agreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Agreement::Leader(id) => write!(f, "{id} leads"),
            Agreement::Correct => f.write_str("the goal is reached"),
        }
    }
}

/// How a goal is recognized from outside.
pub(crate) enum Criterion {
    /// All nodes name the same leader.
    Named,
    /// One node leads; the others do not know which.
    Leader,
    /// There is at most one token.
    Token,
    /// The states of all nodes together are correct.
    Correct(Instance),
}

impl Criterion {
    pub(crate) fn of(catalog: &Catalog, card: &Card, parameters: &Parameters) -> Result<Criterion, Refusal> {
        if card.kind == Kind::Robust {
            return Ok(Criterion::Named);
        }
        let instance = catalog.instance(card.name, parameters)?;
        Ok(match stabilizing(&instance).map_or(Goal::OneLeader, |algorithm| algorithm.goal()) {
            Goal::OneLeader => Criterion::Leader,
            Goal::OneToken => Criterion::Token,
            Goal::Agreement | Goal::Holds(_) => Criterion::Correct(instance),
        })
    }

    /// What the healthy nodes, out of `size`, have reached.
    pub(crate) fn reached(&self, healthy: &[(usize, &Handle)], size: usize) -> Option<Agreement> {
        let leaders = || healthy.iter().map(|(id, node)| (*id, node.leadership().leader));
        match self {
            Criterion::Named => {
                let (_, first) = leaders().next()?;
                let is_healthy = healthy.iter().any(|(id, _)| *id == first);
                (leaders().all(|(_, leader)| leader == first) && is_healthy).then_some(Agreement::Leader(first))
            }
            // A ring or a graph with a gap has reached nothing.
            _ if healthy.len() < size => None,
            Criterion::Leader => {
                let mut claimed = leaders().filter(|(id, leader)| id == leader).map(|(id, _)| id);
                claimed.next().filter(|_| claimed.next().is_none()).map(Agreement::Leader)
            }
            // While a token moves, states that are asked for one after the other are no configuration.
            _ if healthy.iter().any(|(_, node)| node.status().token.is_some()) => {
                let tokens = healthy.iter().filter(|(_, node)| node.status().token == Some(true)).count();
                (tokens < 2).then_some(Agreement::Correct)
            }
            Criterion::Token => None,
            Criterion::Correct(instance) => {
                let algorithm = stabilizing(instance)?;
                let state = |(_, node): &(usize, &Handle)| text::parse_state(algorithm, &node.state()?, 1, 1).ok();
                let states: Vec<Number> = healthy.iter().map(state).collect::<Option<_>>()?;
                algorithm.correct(&states).then_some(Agreement::Correct)
            }
        }
    }
}
