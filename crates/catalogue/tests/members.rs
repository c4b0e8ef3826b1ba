//! Every algorithm of neighbours, member by member between datagrams that get lost, doubled and late, in virtual time: the code
//! that a node puts on a socket.

use ringleader_catalogue::{Catalog, Instance};
use ringleader_core::Order;
use ringleader_instance::{Kind, Number, Parameters, Topology};
use ringleader_model::{Chain, Coin, Goal, Place, Ring, Stabilizing, Variables, View, corrupt, text};
use ringleader_node::{Config, Core, CoreConfig, Corruption, Now, Protocol, SplitMix};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

const HEARTBEAT: Duration = Duration::from_millis(100);
/// Microseconds between two iterations.
const ITERATION: u64 = 5_000;
/// What counts as settled: so many microseconds without a change.
const STRETCH: u64 = 1_000_000;

/// When, in which order, to whom (by a datagram) or whose iteration.
type Event = (u64, u64, usize, Option<Vec<u8>>);

/// A ring, or a complete network, and what is under way.
struct World {
    cores: Vec<Core>,
    sides: bool,
    loss: u32,
    now: u64,
    due: BinaryHeap<Reverse<Event>>,
    count: u64,
    coin: SplitMix,
}

fn at(micros: u64) -> Now {
    Now { elapsed: Duration::from_micros(micros), unix_micros: 1_800_000_000_000_000 + micros }
}

/// What a member is told.
fn told(name: &str, size: usize, id: usize) -> Config {
    let mut config = Config::new(id, "127.0.0.1:0".parse().unwrap());
    (config.algorithm, config.size) = (name.into(), Some(size));
    config.place = Place::of(id, size);
    let card = Catalog::builtin().card(name).unwrap();
    if card.topology != Topology::Complete {
        config.sides = Some(["127.0.0.1:1".into(), "127.0.0.1:2".into()]);
    }
    config
}

impl World {
    fn new(name: &str, size: usize, loss: u32, seed: u64) -> World {
        let (catalog, mut coin) = (Catalog::builtin(), SplitMix::new(seed));
        let sides = told(name, size, 0).sides.is_some();
        let core = |id: usize, coin: &mut SplitMix| {
            let member = catalog.member(&told(name, size, id), coin).unwrap();
            let members = vec![true; if sides { 2 } else { size }];
            let mut config = CoreConfig::new(id, size, HEARTBEAT, at(0));
            // Every host began at another time.
            (config.sides, config.members, config.boot) = (sides, members, at(0).unix_micros + id as u64);
            Core::around(member, config, coin.word(), at(0))
        };
        let cores = (0..size).map(|id| core(id, &mut coin)).collect();
        let mut world = World { cores, sides, loss, now: 0, due: BinaryHeap::new(), count: 0, coin };
        for id in 0..size {
            let first = u64::from(world.coin.below(ITERATION as u32));
            world.put(first, id, None);
        }
        world
    }

    fn put(&mut self, when: u64, whom: usize, what: Option<Vec<u8>>) {
        self.count += 1;
        self.due.push(Reverse((when, self.count, whom, what)));
    }

