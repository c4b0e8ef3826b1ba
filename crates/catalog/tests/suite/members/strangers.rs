//! What is made without the key, what is played again, and what is said of transactions that are over: nothing of it is applied.
//!
//! A longer campaign: `RINGLEADER_MUTATIONS=10000000 cargo test -p ringleader-catalog --test suite members::strangers -- --nocapture`.

use super::world::{World, at, instance, told};
use ringleader_catalog::Catalog;
use ringleader_model::Coin;
use ringleader_node::{Algorithm, Command, Key, Keys, SplitMix};
use ringleader_node_core::Message;
use std::collections::VecDeque;

const SIZE: usize = 5;

fn rounds() -> u64 {
    std::env::var("RINGLEADER_MUTATIONS").ok().and_then(|n| n.parse().ok()).unwrap_or(60_000)
}

fn below(coin: &mut SplitMix, bound: usize) -> usize {
    coin.below(bound as u32) as usize
}

/// One change: a bit, a byte, the length, the time, or the end of another datagram.
fn mutate(datagram: &mut Vec<u8>, other: &[u8], now: u64, coin: &mut SplitMix) {
    let place = below(coin, datagram.len().max(1));
    let noise = coin.below(255) as u8 + 1;
    match coin.below(8) {
        0 | 1 => datagram.iter_mut().skip(place).take(1).for_each(|byte| *byte ^= 1 << (noise % 8)),
        2 => datagram.iter_mut().skip(place).take(8).for_each(|byte| *byte = if noise < 128 { 0 } else { u8::MAX }),
        3 => datagram.iter_mut().skip(place).for_each(|byte| *byte = coin.below(256) as u8),
        4 => datagram.truncate(place),
        5 => datagram.extend((0..noise).map(|_| coin.below(256) as u8)),
        6 => drop(datagram.splice(place.., other.iter().skip(place).copied())),
        _ => datagram.get_mut(28..36).into_iter().for_each(|time| time.copy_from_slice(&now.to_be_bytes())),
    }
}

/// A ring that has a key and has settled, and what was said on it.
fn overheard(name: &str, key: u8) -> (World, Vec<(usize, Vec<u8>)>) {
    let keys = Keys::new(vec![Key::new([key; 32])]).unwrap();
    let mut world = World::keyed(name, SIZE, 0, 1, &keys);
    world.settle(&instance(name, SIZE), 600_000_000).expect("it settles");
    world.wire = Some(vec![]);
    world.run_until(world.now + 1_000_000);
    let wire = world.wire.take().unwrap();
    // What is on its way arrives: from here on all of it is old.
    world.run_until(world.now + 100_000);
    (world, wire)
}

#[test]
fn nothing_gets_in_without_the_key_or_again() {
    for name in ["yokota-ring", "fich-johnen", "huang"] {
        let (mut world, mut corpus) = overheard(name, 42);
        let genuine = corpus.len();
        corpus.extend(overheard(name, 43).1);
        let mut coin = SplitMix::new(7);
        for round in 0..rounds() {
            let which = below(&mut coin, corpus.len());
            let (to, mut datagram) = corpus[which].clone();
            let other = below(&mut coin, corpus.len());
            let now = at(world.now);
            // Some of what was said is played again as it was.
            for _ in 0..coin.below(4) {
                mutate(&mut datagram, &corpus[other].1, world.now, &mut coin);
            }
            let before = world.cores[to].state();
            let taken = world.cores[to].receive(now, &datagram).is_ok();
            // An old datagram leads to a challenge of its sender.
            let harmless =
                |command: &Command| matches!(command, Command::Report(_) | Command::Reply(_) | Command::Send { .. });
            let silent = world.cores[to].take_commands().iter().all(harmless);
            assert!(!taken && silent, "{name}, round {round}: taken: {datagram:?}");
            assert_eq!(world.cores[to].state(), before, "{name}, round {round}");
            if round % 1000 == 0 {
                world.run_until(world.now + 10_000);
            }
        }
        world.settle(&instance(name, SIZE), 600_000_000).expect("it goes on");
        println!("{name}: {} from {genuine} with the key and {} without", rounds(), corpus.len() - genuine);
    }
}

