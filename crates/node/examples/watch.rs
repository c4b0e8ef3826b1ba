//! Three nodes in one program: prints the leader before and after the leader is killed.
//!
//! `cargo run -p ringleader-node --example watch`

use ringleader_node::{Config, Handle, Node, Role};
use std::time::Duration;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let peers: std::collections::BTreeMap<_, _> = (0..3).map(|id| (id, format!("127.0.0.1:{}", 7400 + id))).collect();
    let mut nodes = vec![];
    for (&id, address) in &peers {
        let mut config = Config::new(id, address.parse()?).heartbeat(Duration::from_millis(100));
        config.peers = peers.clone();
        nodes.push(Node::start(config)?);
    }
    let settled = |node: &Handle| node.watch().find(|now| now.state != Role::Unsettled);
    for node in &nodes {
        println!("node {}: {:?}", node.id, settled(node));
    }
    nodes.remove(0).kill();
    std::thread::sleep(Duration::from_secs(1));
    for node in &nodes {
        println!("node {}: {:?}", node.id, node.leadership());
    }
    Ok(())
}
