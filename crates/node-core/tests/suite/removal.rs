//! Hosts that are removed without the guard, by lists that differ for some time: no removed host leads or unseats a leader.

use crate::common::{Cluster, beats, keys, s2, tempo};
use ringleader_algorithms::robust::s2::RobustS2;
use ringleader_node_core::{Corruption, Instruction, Reason, Withdrawal};
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(60);

impl Cluster<RobustS2> {
    /// An operator removes a host from the list of another one, or adds it again.
    fn list(&mut self, me: usize, host: usize, listed: bool) {
        let members = (0..self.size()).map(|id| id != host || listed).collect();
        self.order(me, Instruction::Reload { members, keys: keys() });
    }

    fn withdrawn(&self, me: usize) -> Option<Withdrawal> {
        self.cores[me].as_ref().unwrap().status().withdrawn
    }

    /// The time in this span without exactly one acting host, and the last one that acted alone.
    fn watch(&mut self, span: Duration) -> (Duration, Option<usize>) {
        let (step, end) = (tempo().iteration() / 2, self.now + span);
        let (mut without, mut leader) = (Duration::ZERO, None);
        while self.now < end {
            self.run(step);
            match self.acting()[..] {
                [one] => leader = Some(one),
                _ => without += step,
            }
        }
        (without, leader)
    }
}

#[test]
fn a_leader_that_was_removed_behind_a_cut_does_not_return() {
    for (size, seed) in (3..=5).flat_map(|size| (0..20).map(move |seed| (size, seed))) {
        let mut cluster = Cluster::new(s2(size), seed);
        cluster.settle(LIMIT);
        cluster.isolate(0, 100);
        cluster.run(beats(8) + beats(1) * seed as u32 / 20);
        (1..size).for_each(|me| cluster.list(me, 0, false));
        cluster.run(beats(1));
        cluster.isolate(0, 0);
        // Both act until the next heartbeat of either.
        let (without, leader) = cluster.watch(beats(10));
        assert!(without <= beats(3) / 2 && leader == Some(1), "{size}, seed {seed}: {without:?}, {leader:?}");
        for _ in 0..100 {
            cluster.run(beats(1) / 2);
            assert_eq!(cluster.acting(), [1], "{size}, seed {seed}");
            assert_eq!(cluster.withdrawn(0), Some(Withdrawal::Removed), "{size}, seed {seed}");
            assert_eq!(cluster.cores[0].as_ref().unwrap().status().disputed, None);
        }
        let disputed = cluster.announced.iter().any(|(_, change)| change.reason == Reason::Disputed);
        assert!(!disputed, "{size}, seed {seed}: nobody is barred by it");
        // When the others list it again, it has precedence.
        (1..size).for_each(|me| cluster.list(me, 0, true));
        cluster.run(beats(4));
        assert_eq!(cluster.withdrawn(0), None, "{size}, seed {seed}");
        let (without, leader) = cluster.watch(beats(60));
        assert!(without <= beats(1) / 2 && leader == Some(0), "{size}, seed {seed}: {without:?}, {leader:?}");
    }
}

/// The follower leads its own side for longer than the leader of the other side.
#[test]
fn a_follower_that_led_its_side_and_was_removed_unseats_nobody() {
    for seed in 0..20 {
        let mut cluster = Cluster::new(s2(4), seed);
        cluster.settle(LIMIT);
        cluster.isolate(3, 100);
        cluster.run(beats(8) + beats(1) * seed as u32 / 20);
        cluster.kill(0);
        cluster.run(beats(5));
        (1..3).for_each(|me| cluster.list(me, 3, false));
        cluster.start(0);
        cluster.list(0, 3, false);
        cluster.isolate(3, 0);
        cluster.run(beats(3));
        for _ in 0..100 {
            cluster.run(beats(1) / 2);
            assert_eq!(cluster.acting().len(), 1, "seed {seed}");
            assert_eq!(cluster.withdrawn(3), Some(Withdrawal::Removed), "seed {seed}");
        }
    }
}