/// What was said on one link is played, as fresh as it was, on another: it has the right key, but echoes the challenge of another.
#[test]
fn what_was_said_to_another_is_not_applied() {
    for name in ["yokota-ring", "fischer-jiang-ring", "fich-johnen", "huang"] {
        let keys = Keys::new(vec![Key::new([42; 32])]).unwrap();
        let mut world = World::keyed(name, SIZE, 0, 1, &keys);
        world.settle(&instance(name, SIZE), 600_000_000).expect("it settles");
        let (mut coin, mut taken) = (SplitMix::new(9), 0);
        for round in 0..rounds() / 20 {
            world.wire = Some(vec![]);
            world.run_until(world.now + 5_000);
            for (to, datagram) in world.wire.take().unwrap() {
                let elsewhere = (to + 1 + below(&mut coin, SIZE - 1)) % SIZE;
                let before = world.cores[elsewhere].state();
                taken += u64::from(world.cores[elsewhere].receive(at(world.now), &datagram).is_ok());
                drop(world.cores[elsewhere].take_commands());
                assert_eq!(world.cores[elsewhere].state(), before, "{name}, round {round}: {datagram:?}");
            }
        }
        assert_eq!(taken, 0, "{name}");
    }
}

/// Members without a core around them, so without protection from replays, between channels that lose nothing.
struct Circle {
    members: Vec<Box<dyn Algorithm>>,
    /// To whom, from which side, what.
    under_way: VecDeque<(usize, usize, Vec<u8>)>,
    coin: SplitMix,
}

impl Circle {
    fn new(name: &str) -> Circle {
        let (catalog, mut coin) = (Catalog::builtin(), SplitMix::new(3));
        let members = (0..SIZE).map(|id| catalog.member(&told(name, SIZE, id), &mut coin).unwrap()).collect();
        Circle { members, under_way: VecDeque::new(), coin }
    }

    fn post(&mut self, from: usize, messages: Vec<Message>) {
        for message in messages {
            let to = if message.to == 0 { from + SIZE - 1 } else { from + 1 } % SIZE;
            self.under_way.push_back((to, 1 - message.to, message.bytes));
        }
    }

    fn iterate(&mut self) {
        for id in 0..SIZE {
            let said = self.members[id].iterate(true, &mut self.coin);
            self.post(id, said);
        }
    }

    /// Delivers one message, and gives it back.
    fn deliver(&mut self) -> Option<(usize, usize, Vec<u8>)> {
        let (to, side, bytes) = self.under_way.pop_front()?;
        let mut said = vec![];
        self.members[to].take(side, &bytes, &mut self.coin, &mut said);
        self.post(to, said);
        Some((to, side, bytes))
    }
}

#[test]
fn what_is_said_of_transactions_that_are_over_is_not_applied() {
    for name in ["yokota-ring", "fischer-jiang-ring", "fich-johnen", "huang", "dijkstra-three-state", "chang-roberts"] {
        let (mut circle, mut old) = (Circle::new(name), vec![]);
        let (mut stale, mut moved) = (0, 0);
        let mut coin = SplitMix::new(11);
        while stale < rounds() {
            circle.iterate();
            let before: Vec<_> = circle.members.iter().map(|member| member.text()).collect();
            while let Some(delivered) = circle.deliver() {
                old.push(delivered);
                let (to, side, bytes) = &old[below(&mut coin, old.len())];
                let before = circle.members[*to].text();
                // Its answers get lost.
                circle.members[*to].take(*side, bytes, &mut circle.coin, &mut vec![]);
                assert_eq!(circle.members[*to].text(), before, "{name} after {stale}: {bytes:?}");
                stale += 1;
            }
            moved += u64::from(circle.members.iter().map(|member| member.text()).ne(before));
            if circle.under_way.is_empty() && name == "chang-roberts" && stale > 20 {
                break;
            }
        }
        assert!(moved > 0, "{name} moves");
        println!("{name}: {stale} stale, none applied; {moved} times it moved by itself");
    }
}
