//! Loops that stand still, in simulated time.

use crate::common::{Cluster, Dice, beats, s2, tempo};
use ringleader_algorithms::robust::s2::RobustS2;
use ringleader_node_core::{Corruption, Role, Tempo};
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(60);
const ITERATION: Duration = Duration::from_millis(5);

/// The promotions, and the times without a leader and with several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Trouble {
    promotions: usize,
    without: Duration,
    several: Duration,
}

/// The nodes that lead, even in doubt.
fn leaders(cluster: &Cluster<RobustS2>) -> Vec<usize> {
    let leads = |me: &usize| cluster.cores[*me].as_ref().unwrap().status().leadership.state == Role::Leader;
    (0..cluster.size()).filter(leads).collect()
}

/// Watches a cluster for a time, with a step before each iteration.
fn watch(cluster: &mut Cluster<RobustS2>, time: Duration, mut step: impl FnMut(&mut Cluster<RobustS2>)) -> Trouble {
    let (end, mut trouble, mut before) = (cluster.now + time, Trouble::default(), leaders(cluster));
    while cluster.now < end {
        step(cluster);
        cluster.run(ITERATION);
        let acting = cluster.acting();
        trouble.promotions += acting.iter().filter(|leader| !before.contains(leader)).count();
        match acting.len() {
            0 => trouble.without += ITERATION,
            1 => {}
            _ => trouble.several += ITERATION,
        }
        // A leader that doubts for a moment is not promoted again.
        before = leaders(cluster);
    }
    trouble
}

/// Every host stands still every 0.5 to 2 s for 50 to 300 ms, at a heartbeat of 100 ms. Followers learn how long a stall lasts, and tell a candidate
/// that has not learned it. A deposed leader does not return.
#[test]
fn stalls_of_all_hosts_hardly_change_the_leader() {
    let mut all = vec![];
    for seed in 0..8 {
        let mut algorithm = s2(5);
        algorithm.quick.as_mut().unwrap().proof = 100 * tempo().period();
        let (mut cluster, mut dice) = (Cluster::new(algorithm, seed), Dice(seed));
        cluster.settle(LIMIT);
        let mut next = [Duration::ZERO; 5].map(|_| cluster.now + Duration::from_millis(dice.below(2000)));
        let trouble = watch(&mut cluster, Duration::from_secs(30), |cluster| {
            let now = cluster.now;
            for (me, next) in next.iter_mut().enumerate().filter(|(_, next)| **next <= now) {
                cluster.stall(me, Duration::from_millis(50 + dice.below(251)));
                *next = cluster.awake[me] + Duration::from_millis(500 + dice.below(1500));
            }
        });
        println!("{trouble:?}");
        all.push(trouble);
    }
    let mean = |part: fn(&Trouble) -> f64| all.iter().map(part).sum::<f64>() / all.len() as f64;
    assert!(mean(|trouble| trouble.promotions as f64) <= 2.0, "{all:?}");
    assert!(mean(|trouble| trouble.without.as_secs_f64()) <= 0.7, "{all:?}");
    assert!(mean(|trouble| trouble.several.as_secs_f64()) <= 0.1, "{all:?}");
}

/// The same stall of every host at once, as of one machine or its hypervisor: nobody else leads, so the leader has lost nothing.
#[test]
fn a_stall_of_all_hosts_at_once_changes_nothing() {
    for (seed, millis) in [(1, 150), (2, 300), (3, 1000), (4, 5000), (5, 60_000)] {
        let mut cluster = Cluster::new(s2(5), seed);
        cluster.settle(LIMIT);
        for _ in 0..10 {
            cluster.run(beats(7) + ITERATION * 3);
            (0..5).for_each(|me| cluster.stall(me, Duration::from_millis(millis)));
            cluster.run(Duration::from_millis(millis));
            let trouble = watch(&mut cluster, beats(10), |_| ());
            assert!(trouble.promotions == 0 && trouble.several.is_zero(), "{millis} ms: {trouble:?}");
            assert!(trouble.without <= beats(1), "{millis} ms: {trouble:?}");
            assert_eq!(cluster.acting(), [0], "{millis} ms");
        }
    }
}

/// No datagram arrives for a second, and every node leads. Then datagrams arrive again: one leader within two heartbeats.
#[test]
fn nodes_that_all_lead_agree_within_two_heartbeats() {
    for seed in 0..10 {
        let mut cluster = Cluster::new(s2(5), seed);
        cluster.settle(LIMIT);
        (0..5).for_each(|me| cluster.isolate(me, 100));
        cluster.run(beats(10));
        assert_eq!(cluster.acting(), [0, 1, 2, 3, 4]);
        cluster.loss.clear();
        cluster.run(beats(2));
        let trouble = watch(&mut cluster, beats(20), |_| ());
        assert!(trouble.several.is_zero(), "seed {seed}: {trouble:?}");
    }
}

/// A leader that stood still for long asks before it acts. Another node leads, so it follows: never two act.
#[test]
fn a_leader_that_was_away_asks_before_it_acts() {
    for seed in 0..10 {
        let mut cluster = Cluster::new(s2(3), seed);
        cluster.settle(LIMIT);
        assert_eq!(cluster.acting(), [0]);
        cluster.stall(0, beats(20));
        cluster.run(beats(20) - ITERATION);
        // The stopped node does not know the time.
        assert_eq!(cluster.acting(), [0, 1]);
        cluster.run(ITERATION * 2);
        let trouble = watch(&mut cluster, beats(8), |_| ());
        assert_eq!((trouble, cluster.acting()), (Trouble::default(), vec![1]));
        // It stood still until another node led, so it ranks behind that node, also after the time of `preempt`.
        cluster.run(beats(30));
        assert_eq!(cluster.acting(), [1]);
        cluster.kill(1);
        cluster.run(beats(4));
        assert_eq!(cluster.acting(), [2], "seed {seed}");
    }
}

