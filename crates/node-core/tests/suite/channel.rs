//! A channel, explored: packets arrive any number of times, in any order, or never; messages are delivered once and in order.

use ringleader_model::Coin;
use ringleader_node_core::NeighbourKind;
use ringleader_node_core::neighbours::{Channel, Packet};
use ringleader_testkit::reachable::{Wrong, search};
use std::collections::BTreeSet;

/// Fresh tickets: each is the number of earlier draws.
struct Fresh(u64);

impl Coin for Fresh {
    fn below(&mut self, _: u32) -> u32 {
        self.0 += 1;
        self.0 as u32
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct World {
    ends: [Channel<u8>; 2],
    sent: [BTreeSet<Packet<u8>>; 2],
    got: [Vec<u8>; 2],
    to_send: [u8; 2],
}

fn start(to_send: [u8; 2]) -> World {
    let ends = [0, 100].map(|seed| Channel::new(&mut Fresh(seed)));
    World { ends, sent: Default::default(), got: Default::default(), to_send }
}

fn successors(world: &World, forgetful: bool) -> Vec<World> {
    let mut next = vec![];
    for end in 0..2 {
        if world.to_send[end] > 0 {
            let mut after = world.clone();
            let packet = after.ends[end].send(10 - after.to_send[end]);
            after.sent[end].extend(packet);
            after.to_send[end] -= 1;
            next.push(after);
        }
        for &packet in &world.sent[1 - end] {
            let mut after = world.clone();
            if forgetful && packet.kind == NeighbourKind::Offer {
                after.ends[end].book.ticket = packet.ticket;
            }
            let fresh = 1000 + 4 * after.got[end].len() as u64;
            let delivered = after.ends[end].receive(packet, &mut Fresh(fresh));
            after.sent[end].extend(delivered.reply);
            after.got[end].extend(delivered.message);
            next.push(after);
        }
    }
    next
}

fn explore(to_send: [u8; 2], forgetful: bool) -> Result<usize, Box<Wrong<World>>> {
    let next = |world: &World| successors(world, forgetful).into_iter().filter(|next| next != world).collect();
    let wrong = |world: &World, next: &[World]| {
        let sent = |end: usize| (0..to_send[1 - end]).map(move |i| 10 - to_send[1 - end] + i);
        let in_order = |end: usize| sent(end).collect::<Vec<_>>().starts_with(&world.got[end]);
        let whole = |end: usize| world.got[end].len() == usize::from(to_send[1 - end]);
        !(0..2).all(in_order) || next.is_empty() && !(0..2).all(whole)
    };
    search([start(to_send)], usize::MAX, World::clone, next, wrong)
}

#[test]
fn messages_arrive_once_and_in_order() {
    for to_send in [[1, 0], [3, 0], [2, 1], [2, 2]] {
        println!("{to_send:?}: {} worlds", explore(to_send, false).unwrap());
    }
}

#[test]
fn an_end_that_accepts_stale_messages_is_caught() {
    assert!(explore([2, 0], true).is_err());
}
