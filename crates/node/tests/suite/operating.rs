//! The control socket under hostile clients, orders, and the end of a node.

use crate::helpers::{peers, wait};
use ringleader_node::control::serve_control;
use ringleader_node::http_client::{Server, request};
use ringleader_node::{Config, Guard, Handle, Key, Keys, Node, NodeError, Preempt, Reason, Role, serve, status_json};
use std::io::Write;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

const HEARTBEAT: Duration = Duration::from_millis(200);
const LONG: Duration = Duration::from_secs(20);

/// A cluster of which one node leads: the first one that is returned.
fn cluster(count: usize, guard: Option<Guard>) -> Vec<Handle> {
    let peers = peers(count);
    let start = |id: usize| {
        let mut config = Config::new(id, peers[&id].parse().unwrap()).heartbeat(HEARTBEAT);
        config.peers = peers.clone();
        config.keys = Keys::new(vec![Key::new([5; 32])]).unwrap();
        config.guard = guard.clone();
        config.preempt = Preempt::No;
        Node::start(config).unwrap()
    };
    let mut nodes: Vec<Handle> = (0..count).map(start).collect();
    wait("one node leads", || {
        let leader = nodes.iter().find(|node| node.leads()).map(|node| node.id);
        let follows =
            |node: &&Handle| Some(node.leadership().leader) == leader && node.leadership().state == Role::Follower;
        nodes.iter().filter(follows).count() == count - 1
    });
    nodes.sort_by_key(|node| !node.leads());
    nodes
}

/// The path of a control socket in a new folder, which the test removes.
fn socket(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("ringleader-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder.join("control")
}

#[test]
fn hostile_clients_stop_neither_the_control_socket_nor_the_pages_nor_the_node() {
    let nodes = cluster(2, None);
    let path = socket("hostile");
    let orders = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&orders);
    let carry_out = move |order| {
        counted.fetch_add(1, Ordering::Relaxed);
        Ok::<_, NodeError>(format!("{order:?}"))
    };
    let _control = serve_control(&path, nodes[0].observer(), carry_out).unwrap();
    let pages = serve("127.0.0.1:0".parse().unwrap(), nodes[0].observer(), vec![]).unwrap();
    let servers = [Server::Socket(path.clone()), Server::Address(pages.address())];
    let changes = nodes[1].counters().leader_changes;
    let (mut local, mut remote) = (vec![], vec![]);
    for round in 0..60_u8 {
        for kind in 0..4_u8 {
            // Noise, an unfinished request, a request whose answer nobody reads, and nothing at all.
            let noise: Vec<u8> = (0..3000_u32).map(|k| (k.wrapping_mul(k) >> 3) as u8 ^ round).collect();
            let bytes: &[u8] =
                [&noise, b"POST /drain HT".as_slice(), b"GET /status HTTP/1.1\r\n\r\n", b""][kind as usize];
            let mut stream = UnixStream::connect(&path).unwrap();
            let _ = stream.write_all(bytes);
            local.push(stream);
            let mut stream = std::net::TcpStream::connect(pages.address()).unwrap();
            let _ = stream.write_all(bytes);
            remote.push(stream);
        }
        if round % 10 == 0 {
            for server in &servers {
                let answer = request(server, "GET", "/status", LONG).unwrap();
                assert!(answer.status == 200 && answer.body.contains("\"state\":\"leader\""), "{answer:?}");
            }
        }
    }
    assert_eq!(orders.load(Ordering::Relaxed), 0, "an unfinished order is none");
    let answer = request(&servers[0], "POST", "/drain", LONG).unwrap();
    assert_eq!((answer.status, answer.body.as_str()), (200, "Drain\n"));
    assert_eq!(request(&servers[0], "GET", "/drain", LONG).unwrap().status, 405);
    assert_eq!(request(&servers[1], "POST", "/drain", LONG).unwrap().status, 405, "the pages take no orders");
    assert_eq!(request(&servers[1], "GET", "/drain", LONG).unwrap().status, 404);
    assert_eq!(orders.load(Ordering::Relaxed), 1);
    assert_eq!(nodes[1].counters().leader_changes, changes, "the election did not notice");
    assert!(nodes[0].leads());
    std::fs::remove_dir_all(path.parent().unwrap()).unwrap();
}

