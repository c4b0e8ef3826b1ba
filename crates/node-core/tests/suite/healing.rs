//! Splits that heal: the leader that survives one is told, and no leader is told of a split where there was none.

use crate::common::{Cluster, beats, s2, tempo};
use crate::world::{World, failover, guard};
use ringleader_algorithms::robust::s2::RobustS2;
use ringleader_node_core::lease::Record;
use ringleader_node_core::{Guard, Instruction, Reason, Role, Withdrawal};
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(60);

/// The leader that survives a split is told once which node led on the other side, even if datagrams are lost. A planned handover is no split.
#[test]
fn the_leader_is_told_when_a_split_has_healed() {
    for seed in 0..20 {
        let mut cluster = Cluster::new(s2(5), seed);
        cluster.settle(LIMIT);
        cluster.resign(0);
        cluster.run(beats(20));
        assert_eq!(cluster.healed, [], "seed {seed}: nothing was split");
        let split = |cluster: &mut Cluster<RobustS2>, loss| {
            for (a, b) in (0..2).flat_map(|a| (2..5).map(move |b| (a, b))) {
                cluster.loss.extend([((a, b), loss), ((b, a), loss)]);
            }
        };
        split(&mut cluster, 100);
        cluster.run(beats(10));
        let sides = cluster.acting();
        assert_eq!(sides.len(), 2, "seed {seed}");
        split(&mut cluster, 20 * (seed % 2));
        cluster.run(beats(10));
        let [leader] = cluster.acting()[..] else { panic!("seed {seed}: {:?}", cluster.acting()) };
        if let Some(&other) = sides.iter().find(|&&side| side != leader).filter(|_| sides.contains(&leader)) {
            let times = cluster.healed.iter().filter(|told| **told == (leader, other)).count();
            assert_eq!(times, 1, "seed {seed}: {:?}", cluster.healed);
            assert!(cluster.healed.len() == 1 || seed % 2 == 1, "seed {seed}: {:?}", cluster.healed);
        }
    }
}

/// Also with the guard: the leader of the minority was not confirmed, but its side did not hear of the new leader.
#[test]
fn the_confirmed_leader_is_told_when_a_split_has_healed() {
    for seed in 0..20 {
        let mut world = World::new(5, seed, guard());
        world.until_confirmed(failover());
        world.run(beats(5));
        world.healed.clear();
        world.cut(|host| host < 2);
        world.run(beats(20));
        let leader = world.confirmed();
        assert_eq!(world.healed, []);
        world.cut(|_| true);
        world.run(beats(10));
        assert_eq!(world.confirmed(), leader, "seed {seed}");
        // Both led in the minority: one gives way to the other if it is not confirmed.
        let told = |&(to, other): &(usize, usize)| to == leader[0] && other < 2;
        assert!(
            world.healed.contains(&(leader[0], 0)) && world.healed.iter().all(told),
            "seed {seed}: {:?}",
            world.healed
        );
    }
}

/// The leader of the majority has restarted since the split began, so the node that returns has never heard this incarnation.
#[test]
fn a_leader_that_restarted_during_the_split_is_told() {
    for seed in 0..10 {
        let mut world = World::new(5, seed, guard());
        world.until_confirmed(failover());
        world.run(beats(5));
        world.cut(|host| host < 2);
        world.run(beats(20));
        assert_eq!(world.confirmed(), [2], "seed {seed}");
        for other in [3, 4] {
            world.start(other);
            world.run(beats(8));
        }
        world.order(2, Instruction::Resign);
        world.run(beats(10));
        let leader = world.confirmed()[0];
        assert_ne!(leader, 2, "seed {seed}");
        world.healed.clear();
        world.cut(|_| true);
        world.run(beats(10));
        let told = |&(to, other): &(usize, usize)| to == leader && other < 2;
        assert!(
            world.healed.contains(&(leader, 0)) && world.healed.iter().all(told),
            "seed {seed}: {:?}",
            world.healed
        );
    }
}

