//! The nodes of a cluster in one process, and what is done to them.

use super::aim::Aim;
use super::relay::{Datagram, Relay};
use crate::Refused;
use ringleader_catalog::Catalog;
use ringleader_erased::{Card, Parameters};
use ringleader_node::{Config, Corruption, Handle, Leadership, NOBODY};
use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::time::Duration;

/// What orders did to a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Condition {
    /// It does not run.
    pub down: bool,
    /// Its loop stands still.
    pub paused: bool,
    /// Its links are cut.
    pub isolated: bool,
    /// So many of a hundred datagrams it sends are lost.
    pub loss: u8,
}

/// What all nodes have in common.
#[derive(Clone, Debug)]
pub struct Plan {
    /// How many there are.
    pub size: usize,
    /// What they run.
    pub algorithm: String,
    /// How often a leader is heard of.
    pub heartbeat: Duration,
    /// The seed of what they draw.
    pub seed: u64,
    /// The parameters of what they run, by name.
    pub parameters: Vec<(String, String)>,
}

/// What can be done to a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    /// It ends as `kill -9` would end it.
    Kill,
    /// It starts again, if it is down.
    Restart,
    /// Its loop stops.
    Pause,
    /// Its loop goes on.
    Resume,
    /// All its links are cut.
    Isolate,
    /// All its links are mended.
    Heal,
    /// So many of a hundred datagrams that it sends are lost.
    Lose(u8),
    /// It hands the leadership over.
    Resign,
    /// Its variables are overwritten.
    Corrupt(Corruption),
}

/// One place in the cluster, whether or not its node runs.
struct Place {
    handle: Option<Handle>,
    address: SocketAddr,
    paused: bool,
    isolated: bool,
    loss: u8,
}

/// The nodes of a cluster, on loopback, and the network between them.
///
/// ```
/// use ringleader_catalog::Catalog;
/// use ringleader_lab::cluster::{Deed, Fleet, Plan};
/// use std::time::Duration;
///
/// let heartbeat = Duration::from_millis(20);
/// let plan = Plan { size: 3, algorithm: "robust-s5".into(), heartbeat, seed: 1, parameters: vec![] };
/// let mut fleet = Fleet::start(Catalog::builtin(), plan)?;
/// while fleet.agreed().is_none() {
///     std::thread::sleep(Duration::from_millis(5));
/// }
/// fleet.apply(2, Deed::Kill)?;
/// assert!(fleet.condition(2).down && !fleet.since(0).is_empty());
/// # Ok::<(), ringleader_lab::Refused>(())
/// ```
pub struct Fleet {
    catalog: Catalog,
    plan: Plan,
    relay: Relay,
    places: Vec<Place>,
    card: &'static Card,
    aim: Aim,
    /// The links that are cut one by one, the smaller end first.
    cut: BTreeSet<(usize, usize)>,
}

impl Fleet {
    /// Starts all nodes.
    pub fn start(catalog: Catalog, plan: Plan) -> Result<Fleet, Refused> {
        let relay = Relay::new(plan.size, plan.seed).map_err(|e| Refused::new(format!("cannot use loopback: {e}")))?;
        let card = catalog.card(&plan.algorithm).map_err(Refused::new)?;
        let parameters = Parameters::read(plan.size, &plan.parameters).map_err(Refused::new)?;
        let aim = Aim::of(&catalog, card, &parameters)?;
        let mut fleet = Fleet { catalog, plan, relay, places: vec![], card, aim, cut: BTreeSet::new() };
        for id in 0..fleet.plan.size {
            let handle = fleet.launch(id, SocketAddr::from(([127, 0, 0, 1], 0)))?;
            let address = handle.listen();
            fleet.places.push(Place { handle: Some(handle), address, paused: false, isolated: false, loss: 0 });
        }
        Ok(fleet)
    }

    fn launch(&self, id: usize, listen: SocketAddr) -> Result<Handle, Refused> {
        let mut config = Config::new(id, listen).heartbeat(self.plan.heartbeat);
        config.seed = self.plan.seed.wrapping_mul(1_000_003).wrapping_add(id as u64);
        let size = self.plan.size;
        if Aim::on_a_ring(self.card) {
            config.sides =
                Some([(id + size - 1) % size, (id + 1) % size].map(|peer| self.relay.door(peer).to_string()));
            config.place = ringleader_model::Place::of(id, size);
            config.size = Some(size);
        } else {
            config.peers = (0..size).map(|peer| (peer, self.relay.door(peer).to_string())).collect();
        }
        config.parameters.clone_from(&self.plan.parameters);
        config.algorithm.clone_from(&self.plan.algorithm);
        let handle = self.catalog.launch(config).map_err(Refused::new)?;
        self.relay.connect(id, handle.listen());
        Ok(handle)
    }

