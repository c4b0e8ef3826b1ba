//! Attacks on the path, and by a host that has the key.

use crate::common::{Cluster, beats, boot, core_config, exchange, receive, s2, tempo};
use crate::world::{World, failover, guard, length};
use ringleader_algorithms::robust::s2::RobustS2;
use ringleader_model::{Domain, Name, Visitor};
use ringleader_node_core::lease::Record;
use ringleader_node_core::{Core, CoreConfig, Guard, Rejection, Role, Trouble};

/// The confirmed leader stands still for a while, and its datagrams are dropped for a while after. The next leader waits for the end of the
/// lease: the hooks of the old leader may run until then.
#[test]
fn a_lease_that_was_abandoned_expires() {
    for seed in 0..40 {
        let long = Guard::new(beats(25));
        let mut world = World::with_hooks(5, seed, long, beats(8));
        world.until_confirmed(beats(40));
        world.run(beats(3));
        let [leader] = world.confirmed()[..] else { panic!("one is confirmed") };
        world.hosts[leader].paused = true;
        world.run(beats(6));
        world.hosts[leader].paused = false;
        world.loss[leader].fill(100);
        world.run(beats(1) * (seed as u32 % 20) / 10);
        world.loss[leader].fill(0);
        // `World` refuses another leader while the hooks of this one run.
        world.run(beats(60));
        assert_eq!(world.confirmed().len(), 1, "seed {seed}");
    }
}

/// Grants arrive just before or after the leader has announced the end of its lease. `World` refuses a token that was used before.
#[test]
fn a_late_grant_does_not_use_a_token_again() {
    let mut again = 0;
    for seed in 0..100 {
        let mut world = World::new(3, seed, Guard { record: Some(Record::default()), ..guard() });
        world.until_confirmed(failover() + beats(2));
        world.run(beats(2));
        let before = world.tokens.len();
        for round in 0..20 {
            // No grant arrives for almost as long as the lease lasts.
            (1..3).for_each(|from| world.loss[from][0] = 100);
            world.run(length() - beats(1) * (round % 10) / 10);
            (1..3).for_each(|from| world.loss[from][0] = 0);
            world.run(beats(2));
        }
        again += world.tokens.len() - before;
    }
    assert!(again > 100, "the lease was hardly ever renewed late: {again} tokens");
}

/// The notices of a host.
fn troubles(world: &World, me: usize) -> Vec<Trouble> {
    let core = world.hosts[me].core.as_ref().unwrap();
    core.notices().recent(world.clock(me).elapsed).map(|notice| notice.trouble).collect()
}

/// A host with the key has, and asks for, tokens that no cluster reaches. The others neither store them nor count from them.
#[test]
fn one_host_with_an_absurd_token_destroys_no_file() {
    for (seed, absurd) in
        [u64::MAX, u64::MAX - 1, 1 << 48, (1 << 48) - 1, 1 << 40, 5 + (1 << 21)].into_iter().enumerate()
    {
        for insider in 0..3 {
            let mut world = World::new(3, seed as u64, Guard { record: Some(Record::default()), ..guard() });
            world.until_confirmed(failover() + beats(2));
            world.run(beats(5));
            // The tokens of all confirmed leaders are judged from here on, except for that of the insider.
            world.hosts[insider].file = Record { token: absurd, holder: insider, life: 1, ..world.hosts[insider].file };
            world.start(insider);
            world.run(beats(60));
            let others: Vec<usize> = (0..3).filter(|&me| me != insider).collect();
            for &me in &others {
                assert!(
                    world.hosts[me].file.token < 100,
                    "{me} stored {} because of {absurd}",
                    world.hosts[me].file.token
                );
            }
            let told = others.iter().any(|&me| troubles(&world, me).iter().any(|t| matches!(t, Trouble::Token { .. })));
            // As an asker it names no token of its own file, so nobody has to know.
            assert!(told || world.confirmed() == [insider], "{absurd}, insider {insider}");
            world.hosts[insider].core = None;
            world.until_confirmed(failover() + beats(60));
            assert!(world.tokens.last().is_some_and(|&token| token < 100), "{:?}", world.tokens);
        }
    }
}

/// A member whose file is behind learns the token of the others.
#[test]
fn a_member_adopts_a_higher_token() {
    let mut world = World::new(3, 1, Guard { record: Some(Record::default()), ..guard() });
    (0..2).for_each(|me| world.hosts[me].file = Record { token: 9, holder: 0, life: 1, ..world.hosts[me].file });
    (0..3).for_each(|me| world.start(me));
    world.until_confirmed(failover() + beats(2));
    world.run(beats(5));
    assert!(world.tokens[0] >= 10 && world.hosts.iter().all(|host| host.file.token >= 10), "{:?}", world.tokens);
}

