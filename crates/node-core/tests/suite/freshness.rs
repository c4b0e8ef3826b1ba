//! Freshness without a common clock: steps of clocks, replays, restarts, withheld datagrams.

use crate::common::{Cluster, beats, s2, tempo};
use ringleader_algorithms::robust::s2::RobustS2;
use ringleader_model::Timed;
use ringleader_node_core::{Rejection, Trouble};
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(60);
const YEAR: i64 = 365 * 86_400;

fn changes(cluster: &Cluster<RobustS2>) -> u64 {
    cluster.cores.iter().flatten().map(|core| core.counters().leader_changes).sum()
}

/// The longest time until a crash is noticed and agreed upon.
fn failover() -> Duration {
    let timing = tempo().timing();
    Duration::from_micros(s2(3).timeout() * timing.beta + timing.delta)
}

/// A clock steps by seconds, hours or years, on the leader or on a follower: the leader goes on, a restarted node returns, and a crash is
/// noticed as soon as ever.
#[test]
fn steps_of_a_clock_change_nothing() {
    for step in [3, 60, 7200, 30 * YEAR].into_iter().flat_map(|step| [step, -step]) {
        for stepping in [0, 2] {
            let mut cluster = Cluster::new(s2(3), 1);
            cluster.settle(LIMIT);
            let before = changes(&cluster);
            cluster.ahead[stepping] = step;
            for _ in 0..300 {
                cluster.run(beats(1) / 2);
                assert_eq!(cluster.acting(), [0], "{step} s on {stepping}");
            }
            assert_eq!(changes(&cluster), before, "{step} s on {stepping}");
            let watched = if stepping == 0 { 1 } else { 0 };
            let core = cluster.cores[watched].as_ref().unwrap();
            if stepping == 0 {
                let offset = core.counters().clock_offset[stepping].unwrap();
                assert!((offset - step * 1_000_000).abs() < 1_000_000, "{offset}");
                let clock = |trouble| matches!(trouble, Trouble::Clock { .. });
                assert_eq!(core.notices().recent(cluster.now).any(|notice| clock(notice.trouble)), step.abs() > 5);
            }
            // The host restarts with its wrong clock, and then gets the right one back.
            cluster.kill(stepping);
            cluster.run(beats(10));
            cluster.start(stepping);
            cluster.run(beats(20));
            cluster.ahead[stepping] = 0;
            cluster.run(beats(30));
            assert_eq!(cluster.acting(), [0], "{step} s on {stepping}, restarted");
            cluster.kill(0);
            let took = cluster.settle(LIMIT);
            assert!(took < failover() + tempo().iteration(), "{step} s on {stepping}: {took:?}");
        }
    }
}

#[test]
fn all_clocks_may_differ_from_the_start() {
    let mut cluster = Cluster::new(s2(5), 3);
    for me in 0..5 {
        cluster.ahead[me] = [0, -40 * YEAR, 3600, 20 * YEAR, -61][me];
        cluster.kill(me);
        cluster.start(me);
    }
    let took = cluster.settle(LIMIT);
    assert!(took < beats(3), "{took:?}");
    cluster.run(beats(20));
    assert_eq!(cluster.acting(), [0]);
}

/// A follower checks the leader's uptime about once a minute; apart from that, only the leader sends.
#[test]
fn steady_traffic_is_one_datagram_a_heartbeat_and_follower() {
    let mut cluster = Cluster::new(s2(5), 1);
    cluster.settle(LIMIT);
    cluster.run(beats(20));
    (cluster.delivered, cluster.rejections) = (vec![], vec![]);
    cluster.run(Duration::from_secs(600));
    let others = cluster.delivered.iter().filter(|&&(_, from, _)| from != 0).count();
    // Four followers, ten minutes: a challenge each, and the answer to the leader's own.
    assert!((4 * 9..=4 * 22).contains(&others), "{others}");
    assert_eq!(cluster.rejections, []);
}

/// After two hours in which followers were silent, none of them has a valid session with another one. The first message of the next leader is
/// rejected and sent again at once.
#[test]
fn a_crash_after_a_long_calm_is_noticed_as_soon() {
    for seed in 0..5 {
        let mut cluster = Cluster::new(s2(4), seed);
        cluster.settle(LIMIT);
        cluster.skip(Duration::from_secs(7200));
        cluster.settle(LIMIT);
        cluster.run(beats(20) + Duration::from_millis(seed * 7));
        cluster.kill(cluster.agreed().unwrap());
        let took = cluster.settle(LIMIT);
        let round_trip = Duration::from_micros(2 * 2100);
        assert!(took < failover() + round_trip, "seed {seed}: {took:?}");
    }
}

