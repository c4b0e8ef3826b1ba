//! A ring, a graph, or a complete network, of the cores that nodes put on sockets, in virtual time.

use ringleader_catalog::{Catalog, Instance};
use ringleader_erased::{Kind, Number, Parameters, Topology};
use ringleader_model::graph::Family;
use ringleader_model::{Chain, Coin, Goal, Graph, NoCoin, Place, Ring, Stabilizing, Variables, View, text};
use ringleader_node::{Command, Config, Core, CoreConfig, Keys, Links, NeighbourKind, Now, PayloadKind, SplitMix};
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};
use std::time::Duration;

const HEARTBEAT: Duration = Duration::from_millis(100);
/// Microseconds between two iterations.
const ITERATION: u64 = 5_000;
/// What counts as settled: so many microseconds without a change.
const STRETCH: u64 = 1_000_000;

/// When, in which order, to whom (by a datagram) or whose iteration.
type Event = (u64, u64, usize, Option<Vec<u8>>);

/// A network, and what is under way.
pub(crate) struct World {
    pub(crate) cores: Vec<Core>,
    sides: bool,
    /// The links that are cut, by both ends.
    pub(crate) cut: BTreeSet<(usize, usize)>,
    loss: u32,
    pub(crate) now: u64,
    due: BinaryHeap<Reverse<Event>>,
    count: u64,
    coin: SplitMix,
    /// What was sent, and to whom, if that is to be kept.
    pub(crate) wire: Option<Vec<(usize, Vec<u8>)>>,
}

pub(crate) fn at(micros: u64) -> Now {
    Now { elapsed: Duration::from_micros(micros), unix_micros: 1_800_000_000_000_000 + micros }
}

/// The line, a graph and a tree.
pub(crate) fn line(size: usize) -> Graph {
    Family::Line.graph(size, &mut NoCoin).unwrap()
}

/// What a member is told: of an algorithm for any graph, on a line.
pub(crate) fn told(name: &str, size: usize, id: usize) -> Config {
    let mut config = Config::new(id, "127.0.0.1:0".parse().unwrap());
    (config.algorithm, config.size) = (name.into(), Some(size));
    config.place = Place::of(id, size);
    let card = Catalog::builtin().card(name).unwrap();
    if card.kind == Kind::Graph {
        config.graph = Some(Links::Given(line(size).into()));
    } else if card.topology != Topology::Complete {
        config.sides = Some(["127.0.0.1:1".into(), "127.0.0.1:2".into()]);
    }
    config
}

impl World {
    pub(crate) fn new(name: &str, size: usize, loss: u32, seed: u64) -> World {
        World::keyed(name, size, loss, seed, &Keys::none())
    }

    pub(crate) fn keyed(name: &str, size: usize, loss: u32, seed: u64, keys: &Keys) -> World {
        World::of(size, loss, seed, keys, |id| told(name, size, id))
    }

    /// An algorithm for any graph on this one.
    pub(crate) fn on(graph: &Graph, name: &str, loss: u32, seed: u64) -> World {
        let links = Links::Given(graph.clone().into());
        let told = |id| Config { graph: Some(links.clone()), ..told(name, graph.size(), id) };
        World::of(graph.size(), loss, seed, &Keys::none(), told)
    }

    fn of(size: usize, loss: u32, seed: u64, keys: &Keys, told: impl Fn(usize) -> Config) -> World {
        let mut coin = SplitMix::new(seed);
        let sides = told(0).sides.is_some();
        let mut cores = vec![];
        for id in 0..size {
            cores.push(core(told(id), size, 1 + id as u64, keys, &mut coin, 0));
        }
        let (due, cut) = (BinaryHeap::new(), BTreeSet::new());
        let mut world = World { cores, sides, cut, loss, now: 0, due, count: 0, coin, wire: None };
        for id in 0..size {
            let first = u64::from(world.coin.below(ITERATION as u32));
            world.put(first, id, None);
        }
        world
    }

    /// Kills a member and starts it anew, in an arbitrary state.
    pub(crate) fn restart(&mut self, told: Config) {
        let (size, id, boot) = (self.cores.len(), told.id, 1000 + self.now);
        self.cores[id] = core(told, size, boot, &Keys::none(), &mut self.coin, self.now);
    }

    fn put(&mut self, when: u64, whom: usize, what: Option<Vec<u8>>) {
        self.count += 1;
        self.due.push(Reverse((when, self.count, whom, what)));
    }

    /// Sends, or loses, or sends twice; it takes up to three milliseconds.
    fn send(&mut self, to: usize, datagram: &[u8]) {
        self.wire.iter_mut().for_each(|wire| wire.push((to, datagram.to_vec())));
        for _ in 0..if self.coin.below(10) == 0 { 2 } else { 1 } {
            if self.coin.below(100) >= self.loss {
                let when = self.now + 100 + u64::from(self.coin.below(3000));
                self.put(when, to, Some(datagram.to_vec()));
            }
        }
    }

    fn neighbour(&self, id: usize, port: usize) -> usize {
        let size = self.cores.len();
        match (self.sides, port) {
            (false, peer) => peer,
            (true, 0) => (id + size - 1) % size,
            (true, _) => (id + 1) % size,
        }
    }