/// A leader that is cut off alone hands over, since it hears nobody. That is no planned handover: hosts beside it have not heard its successor.
#[test]
fn the_confirmed_leader_is_told_of_a_leader_that_was_cut_off_alone() {
    for (seed, length) in (0..20).flat_map(|seed| [4, 5, 8, 20].map(|length| (seed, length))) {
        let mut world = World::new(3 + 2 * (seed % 2), seed as u64, guard());
        world.until_confirmed(failover());
        world.run(beats(5) + beats(1) * seed as u32 / 20);
        world.announced.clear();
        world.cut(|host| host == 0);
        world.run(beats(length));
        let lost = world.announced.iter().find(|(host, change)| *host == 0 && change.before.state == Role::Leader);
        assert_eq!(lost.map(|(_, change)| change.reason), Some(Reason::Deaf), "seed {seed}");
        let leader = world.confirmed()[0];
        world.cut(|_| true);
        world.run(beats(1) + 2 * tempo().iteration());
        assert_eq!(world.healed, [(leader, 0)], "seed {seed}, a split of {length} heartbeats");
        world.run(beats(9));
        assert_eq!(world.healed, [(leader, 0)], "seed {seed}, a split of {length} heartbeats");
    }
}

/// The split heals soon after the other side has a leader. A node that first hears that leader more than half a heartbeat after it began to act
/// was apart from it; one that hears it earlier has missed no more than lost datagrams.
#[test]
fn half_a_heartbeat_beside_another_leader_is_a_split() {
    let (mut apart, mut together) = (0, 0);
    for (seed, tenths) in (0..8).flat_map(|seed| (23..34).map(move |tenths| (seed, tenths))) {
        // The length of the lease decides how long the other side's leader waits for it before its next heartbeat.
        let mut world = World::new(5, seed, Guard::new(beats(tenths) / 10));
        world.until_confirmed(beats(10));
        world.run(beats(5) + beats(1) * seed as u32 / 20);
        world.cut(|host| host == 0);
        while world.confirmed() == [0] {
            world.run(tempo().iteration() / 4);
        }
        world.until_confirmed(beats(10));
        let (leader, began) = (world.confirmed()[0], world.now);
        world.run(beats(1) / 10);
        world.cut(|_| true);
        let follows = |world: &World| {
            let leadership = world.hosts[0].core.as_ref().unwrap().status().leadership;
            (leadership.state, leadership.leader) == (Role::Follower, leader)
        };
        while !follows(&world) {
            world.run(tempo().iteration() / 4);
            assert!(world.now - began < beats(4), "seed {seed}, {tenths}");
        }
        let heard = world.now - began;
        world.run(beats(2));
        // It follows in the iteration after the datagram, and 0.05 heartbeats either way are left out.
        if (beats(12) / 20..beats(19) / 20).contains(&heard) {
            apart += 1;
            assert_eq!(world.healed, [(leader, 0)], "seed {seed}, heard after {heard:?}");
        } else if heard <= beats(9) / 20 {
            together += 1;
            assert_eq!(world.healed, [], "seed {seed}, heard after {heard:?}");
        }
    }
    println!("{apart} apart, {together} not");
    assert!(apart > 10 && together > 10, "{apart} and {together}");
}

/// The lease of the leader lapses when the split heals, and the node that was cut off makes it a leader again. Its first report meets no leader.
#[test]
fn a_leader_that_is_unconfirmed_for_a_moment_takes_a_later_report() {
    let mut unconfirmed = 0;
    for seed in 0..60 {
        let mut world = World::new(3, seed, Guard { record: Some(Record::default()), ..guard() });
        world.until_confirmed(failover());
        world.run(beats(5));
        world.cut(|host| host == 0);
        world.run(beats(5));
        assert_eq!(world.confirmed(), [1]);
        world.hosts[2].paused = true;
        let left = |world: &World| {
            let lease = world.hosts[1].core.as_ref().unwrap().status().leadership.confirmation.unwrap();
            lease.until.saturating_sub(world.clock(1).elapsed)
        };
        while left(&world) > tempo().iteration() * (3 + seed as u32 % 10) {
            world.run(tempo().iteration() / 5);
        }
        world.delay = 6 * tempo().iteration();
        world.announced.clear();
        world.cut(|_| true);
        world.run(beats(5));
        let lapsed =
            |(host, change): &(usize, ringleader_node_core::Change)| (*host, change.reason) == (1, Reason::Unconfirmed);
        let again = world.confirmed() == [1] && world.announced.iter().any(lapsed);
        unconfirmed += usize::from(again);
        assert!(!again || world.healed == [(1, 0)], "seed {seed}: {:?}", world.healed);
    }
    assert!(unconfirmed > 3, "{unconfirmed}");
}

