//! The cluster that a page looks at: begun, looked at and broken by its requests. There is one at a time.

use crate::Refused;
use crate::cluster::{Deed, Fleet, Plan};
use ringleader_catalog::Catalog;
use ringleader_node::Corruption;
use serde::Deserialize;
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The cluster, if there is one.
#[derive(Default)]
pub(crate) struct Live(Mutex<Option<Fleet>>);

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Begin {
    nodes: usize,
    heartbeat: u64,
    algorithm: String,
    #[serde(default)]
    seed: u64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Look {
    since: u64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Act {
    node: usize,
    deed: String,
    /// The other end of a link.
    #[serde(default)]
    to: Option<usize>,
}

impl Live {
    fn with<T>(&self, act: impl FnOnce(&mut Fleet) -> Result<T, Refused>) -> Result<T, Refused> {
        let mut fleet = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        act(fleet.as_mut().ok_or_else(|| Refused::new("there is no cluster now"))?)
    }

    /// Begins a cluster; the one before it ends.
    pub(crate) fn begin(&self, catalog: &Catalog, asked: Begin) -> Result<Value, Refused> {
        if !(2..=9).contains(&asked.nodes) || !(20..=5000).contains(&asked.heartbeat) {
            return Err(Refused::new("a cluster here has 2 to 9 nodes, and a heartbeat of 20 to 5000 ms"));
        }
        let Begin { nodes: size, heartbeat, algorithm, seed } = asked;
        let plan = Plan { size, algorithm, heartbeat: Duration::from_millis(heartbeat), seed, parameters: vec![] };
        let mut place = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *place = None;
        *place = Some(Fleet::start(catalog.clone(), plan)?);
        Ok(json!({"nodes": size}))
    }

    /// Ends it.
    pub(crate) fn end(&self) -> Value {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
        json!({})
    }

    /// How every node is, and the datagrams since the last look.
    pub(crate) fn look(&self, asked: &Look) -> Result<Value, Refused> {
        self.with(|fleet| {
            let node = |(id, view): (usize, Option<ringleader_node::Leadership>)| {
                let condition = fleet.condition(id);
                json!({
                    "id": id, "down": condition.down, "paused": condition.paused, "isolated": condition.isolated,
                    "loss": condition.loss, "sent": fleet.sent(id), "leader": view.and_then(|view| view.named()),
                    "epoch": view.map(|view| view.epoch), "role": view.map(|view| view.state.name()),
                    "stable": view.map(|view| view.stable_for.as_secs_f64()),
                })
            };
            let nodes: Vec<_> = fleet.views().into_iter().enumerate().map(node).collect();
            let datagrams = fleet.since(asked.since);
            let datagrams: Vec<_> =
                datagrams.iter().map(|d| json!([d.number, d.at.as_millis() as u64, d.from, d.to, d.lost])).collect();
            Ok(json!({
                "nodes": nodes, "agreed": fleet.leader(), "cut": fleet.cut_links().collect::<Vec<_>>(), "changes": fleet.changes(), "datagrams": datagrams,
                "age": fleet.age().as_millis() as u64,
            }))
        })
    }

    /// Breaks or mends a node, or a link between two.
    pub(crate) fn act(&self, asked: &Act) -> Result<Value, Refused> {
        if let Some(to) = asked.to {
            return self.with(|fleet| {
                if asked.node >= fleet.size() || to >= fleet.size() || asked.node == to {
                    return Err(Refused::new(format!("there is no link from {} to {to}", asked.node)));
                }
                match asked.deed.as_str() {
                    "cut" => fleet.cut(asked.node, to, true),
                    "mend" => fleet.cut(asked.node, to, false),
                    other => return Err(Refused::new(format!("a link is cut or mended, not {other:?}"))),
                }
                Ok(json!({}))
            });
        }
        let deed = match asked.deed.as_str() {
            "kill" => Deed::Kill,
            "restart" => Deed::Restart,
            "pause" => Deed::Pause,
            "resume" => Deed::Resume,
            "isolate" => Deed::Isolate,
            "heal" => Deed::Heal,
            "lose" => Deed::Lose(50),
            "resign" => Deed::Resign,
            "corrupt" => Deed::Corrupt(Corruption::Random),
            other => return Err(Refused::new(format!("nothing is called {other:?} that can be done to a node"))),
        };
        self.with(|fleet| {
            if asked.node >= fleet.size() {
                return Err(Refused::new(format!("there is no node {}", asked.node)));
            }
            fleet.apply(asked.node, deed)?;
            Ok(json!({}))
        })
    }
}

/// A node of another host has so long to answer.
const PATIENCE: Duration = Duration::from_millis(900);
/// What a node says of itself is not longer than this.
const LONGEST: u64 = 64 << 10;

/// What the hosts that the lab was told of say of themselves, asked all at once.
pub(crate) fn watch(hosts: &[String]) -> Value {
    let answers: Vec<_> = std::thread::scope(|scope| {
        let asked: Vec<_> = hosts.iter().map(|host| scope.spawn(move || ask(host))).collect();
        asked.into_iter().map(|thread| thread.join().unwrap_or_else(|_| Err("it cannot be asked".into()))).collect()
    });
    let told = hosts.iter().zip(answers).map(|(host, answer)| match answer {
        Ok(said) => json!({"host": host, "said": said}),
        Err(why) => json!({"host": host, "why": why}),
    });
    json!({"hosts": told.collect::<Vec<_>>()})
}

fn ask(host: &str) -> Result<Value, String> {
    let address = host.to_socket_addrs().ok().and_then(|mut found| found.next()).ok_or("no such host")?;
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE).map_err(|e| e.to_string())?;
    let limits = stream.set_read_timeout(Some(PATIENCE)).and_then(|()| stream.set_write_timeout(Some(PATIENCE)));
    let mut answer = String::new();
    limits
        .and_then(|()| write!(stream, "GET /leader HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"))
        .and_then(|()| stream.take(LONGEST).read_to_string(&mut answer))
        .map_err(|e| e.to_string())?;
    let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
    serde_json::from_str(body).map_err(|_| "it does not say what a node says".into())
}