    /// Sends, or loses, or sends twice; it takes up to three milliseconds.
    fn send(&mut self, to: usize, datagram: &[u8]) {
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

    fn run_until(&mut self, end: u64) {
        while let Some(Reverse((when, ..))) = self.due.peek()
            && *when <= end
        {
            let Reverse((when, _, id, what)) = self.due.pop().unwrap();
            self.now = when;
            let (mut out, mut reply) = (vec![], None);
            match what {
                None => {
                    self.cores[id].iterate(at(when), &mut out);
                    let next = when + ITERATION + u64::from(self.coin.below(200));
                    self.put(next, id, None);
                }
                Some(datagram) => {
                    // What is dropped is the core's business.
                    let _ = self.cores[id].receive(at(when), &datagram, &mut reply);
                    out = self.cores[id].answers(at(when));
                    // A reply goes to whence the datagram came: the port is in its header.
                    if let Some(reply) = reply {
                        let port = usize::from(u16::from_be_bytes([reply[26], reply[27]]));
                        let to = self.neighbour(id, port);
                        self.send(to, &reply);
                    }
                }
            }
            for sent in out {
                let to = self.neighbour(id, sent.to);
                self.send(to, &sent.datagram);
            }
        }
        self.now = end;
    }

    /// What all show, if that is what the goal asks for: the leader, or that there is not more than one token.
    fn verdict(&self, instance: &Instance) -> Option<usize> {
        let views: Vec<_> = self.cores.iter().map(Core::view).collect();
        let goal = match instance {
            Instance::Population(protocol) => protocol.goal(),
            Instance::Ring(algorithm) => algorithm.goal(),
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
                other => panic!("{other:?} is not about states"),
            },
        }
    }

