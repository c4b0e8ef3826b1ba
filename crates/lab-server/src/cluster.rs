//! The cluster view: a fleet on this machine, of which there is one at a time, and the nodes of other hosts, which are only watched.

use crate::host::now;
use ringleader_catalog::Catalog;
use ringleader_fleet::{Action, Fleet, Plan};
use ringleader_lab::{Attended, Refused};
use ringleader_model::lock;
use ringleader_node::http_client::{Server, request};
use serde::Deserialize;
use serde_json::{Value, json};
use std::net::ToSocketAddrs;
use std::sync::Mutex;
use std::time::Duration;

/// The cluster ends when no page has looked at it this long. A page in the background may look only once a minute.
const ALONE: Duration = Duration::from_secs(120);

/// The fleet, if one runs.
pub(crate) struct Cluster {
    fleet: Mutex<Option<Fleet>>,
    attended: Attended,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AskedCluster {
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
    action: String,
    /// The other end of a link.
    to: Option<usize>,
}

impl Cluster {
    pub(crate) fn new() -> Cluster {
        Cluster { fleet: Mutex::default(), attended: Attended::new(now) }
    }

    /// Ends the cluster if no page has looked at it for so long.
    pub(crate) fn end_unattended(&self) {
        if self.attended.alone() > ALONE {
            self.end();
        }
    }

    fn with<T>(&self, act: impl FnOnce(&mut Fleet) -> Result<T, Refused>) -> Result<T, Refused> {
        self.attended.ask();
        let mut fleet = lock(&self.fleet);
        act(fleet.as_mut().ok_or_else(|| Refused::new("no cluster runs"))?)
    }

    /// Starts a cluster, or joins the one that runs.
    pub(crate) fn start(&self, catalog: &Catalog, asked: AskedCluster) -> Result<Value, Refused> {
        if !(2..=9).contains(&asked.nodes) || !(20..=5000).contains(&asked.heartbeat) {
            return Err(Refused::new("a cluster of the lab has 2 to 9 nodes and a heartbeat of 20 to 5000 ms"));
        }
        let AskedCluster { nodes: size, heartbeat, algorithm, seed } = asked;
        let plan = Plan {
            size,
            algorithm,
            heartbeat: Duration::from_millis(heartbeat),
            seed,
            parameters: vec![],
            graph: None,
        };
        self.attended.ask();
        let mut running = lock(&self.fleet);
        let joined = running.is_some();
        if !joined {
            *running = Some(Fleet::start(catalog.clone(), plan).map_err(Refused::new)?);
        }
        Ok(json!({"joined": joined, "alone": ALONE.as_secs()}))
    }

    /// Ends the cluster.
    pub(crate) fn end(&self) -> Value {
        *lock(&self.fleet) = None;
        json!({})
    }

    /// The condition of every node, and the datagrams since the last request.
    pub(crate) fn look(&self, asked: &Look) -> Result<Value, Refused> {
        self.with(|fleet| {
            let node = |(id, view): (usize, Option<ringleader_node::Leadership>)| {
                let condition = fleet.condition(id);
                json!({
                    "id": id, "down": condition.down, "paused": condition.paused, "isolated": condition.isolated,
                    "loss": condition.loss, "sent": fleet.relay.sent(id), "leader": view.and_then(|view| view.named()),
                    "epoch": view.map(|view| view.epoch), "role": view.map(|view| view.state.to_string()),
                    "stable": view.map(|view| view.stable_for.as_secs_f64()),
                })
            };
            let nodes: Vec<_> = fleet.views().into_iter().enumerate().map(node).collect();
            let datagrams = fleet.relay.since(asked.since);
            let datagrams: Vec<_> =
                datagrams.iter().map(|d| json!([d.number, d.at.as_millis() as u64, d.from, d.to, d.lost])).collect();
            Ok(json!({
                "nodes": nodes, "agreed": fleet.leader(), "cut": fleet.cut_links().collect::<Vec<_>>(), "changes": fleet.changes(), "datagrams": datagrams,
                "age": fleet.relay.age().as_millis() as u64, "alone": ALONE.as_secs(),
            }))
        })
    }

    /// Injects a fault into a node or a link, or repairs it.
    pub(crate) fn act(&self, asked: &Act) -> Result<Value, Refused> {
        self.with(|fleet| {
            match (asked.to, asked.action.as_str()) {
                (Some(to), "cut") => fleet.set_cut(asked.node, to, true).map_err(Refused::new)?,
                (Some(to), "mend") => fleet.set_cut(asked.node, to, false).map_err(Refused::new)?,
                (Some(_), other) => return Err(Refused::new(format!("a link is cut or mended, not {other:?}"))),
                (None, action) => {
                    let words: Vec<_> = action.split(' ').collect();
                    fleet.apply(asked.node, Action::parse(&words).map_err(Refused::new)?).map_err(Refused::new)?;
                }
            }
            Ok(json!({}))
        })
    }
}

/// The time that a node of another host has to answer.
const TIMEOUT: Duration = Duration::from_millis(900);

/// The leadership that each watched node reports. All are asked at the same time.
pub(crate) fn watch(hosts: &[String]) -> Value {
    let answers: Vec<_> = std::thread::scope(|scope| {
        let asked: Vec<_> = hosts.iter().map(|host| scope.spawn(move || ask(host))).collect();
        asked.into_iter().map(|thread| thread.join().unwrap_or_else(|_| Err("cannot be asked".into()))).collect()
    });
    let told = hosts.iter().zip(answers).map(|(host, answer)| match answer {
        Ok(said) => json!({"host": host, "said": said}),
        Err(why) => json!({"host": host, "why": why}),
    });
    json!({"hosts": told.collect::<Vec<_>>()})
}

fn ask(host: &str) -> Result<Value, String> {
    let address = host.to_socket_addrs().ok().and_then(|mut found| found.next()).ok_or("no such host")?;
    let answer = request(&Server::Address(address), "GET", "/leader", TIMEOUT).map_err(|e| e.to_string())?;
    serde_json::from_str(&answer.body).map_err(|_| "the answer is not that of a node".into())
}
