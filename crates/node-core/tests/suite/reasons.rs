//! The reasons that nodes give for changes, in virtual time.

use crate::common::{Cluster, beats, keys, s2};
use crate::world::{World, failover, guard};
use ringleader_node_core::lease::Record;
use ringleader_node_core::{Change, Guard, Instruction, Reason, Role, Withdrawal};
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(60);

/// The reasons for which a node stopped or began to name node 0, since the last call.
fn reasons(world: &mut World, me: usize) -> Vec<Reason> {
    let announced = std::mem::take(&mut world.announced);
    announced.into_iter().filter(|(host, _)| *host == me).map(|(_, change)| change.reason).collect()
}

/// The cluster with node 0 confirmed for a while, and nothing announced.
fn settled(seed: u64) -> World {
    let mut world = World::new(3, seed, guard());
    world.until_confirmed(failover());
    world.run(beats(5));
    assert_eq!(world.confirmed(), [0]);
    world.announced.clear();
    world
}

#[test]
fn a_drained_leader_says_so_and_its_followers_name_a_handover() {
    for seed in 0..20 {
        let mut world = settled(seed);
        world.order(0, Instruction::Withdraw(Some(Withdrawal::Drained)));
        world.run(beats(3));
        assert_eq!(world.confirmed(), [1], "seed {seed}");
        let announced = world.announced.clone();
        let lost = announced.iter().find(|(host, change)| *host == 0 && change.before.state == Role::Leader);
        assert_eq!(lost.map(|(_, change)| change.reason), Some(Reason::Withdrawn), "seed {seed}");
        for other in [1, 2] {
            let taken = announced.iter().find(|(host, change)| *host == other && change.before.leader == 0);
            assert_eq!(taken.map(|(_, change)| change.reason), Some(Reason::Handover), "seed {seed}: {other}");
        }
        let moved = |(host, change): &&(usize, Change)| *host == 0 && change.after.leader != change.before.leader;
        let follows = announced.iter().find(moved).map(|(_, change)| (change.after.leader, change.reason));
        assert_eq!(follows, Some((1, Reason::Handover)), "seed {seed}: it knows that it handed over");
        let told = announced.iter().filter(|(host, _)| *host != 0).map(|(_, change)| change.reason);
        assert!(told.clone().all(|reason| reason != Reason::Silence), "seed {seed}: {:?}", told.collect::<Vec<_>>());
        // The order stays while it is not lifted, whatever happens to the others.
        world.cut(|host| host == 1);
        world.run(failover() + beats(5));
        assert_eq!(world.confirmed(), [2], "seed {seed}: not the drained node");
    }
}

#[test]
fn a_leader_that_resigns_and_one_that_crashes_have_different_reasons() {
    for seed in 0..20 {
        let mut world = settled(seed);
        world.order(0, Instruction::Resign);
        world.run(beats(3));
        assert_eq!(world.confirmed(), [1], "seed {seed}");
        assert_eq!(reasons(&mut world, 0).first(), Some(&Reason::Resigned), "seed {seed}");
        let mut world = settled(seed);
        world.hosts[0].core = None;
        world.run(failover() + beats(2));
        assert!(reasons(&mut world, 1).contains(&Reason::Silence), "seed {seed}");
    }
}

/// The lease of a leader that is stopped, or cut off, lapses: it does not hand over, and is not silent.
#[test]
fn a_leader_whose_lease_lapses_says_so() {
    for seed in 0..20 {
        let mut world = settled(seed);
        world.hosts[0].paused = true;
        world.run(5 * failover());
        world.hosts[0].paused = false;
        world.run(beats(3));
        let first = reasons(&mut world, 0)[0];
        assert!(matches!(first, Reason::Unconfirmed | Reason::Away), "seed {seed}: {first}");
        let mut world = settled(seed);
        world.cut(|host| host == 0);
        world.run(beats(60));
        let told = reasons(&mut world, 0);
        assert!(told.contains(&Reason::Unconfirmed), "seed {seed}: {told:?}");
        assert!(!told.contains(&Reason::Silence) && !told.contains(&Reason::Handover), "seed {seed}: {told:?}");
    }
}

