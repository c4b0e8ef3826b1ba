//! The return of a preferred node, in simulated time.

use crate::common::{Cluster, tempo};
use ringleader_algorithms::robust::s2::RobustS2;
use ringleader_node_core::{Instruction, Role, Withdrawal};
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(60);

/// Five nodes that take over after this time.
fn s2(preempt: Duration) -> RobustS2 {
    let mut algorithm = RobustS2::quick(5, tempo().timing(), tempo().period());
    let proof = preempt.as_micros().div_ceil(tempo().iteration().as_micros()) as u64;
    algorithm.quick.as_mut().unwrap().proof = proof;
    algorithm
}

/// The time until node 0 is the only one that acts, and whether another one acted meanwhile.
fn until_it_leads(cluster: &mut Cluster<RobustS2>) -> (Duration, bool) {
    let (begun, mut another) = (cluster.now, false);
    while cluster.acting() != [0] {
        assert!(cluster.now - begun < LIMIT, "{:?} act", cluster.acting());
        cluster.run(Duration::from_millis(1));
        another |= cluster.acting().iter().any(|&me| me != 0);
    }
    (cluster.now - begun, another)
}

/// The time of `preempt` begins when the node hears a leader. If no node leads yet, that is when the others have given up its last
/// incarnation, about one and a half heartbeats after the crash.
#[test]
fn a_preferred_node_returns_after_the_time_of_preempt_however_soon_it_restarts() {
    let preempt = Duration::from_millis(600);
    for down in (1..30).map(|tenths| tempo().heartbeat * tenths / 10) {
        for seed in 0..5 {
            let mut cluster = Cluster::new(s2(preempt), seed);
            cluster.settle(LIMIT);
            cluster.run(Duration::from_millis(seed * 23));
            assert_eq!(cluster.acting(), [0]);
            cluster.kill(0);
            cluster.run(down);
            cluster.start(0);
            let (took, another) = until_it_leads(&mut cluster);
            let successor = (tempo().heartbeat * 9 / 5).saturating_sub(down);
            let (least, most) = (preempt * 19 / 20, preempt * 21 / 20 + successor + tempo().heartbeat);
            println!("down {down:?}: {took:?} {another}");
            let least = if another { least } else { Duration::ZERO };
            assert!(took >= least && took <= most, "down for {down:?}: {took:?}, not {least:?} to {most:?}");
        }
    }
}

/// A node that was drained returns after the time of `preempt` and the time for which it abstained.
#[test]
fn a_drained_node_returns_after_the_time_of_preempt() {
    let preempt = Duration::from_millis(600);
    for seed in 0..20 {
        let mut cluster = Cluster::new(s2(preempt), seed);
        cluster.settle(LIMIT);
        cluster.order(0, Instruction::Withdraw(Some(Withdrawal::Drained)));
        cluster.run(tempo().heartbeat * (20 + seed as u32));
        assert_eq!(cluster.acting(), [1]);
        cluster.order(0, Instruction::Withdraw(None));
        let (took, _) = until_it_leads(&mut cluster);
        println!("{took:?}");
        assert!(took >= preempt && took <= preempt * 21 / 20 + 5 * tempo().heartbeat, "{took:?}");
    }
}

/// Whether node 0 reports that node 1 does not hand over.
fn asks_in_vain(cluster: &Cluster<RobustS2>) -> bool {
    let notices = cluster.cores[0].as_ref().unwrap().notices();
    let told = |trouble: &str| trouble == "no handover";
    notices.recent(cluster.now).any(|notice| notice.peer == 1 && told(notice.trouble.name()))
}

/// A preferred node whose datagrams stop arriving follows the leader that it hears, and reports it. It leads when all others are silent, and soon
/// after its datagrams arrive again.
#[test]
fn a_mute_preferred_node_follows_the_leader_that_it_hears() {
    for seed in 0..10 {
        let mut cluster = Cluster::new(s2(tempo().heartbeat * 10), seed);
        cluster.settle(LIMIT);
        cluster.order(0, Instruction::Withdraw(Some(Withdrawal::Drained)));
        cluster.run(tempo().heartbeat * 10);
        cluster.order(0, Instruction::Withdraw(None));
        cluster.run(tempo().heartbeat * 2);
        cluster.loss.extend((1..5).map(|other| ((0, other), 100)));
        for beat in 0..300 {
            cluster.run(tempo().heartbeat);
            assert_eq!(cluster.acting(), [1], "seed {seed}, heartbeat {beat}");
        }
        assert_eq!(cluster.cores[0].as_ref().unwrap().status().leadership.state, Role::Follower);
        assert!(asks_in_vain(&cluster), "seed {seed}");
        if seed % 2 == 0 {
            (1..5).for_each(|other| cluster.kill(other));
            cluster.run(tempo().heartbeat * 4);
            assert_eq!(cluster.acting(), [0], "seed {seed}");
            continue;
        }
        cluster.loss.clear();
        let (took, _) = until_it_leads(&mut cluster);
        assert!(took < tempo().heartbeat * 3, "seed {seed}: {took:?}");
        cluster.run(Duration::from_secs(2));
        assert!(!asks_in_vain(&cluster), "seed {seed}");
    }
}