/// Another size, a heartbeat of a minute, and a long time of acting: a barred leader hands over, and a node that hears this host is barred for at
/// most ten of its own heartbeats.
#[test]
fn one_wrong_host_does_not_stop_the_others() {
    for (reached, most) in [(&[0][..], 3), (&[0, 1, 2], 14)] {
        let mut cluster = Cluster::new(s2(4), 3);
        (0..3).for_each(|me| cluster.kill(me));
        let wrong = s2(6);
        let now = cluster.clock();
        let config = CoreConfig { heartbeat: beats(600), boot: boot(now.elapsed), ..core_config(3, 6) };
        cluster.cores[3] = Some(Core::new(wrong.into(), config, 7, now).unwrap());
        cluster.run(beats(20));
        let acts = |cluster: &Cluster<RobustS2>, me: usize| {
            let core = cluster.cores[me].as_ref().unwrap();
            core.status().leadership.state == Role::Leader
        };
        assert!(acts(&cluster, 3), "it has acted for the longest time");
        cluster.isolate(3, 100);
        (0..3).for_each(|me| cluster.start(me));
        cluster.run(beats(130));
        assert!(acts(&cluster, 0));
        let reach = |cluster: &mut Cluster<RobustS2>, loss| {
            cluster.loss.extend(reached.iter().flat_map(|&me| [((me, 3), loss), ((3, me), loss)]));
        };
        reach(&mut cluster, 0);
        cluster.run(beats(2));
        reach(&mut cluster, 100);
        let mut without = 0;
        for _ in 0..30 * 20 {
            cluster.run(tempo().iteration());
            without += u32::from(!(0..3).any(|me| acts(&cluster, me)));
        }
        assert!(cluster.rejections.contains(&Rejection::Algorithm));
        assert!(without <= most * 20, "{reached:?}: {} heartbeats without a leader", without / 20);
        assert_eq!((0..3).filter(|&me| acts(&cluster, me)).count(), 1);
    }
}

/// A datagram that is longer than any of the algorithm is refused before its MAC is computed.
#[test]
fn a_long_datagram_is_refused_before_its_mac() {
    let mut cluster = Cluster::new(s2(3), 1);
    cluster.run(beats(5));
    let (to, datagram) = cluster.wire.iter().find(|(_, datagram)| datagram.len() > 120).unwrap().clone();
    let mut long = datagram.clone();
    long.resize(400, 0);
    cluster.rejections.clear();
    cluster.inject(to, &long);
    assert_eq!(cluster.rejections, [Rejection::Oversized]);
}

/// One host without the guard, preferred, beside two with it: it does not act beside a confirmed leader, and unseats none.
#[test]
fn a_host_without_the_guard_gives_way_to_a_guarded_majority() {
    for seed in 0..20 {
        let mut world = World::new(3, seed, guard());
        world.until_confirmed(failover());
        world.run(beats(3));
        let now = world.clock(0);
        let config = CoreConfig { boot: boot(now.elapsed), ..core_config(0, 3) };
        let algorithm = s2(3);
        world.hosts[0].core = Some(Core::new(algorithm.into(), config, seed, now).unwrap());
        world.tolerant = true;
        let acts = |world: &World| world.hosts[0].core.as_ref().unwrap().status().leadership.state == Role::Leader;
        let (mut both, mut guarded) = (0, 0);
        for _ in 0..100 * 20 {
            world.run(tempo().iteration());
            let confirmed = (1..3).any(|me| {
                let status = world.hosts[me].core.as_ref().unwrap().status();
                status.leadership.confirmation.is_some()
            });
            (both, guarded) = (both + u32::from(confirmed && acts(&world)), guarded + u32::from(confirmed));
        }
        assert!(guarded > 90 * 20, "seed {seed}: confirmed in {guarded} of 2000 iterations");
        assert!(both <= 2, "seed {seed}: both acted in {both} iterations");
        assert!(troubles(&world, 1).contains(&Trouble::Guard) && troubles(&world, 0).contains(&Trouble::Guard));
    }
}