/// The reasons for which a node announced changes, each with the leader before and after.
fn told(announced: &[(usize, Change)], me: usize) -> Vec<(usize, usize, Reason)> {
    let own = announced.iter().filter(|(host, _)| *host == me);
    own.map(|(_, change)| (change.before.leader, change.after.leader, change.reason)).collect()
}

#[test]
fn followers_of_a_leader_that_restarts_say_so() {
    let mut noticed = 0;
    for seed in 0..10 {
        let mut cluster = Cluster::new(s2(3), seed);
        cluster.settle(LIMIT);
        cluster.run(beats(5));
        cluster.announced.clear();
        cluster.start(0);
        cluster.run(beats(3));
        for me in [1, 2] {
            // It may lead again before anybody follows another node.
            let first = told(&cluster.announced, me).first().copied();
            assert!(first.is_none_or(|first| (first.0, first.2) == (0, Reason::Restarted)), "seed {seed}: {first:?}");
            noticed += usize::from(first.is_some());
        }
        let mut world = settled(seed);
        world.start(0);
        world.run(beats(4));
        for me in [1, 2] {
            let first = told(&world.announced, me)[0];
            assert_eq!((first.0, first.2), (0, Reason::Restarted), "seed {seed}: {me}");
        }
    }
    assert!(noticed > 5, "{noticed}");
}

/// The node that lost its carrier follows when the carrier is back. It has not just started.
#[test]
fn a_node_that_stopped_leading_follows_for_the_same_reason() {
    for seed in 0..10 {
        let mut cluster = Cluster::new(s2(3), seed);
        cluster.settle(LIMIT);
        cluster.announced.clear();
        cluster.order(0, Instruction::Withdraw(Some(Withdrawal::Carrier)));
        cluster.isolate(0, 100);
        cluster.run(beats(8));
        cluster.order(0, Instruction::Withdraw(None));
        cluster.isolate(0, 0);
        cluster.run(beats(4));
        let expected = [(0, 0, Reason::Carrier), (0, 1, Reason::Carrier)];
        assert_eq!(told(&cluster.announced, 0), expected, "seed {seed}");
        let mut world = settled(seed);
        world.hosts[0].paused = true;
        world.run(beats(20));
        world.hosts[0].paused = false;
        world.run(beats(3));
        let told = told(&world.announced, 0);
        assert!(
            told.iter().all(|(.., reason)| matches!(reason, Reason::Away | Reason::Unconfirmed)),
            "seed {seed}: {told:?}"
        );
        assert_eq!(told.last().map(|last| last.1), Some(1), "seed {seed}: {told:?}");
    }
}

#[test]
fn a_removed_leader_and_its_followers_say_so() {
    for seed in 0..10 {
        let stored = Guard { record: Some(Record::default()), ..guard() };
        let mut world = World::of_members(4, (0..4).collect(), seed, stored);
        world.until_confirmed(failover());
        world.run(beats(5));
        world.announced.clear();
        for me in 1..4 {
            world.order(me, Instruction::Reload { members: vec![false, true, true, true], keys: keys() });
        }
        world.run(beats(30));
        assert_eq!(world.confirmed(), [1], "seed {seed}");
        // It hears that its successor leads, and nothing after that.
        let own: Vec<Reason> = told(&world.announced, 0).into_iter().map(|(.., reason)| reason).collect();
        assert_eq!(
            (own.first(), own.last()),
            (Some(&Reason::Withdrawn), Some(&Reason::Withdrawn)),
            "seed {seed}: {own:?}"
        );
        assert!(!own.contains(&Reason::Silence), "seed {seed}: {own:?}");
        for me in 1..4 {
            let first = told(&world.announced, me)[0];
            assert_eq!((first.0, first.2), (0, Reason::Removed), "seed {seed}: {me}");
        }
    }
}
