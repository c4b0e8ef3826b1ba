//! The nodes of a cluster in one process, and what is done to them.

use super::order::{Order, Who};
use super::relay::Relay;
use crate::catalog;
use crate::terminal::exit::Failure;
use ringleader_node::{Config, Handle, Leadership};
use std::net::SocketAddr;
use std::time::Duration;

/// What orders did to a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Condition {
    pub(crate) down: bool,
    pub(crate) paused: bool,
    pub(crate) isolated: bool,
    /// Of a hundred datagrams it sends.
    pub(crate) loss: u8,
}

/// What all nodes have in common.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) size: usize,
    pub(crate) algorithm: String,
    pub(crate) heartbeat: Duration,
    pub(crate) seed: u64,
}

/// One place in the cluster, whether or not its node runs.
struct Place {
    handle: Option<Handle>,
    address: SocketAddr,
    paused: bool,
    isolated: bool,
    loss: u8,
}

pub(crate) struct Fleet {
    plan: Plan,
    relay: Relay,
    places: Vec<Place>,
}

impl Fleet {
    /// Starts all nodes.
    pub(crate) fn start(plan: Plan) -> Result<Fleet, Failure> {
        let relay =
            Relay::new(plan.size, plan.seed).map_err(|e| Failure::usage(format!("cannot use loopback: {e}")))?;
        let mut fleet = Fleet { plan, relay, places: vec![] };
        for id in 0..fleet.plan.size {
            let handle = fleet.launch(id, SocketAddr::from(([127, 0, 0, 1], 0)))?;
            let address = handle.listen();
            fleet.places.push(Place { handle: Some(handle), address, paused: false, isolated: false, loss: 0 });
        }
        Ok(fleet)
    }

    fn launch(&self, id: usize, listen: SocketAddr) -> Result<Handle, Failure> {
        let mut config = Config::new(id, listen).heartbeat(self.plan.heartbeat);
        config.seed = self.plan.seed.wrapping_mul(1_000_003).wrapping_add(id as u64);
        config.peers = (0..self.plan.size).map(|peer| (peer, self.relay.door(peer).to_string())).collect();
        config.algorithm.clone_from(&self.plan.algorithm);
        let handle = catalog().launch(config).map_err(Failure::usage)?;
        self.relay.connect(id, handle.listen());
        Ok(handle)
    }

    pub(crate) fn size(&self) -> usize {
        self.plan.size
    }

    /// What each running node shows.
    pub(crate) fn views(&self) -> Vec<Option<Leadership>> {
        self.places.iter().map(|place| place.handle.as_ref().map(|handle| handle.leadership())).collect()
    }

    /// What was done to a node.
    pub(crate) fn condition(&self, id: usize) -> Condition {
        let Place { handle, paused, isolated, loss, .. } = &self.places[id];
        Condition { down: handle.is_none(), paused: *paused, isolated: *isolated, loss: *loss }
    }

    /// Whether a node is up, awake and connected.
    pub(crate) fn sound(&self, id: usize) -> bool {
        let Condition { down, paused, isolated, .. } = self.condition(id);
        !(down || paused || isolated)
    }

    /// How many datagrams a node has sent.
    pub(crate) fn sent(&self, id: usize) -> u64 {
        self.relay.sent(id)
    }

    /// How often the nodes that run have changed their leader, in all.
    pub(crate) fn changes(&self) -> u64 {
        self.places.iter().filter_map(|place| place.handle.as_ref()).map(|h| h.counters().leader_changes).sum()
    }

    /// The leader that all nodes name which are up, awake and connected, if it is one of them.
    pub(crate) fn agreed(&self) -> Option<usize> {
        let views = self.views();
        let mut named = (0..self.size()).filter(|&id| self.sound(id)).map(|id| views[id].map(|view| view.leader));
        let first = named.next()??;
        (named.all(|leader| leader == Some(first)) && self.sound(first)).then_some(first)
    }

    fn chosen(&self, who: Who) -> Result<Vec<usize>, String> {
        let leader = || self.agreed().ok_or("there is no agreed leader now".to_string());
        match who {
            Who::All => Ok((0..self.size()).collect()),
            Who::Leader => Ok(vec![leader()?]),
            Who::Follower => {
                let leader = leader()?;
                let follower = (0..self.size()).find(|&id| id != leader && self.sound(id));
                follower.map(|id| vec![id]).ok_or("nobody follows".to_string())
            }
            Who::Node(id) => Ok(vec![id]),
        }
    }

    /// Does it, and says to whom; waiting and showing are not the fleet's business.
    pub(crate) fn apply(&mut self, order: &Order) -> Result<Vec<usize>, String> {
        order.check(self.size())?;
        let Some(who) = order.who() else { return Ok(vec![]) };
        if let (Who::Node(id), Order::Pause(_) | Order::Resign(_) | Order::Corrupt(..)) = (who, order)
            && self.condition(id).down
        {
            return Err(format!("node {id} is down"));
        }
        let chosen = self.chosen(who)?;
        for &id in &chosen {
            self.apply_to(id, order)?;
        }
        self.relink();
        Ok(chosen)
    }

    fn apply_to(&mut self, id: usize, order: &Order) -> Result<(), String> {
        let place = &mut self.places[id];
        match *order {
            Order::Kill(_) => {
                if let Some(handle) = place.handle.take() {
                    handle.kill();
                }
                place.paused = false;
            }
            Order::Restart(_) if place.handle.is_none() => {
                let address = place.address;
                let handle = self.launch(id, address).map_err(|failure| failure.to_string())?;
                self.places[id].handle = Some(handle);
            }
            Order::Pause(_) | Order::Resume(_) => {
                place.paused = matches!(order, Order::Pause(_)) && place.handle.is_some();
                if let Some(handle) = &place.handle {
                    handle.pause(place.paused);
                }
            }
            Order::Isolate(_) => place.isolated = true,
            Order::Heal(_) => (place.isolated, place.loss) = (false, 0),
            Order::Loss(_, percent) => place.loss = percent,
            Order::Resign(_) => place.handle.iter().for_each(Handle::resign),
            Order::Corrupt(_, corruption) => place.handle.iter().for_each(|handle| handle.corrupt(corruption)),
            _ => {}
        }
        Ok(())
    }

    /// Sets every link to what its two ends are in for.
    fn relink(&self) {
        for (from, sender) in self.places.iter().enumerate() {
            for (to, receiver) in self.places.iter().enumerate() {
                let cut = sender.isolated || receiver.isolated;
                self.relay.set_loss(from, to, if cut { 100 } else { sender.loss });
            }
        }
    }

    /// The variables of a node.
    pub(crate) fn state(&self, id: usize) -> String {
        let answer = self.places[id].handle.as_ref().and_then(Handle::state);
        answer.unwrap_or_else(|| "does not answer".to_string())
    }
}