    fn states<A: Variables<State = Number>>(&self, algorithm: &A) -> Vec<Number> {
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
            _ => all.filter(|&p| self.cores[p].view().token == Some(true)).collect(),
        }
    }

    /// Runs until the verdict has been the same for a while; when that began. Tokens must have moved meanwhile.
    fn settle(&mut self, instance: &Instance, limit: u64) -> Option<u64> {
        let (begun, mut since) = (self.now, None);
        let mut holders = vec![false; self.cores.len()];
        while self.now < begun + limit {
            self.run_until(self.now + 2_000);
            let verdict = self.verdict(instance);
            if since.map(|(found, _)| found) != verdict {
                since = verdict.map(|found| (found, self.now));
                holders.fill(false);
            }
            if self.cores[0].view().token.is_some() {
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

fn instance(name: &str, size: usize) -> Instance {
    Catalog::builtin().instance(name, &Parameters::new(size)).unwrap()
}

const SELF_STABILIZING: [&str; 13] = [
    "fischer-jiang-complete",
    "fischer-jiang-ring",
    "yokota-ring",
    "angluin-ring",
    "token-circulation",
    "ring-orientation",
    "fich-johnen",
    "fich-johnen-token",
    "burns-pachl",
    "gouda-haddix",
    "dijkstra-k-state",
    "dijkstra-three-state",
    "huang",
];

/// How many runs of each: `RINGLEADER_RUNS`, or a sample.
fn runs() -> u64 {
    std::env::var("RINGLEADER_RUNS").ok().and_then(|runs| runs.parse().ok()).unwrap_or(3)
}

fn median(mut times: Vec<u64>) -> f64 {
    times.sort_unstable();
    times[times.len() / 2] as f64 / 1e6
}

#[test]
fn every_algorithm_of_neighbours_reaches_its_goal_whatever_is_lost() {
    let catalog = Catalog::builtin();
    let cards = catalog
        .cards()
        .filter(|card| card.kind != Kind::Robust && card.flaw.is_none() && catalog.why_absent(card.name).is_none());
    for card in cards {
        if let Err(refusal) = catalog.member(&told(card.name, 5, 0), &mut SplitMix::new(0)) {
            let reason = refusal.to_string();
            assert!(reason.contains("line") || reason.contains("at once"), "{reason}");
            println!("{reason}");
            continue;
        }
        for loss in [0, 10, 30] {
            let times = (0..runs()).map(|seed| {
                let mut world = World::new(card.name, 5, loss, seed);
                let took = world.settle(&instance(card.name, 5), 600_000_000);
                took.unwrap_or_else(|| panic!("{} with {loss} % lost, seed {seed}", card.name))
            });
            println!("{}: {loss} % lost: median {:.2} s", card.name, median(times.collect()));
        }
    }
}

#[test]
fn every_self_stabilizing_one_heals_when_all_variables_are_overwritten() {
    for name in SELF_STABILIZING {
        let mut times = vec![];
        for seed in 0..runs() {
            let mut world = World::new(name, 5, 10, seed);
            let instance = instance(name, 5);
            world.settle(&instance, 600_000_000).expect("it elects");
            for corruption in [Corruption::Random, Corruption::Low, Corruption::High] {
                let now = at(world.now);
                for core in &mut world.cores {
                    let _ = core.obey(now, Order::Corrupt(corruption), &mut vec![]);
                }
                let took = world.settle(&instance, 600_000_000);
                times.push(took.unwrap_or_else(|| panic!("{name} after {corruption:?}, seed {seed}")));
            }
        }
        println!("{name}: healed {} times, median {:.2} s", times.len(), median(times));
    }
}

/// The hook of a token keeps its holder from stepping, so nobody else may move it.
#[test]
fn only_its_holder_moves_a_token() {
    for (name, size) in [("gouda-haddix", 5), ("fich-johnen-token", 5), ("burns-pachl", 5), ("dijkstra-three-state", 5)]
    {
        let Instance::Ring(algorithm) = instance(name, size) else { panic!("{name} is a ring") };
        let mut coin = SplitMix::new(1);
        let mut states = corrupt::configuration(&algorithm, size, &mut coin);
        let holders = |states: &[Number]| -> Vec<usize> {
            (0..size).filter(|&p| algorithm.marks(View::of(states, p, Chain::Ring)).token()).collect()
        };
        let step = |states: &[Number], p: usize, coin: &mut SplitMix| {
            let mut after = states.to_vec();
            after[p] = algorithm.act(View::of(states, p, Chain::Ring), coin);
            after
        };
        while !algorithm.safe(&states) {
            let p = coin.below(size as u32) as usize;
            states = step(&states, p, &mut coin);
        }
        let mut moved = 0;
        for _ in 0..20_000 {
            let [holder] = holders(&states)[..] else { panic!("{name}: {:?}", holders(&states)) };
            for p in (0..size).filter(|&p| p != holder) {
                assert_eq!(holders(&step(&states, p, &mut coin)), [holder], "{name}: {p} moves the token of {holder}");
            }
            let p = coin.below(size as u32) as usize;
            states = step(&states, p, &mut coin);
            moved += u32::from(holders(&states) != [holder]);
        }
        assert!(moved > 100, "{name}: the token moves");
    }
}

impl World {
    /// How many interactions, or looks at neighbours, have come to an end.
    fn steps(&self) -> u64 {
        let count = |core: &Core| {
            let kinds = &core.view().counters.messages_received;
            ["done", "shown"].iter().filter_map(|kind| kinds.get(*kind)).sum::<u64>()
        };
        self.cores.iter().map(count).sum()
    }
}

/// `cargo test -p ringleader-catalogue --test members -- --ignored --nocapture growth`: for docs/ringing.md.
#[test]
#[ignore = "a measurement"]
fn growth() {
    for (name, sizes) in [
        ("yokota-ring", [3, 5, 8, 16, 32]),
        ("fischer-jiang-ring", [3, 5, 8, 16, 32]),
        ("fich-johnen", [3, 5, 7, 17, 31]),
    ] {
        for size in sizes {
            let mut found: Vec<(u64, u64)> = (0..runs())
                .map(|seed| {
                    let mut world = World::new(name, size, 0, seed);
                    let took = world.settle(&instance(name, size), 20_000_000_000).expect("it elects");
                    // As many steps as there were until it settled: they come at an even pace.
                    (world.steps() * took / world.now.max(1), took)
                })
                .collect();
            found.sort_unstable();
            let mean = found.iter().map(|(steps, _)| steps).sum::<u64>() as f64 / found.len() as f64;
            let seconds = found.iter().map(|(_, took)| took).sum::<u64>() as f64 / found.len() as f64 / 1e6;
            println!("{name} n={size}: {mean:.0} steps in the mean, {seconds:.2} s");
        }
    }
}