/// Nodes that start one after the other, or crash, stand still, hand over or lose their carrier, were not split.
#[test]
fn without_a_split_no_confirmed_leader_is_told_of_one() {
    type Fault = fn(&mut World);
    let faults: [(&str, Fault); 6] = [
        ("a start one by one, the preferred node last", |world| {
            (0..5).for_each(|me| world.hosts[me].core = None);
            for me in [4, 3, 2, 1, 0] {
                world.start(me);
                world.run(beats(10));
            }
        }),
        ("the leader stands still", |world| {
            world.hosts[0].paused = true;
            world.run(beats(20));
            world.hosts[0].paused = false;
        }),
        ("all others crash", |world| {
            (1..5).for_each(|me| world.hosts[me].core = None);
            world.run(beats(10));
            (1..5).for_each(|me| world.start(me));
        }),
        ("the leader loses its carrier", |world| {
            world.order(0, Instruction::Withdraw(Some(Withdrawal::Carrier)));
            world.cut(|host| host == 0);
            world.run(beats(20));
            world.order(0, Instruction::Withdraw(None));
            world.cut(|_| true);
        }),
        ("the leader is drained", |world| {
            world.order(0, Instruction::Withdraw(Some(Withdrawal::Drained)));
            world.run(beats(20));
            world.order(0, Instruction::Withdraw(None));
        }),
        ("the leader is restarted", |world| world.start(0)),
    ];
    for (seed, (name, fault)) in (0..10).flat_map(|seed| faults.map(|fault| (seed, fault))) {
        let mut world = World::new(5, seed, guard());
        world.until_confirmed(failover());
        world.run(beats(5) + beats(1) * seed as u32 / 10);
        assert_eq!(world.confirmed(), [0]);
        fault(&mut world);
        world.run(beats(40));
        assert_eq!(world.confirmed().len(), 1, "{name}, seed {seed}");
        assert_eq!(world.healed, [], "{name}, seed {seed}");
    }
}

/// The same without the guard. Here a leader that stood still has acted beside the next one, and that is told.
#[test]
fn without_a_split_no_leader_is_told_of_one() {
    for seed in 0..10 {
        let mut cluster = Cluster::new(s2(4), seed);
        cluster.settle(LIMIT);
        cluster.order(0, Instruction::Withdraw(Some(Withdrawal::Carrier)));
        cluster.isolate(0, 100);
        cluster.run(beats(20));
        cluster.order(0, Instruction::Withdraw(None));
        cluster.isolate(0, 0);
        cluster.run(beats(20));
        assert_eq!(cluster.healed, [], "seed {seed}: a carrier returns");
    }
}

/// The leader of the other side returns, takes over and hands over again before it has sent all of its reports.
#[test]
fn a_report_ends_when_its_node_leads_again() {
    let mut taken = 0;
    for seed in 0..40 {
        let mut cluster = Cluster::new(s2(3), seed);
        cluster.settle(LIMIT);
        cluster.isolate(0, 100);
        cluster.run(beats(10));
        cluster.isolate(0, 0);
        cluster.run(beats(1) / 2);
        let [leader] = cluster.acting()[..] else { continue };
        let other = usize::from(leader == 0);
        // The third node does not take over.
        cluster.order(2, Instruction::Withdraw(Some(Withdrawal::Drained)));
        cluster.resign(leader);
        cluster.run(beats(1));
        if cluster.acting() == [other] {
            cluster.order(2, Instruction::Withdraw(None));
            cluster.order(leader, Instruction::Withdraw(Some(Withdrawal::Drained)));
            cluster.resign(other);
            cluster.run(beats(1));
            cluster.run(beats(10));
            taken += usize::from(cluster.acting() == [2]);
        }
        assert!(cluster.healed.iter().all(|(to, _)| *to != 2), "seed {seed}: {:?}", cluster.healed);
    }
    assert!(taken > 0, "{taken}");
}
