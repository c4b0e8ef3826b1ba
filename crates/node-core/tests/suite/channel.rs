//! A channel, explored: whatever was sent arrives any number of times, in any order, or never; messages come out once and in order.

use ringleader_model::Coin;
use ringleader_node_core::neighbours::{Channel, Packet};
use std::collections::{BTreeSet, HashSet};

/// Fresh tickets: each the number of draws before it.
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
            if let (true, Packet::Offer { ticket, .. }) = (forgetful, packet) {
                after.ends[end].book.ticket = ticket;
            }
            let fresh = 1000 + 4 * after.got[end].len() as u64;
            let delivered = after.ends[end].hear(packet, &mut Fresh(fresh));
            after.sent[end].extend(delivered.reply);
            after.got[end].extend(delivered.message);
            next.push(after);
        }
    }
    next
}

fn explore(to_send: [u8; 2], forgetful: bool) -> Result<usize, Box<World>> {
    let mut seen = HashSet::from([start(to_send)]);
    let mut fresh: Vec<World> = seen.iter().cloned().collect();
    while let Some(world) = fresh.pop() {
        let in_order = |end: usize| {
            let all: Vec<u8> = (0..to_send[1 - end]).map(|i| 10 - to_send[1 - end] + i).collect();
            all.starts_with(&world.got[end])
        };
        if !in_order(0) || !in_order(1) {
            return Err(Box::new(world));
        }
        let next: Vec<_> = successors(&world, forgetful).into_iter().filter(|next| *next != world).collect();
        let whole = (0..2).all(|end| world.got[end].len() == usize::from(to_send[1 - end]));
        if next.is_empty() && !whole {
            return Err(Box::new(world));
        }
        for next in next {
            if seen.insert(next.clone()) {
                fresh.push(next);
            }
        }
    }
    Ok(seen.len())
}

#[test]
fn messages_arrive_once_and_in_order() {
    for to_send in [[1, 0], [3, 0], [2, 1], [2, 2]] {
        println!("{to_send:?}: {} worlds", explore(to_send, false).unwrap());
    }
}

#[test]
fn an_end_that_takes_old_messages_is_caught() {
    assert!(explore([2, 0], true).is_err());
}
