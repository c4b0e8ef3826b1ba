//! Steps of processes on rings and graphs, explored: every order in which packets can arrive, be lost and be duplicated, with the code that
//! the node runs. A packet that was sent can arrive any number of times or never. Every execution must be one of processes that read and
//! write in one step.

use ringleader_model::{Coin, LEFT, Port, RIGHT};
use ringleader_node_core::neighbours::{Packet, Polling};
use ringleader_node_core::{NeighbourKind, SplitMix};
use ringleader_testkit::reachable::search;
use std::collections::BTreeSet;

const STATES: u64 = 61;

/// The rule: its result depends on every state that was read.
fn after(own: u64, seen: &[u64]) -> u64 {
    let read = seen.iter().zip((5..).step_by(2)).map(|(state, factor)| factor * state);
    (2 * own + read.sum::<u64>() + 1) % STATES
}

/// A planted bug.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    /// A process that reads answers questions.
    SeenWhileLooking,
    /// Any answer counts as the awaited one.
    OldAnswer,
    /// A process that reads does not reply to questions.
    WaitsWhileLooking,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Member {
    polling: Polling,
    sent: BTreeSet<(Port, Packet<u64>)>,
    looks: u8,
    first: u64,
    /// The states that it read, and its state afterwards.
    steps: Vec<(Vec<u64>, u64)>,
}

type World = Vec<Member>;

/// For each process and port, the neighbour behind the port and the neighbour's port. A process reads through its first ports.
struct Explorer {
    links: Vec<Vec<(usize, Port)>>,
    reads: Vec<usize>,
    fault: Option<Fault>,
}

impl Explorer {
    /// A ring whose processes read the left neighbour, or both.
    fn ring(size: usize, reads: usize, fault: Option<Fault>) -> Explorer {
        let sides = |i: usize| vec![((i + size - 1) % size, RIGHT), ((i + 1) % size, LEFT)];
        Explorer { links: (0..size).map(sides).collect(), reads: vec![reads; size], fault }
    }

    /// A graph whose processes read all neighbours.
    fn graph(edges: &str, fault: Option<Fault>) -> Explorer {
        let graph = ringleader_model::Graph::parse(edges).expect("a graph").neighbours();
        let port = |(&peer, &back): (&u32, &u32)| (peer as usize, back as usize - 1);
        let links: Vec<Vec<_>> =
            (0..graph.size()).map(|i| graph.of(i).iter().zip(graph.back(i)).map(port).collect()).collect();
        Explorer { reads: links.iter().map(Vec::len).collect(), links, fault }
    }

    fn start(&self, looks: &[u8]) -> World {
        let member = |(i, &looks): (usize, &u8)| {
            let state = 10 * i as u64;
            let mut polling = Polling::new(state, self.reads[i], STATES, &mut SplitMix::new(0));
            polling.number = 0;
            Member { polling, sent: BTreeSet::new(), looks, first: state, steps: vec![] }
        };
        looks.iter().enumerate().map(member).collect()
    }

    fn receive(&self, mut member: Member, port: Port, mut packet: Packet<u64>) -> Member {
        match (self.fault, packet.kind) {
            (Some(Fault::SeenWhileLooking), NeighbourKind::Ask) => {
                let shown = Packet::new(NeighbourKind::Shown, packet.number, 0, member.polling.state);
                member.sent.insert((port, shown));
                return member;
            }
            (Some(Fault::WaitsWhileLooking), NeighbourKind::Ask) if member.polling.out.is_some() => return member,
            (Some(Fault::OldAnswer), NeighbourKind::Shown) => packet.number = member.polling.number,
            _ => {}
        }
        let (sent, seen) = member.polling.receive(port, packet);
        member.sent.extend(sent);
        if let Some(seen) = seen {
            member.polling.step(after(member.polling.state, &seen));
            member.steps.push((seen, member.polling.state));
        }
        member
    }

    fn successors(&self, world: &World) -> Vec<World> {
        let mut next = vec![];
        for (i, member) in world.iter().enumerate() {
            let mut with = |changed: Member| {
                if changed != *member {
                    let mut world = world.clone();
                    world[i] = changed;
                    next.push(world);
                }
            };
            let mut looking = member.clone();
            if member.looks > 0 && member.polling.out.is_none() {
                looking.sent.extend(looking.polling.look());
                looking.looks -= 1;
                with(looking);
            }
            for (port, &(neighbour, theirs)) in self.links[i].iter().enumerate() {
                for &(_, packet) in world[neighbour].sent.iter().filter(|(through, _)| *through == theirs) {
                    with(self.receive(member.clone(), port, packet));
                }
            }
        }
        next
    }

    /// Whether some order of the steps exists in which each reads the present states.
    fn serial(&self, world: &World) -> bool {
        let now: Vec<u64> = world.iter().map(|member| member.first).collect();
        self.serial_from(world, &now, &mut vec![0; world.len()])
    }