    pub(crate) fn run_until(&mut self, end: u64) {
        while let Some(Reverse((when, ..))) = self.due.peek()
            && *when <= end
        {
            let Reverse((when, _, id, what)) = self.due.pop().unwrap();
            self.now = when;
            match what {
                None => {
                    self.cores[id].iterate(at(when));
                    let next = when + ITERATION + u64::from(self.coin.below(200));
                    self.put(next, id, None);
                }
                Some(datagram) => {
                    // What is dropped is the core's business.
                    let _ = self.cores[id].receive(at(when), &datagram);
                }
            }
            for command in self.cores[id].take_commands() {
                let (port, datagram) = match command {
                    Command::Send { to, datagram } => (to, datagram),
                    // The sender's port is in the header of the reply.
                    Command::Reply(reply) => (usize::from(u16::from_be_bytes([reply[26], reply[27]])), reply),
                    _ => continue,
                };
                let to = self.neighbour(id, port);
                if !self.cut.contains(&(id.min(to), id.max(to))) {
                    self.send(to, &datagram);
                }
            }
        }
        self.now = end;
    }

    /// How many interactions, or looks at neighbours, have come to an end.
    pub(crate) fn steps(&self) -> u64 {
        let count = |core: &Core| {
            let kinds = &core.counters().messages_received;
            let ends = [NeighbourKind::Done, NeighbourKind::Shown].map(PayloadKind::Neighbour);
            ends.iter().filter_map(|kind| kinds.get(kind)).sum::<u64>()
        };
        self.cores.iter().map(count).sum()
    }

    /// What all show, if that is what the goal asks for: the leader, or that there is not more than one token.
    fn verdict(&self, instance: &Instance) -> Option<usize> {
        let views: Vec<_> = self.cores.iter().map(Core::status).collect();
        let goal = match instance {
            Instance::Population(protocol) => protocol.goal(),
            Instance::Ring(algorithm) => algorithm.goal(),
            Instance::Graph(algorithm) => algorithm.goal(),
            _ => Goal::OneLeader,
        };
        let only = |mut those: Box<dyn Iterator<Item = usize> + '_>| those.next().filter(|_| those.next().is_none());
        let all = 0..views.len();
        match goal {
            Goal::OneLeader => only(Box::new(all.filter(|&id| views[id].leadership.leader == id))),
            Goal::OneToken => (self.holders(instance).len() < 2).then_some(0),
            Goal::Agreement | Goal::Holds(_) => match instance {
                Instance::Population(protocol) => protocol.correct(&self.states(protocol)).then_some(0),
                Instance::Ring(algorithm) => algorithm.correct(&self.states(algorithm)).then_some(0),
                Instance::Graph(algorithm) => algorithm.correct(&self.states(algorithm)).then_some(0),
                other => panic!("{other:?} is not about states"),
            },
        }
    }

    pub(crate) fn states<A: Variables<State = Number>>(&self, algorithm: &A) -> Vec<Number> {
        self.cores.iter().map(|core| text::parse_state(algorithm, &core.state(), 1, 1).unwrap()).collect()
    }

    /// Who holds a token: on a ring by the states as they are, since a process may pass it on as soon as it sees it.
    fn holders(&self, instance: &Instance) -> Vec<usize> {
        let all = 0..self.cores.len();
        match instance {
            Instance::Ring(algorithm) => {
                let states = self.states(algorithm);
                all.filter(|&p| algorithm.marks(View::of(&states, p, Chain::Ring)).token()).collect()
            }
            _ => all.filter(|&p| self.cores[p].status().token == Some(true)).collect(),
        }
    }

    /// Runs until the verdict has been the same for a while; when that began. Tokens must have moved meanwhile.
    pub(crate) fn settle(&mut self, instance: &Instance, limit: u64) -> Option<u64> {
        let (begun, mut since) = (self.now, None);
        let mut holders = vec![false; self.cores.len()];
        while self.now < begun + limit {
            self.run_until(self.now + 2_000);
            let verdict = self.verdict(instance);
            if since.map(|(found, _)| found) != verdict {
                since = verdict.map(|found| (found, self.now));
                holders.fill(false);
            }
            if self.cores[0].status().token.is_some() {
                self.holders(instance).into_iter().for_each(|p| holders[p] = true);
            } else {
                holders.fill(true);
            }
            if let Some((_, at)) = since
                && self.now >= at + STRETCH
                && holders.iter().filter(|held| **held).count() > 1
            {
                return Some(at - begun);
            }
        }
        None
    }
}

pub(crate) fn instance(name: &str, size: usize) -> Instance {
    let (catalog, parameters) = (Catalog::builtin(), Parameters::new(size));
    let on_graph = catalog.card(name).unwrap().kind == Kind::Graph;
    catalog.instance(name, &if on_graph { parameters.on(line(size)) } else { parameters }).unwrap()
}

/// The core of a member, as a node builds it.
fn core(told: Config, size: usize, boot: u64, keys: &Keys, coin: &mut SplitMix, now: u64) -> Core {
    let member = Catalog::builtin().member(&told, coin).unwrap();
    let mut config = CoreConfig::new(told.id, size, HEARTBEAT, boot);
    (config.keys, config.silence, config.sides) = (keys.clone(), Some(20 * HEARTBEAT), told.sides.is_some());
    if config.sides {
        config.members = vec![true; 2];
    }
    if let Some(Links::Given(graph)) = &told.graph {
        let neighbours = graph.neighbours();
        config.members = (0..size).map(|id| id == told.id || neighbours.of(told.id).contains(&(id as u32))).collect();
        config.partial = true;
    }
    Core::around(member, config, coin.word(), at(now))
}