/// The same, but the network returns later than the node: nobody answers, and it leads on. It has doubted for at most a heartbeat.
#[test]
fn a_leader_that_was_away_and_hears_nobody_leads_on() {
    let mut cluster = Cluster::new(s2(3), 1);
    cluster.settle(LIMIT);
    cluster.isolate(0, 100);
    cluster.stall(0, beats(20));
    cluster.run(beats(20) + ITERATION);
    let status = cluster.cores[0].as_ref().unwrap().status();
    assert!(status.doubts && status.leadership.state == Role::Leader);
    cluster.run(beats(1));
    assert!(cluster.acting().contains(&0));
}

/// Patience has a bound whatever was measured, and is as short as before some 170 heartbeats after the last stall.
#[test]
fn patience_is_bounded_and_returns() {
    let patience = |cluster: &Cluster<RobustS2>| cluster.cores[1].as_ref().unwrap().status().patience.unwrap();
    let mut cluster = Cluster::new(s2(3), 1);
    cluster.settle(LIMIT);
    let usual = patience(&cluster);
    assert!(usual < beats(2), "{usual:?}");
    cluster.stall(1, Duration::from_millis(200));
    cluster.run(beats(3));
    let longer = patience(&cluster);
    assert!(longer > beats(3) && longer <= beats(4), "{longer:?}");
    cluster.run(beats(180));
    assert!(patience(&cluster) <= usual + 2 * ITERATION, "{:?}", patience(&cluster));
    cluster.corrupt(1, Corruption::High);
    assert!(patience(&cluster) <= beats(4));
    cluster.run(beats(220));
    assert!(patience(&cluster) < beats(2), "{:?}", patience(&cluster));
}

/// The only node that acts. A handover between two nodes takes a moment.
fn only_leader(cluster: &mut Cluster<RobustS2>) -> usize {
    let begun = cluster.now;
    while cluster.acting().len() != 1 {
        assert!(cluster.now - begun < beats(2), "{:?} act", cluster.acting());
        cluster.run(tempo().iteration());
    }
    cluster.acting()[0]
}

/// The loop of the leader stands still for a little longer than a heartbeat, right after it sent one: nobody has given it up, and it goes on.
/// After a longer pause it doubts for at most a heartbeat; then one node acts, this one or the next.
#[test]
fn a_short_stall_of_the_leader_changes_nothing() {
    for (seed, stall, same) in [(1, 105, true), (2, 105, true), (3, 110, true), (4, 200, false), (5, 300, false)] {
        let mut cluster = Cluster::new(s2(3), seed);
        cluster.settle(LIMIT);
        for _ in 0..20 {
            cluster.run(beats(5));
            let leader = only_leader(&mut cluster);
            cluster.delivered.clear();
            while !cluster.delivered.iter().any(|&(_, from, _)| from == leader) {
                cluster.run(Duration::from_millis(1));
            }
            cluster.next_iteration[leader] = cluster.now + Duration::from_millis(stall);
            cluster.run(Duration::from_millis(stall + 10));
            let status = cluster.cores[leader].as_ref().unwrap().status();
            assert!(!same || (status.leadership.state == Role::Leader && !status.doubts), "{stall} ms");
            cluster.run(beats(5));
            assert!(only_leader(&mut cluster) == leader || !same, "{stall} ms");
        }
    }
}

/// A leader that was away hears nothing, asks, and stands still again: it has still been silent for so long that another node leads.
#[test]
fn a_second_stall_during_the_questions_unseats_nobody() {
    for seed in 0..10 {
        let mut cluster = Cluster::new(s2(3), seed);
        cluster.settle(LIMIT);
        cluster.loss.extend([((1, 0), 100), ((2, 0), 100)]);
        cluster.stall(0, beats(5));
        cluster.run(beats(5));
        cluster.stall(0, beats(3) / 2);
        cluster.run(beats(3) / 2 - ITERATION);
        cluster.loss.clear();
        cluster.run(2 * ITERATION);
        let trouble = watch(&mut cluster, beats(8), |_| ());
        assert_eq!((trouble, cluster.acting()), (Trouble::default(), vec![1]), "seed {seed}");
    }
}

/// With a large δ, patience is longer than 4 heartbeats: nobody gives up a leader that stands still for four, and a follower that does so has
/// missed nothing.
#[test]
fn a_stall_within_a_patience_of_more_than_four_heartbeats_changes_nothing() {
    let patient = Tempo { delta: Some(beats(5)), ..tempo() };
    for seed in 0..10 {
        let mut cluster = Cluster::new(RobustS2::quick(3, patient.timing(), patient.period()), seed);
        cluster.settle(LIMIT);
        for stalled in [0, 1] {
            cluster.delivered.clear();
            while !cluster.delivered.iter().any(|&(_, from, _)| from == 0) {
                cluster.run(Duration::from_millis(1));
            }
            cluster.stall(stalled, beats(4));
            cluster.run(beats(4));
            let status = cluster.cores[stalled].as_ref().unwrap().status();
            let role = if stalled == 0 { Role::Leader } else { Role::Follower };
            assert_eq!((status.leadership.state, status.doubts), (role, false), "seed {seed}, node {stalled}");
            assert_eq!(watch(&mut cluster, beats(10), |_| ()), Trouble::default());
        }
    }
}