/// A host without the guard that has the identity of the confirmed leader does not hear that leader. It hears that the others are guarded.
#[test]
fn a_host_without_the_guard_and_with_the_identity_of_the_leader_does_not_act() {
    for seed in 0..10 {
        let mut world = World::new(3, seed, guard());
        world.until_confirmed(failover());
        world.run(beats(3));
        let [leader] = world.confirmed()[..] else { panic!("one is confirmed") };
        let now = world.clock(leader);
        let config = CoreConfig { boot: boot(now.elapsed), ..core_config(leader, 3) };
        let algorithm = s2(3);
        let mut twin = Core::new(algorithm.into(), config, seed, now).unwrap();
        let mut acted = 0;
        for _ in 0..100 * 20 {
            world.run(tempo().iteration());
            let now = world.clock(leader);
            twin.iterate(now);
            exchange(&mut twin, now, |to, datagram| {
                let there = world.clock(to);
                receive(world.hosts[to].core.as_mut(), there, datagram)
            });
            acted += u32::from(twin.status().leadership.state == Role::Leader);
            assert_eq!(world.confirmed(), [leader], "seed {seed}");
        }
        assert!(acted <= 2, "seed {seed}: it acted in {acted} iterations");
    }
}

/// One host with a guard that the others do not have cannot be confirmed, and does not stop the others.
#[test]
fn one_guarded_host_does_not_stop_the_others() {
    let mut cluster = Cluster::new(s2(3), 1);
    cluster.run(beats(20));
    let now = cluster.clock();
    let config = CoreConfig { boot: boot(now.elapsed), guard: Some(guard()), ..core_config(2, 3) };
    let algorithm = s2(3);
    cluster.cores[2] = Some(Core::new(algorithm.into(), config, 1, now).unwrap());
    for _ in 0..50 * 20 {
        cluster.run(tempo().iteration());
        assert_eq!(cluster.acting(), [0]);
    }
    assert!(cluster.rejections.contains(&Rejection::Guard));
}

/// Forged datagrams in the names of many members fill their share of the notices. A dispute still bars the node that has acted for less time,
/// and its notice is shown.
#[test]
fn forged_datagrams_suppress_neither_disputes_nor_their_notices() {
    let size = 80;
    let algorithm = || s2(size);
    let mut cluster = Cluster::new(algorithm(), 3);
    (0..size).for_each(|me| cluster.kill(me));
    let now = cluster.clock();
    let config = CoreConfig { heartbeat: beats(2), boot: boot(now.elapsed), ..core_config(2, size) };
    cluster.cores[2] = Some(Core::new(algorithm().into(), config, 7, now).unwrap());
    cluster.run(beats(40));
    assert_eq!(cluster.acting(), [2]);
    let (_, genuine) = cluster.wire.iter().find(|(to, _)| *to == 0).unwrap().clone();
    cluster.start(0);
    for beat in 0..60 {
        for sender in 3..size as u16 {
            let mut forged = genuine.clone();
            forged[24..26].copy_from_slice(&sender.to_be_bytes());
            cluster.inject(0, &forged);
        }
        cluster.run(beats(1));
        assert_eq!(cluster.acting(), [2], "heartbeat {beat}");
    }
    let notices = cluster.cores[0].as_ref().unwrap().notices();
    let shown: Vec<&str> = notices.recent(cluster.now).map(|notice| notice.trouble.name()).collect();
    assert!(shown.contains(&"key") && shown.contains(&"heartbeat"), "{shown:?}");
    assert_eq!(cluster.rejections.iter().filter(|&&rejection| rejection == Rejection::Mac).count(), 60 * (size - 3));
}

/// Overwrites the end of a dispute.
struct DisputeUntil(u64);

impl Visitor for DisputeUntil {
    fn field(&mut self, name: Name<'_>, _: Domain<'_>, value: u64) -> u64 {
        if name.to_string() == "dispute until" { self.0 } else { value }
    }
}

/// A member with another heartbeat acts, so another one is barred. The first ends, and the other one leads soon, even if the end of the dispute
/// was corrupted.
#[test]
fn a_corrupted_end_of_a_dispute_heals() {
    for until in [0, u64::MAX / 2, u64::MAX] {
        let mut cluster = Cluster::new(s2(3), 1);
        (0..3).for_each(|me| cluster.kill(me));
        let now = cluster.clock();
        let config = CoreConfig { heartbeat: beats(2), boot: boot(now.elapsed), ..core_config(2, 3) };
        cluster.cores[2] = Some(Core::new(s2(3).into(), config, 7, now).unwrap());
        cluster.run(beats(20));
        cluster.start(0);
        cluster.run(beats(20));
        let core = cluster.cores[0].as_mut().unwrap();
        assert!(core.status().disputed.is_some());
        core.memory(&mut DisputeUntil(until));
        cluster.kill(2);
        cluster.run(beats(10 + 4));
        assert_eq!(cluster.acting(), [0], "{until}");
    }
}
