//! The nodes of a cluster in one process, and the faults that are injected into them.

use crate::action::Action;
use crate::agreement::{Agreement, Criterion};
use crate::relay::Relay;
use ringleader_catalog::Catalog;
use ringleader_erased::{Card, Kind, Parameters, Refusal, Topology};
use ringleader_model::Graph;
use ringleader_node::{Config, Handle, Leadership, Links, NodeError};
use std::collections::BTreeSet;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

/// What actions did to a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Condition {
    /// The node does not run.
    pub down: bool,
    /// Its loop is stopped.
    pub paused: bool,
    /// All its links are cut.
    pub isolated: bool,
    /// The percentage of its datagrams that are lost.
    pub loss: u8,
}

/// The settings that all nodes share.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The number of nodes.
    pub size: usize,
    /// The name of the algorithm.
    pub algorithm: String,
    /// The time between two heartbeats of a leader.
    pub heartbeat: Duration,
    /// The seed of losses and corruptions.
    pub seed: u64,
    /// The parameters of the algorithm, by name.
    pub parameters: Vec<(String, String)>,
    /// The graph of an algorithm for any graph, with a process for each node.
    pub graph: Option<Arc<Graph>>,
}

/// Why a fleet cannot start, or cannot carry out an action.
#[derive(Debug, thiserror::Error)]
pub enum FleetError {
    /// There are no sockets on loopback.
    #[error("cannot open sockets on loopback: {0}")]
    Loopback(#[from] std::io::Error),
    /// The algorithm does not exist, or not with these parameters.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// A node does not start.
    #[error(transparent)]
    Start(#[from] NodeError),
    /// The action needs a running node.
    #[error("node {0} is down")]
    Down(usize),
    /// The fleet has no such node.
    #[error("there is no node {id}: the nodes are 0 to {}", size - 1)]
    NoNode {
        /// The node that was named.
        id: usize,
        /// The number of nodes.
        size: usize,
    },
    /// A link has two different ends, which are neighbours on a graph.
    #[error("there is no link between node {0} and node {1}")]
    NoLink(usize, usize),
}

/// One node, whether or not it runs.
struct Slot {
    handle: Option<Handle>,
    address: SocketAddr,
    condition: Condition,
}

/// The end of a demonstration needs no handover from node to node.
impl Drop for Slot {
    fn drop(&mut self) {
        if let Some(handle) = self.handle.take() {
            handle.kill();
        }
    }
}

/// The nodes of a cluster on loopback, and the network between them.
pub struct Fleet {
    catalog: Catalog,
    plan: Plan,
    /// The network between the nodes.
    pub relay: Relay,
    slots: Vec<Slot>,
    card: &'static Card,
    criterion: Criterion,
    /// The links that are cut one by one, the smaller end first.
    cut: BTreeSet<(usize, usize)>,
}

impl Fleet {
    /// Starts all nodes.
    pub fn start(catalog: Catalog, plan: Plan) -> Result<Fleet, FleetError> {
        let relay = Relay::new(plan.size, plan.seed)?;
        let card = catalog.card(&plan.algorithm)?;
        let mut parameters = Parameters::read(plan.size, &plan.parameters)?;
        parameters.graph.clone_from(&plan.graph);
        let criterion = Criterion::of(&catalog, card, &parameters)?;
        let mut fleet = Fleet { catalog, plan, relay, slots: vec![], card, criterion, cut: BTreeSet::new() };
        for id in 0..fleet.plan.size {
            let handle = fleet.launch(id, (Ipv4Addr::LOCALHOST, 0).into())?;
            let address = handle.listen();
            fleet.slots.push(Slot { handle: Some(handle), address, condition: Condition::default() });
        }
        Ok(fleet)
    }

    fn launch(&self, id: usize, listen: SocketAddr) -> Result<Handle, NodeError> {
        let mut config = Config::new(id, listen).heartbeat(self.plan.heartbeat);
        config.seed = self.plan.seed.wrapping_mul(1_000_003).wrapping_add(id as u64);
        let size = self.plan.size;
        let proxy = |peer: usize| self.relay.proxy(peer).to_string();
        // On a ring a node knows its neighbours only.
        if !matches!(self.card.kind, Kind::Robust | Kind::Graph) && self.card.topology != Topology::Complete {
            config.sides = Some([(id + size - 1) % size, (id + 1) % size].map(proxy));
            config.place = ringleader_model::Place::of(id, size);
            config.size = Some(size);
        } else {
            config.peers = (0..size).map(|peer| (peer, proxy(peer))).collect();
        }
        config.graph = self.plan.graph.clone().map(Links::Given);
        config.parameters.clone_from(&self.plan.parameters);
        config.algorithm.clone_from(&self.plan.algorithm);
        let handle = self.catalog.launch(config)?;
        self.relay.connect(id, handle.listen());
        Ok(handle)
    }

    /// The number of nodes.
    #[must_use]
    pub fn size(&self) -> usize {
        self.plan.size
    }

    /// What each running node says of the leadership.
    #[must_use]
    pub fn views(&self) -> Vec<Option<Leadership>> {
        self.slots.iter().map(|slot| slot.handle.as_ref().map(|handle| handle.leadership())).collect()
    }

    /// What actions did to a node.
    #[must_use]
    pub fn condition(&self, id: usize) -> Condition {
        self.slots[id].condition
    }

    /// Whether a node runs and has links.
    #[must_use]
    pub fn is_healthy(&self, id: usize) -> bool {
        let Condition { down, paused, isolated, .. } = self.condition(id);
        !(down || paused || isolated)
    }

    /// The number of leader changes that the running nodes have seen, in all.
    #[must_use]
    pub fn changes(&self) -> u64 {
        self.slots.iter().filter_map(|slot| slot.handle.as_ref()).map(|h| h.counters().leader_changes).sum()
    }

    /// What the healthy nodes have agreed on.
    #[must_use]
    pub fn agreement(&self) -> Option<Agreement> {
        let healthy = (0..self.size()).filter(|&id| self.is_healthy(id));
        let nodes: Vec<_> = healthy.filter_map(|id| Some((id, self.slots[id].handle.as_ref()?))).collect();
        self.criterion.reached(&nodes, self.size())
    }

    /// The leader that the healthy nodes have agreed on.
    #[must_use]
    pub fn leader(&self) -> Option<usize> {
        self.agreement()?.leader()
    }

    /// Whether a node says that it holds a token.
    #[must_use]
    pub fn token(&self, id: usize) -> bool {
        self.slots[id].handle.as_ref().is_some_and(|node| node.status().token == Some(true))
    }

    /// Refuses a node that the fleet does not have.
    pub fn check(&self, id: usize) -> Result<(), FleetError> {
        let size = self.size();
        if id < size { Ok(()) } else { Err(FleetError::NoNode { id, size }) }
    }

    /// Carries out an action at a node.
    pub fn apply(&mut self, id: usize, action: Action) -> Result<(), FleetError> {
        self.check(id)?;
        let needs_node = matches!(action, Action::Pause | Action::Resign | Action::Corrupt(_));
        if needs_node && self.condition(id).down {
            return Err(FleetError::Down(id));
        }
        let Slot { handle, address, condition } = &mut self.slots[id];
        match action {
            Action::Kill => {
                if let Some(handle) = handle.take() {
                    handle.kill();
                }
                (condition.down, condition.paused) = (true, false);
            }
            Action::Restart if condition.down => {
                let address = *address;
                let handle = self.launch(id, address)?;
                self.slots[id].handle = Some(handle);
                self.slots[id].condition.down = false;
            }
            Action::Restart => {}
            Action::Pause | Action::Resume => {
                condition.paused = action == Action::Pause && !condition.down;
                handle.iter().for_each(|handle| handle.pause(condition.paused));
            }
            Action::Isolate => condition.isolated = true,
            Action::Heal => {
                (condition.isolated, condition.loss) = (false, 0);
                self.cut.retain(|&(a, b)| a != id && b != id);
            }
            Action::Loss(percent) => condition.loss = percent,
            Action::Resign => handle.iter().for_each(Handle::resign),
            Action::Corrupt(corruption) => handle.iter().for_each(|handle| handle.corrupt(corruption)),
        }
        self.update_links();
        Ok(())
    }

    /// Cuts the link between two nodes, both ways, or repairs it.
    pub fn set_cut(&mut self, a: usize, b: usize, cut: bool) -> Result<(), FleetError> {
        self.check(a.max(b))?;
        let edge = |graph: &Arc<Graph>| graph.neighbours().of(a).contains(&(b as u32));
        if a == b || !self.plan.graph.as_ref().is_none_or(edge) {
            return Err(FleetError::NoLink(a, b));
        }
        let link = (a.min(b), a.max(b));
        if cut {
            self.cut.insert(link)
        } else {
            self.cut.remove(&link)
        };
        self.update_links();
        Ok(())
    }

    /// The links that are cut one by one, the smaller end first.
    pub fn cut_links(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.cut.iter().copied()
    }

    /// Sets the loss of every link from the conditions of its two ends.
    fn update_links(&self) {
        for (from, sender) in self.slots.iter().enumerate() {
            for (to, receiver) in self.slots.iter().enumerate() {
                let (sender, receiver) = (sender.condition, receiver.condition);
                let cut = sender.isolated || receiver.isolated || self.cut.contains(&(from.min(to), from.max(to)));
                self.relay.set_loss(from, to, if cut { 100 } else { sender.loss });
            }
        }
    }

    /// The variables of a node as text, if it answers.
    #[must_use]
    pub fn state(&self, id: usize) -> Option<String> {
        self.slots[id].handle.as_ref().and_then(Handle::state)
    }
}
