//! The return of a preferred node, in simulated time.

use crate::common::{Cluster, tempo};
use ringleader_algorithms::robust::s2::RobustS2;
use ringleader_node_core::{Instruction, Withdrawal};
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
