//! The reasons that nodes give for changes, in virtual time.

use crate::common::beats;
use crate::world::{World, failover, guard};
use ringleader_node_core::{Change, Instruction, Reason, Role, Withdrawal};

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
