//! Nodes over real sockets on loopback. The tests wait generously for eventual events; nothing is timed.

use ringleader_node::{Config, Corruption, Handle, Key, Keys, Node, Role, Trouble};
use std::collections::BTreeMap;
use std::net::UdpSocket;
use std::time::{Duration, Instant};

fn config(id: usize) -> Config {
    let config = Config::new(id, "127.0.0.1:0".parse().unwrap()).heartbeat(Duration::from_millis(50));
    Config { keys: Keys::new(vec![Key::new([5; 32])]).unwrap(), ..config }
}

fn start(config: Config, size: usize) -> Handle {
    Node::start(Config { size: Some(size), ..config }).unwrap()
}

/// Nodes whose peers are set after all have bound their addresses.
fn cluster(size: usize) -> Vec<Option<Handle>> {
    let nodes: Vec<_> = (0..size).map(|id| start(config(id), size)).collect();
    let peers = addresses(&nodes);
    for (id, node) in nodes.iter().enumerate() {
        node.reload(Node::prepare(Config { peers: peers.clone(), size: Some(size), ..config(id) }).unwrap()).unwrap();
    }
    nodes.into_iter().map(Some).collect()
}

fn addresses(nodes: &[Handle]) -> BTreeMap<usize, String> {
    nodes.iter().map(|node| (node.id, node.listen().to_string())).collect()
}