    fn serial_from(&self, world: &World, now: &[u64], done: &mut Vec<usize>) -> bool {
        let size = world.len();
        if (0..size).all(|i| done[i] == world[i].steps.len()) {
            return true;
        }
        (0..size).any(|i| {
            let Some((seen, after)) = world[i].steps.get(done[i]) else { return false };
            if self.links[i].iter().zip(seen).any(|(&(neighbour, _), &state)| state != now[neighbour]) {
                return false;
            }
            let mut then = now.to_vec();
            then[i] = *after;
            done[i] += 1;
            let fits = self.serial_from(world, &then, done);
            done[i] -= 1;
            fits
        })
    }

    /// One execution, in which packets arrive in a random order. Whether its steps have an order.
    fn walk(&self, looks: &[u8], coin: &mut SplitMix) -> bool {
        let mut world = self.start(looks);
        for _ in 0..150 {
            let mut next = self.successors(&world);
            if next.is_empty() {
                break;
            }
            world = next.swap_remove(coin.below(next.len() as u32) as usize);
        }
        self.serial(&world)
    }

    fn explore(&self, looks: &[u8]) -> Result<usize, World> {
        let wrong = |world: &World, next: &[World]| {
            let waits = next.is_empty() && world.iter().any(|member| member.polling.out.is_some());
            waits || !self.serial(world)
        };
        let start = self.start(looks);
        search([start], usize::MAX, World::clone, |world| self.successors(world), wrong).map_err(|wrong| wrong.state)
    }
}

const TRIANGLE: &str = "0 1\n1 2\n2 0\n";
const STAR: &str = "0 1\n0 2\n0 3\n";

#[test]
fn every_execution_is_one_of_processes_that_read_and_write_in_one_step() {
    for looks in [&[2, 1][..], &[2, 2], &[1, 1, 1], &[2, 1, 1]] {
        let count = Explorer::ring(looks.len(), 1, None).explore(looks).unwrap();
        println!("left only, looks {looks:?}: {count} worlds");
        assert!(count > 50);
    }
    for looks in [&[1, 1][..], &[2, 1], &[1, 1, 0]] {
        let count = Explorer::ring(looks.len(), 2, None).explore(looks).unwrap();
        println!("both sides, looks {looks:?}: {count} worlds");
    }
    for (edges, looks) in [("0 1\n", &[2, 2][..]), ("0 1\n1 2\n", &[1, 1, 1]), (TRIANGLE, &[1, 1, 0])] {
        let count = Explorer::graph(edges, None).explore(looks).unwrap();
        println!("graph {edges:?}, looks {looks:?}: {count} worlds");
        assert!(count > 50);
    }
}

/// Larger graphs and more reads than can be explored completely.
#[test]
fn random_executions_on_graphs_are_serial_too() {
    for (edges, looks) in
        [(TRIANGLE, &[2, 2, 2][..]), (STAR, &[2, 2, 2, 2]), ("0 1\n1 2\n2 3\n3 0\n0 2\n", &[2, 1, 2, 1])]
    {
        let walks = |fault| {
            let (explorer, mut coin) = (Explorer::graph(edges, fault), SplitMix::new(1));
            (0..400).filter(|_| !explorer.walk(looks, &mut coin)).count()
        };
        assert_eq!(walks(None), 0, "{edges:?}");
        assert!(walks(Some(Fault::SeenWhileLooking)) > 0 && walks(Some(Fault::OldAnswer)) > 0, "{edges:?}");
    }
}

#[test]
fn planted_faults_are_caught() {
    let ring = |reads, fault, looks: &[u8]| Explorer::ring(looks.len(), reads, Some(fault)).explore(looks).is_err();
    assert!(ring(1, Fault::SeenWhileLooking, &[1, 1]));
    assert!(ring(1, Fault::OldAnswer, &[2, 1]));
    assert!(ring(1, Fault::WaitsWhileLooking, &[1, 1, 1]));
    assert!(ring(2, Fault::SeenWhileLooking, &[1, 1, 1]));
    assert!(ring(2, Fault::OldAnswer, &[2, 1]));
    assert!(ring(2, Fault::WaitsWhileLooking, &[1, 1]));
    let graph = |edges, fault, looks: &[u8]| Explorer::graph(edges, Some(fault)).explore(looks).is_err();
    assert!(graph(STAR, Fault::SeenWhileLooking, &[1, 1, 0, 0]));
    assert!(graph("0 1\n1 2\n", Fault::OldAnswer, &[1, 2, 0]));
    assert!(graph(TRIANGLE, Fault::WaitsWhileLooking, &[1, 1, 1]));
}

/// A fault can leave a read that has all its answers: it must not be waited for.
#[test]
fn a_read_from_arbitrary_memory_ends() {
    for seed in 0..200 {
        let mut coin = SplitMix::new(seed);
        let mut polling = Polling::new(3, 2, STATES, &mut coin);
        polling.variables(&mut ringleader_model::corrupt::Arbitrary(&mut coin));
        if polling.repeat().is_empty() {
            assert_eq!(polling.look().len(), 2, "seed {seed}");
        }
        for (port, packet) in polling.repeat() {
            let shown = Packet::new(NeighbourKind::Shown, packet.number, 0, 7);
            let (reply, seen) = polling.receive(port, shown);
            assert_eq!((reply, seen.is_some()), (None, polling.repeat().is_empty()));
        }
        assert!(polling.out.is_none() && polling.state < STATES);
    }
}
