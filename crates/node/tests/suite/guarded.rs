//! Nodes on loopback with the guard.

use crate::helpers::{peers, wait};
use ringleader_node::{Config, Guard, Handle, Key, Keys, Node, Role, new_state};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

const HEARTBEAT: Duration = Duration::from_millis(50);

fn length() -> Duration {
    3 * HEARTBEAT
}

fn config(id: usize, peers: &BTreeMap<usize, String>, state: Option<PathBuf>) -> Config {
    let mut config = Config::new(id, peers[&id].parse().unwrap()).heartbeat(HEARTBEAT);
    config.peers = peers.clone();
    config.keys = Keys::new(vec![Key::new([5; 32])]).unwrap();
    config.guard = Some(Guard::new(length()));
    config.state = state;
    config
}

fn leads(node: &Handle) -> bool {
    node.leadership().state == Role::Leader
}

#[test]
fn one_of_three_is_not_confirmed_and_two_are_enough() {
    let peers = peers(3);
    let first = Node::start(config(0, &peers, None)).unwrap();
    wait("it leads, unconfirmed", || first.leadership().state == Role::Unconfirmed);
    std::thread::sleep(4 * length());
    assert!(!leads(&first));
    let second = Node::start(config(1, &peers, None)).unwrap();
    wait("one of two is confirmed", || leads(&first) || leads(&second));
    second.kill();
    wait("a minority is not", || !leads(&first));
    let page = ringleader_node::metrics::leadership_json(&first);
    assert!(page.contains("\"guard\":{\"digest\":\"") && page.contains("\"lease_seconds\":null"), "{page}");
}

#[test]
fn tokens_grow_when_all_nodes_restart() {
    let folder = std::env::temp_dir().join(format!("ringleader-guarded-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (peers, mut last) = (peers(3), 0);
    let file = |id: usize| folder.join(format!("state-{id}"));
    let missing = Node::start(config(0, &peers, Some(file(0)))).unwrap_err().to_string();
    assert!(missing.contains("--new-state"), "{missing}");
    new_state(&file(0), "ringleader", 0, 0, Some([0, 7].into_iter().collect())).unwrap();
    let beyond = Node::start(config(0, &peers, Some(file(0)))).unwrap_err().to_string();
    assert!(beyond.contains("0, 7") && beyond.contains("size"), "{beyond}");
    std::fs::remove_file(file(0)).unwrap();
    (0..3).for_each(|id| new_state(&file(id), "ringleader", id, 0, Some((0..3).collect())).unwrap());
    for round in 0..6 {
        let mut nodes: Vec<Option<Handle>> =
            (0..3).map(|id| Some(Node::start(config(id, &peers, Some(file(id)))).unwrap())).collect();
        for _ in 0..2 {
            let mut leader = None;
            wait("one is confirmed, with a token", || {
                leader = nodes.iter().position(|node| node.as_ref().is_some_and(leads));
                leader.is_some()
            });
            let node = nodes[leader.unwrap()].take().unwrap();
            let token = node.leadership().confirmation.and_then(|confirmation| confirmation.token);
            if let Some(token) = token {
                assert!(token > last, "round {round}: {token} after {last}");
                last = token;
            }
            if round % 2 == 0 { node.kill() } else { node.stop() }
        }
    }
    assert!(last >= 6, "{last}");
    // The thread that stores may still be writing.
    let _ = std::fs::remove_dir_all(&folder);
}

#[test]
fn members_are_fixed_and_a_stopped_loop_is_not_confirmed() {
    let peers = peers(3);
    let nodes: Vec<Handle> = (0..3).map(|id| Node::start(config(id, &peers, None)).unwrap()).collect();
    wait("one is confirmed", || nodes.iter().any(leads));
    let fewer = peers.iter().filter(|(id, _)| **id < 2).map(|(id, peer)| (*id, peer.clone())).collect();
    let reload = |peers| nodes[0].reload(Node::prepare(config(0, peers, None)).unwrap());
    assert!(reload(&fewer).unwrap_err().to_string().contains("fixed"));
    reload(&peers).unwrap();
    let leader = nodes.iter().position(leads).unwrap();
    nodes[leader].pause(true);
    wait("another is confirmed", || (0..3).any(|id| id != leader && leads(&nodes[id])));
    assert!(!leads(&nodes[leader]));
    nodes[leader].pause(false);
}

/// A reload with state files proposes the list, a node with a fresh file joins, and the pages say where the change stands.
#[test]
fn a_reload_with_state_files_changes_the_list() {
    let folder = std::env::temp_dir().join(format!("ringleader-members-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let all = peers(4);
    let three: BTreeMap<usize, String> =
        all.iter().filter(|(id, _)| **id < 3).map(|(id, p)| (*id, p.clone())).collect();
    let file = |id: usize| folder.join(format!("state-{id}"));
    let of = |id: usize, peers| Config { size: Some(4), ..config(id, peers, Some(file(id))) };
    (0..3).for_each(|id| new_state(&file(id), "ringleader", id, 0, Some((0..3).collect())).unwrap());
    let mut nodes: Vec<Handle> = (0..3).map(|id| Node::start(of(id, &three)).unwrap()).collect();
    wait("one is confirmed", || nodes.iter().any(leads));
    new_state(&file(3), "ringleader", 3, 0, None).unwrap();
    nodes.push(Node::start(of(3, &all)).unwrap());
    let page = |node: &Handle| ringleader_node::metrics::leadership_json(node);
    assert!(page(&nodes[3]).contains("\"adopted\":[],\"proposal\":null,\"change\":\"joining\""), "{}", page(&nodes[3]));
    for (id, node) in nodes[..3].iter().enumerate() {
        node.reload(Node::prepare(of(id, &all)).unwrap()).unwrap();
    }
    let adopted = "\"members\":{\"number\":2,\"adopted\":[0,1,2,3],\"proposal\":null,\"change\":\"none\"}";
    wait("all have adopted the list", || nodes.iter().all(|node| page(node).contains(adopted)));
    let metrics = ringleader_node::metrics::prometheus(&nodes[3]);
    assert!(
        metrics.contains("ringleader_list_number 2\n") && metrics.contains("ringleader_list_members 4\n"),
        "{metrics}"
    );
    drop(nodes);
    let _ = std::fs::remove_dir_all(&folder);
}

#[test]
fn contradictory_settings_are_refused() {
    let peers = peers(3);
    let refused = |change: fn(&mut Config)| {
        let mut config = config(0, &peers, None);
        change(&mut config);
        config.validate().unwrap_err().to_string()
    };
    assert!(refused(|c| c.guard.as_mut().unwrap().length = HEARTBEAT).contains("two heartbeats"));
    assert!(refused(|c| c.guard.as_mut().unwrap().witnesses = vec![7]).contains("witness 7 is not below the size"));
    let outside = |c: &mut Config| (c.guard.as_mut().unwrap().witnesses, c.size) = (vec![3], Some(4));
    assert!(refused(outside).contains("witness 3 is not a member"));
    assert!(refused(|c| c.size = Some(129)).contains("at most 128"));
    assert!(refused(|c| c.guard.as_mut().unwrap().witnesses = vec![0, 1, 2]).contains("none could lead"));
    assert!(refused(|c| (c.guard, c.state) = (None, Some("x".into()))).contains("guard"));
    assert!(refused(|c| c.algorithm = "robust-s5".into()).contains("robust-s2"));
}
