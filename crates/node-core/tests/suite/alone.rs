//! Nodes that have heard no peer since their start.

use crate::common::{Cluster, beats, boot, core_config, s2};
use ringleader_algorithms::robust::s2::RobustS2;
use ringleader_model::{Domain, Name, Visitor};
use ringleader_node_core::{Alone, Core, CoreConfig, Keys, Reason, Role, Trouble, Withdrawal};
use std::time::Duration;

const HOLD: Duration = Duration::from_secs(5);

/// A cluster whose host 2 starts cut off, after the others have settled.
fn blind(alone: Alone, tell: impl FnOnce(&mut CoreConfig)) -> Cluster<RobustS2> {
    let mut cluster = Cluster::new(s2(3), 1);
    cluster.kill(2);
    cluster.run(beats(20));
    cluster.isolate(2, 100);
    let mut config = CoreConfig { boot: boot(cluster.now), alone, ..core_config(2, 3) };
    tell(&mut config);
    let now = cluster.clock();
    cluster.cores[2] = Some(Core::new(s2(3).into(), config, 0, now).unwrap());
    cluster.next_iteration[2] = cluster.now;
    cluster
}

fn role(cluster: &Cluster<RobustS2>) -> Role {
    cluster.cores[2].as_ref().unwrap().status().leadership.state
}

/// The time until it leads, if that is within two minutes.
fn leads_after(cluster: &mut Cluster<RobustS2>) -> Option<Duration> {
    let begun = cluster.now;
    while role(cluster) != Role::Leader {
        cluster.run(beats(1));
        if cluster.now - begun > Duration::from_secs(120) {
            return None;
        }
    }
    Some(cluster.now - begun)
}

fn told(cluster: &Cluster<RobustS2>) -> Vec<Trouble> {
    let core = cluster.cores[2].as_ref().unwrap();
    core.notices().recent(cluster.now).map(|notice| notice.trouble).collect()
}

#[test]
fn a_node_that_has_heard_no_peer_holds_back_as_it_is_told() {
    assert!(leads_after(&mut blind(Alone::Lead, |_| ())).unwrap() < beats(4));
    let waited = leads_after(&mut blind(Alone::Wait, |_| ())).unwrap();
    assert!((HOLD..HOLD + beats(2)).contains(&waited), "{waited:?}");
    assert_eq!(leads_after(&mut blind(Alone::Never, |_| ())), None);
}

#[test]
fn it_says_so_and_follows_as_soon_as_it_hears_a_peer() {
    for alone in [Alone::Wait, Alone::Never] {
        let mut cluster = blind(alone, |_| ());
        cluster.run(beats(20));
        let status = cluster.cores[2].as_ref().unwrap().status();
        assert_eq!((status.leadership.state, status.withdrawn), (Role::Unsettled, Some(Withdrawal::Alone)));
        let left = told(&cluster).into_iter().find_map(|trouble| match trouble {
            Trouble::Alone { left } => Some(left),
            _ => None,
        });
        assert_eq!(left.unwrap().is_some(), alone == Alone::Wait);
        cluster.isolate(2, 0);
        cluster.run(beats(25));
        let status = cluster.cores[2].as_ref().unwrap().status();
        assert_eq!((status.leadership.state, status.leadership.leader, status.withdrawn), (Role::Follower, 0, None));
        let held = |trouble: &Trouble| matches!(trouble, Trouble::Alone { .. } | Trouble::Unanswered);
        assert!(!told(&cluster).iter().any(held));
    }
}

/// With a wrong key it hears datagrams that it cannot authenticate: the others are there. It holds back for longer, but not for ever.
#[test]
fn datagrams_that_cannot_be_authenticated_lengthen_the_hold_once() {
    let mut cluster = blind(Alone::Wait, |config| config.keys = Keys::none());
    cluster.isolate(2, 0);
    let waited = leads_after(&mut cluster).unwrap();
    assert!((6 * HOLD..6 * HOLD + beats(2)).contains(&waited), "{waited:?}");
    cluster.run(beats(100));
    assert_eq!(role(&cluster), Role::Leader, "forged datagrams do not touch a node that acts");
}

/// Its datagrams reach nobody, but it hears the authentic heartbeats of the leader: it says so, and holds back for longer, too.
#[test]
fn a_mute_node_that_hears_its_peers_holds_back_for_longer() {
    let mut cluster = blind(Alone::Wait, |_| ());
    cluster.loss.extend([((0, 2), 0), ((1, 2), 0)]);
    cluster.run(beats(20));
    assert!(told(&cluster).contains(&Trouble::Unanswered), "{:?}", told(&cluster));
    let waited = leads_after(&mut cluster).unwrap() + beats(20);
    assert!((6 * HOLD..6 * HOLD + beats(2)).contains(&waited), "{waited:?}");
}

/// A node that has heard a peer, and is then alone, leads at once: the last machine goes on.
#[test]
fn the_last_node_leads_without_a_hold() {
    let mut cluster = blind(Alone::Never, |_| ());
    cluster.isolate(2, 0);
    cluster.run(beats(20));
    (0..2).for_each(|me| cluster.kill(me));
    assert!(leads_after(&mut cluster).unwrap() < beats(6));
}

/// A cluster that starts together has no hold.
#[test]
fn nodes_that_hear_each_other_do_not_wait() {
    let mut cluster = Cluster::new(s2(3), 1);
    for me in 0..3 {
        let config = CoreConfig { boot: boot(cluster.now), alone: Alone::Wait, ..core_config(me, 3) };
        cluster.cores[me] = Some(Core::new(s2(3).into(), config, me as u64, cluster.clock()).unwrap());
    }
    cluster.run(beats(2));
    assert_eq!(cluster.cores[0].as_ref().unwrap().status().leadership.state, Role::Leader);
    assert_eq!(Reason::Alone.to_string(), "alone");
}

/// Overwrites the end of the hold.
struct Until(u64);

impl Visitor for Until {
    fn field(&mut self, name: Name<'_>, _: Domain<'_>, value: u64) -> u64 {
        if name.to_string() == "alone until" { self.0 } else { value }
    }
}

#[test]
fn a_corrupted_end_of_the_hold_heals() {
    for wrong in [0, 1, u64::MAX / 2, u64::MAX] {
        let mut cluster = blind(Alone::Wait, |_| ());
        cluster.run(beats(10));
        cluster.cores[2].as_mut().unwrap().memory(&mut Until(wrong));
        let waited = leads_after(&mut cluster).unwrap();
        assert!(waited <= 6 * HOLD + beats(4), "{wrong}: {waited:?}");
        cluster.cores[2].as_mut().unwrap().memory(&mut Until(wrong));
        cluster.run(beats(5));
        assert_eq!(role(&cluster), Role::Leader, "a node that acts is not concerned");
    }
}