/// Orders that do not end occupy a limited number of threads.
#[test]
fn a_flood_of_slow_orders_is_refused() {
    let nodes = cluster(2, None);
    let path = socket("slow-orders");
    let carry_out = |_| {
        std::thread::sleep(Duration::from_secs(2));
        Ok::<_, NodeError>(String::new())
    };
    let _control = serve_control(&path, nodes[0].observer(), carry_out).unwrap();
    let server = Server::Socket(path.clone());
    let ask = |_| {
        let server = server.clone();
        std::thread::spawn(move || request(&server, "POST", "/resign", LONG).map(|answer| answer.status).unwrap_or(0))
    };
    let statuses: Vec<u16> =
        (0..16).map(ask).collect::<Vec<_>>().into_iter().map(|asked| asked.join().unwrap()).collect();
    let count = |status: u16| statuses.iter().filter(|&&seen| seen == status).count();
    assert!(count(200) == 8 && count(503) == 8, "{statuses:?}");
    assert_eq!(request(&server, "POST", "/resign", LONG).unwrap().status, 200, "later ones are carried out");
    std::fs::remove_dir_all(path.parent().unwrap()).unwrap();
}

#[test]
fn an_ended_control_socket_leaves_no_file() {
    let nodes = cluster(2, None);
    let path = socket("ended");
    let control = serve_control(&path, nodes[0].observer(), |_| Ok(String::new())).unwrap();
    let again = serve_control(&path, nodes[0].observer(), |_| Ok(String::new())).unwrap_err().to_string();
    assert!(again.contains("another daemon listens there"), "{again}");
    drop(control);
    assert!(!path.exists());
    std::fs::remove_dir_all(path.parent().unwrap()).unwrap();
}

/// A drained node hands over, does not lead even alone, and leads again when the order is lifted.
#[test]
fn a_node_drained_by_order_does_not_lead_until_it_is_undrained() {
    for guard in [None, Some(Guard::new(3 * HEARTBEAT))] {
        let guarded = guard.is_some();
        let mut nodes = cluster(3, guard);
        nodes[0].drain(true).unwrap();
        wait("another node leads", || nodes[1].leads() || nodes[2].leads());
        assert!(!nodes[0].leads() && !nodes[0].is_confirmed());
        assert_eq!(nodes[1].is_confirmed() || nodes[2].is_confirmed(), guarded);
        for (node, why) in [(0, "this node is drained".to_string()), (1, format!("node {} handed over", nodes[0].id))] {
            wait(&why, || nodes[node].history().iter().any(|event| event.why.starts_with(&why)));
        }
        assert!(status_json(&nodes[0]).contains("\"barred\":\"drained\""));
        nodes.drain(1..).for_each(Handle::kill);
        let end = Instant::now() + 10 * HEARTBEAT;
        while Instant::now() < end {
            assert!(!nodes[0].leads());
            std::thread::sleep(Duration::from_millis(5));
        }
        nodes[0].drain(false).unwrap();
        if !guarded {
            wait("it leads alone", || nodes[0].leads());
        }
        wait("the order is lifted", || nodes[0].status().withdrawn.is_none());
        nodes.remove(0).kill();
    }
}

#[test]
fn a_leader_without_other_nodes_has_no_successor() {
    let config = Config::new(0, "127.0.0.1:0".parse().unwrap()).heartbeat(Duration::from_millis(20));
    let node = Node::start(Config { size: Some(2), ..config.clone() }).unwrap();
    wait("it leads", || node.leads());
    let refusal = node.can_hand_over().unwrap_err().to_string();
    assert!(refusal.contains("there is no successor"), "{refusal}");
    wait("it says why", || node.history().iter().any(|event| event.why.starts_with("first election")));
    node.kill();
    let mut config = Config { size: Some(2), ..config };
    config.algorithm = "robust-s5".into();
    config.tempo.delta = None;
    let other = Node::start(config).unwrap();
    for refusal in [other.drain(true), other.can_hand_over()] {
        assert!(refusal.unwrap_err().to_string().contains("has no rule for handing over"));
    }
    other.kill();
}

/// The other node learns of the end from the dropped one, and not from its silence.
#[test]
fn a_dropped_node_hands_over() {
    let mut nodes = cluster(2, None);
    let heir = nodes.pop().unwrap();
    let leader = nodes[0].id;
    drop(nodes);
    let mut taken = None;
    wait("the other one leads", || {
        let changes = heir.history().into_iter().map(|event| event.change);
        taken = changes.filter(|c| c.after.leader == heir.id && c.before.leader == leader).last();
        taken.is_some()
    });
    assert_eq!(taken.map(|change| change.reason), Some(Reason::Handover), "{:?}", heir.history());
    heir.kill();
}

/// A silent leader is named with the length of its silence.
#[test]
fn a_crash_is_explained_by_the_silence() {
    let mut nodes = cluster(2, None);
    let leader = nodes[0].id;
    nodes.remove(0).kill();
    let expected = format!("nothing was heard from node {leader} for ");
    wait("the change is explained", || nodes[0].history().iter().any(|event| event.why.starts_with(&expected)));
    nodes.remove(0).kill();
}