/// Datagrams of a crashed leader, captured before the receiver restarted and replayed after that, have no effect.
#[test]
fn a_restarted_node_rejects_old_datagrams() {
    let mut cluster = Cluster::new(s2(3), 1);
    cluster.settle(LIMIT);
    cluster.wire.clear();
    cluster.run(beats(10));
    let captured: Vec<_> = cluster.wire.iter().filter(|(to, _)| *to == 1).cloned().collect();
    assert!(captured.len() >= 9);
    cluster.kill(0);
    cluster.kill(1);
    cluster.run(beats(1));
    cluster.start(1);
    for (to, datagram) in captured {
        cluster.run(beats(1) / 2);
        cluster.rejections.clear();
        cluster.inject(to, &datagram);
        assert_eq!(cluster.rejections.pop(), Some(Rejection::Unproven));
    }
    assert_ne!(cluster.cores[1].as_ref().unwrap().status().leadership.leader, 0);
    assert_eq!(cluster.acting().len(), 1);
}

/// Datagrams of all earlier boots of the leader are replayed again and again, while the real one restarts.
#[test]
fn a_flood_of_old_datagrams_keeps_no_restarted_node_out() {
    for seed in 0..5 {
        let mut cluster = Cluster::new(s2(3), seed);
        let mut captured = vec![];
        for _ in 0..4 {
            cluster.settle(LIMIT);
            cluster.wire.clear();
            cluster.run(beats(10));
            captured.extend(cluster.wire.clone());
            cluster.kill(0);
            cluster.run(beats(5));
            assert_eq!(cluster.acting(), [1], "seed {seed}");
            cluster.start(0);
            for _ in 0..200 {
                cluster.run(beats(1) / 10);
                for (to, datagram) in &captured {
                    cluster.rejections.clear();
                    cluster.inject(*to, datagram);
                    assert!(!cluster.rejections.is_empty(), "seed {seed}: a replay was accepted");
                }
                assert!(cluster.acting().len() <= 1, "seed {seed}");
            }
            assert_eq!(cluster.acting(), [0], "seed {seed}: the preferred node is back");
        }
    }
}

/// An attacker cuts the leader off and releases its withheld datagrams one by one, each as late as it can: the followers give the leader up.
#[test]
fn withheld_datagrams_do_not_replace_a_leader() {
    let mut cluster = Cluster::new(s2(3), 1);
    cluster.settle(LIMIT);
    cluster.run(Duration::from_secs(50));
    cluster.wire.clear();
    cluster.isolate(0, 100);
    (cluster.rejections, cluster.wire) = (vec![], vec![]);
    let (mut withheld, begun) = (vec![], cluster.now);
    let took = loop {
        // The leader sends once a heartbeat, and its datagrams are released more slowly.
        cluster.run(beats(5) / 4);
        withheld.append(&mut cluster.wire);
        for follower in [1, 2] {
            let next = withheld.iter().position(|(to, said)| *to == follower && said[24..26] == [0, 0]);
            if let Some((to, datagram)) = next.map(|next| withheld.remove(next)) {
                cluster.inject(to, &datagram);
            }
        }
        if cluster.acting().iter().any(|&me| me != 0) {
            break cluster.now - begun;
        }
        assert!(cluster.now - begun < LIMIT, "withheld datagrams still count");
    };
    // The greatest delay at this heartbeat is 1.05 s. It is reached after five times as long.
    assert!(took < Duration::from_millis(5250) + beats(5), "{took:?}");
    assert!(cluster.rejections.contains(&Rejection::Late), "{took:?} {:?}", cluster.rejections);
}

/// A flood of copies of the leader's own datagrams changes nothing and has few replies.
#[test]
fn replays_have_few_replies() {
    let mut cluster = Cluster::new(s2(3), 1);
    cluster.settle(LIMIT);
    let recorded: Vec<_> = cluster.wire.iter().filter(|(to, _)| *to == 1).cloned().collect();
    cluster.run(beats(20));
    cluster.wire.clear();
    let before = changes(&cluster);
    for _ in 0..200 {
        cluster.run(tempo().iteration());
        for (to, datagram) in &recorded {
            cluster.inject(*to, datagram);
        }
    }
    assert_eq!((cluster.acting(), changes(&cluster)), (vec![0], before));
    let replies = cluster.wire.iter().filter(|(_, said)| said[24..26] == [0, 1]).count();
    // Copies of two senders: a challenge of each, and the answer to its own one.
    assert!(replies <= 4 * 200 + 80, "{replies} replies in 200 iterations to {} datagrams", 200 * recorded.len());
}