    /// How many nodes there are.
    pub fn size(&self) -> usize {
        self.plan.size
    }

    /// What each running node shows.
    pub fn views(&self) -> Vec<Option<Leadership>> {
        self.places.iter().map(|place| place.handle.as_ref().map(|handle| handle.leadership())).collect()
    }

    /// What was done to a node.
    pub fn condition(&self, id: usize) -> Condition {
        let Place { handle, paused, isolated, loss, .. } = &self.places[id];
        Condition { down: handle.is_none(), paused: *paused, isolated: *isolated, loss: *loss }
    }

    /// Whether a node is up, awake and connected.
    pub fn sound(&self, id: usize) -> bool {
        let Condition { down, paused, isolated, .. } = self.condition(id);
        !(down || paused || isolated)
    }

    /// How many datagrams a node has sent.
    pub fn sent(&self, id: usize) -> u64 {
        self.relay.sent(id)
    }

    /// How often the nodes that run have changed their leader, in all.
    pub fn changes(&self) -> u64 {
        self.places.iter().filter_map(|place| place.handle.as_ref()).map(|h| h.counters().leader_changes).sum()
    }

    /// The leader that all nodes agree on which are up, awake and connected; or [`NOBODY`], where they have reached what is not
    /// about a leader.
    pub fn agreed(&self) -> Option<usize> {
        let sound = (0..self.size()).filter(|&id| self.sound(id));
        let nodes: Vec<_> = sound.filter_map(|id| Some((id, self.places[id].handle.as_ref()?))).collect();
        self.aim.reached(&nodes, self.size())
    }

    /// The leader that they agree on.
    pub fn leader(&self) -> Option<usize> {
        self.agreed().filter(|&leader| leader != NOBODY)
    }

    /// Whether a node shows that it holds a token.
    pub fn token(&self, id: usize) -> bool {
        self.places[id].handle.as_ref().is_some_and(|node| node.token() == Some(true))
    }

    /// Does it to a node.
    pub fn apply(&mut self, id: usize, deed: Deed) -> Result<(), Refused> {
        let needs = matches!(deed, Deed::Pause | Deed::Resign | Deed::Corrupt(_));
        if needs && self.condition(id).down {
            return Err(Refused::new(format!("node {id} is down")));
        }
        let place = &mut self.places[id];
        match deed {
            Deed::Kill => {
                if let Some(handle) = place.handle.take() {
                    handle.kill();
                }
                place.paused = false;
            }
            Deed::Restart if place.handle.is_none() => {
                let address = place.address;
                let handle = self.launch(id, address)?;
                self.places[id].handle = Some(handle);
            }
            Deed::Restart => {}
            Deed::Pause | Deed::Resume => {
                place.paused = deed == Deed::Pause && place.handle.is_some();
                if let Some(handle) = &place.handle {
                    handle.pause(place.paused);
                }
            }
            Deed::Isolate => place.isolated = true,
            Deed::Heal => {
                (place.isolated, place.loss) = (false, 0);
                self.cut.retain(|&(a, b)| a != id && b != id);
            }
            Deed::Lose(percent) => place.loss = percent,
            Deed::Resign => place.handle.iter().for_each(Handle::resign),
            Deed::Corrupt(corruption) => place.handle.iter().for_each(|handle| handle.corrupt(corruption)),
        }
        self.relink();
        Ok(())
    }

    /// Cuts the link between two nodes, both ways, or mends it.
    pub fn cut(&mut self, a: usize, b: usize, cut: bool) {
        let link = (a.min(b), a.max(b));
        if cut && a != b {
            self.cut.insert(link);
        } else {
            self.cut.remove(&link);
        }
        self.relink();
    }

    /// The links that are cut one by one, the smaller end first.
    pub fn cut_links(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.cut.iter().copied()
    }

    /// For how long the cluster has been there.
    #[must_use]
    pub fn age(&self) -> Duration {
        self.relay.age()
    }

    /// The datagrams from a number on that are still remembered.
    #[must_use]
    pub fn since(&self, number: u64) -> Vec<Datagram> {
        self.relay.since(number)
    }

    /// Sets every link to what its two ends are in for.
    fn relink(&self) {
        for (from, sender) in self.places.iter().enumerate() {
            for (to, receiver) in self.places.iter().enumerate() {
                let cut = sender.isolated || receiver.isolated || self.cut.contains(&(from.min(to), from.max(to)));
                self.relay.set_loss(from, to, if cut { 100 } else { sender.loss });
            }
        }
    }

    /// The variables of a node.
    pub fn state(&self, id: usize) -> String {
        let answer = self.places[id].handle.as_ref().and_then(Handle::state);
        answer.unwrap_or_else(|| "does not answer".to_string())
    }
}
