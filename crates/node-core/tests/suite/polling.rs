//! Steps of rings, explored: every order in which packets can arrive, be lost and be duplicated, with the code that the node runs.
//! A packet that was sent can arrive any number of times or never. Every execution must be one of processes that read and write in
//! one step.

use ringleader_erased::RingInstance;
use ringleader_model::{
    Coin, Goal, LEFT, Marks, NoCoin, Port, RIGHT, Reads, Ring, Stabilizing, Variables, View, Visitor,
};
use ringleader_node_core::NeighbourKind;
use ringleader_node_core::neighbours::{Packet, Polling};
use ringleader_testkit::reachable::search;
use std::collections::BTreeSet;

/// A rule whose result depends on every state that was read.
struct Sum(Reads);

const STATES: u64 = 61;

impl Variables for Sum {
    type State = u8;
    fn variables(&self, state: &mut u8, v: &mut dyn Visitor) {
        v.range("state", 0, STATES - 1, state);
    }
}

impl Ring for Sum {
    fn reads(&self) -> Reads {
        self.0
    }

    fn act(&self, view: View<u8>, _: &mut impl Coin) -> u8 {
        let [left, own, right] = [view.left, view.own, view.right].map(u64::from);
        let right = if self.0 == Reads::BothSides { right } else { 0 };
        ((2 * own + 5 * left + 7 * right + 1) % STATES) as u8
    }

    fn marks(&self, _: View<u8>) -> Marks {
        Marks::NONE
    }
}

impl Stabilizing for Sum {
    fn goal(&self) -> Goal {
        Goal::Agreement
    }

    fn correct(&self, _: &[u8]) -> bool {
        true
    }
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
    steps: Vec<(u64, u64, u64)>,
}

type World = Vec<Member>;

fn start(looks: &[u8]) -> World {
    let member = |(i, &looks): (usize, &u8)| {
        let state = 10 * i as u64;
        let polling = Polling { state, number: 0, out: None };
        Member { polling, sent: BTreeSet::new(), looks, first: state, steps: vec![] }
    };
    looks.iter().enumerate().map(member).collect()
}

struct Explorer {
    algorithm: RingInstance,
    fault: Option<Fault>,
}

impl Explorer {
    fn new(reads: Reads, fault: Option<Fault>) -> Explorer {
        Explorer { algorithm: RingInstance::new(Sum(reads)).expect("few states"), fault }
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
        let (sent, seen) = member.polling.receive(port, packet, &self.algorithm);
        member.sent.extend(sent);
        if let Some(view) = seen {
            member.polling.act(view, &self.algorithm, &mut NoCoin).expect("within the domain");
            member.steps.push((view.left, view.right, member.polling.state));
        }
        member
    }

    fn successors(&self, world: &World) -> Vec<World> {
        let (size, mut next) = (world.len(), vec![]);
        for (i, member) in world.iter().enumerate() {
            let mut with = |changed: Member| {
                if changed != *member {
                    let mut world = world.clone();
                    world[i] = changed;
                    next.push(world);
                }
            };
            let mut looking = member.clone();
            if member.looks > 0
                && let Some(asked) = looking.polling.look()
            {
                looking.looks -= 1;
                looking.sent.insert(asked);
                with(looking);
            }
            for (port, neighbour, theirs) in [(LEFT, (i + size - 1) % size, RIGHT), (RIGHT, (i + 1) % size, LEFT)] {
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
            let Some(&(left, right, after)) = world[i].steps.get(done[i]) else { return false };
            let both = self.algorithm.reads() == Reads::BothSides;
            if left != now[(i + size - 1) % size] || (both && right != now[(i + 1) % size]) {
                return false;
            }
            let mut then = now.to_vec();
            then[i] = after;
            done[i] += 1;
            let fits = self.serial_from(world, &then, done);
            done[i] -= 1;
            fits
        })
    }

    fn explore(&self, start: World) -> Result<usize, World> {
        let wrong = |world: &World, next: &[World]| {
            let waits = next.is_empty() && world.iter().any(|member| member.polling.out.is_some());
            waits || !self.serial(world)
        };
        search([start], usize::MAX, World::clone, |world| self.successors(world), wrong).map_err(|wrong| wrong.state)
    }
}

#[test]
fn every_execution_is_one_of_processes_that_read_and_write_in_one_step() {
    for looks in [&[2, 1][..], &[2, 2], &[1, 1, 1], &[2, 1, 1]] {
        let count = Explorer::new(Reads::Left, None).explore(start(looks)).unwrap();
        println!("left only, looks {looks:?}: {count} worlds");
        assert!(count > 50);
    }
    for looks in [&[1, 1][..], &[2, 1], &[2, 2], &[1, 1, 0], &[1, 1, 1]] {
        let count = Explorer::new(Reads::BothSides, None).explore(start(looks)).unwrap();
        println!("both sides, looks {looks:?}: {count} worlds");
    }
}

#[test]
fn planted_faults_are_caught() {
    let caught = |reads, fault, looks: &[u8]| Explorer::new(reads, Some(fault)).explore(start(looks)).is_err();
    assert!(caught(Reads::Left, Fault::SeenWhileLooking, &[1, 1]));
    assert!(caught(Reads::Left, Fault::OldAnswer, &[2, 1]));
    assert!(caught(Reads::Left, Fault::WaitsWhileLooking, &[1, 1, 1]));
    assert!(caught(Reads::BothSides, Fault::SeenWhileLooking, &[1, 1, 1]));
    assert!(caught(Reads::BothSides, Fault::OldAnswer, &[2, 1]));
    assert!(caught(Reads::BothSides, Fault::WaitsWhileLooking, &[1, 1]));
}