/// The successor of a leader that a bare majority has removed is not reloaded yet, and crashes.
#[test]
fn a_removed_leader_does_not_follow_its_successor_that_crashes() {
    for (size, seed) in [4, 5].into_iter().flat_map(|size| (0..20).map(move |seed| (size, seed))) {
        let mut cluster = Cluster::new(s2(size), seed);
        cluster.settle(LIMIT);
        (2..size).for_each(|me| cluster.list(me, 0, false));
        cluster.run(beats(5));
        assert_eq!(cluster.acting(), [1], "{size}, seed {seed}");
        cluster.run(beats(1) * seed as u32 / 20);
        cluster.kill(1);
        cluster.run(beats(3));
        for _ in 0..100 {
            cluster.run(beats(1) / 2);
            assert_eq!(cluster.acting(), [2], "{size}, seed {seed}");
            assert_eq!(cluster.withdrawn(0), Some(Withdrawal::Removed), "{size}, seed {seed}");
        }
    }
}

/// It forgets the removal ten heartbeats after the last word of the others.
#[test]
fn a_removed_host_leads_when_all_others_are_gone() {
    for seed in 0..10 {
        let mut cluster = Cluster::new(s2(3), seed);
        cluster.settle(LIMIT);
        (1..3).for_each(|me| cluster.list(me, 0, false));
        cluster.run(beats(20));
        (1..3).for_each(|me| cluster.kill(me));
        cluster.run(beats(9));
        assert_eq!((cluster.acting(), cluster.withdrawn(0)), (vec![], Some(Withdrawal::Removed)), "seed {seed}");
        cluster.run(beats(5));
        assert_eq!((cluster.acting(), cluster.withdrawn(0)), (vec![0], None), "seed {seed}");
    }
}

/// A restarted host with its old list asks before it can lead.
#[test]
fn a_removed_host_that_restarts_never_acts() {
    for seed in 0..20 {
        let mut cluster = Cluster::new(s2(4), seed);
        cluster.settle(LIMIT);
        cluster.kill(0);
        (1..4).for_each(|me| cluster.list(me, 0, false));
        cluster.run(beats(5));
        cluster.start(0);
        for _ in 0..1000 {
            cluster.run(tempo().iteration() / 2);
            assert_eq!(cluster.acting(), [1], "seed {seed}");
        }
        assert_eq!(cluster.withdrawn(0), Some(Withdrawal::Removed), "seed {seed}");
    }
}

#[test]
fn corrupted_memory_bars_no_host_for_good() {
    for (seed, corruption) in
        (0..20).flat_map(|seed| [Corruption::Random, Corruption::Low, Corruption::High].map(|c| (seed, c)))
    {
        let mut cluster = Cluster::new(s2(4), seed);
        cluster.settle(LIMIT);
        cluster.list(3, 0, false);
        cluster.run(beats(seed as u32 % 5));
        (0..4).for_each(|me| cluster.corrupt(me, corruption));
        cluster.run(beats(60));
        for _ in 0..40 {
            cluster.run(beats(1) / 4);
            assert_eq!(cluster.acting().len(), 1, "seed {seed}, {corruption:?}: {:?}", cluster.states());
        }
    }
}

/// A third of all datagrams are lost: the removed leader needs some heartbeats to hear that it is removed, and does not forget it.
#[test]
fn loss_does_not_bring_a_removed_leader_back() {
    for seed in 0..20 {
        let mut cluster = Cluster::new(s2(5), seed);
        cluster.settle(LIMIT);
        cluster.isolate(0, 100);
        cluster.run(beats(8));
        (1..5).for_each(|me| cluster.list(me, 0, false));
        cluster.run(beats(1));
        cluster.isolate(0, 33);
        let (without, _) = cluster.watch(beats(10));
        assert!(without <= beats(7), "seed {seed}: {without:?}");
        let (without, leader) = cluster.watch(beats(200));
        assert!(without <= beats(2) && leader == Some(1), "seed {seed}: {without:?}, {leader:?}");
    }
}