/// Waits until all live nodes have settled on one live leader.
fn agree(nodes: &[Option<Handle>]) -> usize {
    let deadline = Instant::now() + Duration::from_secs(30);
    loop {
        let views: Vec<_> = nodes.iter().flatten().map(|node| (node.id, node.leadership())).collect();
        let leader = views[0].1.leader;
        let settled = views.iter().all(|&(id, view)| {
            view.leader == leader && view.state == if id == leader { Role::Leader } else { Role::Follower }
        });
        if settled && nodes[leader].is_some() {
            return leader;
        }
        assert!(Instant::now() < deadline, "no agreement: {views:?}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn three_nodes_survive_a_crash_a_restart_and_a_planned_stop() {
    let mut nodes = cluster(3);
    let first = agree(&nodes);
    let address = nodes[first].as_ref().unwrap().listen();
    nodes[first].take().unwrap().kill();
    let second = agree(&nodes);
    assert_ne!(first, second);
    let peers = nodes.iter().flatten().map(|node| (node.id, node.listen().to_string())).collect();
    nodes[first] = Some(start(Config { listen: address, peers, ..config(first) }, 3));
    agree(&nodes);
    let leader = agree(&nodes);
    let leaving = nodes[leader].take().unwrap();
    let observer = leaving.observer();
    leaving.stop();
    assert_ne!(observer.leadership().state, Role::Leader, "a node that has left does not lead");
    agree(&nodes);
}

#[test]
fn the_cluster_recovers_from_corruption_and_replaces_a_paused_leader() {
    let nodes = cluster(3);
    agree(&nodes);
    for corruption in [Corruption::Random, Corruption::High, Corruption::Low] {
        nodes.iter().flatten().for_each(|node| node.corrupt(corruption));
        agree(&nodes);
    }
    let leader = agree(&nodes);
    nodes[leader].as_ref().unwrap().pause(true);
    let deadline = Instant::now() + Duration::from_secs(30);
    let follower = nodes.iter().flatten().find(|node| node.id != leader).unwrap();
    while follower.leadership().leader == leader {
        assert!(Instant::now() < deadline, "still following a paused leader");
        std::thread::sleep(Duration::from_millis(5));
    }
    nodes[leader].as_ref().unwrap().pause(false);
    agree(&nodes);
}

#[test]
fn garbage_is_counted_and_changes_nothing() {
    let nodes = cluster(2);
    let leader = agree(&nodes);
    let changes = |nodes: &[Option<Handle>]| nodes.iter().flatten().map(|n| n.counters().leader_changes).sum::<u64>();
    let before = changes(&nodes);
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    for round in 0..2000u32 {
        for node in nodes.iter().flatten() {
            let garbage = vec![round as u8; (round % 300) as usize];
            socket.send_to(&garbage, node.listen()).unwrap();
        }
        if round % 50 == 0 {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!((agree(&nodes), changes(&nodes)), (leader, before));
    for node in nodes.iter().flatten() {
        assert!(node.counters().rejected.iter().sum::<u64>() > 0, "garbage is counted");
    }
}

#[test]
fn without_a_key_only_loopback_is_accepted() {
    let open = Config { listen: "0.0.0.0:0".parse().unwrap(), keys: Keys::none(), size: Some(2), ..config(0) };
    let refusal = Node::start(open.clone()).unwrap_err().to_string();
    assert!(refusal.contains("--insecure"), "{refusal}");
    Node::start(Config { insecure: true, ..open }).unwrap().kill();
}

/// A reload is validated as a whole before anything of it is applied.
#[test]
fn a_refused_reload_changes_nothing() {
    let open = |id| Config { listen: "0.0.0.0:0".parse().unwrap(), size: Some(2), ..config(id) };
    let nodes = [0, 1].map(|id| Node::start(open(id)).unwrap());
    let peers: BTreeMap<_, _> =
        nodes.iter().map(|node| (node.id, format!("127.0.0.1:{}", node.listen().port()))).collect();
    let reload = |id: usize, change: &dyn Fn(&mut Config)| {
        let mut new = Config { peers: peers.clone(), ..open(id) };
        change(&mut new);
        Node::prepare(new).and_then(|new| nodes[id].reload(new))
    };
    (0..2).for_each(|id| assert!(reload(id, &|_| {}).unwrap().is_empty()));
    let [first, second] = &nodes;
    let eventually = |what: &str, holds: &dyn Fn() -> bool| {
        let end = Instant::now() + Duration::from_secs(30);
        while !holds() {
            assert!(Instant::now() < end, "{what}: {:?}", [first.leadership(), second.leadership()]);
            std::thread::sleep(Duration::from_millis(5));
        }
    };
    let agreed = || second.leadership().state == Role::Follower && first.leadership().state == Role::Leader;
    eventually("0 leads and 1 follows", &agreed);
    // The lists differed between the two reloads, and a node may have been told of that, too.
    let refused = || nodes[0].notices().iter().any(|notice| notice.trouble.name() == "reload");
    assert!(!refused());
    assert!(reload(0, &|new| new.keys = Keys::none()).unwrap_err().to_string().contains("without a key"));
    // A start would accept this, but the running node does not have --insecure: the peers stay, too.
    let dropped = reload(0, &|new| (new.keys, new.insecure, new.peers) = (Keys::none(), true, BTreeMap::new()));
    assert!(dropped.unwrap_err().to_string().contains("without a key"));
    eventually("the refusal is told", &refused);
    let sent = nodes[0].counters().sent[1];
    eventually("it still sends to its peer", &|| nodes[0].counters().sent[1] > sent + 5);
    assert_eq!(nodes[1].counters().rejected(ringleader_node::Rejection::Mac), 0, "with the key");
    eventually("0 still leads", &agreed);
    reload(0, &|_| {}).unwrap();
    eventually("a reload that succeeds ends the notice", &|| !refused());
}

#[test]
fn bad_settings_are_refused_with_a_reason() {
    let refusal = |c: Config| Node::start(Config { size: Some(2), ..c }).unwrap_err().to_string();
    assert!(refusal(config(2)).contains("not below the size"));
    let peers = |name: &str| [(1, name.to_string())].into();
    assert!(refusal(Config { peers: peers("hostname"), ..config(0) }).contains("HOST:PORT"));
    assert!(refusal(Config { peers: peers("10.0.0.1:7400"), ..config(0) }).contains("--listen 0.0.0.0:0"));
    assert!(refusal(Config { resolve_every: Duration::ZERO, ..config(0) }).contains("resolve-every"));
    assert!(refusal(config(0).heartbeat(Duration::from_millis(1))).contains("heartbeat"));
    let called = |name: &str| refusal(Config { algorithm: name.into(), ..config(0) });
    assert!(called("yokota-ring").contains("does not run among machines"));
}

/// The name of the leader cannot be resolved on the preferred node: it answers the leader at the source of its datagrams, and takes over.
#[test]
fn a_peer_whose_name_is_never_resolved_is_answered() {
    let leader = start(config(1), 2);
    let peers = BTreeMap::from([(1, "leader.invalid:7400".to_string())]);
    let preferred = start(Config { peers, ..config(0) }, 2);
    let peers = BTreeMap::from([(0, preferred.listen().to_string())]);
    leader.reload(Node::prepare(Config { peers, size: Some(2), ..config(1) }).unwrap()).unwrap();
    let nodes = [Some(preferred), Some(leader)];
    let deadline = Instant::now() + Duration::from_secs(30);
    while agree(&nodes) != 0 {
        assert!(Instant::now() < deadline, "the preferred node never leads");
    }
    let told = || nodes[0].as_ref().unwrap().notices().iter().any(|notice| notice.trouble == Trouble::Unresolved);
    while !told() {
        assert!(Instant::now() < deadline, "no notice says that the name is not resolved");
    }
}
