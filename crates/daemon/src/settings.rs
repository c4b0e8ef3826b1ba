//! The settings of a node: each is a flag, and a key of the same name in the configuration file.

use crate::Span;
use crate::addresses::Placement;
use ringleader_model::Place;
use ringleader_node::{Alone, Config, Guard, HealthCheck, Hooks, Keys, Links, NodeError, Preempt, Tempo};
use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The default port.
const PORT: u16 = 7400;

/// The settings, each from a flag or from the file.
#[derive(clap::Args, serde::Deserialize, serde::Serialize, Clone, Debug, Default, PartialEq)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Settings {
    /// The identity of this node: a number from 0, unique in the cluster. The least identity is preferred as leader
    #[arg(long, value_name = "N")]
    pub(crate) id: Option<usize>,
    /// The address to listen on; a loopback address reaches no other host [default: this node's own entry in the
    /// peers, or 127.0.0.1:7400]
    #[arg(long, value_name = "IP:PORT")]
    listen: Option<SocketAddr>,
    #[arg(skip)]
    peers: BTreeMap<String, String>,
    /// A node of the cluster; once for each node (in the file: a table peers with lines such as 0 = "a.example:7400")
    #[arg(long = "peer", value_name = "ID=HOST:PORT")]
    #[serde(skip)]
    peer_flags: Vec<String>,
    /// On a ring: the address of the left neighbour, instead of peers
    #[arg(long, value_name = "HOST:PORT")]
    left: Option<String>,
    /// On a ring: the address of the right neighbour
    #[arg(long, value_name = "HOST:PORT")]
    right: Option<String>,
    /// For algorithms for any graph: a file with an edge on each line, or a family such as line, star or grid:3x4; the same on all nodes.
    /// This node sends to its neighbours only, and the order of the edges is the order of its ports
    #[arg(long, value_name = "FAMILY|FILE")]
    graph: Option<String>,
    /// This node is the given leader, for algorithms that have one
    #[arg(long)]
    leader: bool,
    /// This node is the left neighbour of the given leader, for algorithms that distinguish it
    #[arg(long, conflicts_with = "leader")]
    last: bool,
    #[arg(skip)]
    parameters: BTreeMap<String, String>,
    /// A parameter of an algorithm of neighbours, the same on all nodes; also layers, as in layers=undirected (in the file: a
    /// table parameters)
    #[arg(long = "parameter", value_name = "NAME=VALUE")]
    #[serde(skip)]
    parameter_flags: Vec<String>,
    /// The name of the cluster; nodes of other clusters ignore this one [default: ringleader]
    #[arg(long, value_name = "NAME")]
    cluster: Option<String>,
    /// An algorithm of `ringleader list`, or the path of a text protocol; the same on all nodes. Algorithms for rings need left,
    /// right and size instead of peers, algorithms for any graph also graph [default: robust-s2]
    #[arg(long, value_name = "NAME")]
    pub(crate) algorithm: Option<String>,
    /// The number of identities, the same on all nodes; unused ones let nodes join later [default: the greatest identity
    /// plus 1]
    #[arg(long, value_name = "N")]
    size: Option<usize>,
    /// The time between two messages of the leader [default: 1s]
    #[arg(long, value_name = "TIME")]
    heartbeat: Option<Span>,
    /// δ: the greatest delay of a datagram on a timely link; timeouts grow with it [default: a quarter of a heartbeat; for
    /// algorithms other than robust-s2 1.5 heartbeats]
    #[arg(long, value_name = "TIME")]
    delta: Option<Span>,
    /// The time for which this node must name a leader before the leader counts and hooks run, in addition to the
    /// waiting time of the algorithm [default: 0s; for algorithms other than robust-s2 one heartbeat]
    #[arg(long, value_name = "TIME")]
    settle: Option<Span>,
    /// The weight of this node. Among nodes accused of silence equally often, the greatest weight leads; among equal weights, the
    /// least identity [default: 0]
    #[arg(long, value_name = "N")]
    weight: Option<u16>,
    /// Whether this node takes over from a leader that ranks after it: true, after ten heartbeats, at least 10s; a time, after that
    /// time; false, only from a leader that was accused of silence more often [default: true]
    #[arg(long, value_name = "true|false|TIME")]
    preempt: Option<Preference>,
    /// A shell command; this node leads only while it succeeds (in the file also: check)
    #[arg(long, value_name = "COMMAND")]
    #[serde(alias = "check")]
    check_command: Option<String>,
    /// The time between two runs of the check [default: 2s]
    #[arg(long, value_name = "TIME")]
    check_interval: Option<Span>,
    /// The time after which a check is killed with its process group, and has failed [default: 1s]
    #[arg(long, value_name = "TIME")]
    check_timeout: Option<Span>,
    /// The successes in a row after which the node may lead [default: 2]
    #[arg(long, value_name = "N")]
    check_rise: Option<u32>,
    /// The failures in a row after which the node must not lead [default: 2]
    #[arg(long, value_name = "N")]
    check_fall: Option<u32>,
    /// This node does not lead while this file exists
    #[arg(long, value_name = "FILE")]
    drain: Option<PathBuf>,
    /// Lead even if no network interface towards the peers has a carrier
    #[arg(long)]
    ignore_carrier: bool,
    /// What this node does if no peer has answered since its start: lead at once; wait for ten heartbeats, at least 5s, and then lead; or
    /// never lead [default: wait]
    #[arg(long, value_name = "lead|wait|never")]
    alone: Option<WhenAlone>,
    /// majority: lead only while a majority of the members grants the lease; the same on all nodes. Without the setting state the list of
    /// members cannot change
    #[arg(long, value_name = "majority")]
    guard: Option<Guarding>,
    /// With the guard: the length of the lease, the same on all nodes [default: 2.3 heartbeats]
    #[arg(long, value_name = "TIME")]
    lease: Option<Span>,
    /// With the guard: the greatest deviation of a clock's rate in per cent, the same on all nodes [default: 1]
    #[arg(long, value_name = "PERCENT")]
    drift: Option<f64>,
    /// With the guard: a member that grants but never leads; once for each, the same on all nodes (in the file: a list)
    #[arg(long, value_name = "ID")]
    witness: Vec<usize>,
    /// With the guard: the file that stores the fencing token and the list of members; `--new-state` makes it before the first start. With it
    /// SIGHUP changes the list
    #[arg(long, value_name = "FILE")]
    pub(crate) state: Option<PathBuf>,
    /// The secret key of the cluster: one line of 64 hexadecimal digits, or two lines while a key is being replaced
    #[arg(long, value_name = "FILE")]
    pub(crate) key_file: Option<PathBuf>,
    /// Accept a key file that its group may read, such as a mounted secret
    #[arg(long)]
    key_file_group: bool,
    /// Listen on other addresses than loopback without a key
    #[arg(long)]
    insecure: bool,
    /// Removed; it is read to say so
    #[arg(long, value_name = "TIME", hide = true)]
    clock_window: Option<String>,
    /// A real-time priority for the loop, so that a busy host does not delay it; on Linux [default: none]
    #[arg(long, value_name = "1..99")]
    realtime: Option<u8>,
    /// Keep all memory resident, so that no page fault delays the loop; on Linux
    #[arg(long)]
    lock_memory: bool,
    /// The time after which host names are resolved again [default: 30s]
    #[arg(long, value_name = "TIME")]
    resolve_every: Option<Span>,
    /// The path of a Unix socket for `ringleader status` and `ringleader ctl`, for the daemon's user and group
    #[arg(long, value_name = "PATH")]
    pub(crate) control: Option<PathBuf>,
    /// The address on which /leader, /leader/self, /status, /healthz and /metrics are served
    #[arg(long, value_name = "IP:PORT")]
    pub(crate) http: Option<SocketAddr>,
    /// A virtual address that this node holds while it leads; once for each (in the file: tables [[address]] with address and interface)
    #[arg(long, value_name = "IP/LENGTH@INTERFACE")]
    pub(crate) address: Vec<Placement>,
    /// The time after which the leader announces its virtual addresses again; 0s for never [default: 60s]
    #[arg(long, value_name = "TIME")]
    pub(crate) address_refresh: Option<Span>,
    /// A name under which the pages are requested, besides addresses, localhost and the names in the peers; once for each (in the file: a
    /// list)
    #[arg(long, value_name = "NAME")]
    pub(crate) http_name: Vec<String>,
    /// A shell command to run when this node becomes the leader
    #[arg(long, value_name = "COMMAND")]
    on_leader: Option<String>,
    /// A shell command to run when this node loses the leadership, and at its start; a planned handover waits for it
    #[arg(long, value_name = "COMMAND")]
    on_lost: Option<String>,
    /// A shell command to run on every change
    #[arg(long, value_name = "COMMAND")]
    on_change: Option<String>,
    /// A shell command to run on the leader when a split has healed: another node led meanwhile, and follows this one now
    #[arg(long, value_name = "COMMAND")]
    on_healed: Option<String>,
    /// A shell command to run whenever this node holds the token; the token moves on when the command has ended
    #[arg(long, value_name = "COMMAND")]
    pub(crate) on_token: Option<String>,
    /// The time after which a hook is killed, the same on all nodes [default: 10s]
    #[arg(long, value_name = "TIME")]
    hook_timeout: Option<Span>,
    /// error, warn, info, debug or trace [default: info]
    #[arg(long, value_name = "LEVEL")]
    pub(crate) log: Option<LogLevel>,
    /// human or json [default: human]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) log_format: Option<LogFormat>,
    /// For tests: SIGUSR1 overwrites every variable with random values, SIGUSR2 with extreme ones
    #[arg(long)]
    pub(crate) allow_corruption: bool,
}

/// The format of log lines.
#[derive(clap::ValueEnum, serde::Deserialize, serde::Serialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum LogFormat {
    /// For people.
    Human,
    /// One JSON object a line.
    Json,
}

/// The least level that is logged.
#[derive(clap::ValueEnum, serde::Deserialize, serde::Serialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum LogLevel {
    /// Failures.
    Error,
    /// Problems for the operator.
    Warn,
    /// Changes of leadership and state.
    Info,
    /// Failed sends.
    Debug,
    /// Every rejected datagram.
    Trace,
}

/// The kind of guard.
#[derive(clap::ValueEnum, serde::Deserialize, serde::Serialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Guarding {
    /// Lead only with a lease that a majority grants.
    Majority,
}

/// The conduct of a node that has heard no peer since its start.
#[derive(clap::ValueEnum, serde::Deserialize, serde::Serialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum WhenAlone {
    /// It leads.
    Lead,
    /// It waits, and then leads.
    Wait,
    /// It does not lead.
    Never,
}

/// `true`, `false` or a time.
#[derive(serde::Deserialize, serde::Serialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(untagged, expecting = "preempt must be true, false or a time such as 30s")]
pub(crate) enum Preference {
    Flag(bool),
    After(Span),
}

/// The error of a text that is not a [`Preference`].
#[derive(Clone, Debug, thiserror::Error)]
#[error("preempt must be true, false or a time such as 30s, not {0:?}")]
pub(crate) struct NoPreference(String);

impl std::str::FromStr for Preference {
    type Err = NoPreference;
    fn from_str(text: &str) -> Result<Preference, NoPreference> {
        let flag = text.parse().map(Preference::Flag);
        flag.or_else(|_| text.parse().map(Preference::After)).map_err(|_| NoPreference(text.into()))
    }
}

/// The settings that a reload changes.
const RELOADED: [&str; 3] = ["peers", "key-file", "key-file-group"];

impl Settings {
    /// The settings of a file, overridden by the flags.
    pub(crate) fn over(self, path: &Path) -> Result<Settings, NodeError> {
        let name = path.display();
        let text = std::fs::read_to_string(path).map_err(|e| NodeError::new(format!("cannot read {name}: {e}")))?;
        let file: Settings = toml::from_str(&text).map_err(|e| NodeError::new(format!("{name}: {e}")))?;
        let mut merged = file.table()?;
        merged.extend(self.table()?);
        let merged: Settings = merged.try_into().map_err(|e| NodeError::new(format!("{name}: {e}")))?;
        Ok(Settings { peer_flags: self.peer_flags, parameter_flags: self.parameter_flags, ..merged })
    }

    /// The settings that were given, by their keys in the file.
    fn table(&self) -> Result<toml::Table, NodeError> {
        let mut table = toml::Table::try_from(self).map_err(|e| NodeError::new(e.to_string()))?;
        table.retain(|key, value| match value {
            // A switch is off unless it is given; `preempt` is on.
            toml::Value::Boolean(flag) => *flag || key == "preempt",
            toml::Value::Array(values) => !values.is_empty(),
            toml::Value::Table(entries) => !entries.is_empty(),
            _ => true,
        });
        Ok(table)
    }

    /// The addresses of all nodes by identity; flags override the file.
    fn peers(&self) -> Result<BTreeMap<usize, String>, NodeError> {
        let mut peers = by_identity(self.peers.iter().map(|(id, address)| (id.clone(), address.clone())))?;
        peers.extend(by_identity(pairs("--peer must be ID=HOST:PORT", &self.peer_flags)?)?);
        Ok(peers)
    }

    fn keys(&self) -> Result<Keys, NodeError> {
        let read = |path: &Path| match self.key_file_group {
            true => ringleader_node::read_shared_keys(path),
            false => ringleader_node::read_keys(path),
        };
        self.key_file.as_deref().map_or(Ok(Keys::none()), read)
    }

    /// The names under which the pages are requested: those in the peers, and those given.
    pub(crate) fn page_names(&self) -> Vec<String> {
        let peers = self.peers().unwrap_or_default();
        let hosts = peers.values().filter_map(|address| Some(address.rsplit_once(':')?.0.to_string()));
        hosts.chain(self.http_name.iter().cloned()).collect()
    }

    /// The keys of the settings that differ from `new` and need a restart.
    pub(crate) fn needs_restart(&self, new: &Settings) -> Vec<String> {
        let (old_table, new_table) = (self.table().unwrap_or_default(), new.table().unwrap_or_default());
        let keys: BTreeSet<&String> = old_table.keys().chain(new_table.keys()).collect();
        let differs = |key: &&String| !RELOADED.contains(&key.as_str()) && old_table.get(*key) != new_table.get(*key);
        let mut names: Vec<String> = keys.into_iter().filter(differs).cloned().collect();
        // The node's own line in [peers] is its address, if no other setting is. A line that is gone names no other address.
        let listens = |settings: &Settings| Some(settings.listen(Some(settings.peers().ok()?.get(&settings.id?)?)));
        let moved = |there| listens(self).is_some_and(|here| here != there);
        if self.listen == new.listen && listens(new).is_some_and(moved) {
            names.push("the node's own line in [peers]".into());
        }
        names
    }

    fn check(&self) -> Option<HealthCheck> {
        let plain = HealthCheck::new(self.check_command.clone()?);
        Some(HealthCheck {
            interval: self.check_interval.map_or(plain.interval, |span| span.0),
            timeout: self.check_timeout.map_or(plain.timeout, |span| span.0),
            rise: self.check_rise.unwrap_or(plain.rise),
            fall: self.check_fall.unwrap_or(plain.fall),
            ..plain
        })
    }

    pub(crate) fn hooks(&self) -> Result<Hooks, NodeError> {
        let hooks = Hooks {
            on_leader: self.on_leader.clone(),
            on_lost: self.on_lost.clone(),
            on_change: self.on_change.clone(),
            on_healed: self.on_healed.clone(),
            timeout: self.hook_timeout.map_or(Hooks::default().timeout, |span| span.0),
        };
        hooks.validate()?;
        Ok(hooks)
    }

    /// The settings as the node takes them.
    pub(crate) fn config(&self) -> Result<Config, NodeError> {
        if let (Some(left), Some(right)) = (&self.left, &self.right) {
            return self.between(left, right);
        }
        if let Some(only) = self.left.as_ref().or(self.right.as_ref()) {
            let reason = format!("a ring has two sides, but only {only} is given: give left and right");
            return Err(NodeError::new(reason));
        }
        let missing = "give the identity of this node: --id N, or id = N in the configuration file";
        let id = self.id.ok_or_else(|| NodeError::new(missing))?;
        let peers = self.peers()?;
        let reason = "there are no peers: give the other nodes with --peer ID=HOST:PORT, or [peers] in the file";
        NodeError::refuse_if(peers.keys().all(|&peer| peer == id), reason)?;
        let mut config = Config::new(id, self.listen(peers.get(&id)));
        config.peers = peers;
        config.graph = self.graph.as_deref().map(Links::read).transpose()?;
        self.complete(config)
    }

    /// The settings of a member of a ring, which needs no identity.
    fn between(&self, left: &str, right: &str) -> Result<Config, NodeError> {
        NodeError::refuse_if(
            !self.peers()?.is_empty() || self.graph.is_some(),
            "an algorithm for rings needs left and right, another one peers, and on a graph also the graph: do not give both",
        )?;
        let mut config = Config::new(self.id.unwrap_or(0), self.listen(None));
        config.sides = Some([left.to_string(), right.to_string()]);
        self.complete(config)
    }

    /// The parameters of the algorithm; flags override the file.
    fn parameters(&self) -> Result<Vec<(String, String)>, NodeError> {
        let mut parameters = self.parameters.clone();
        parameters.extend(pairs("--parameter must be NAME=VALUE", &self.parameter_flags)?);
        Ok(parameters.into_iter().collect())
    }

    /// Adds the settings that all nodes have.
    fn complete(&self, mut config: Config) -> Result<Config, NodeError> {
        NodeError::refuse_if(
            self.clock_window.is_some(),
            "clock-window was removed: no node compares its clock with another one any more, so clocks may differ by any time: \
             leave the setting out",
        )?;
        let heartbeat = self.heartbeat.map_or(Duration::from_secs(1), |span| span.0);
        config = config.heartbeat(heartbeat);
        config.tempo = Tempo { heartbeat, delta: self.delta.map(|span| span.0) };
        config.weight = self.weight.unwrap_or(0);
        config.preempt = match self.preempt {
            None | Some(Preference::Flag(true)) => Preempt::Yes,
            Some(Preference::Flag(false)) => Preempt::No,
            Some(Preference::After(Span(time))) => Preempt::After(time),
        };
        config.check = self.check();
        config.drain.clone_from(&self.drain);
        config.carrier = !self.ignore_carrier;
        // Candidates wait this long for a leader that hands over, so it must be the same on all nodes.
        config.handover = self.hooks()?.timeout;
        config.keys = self.keys()?;
        config.insecure = self.insecure;
        config.settle = self.settle.map(|span| span.0);
        (config.realtime, config.lock_memory) = (self.realtime, self.lock_memory);
        config.resolve_every = self.resolve_every.map_or(config.resolve_every, |span| span.0);
        config.cluster = self.cluster.clone().unwrap_or(config.cluster);
        config.algorithm = self.algorithm.clone().unwrap_or(config.algorithm);
        config.size = self.size;
        config.parameters = self.parameters()?;
        config.token_waits = self.on_token.is_some();
        config.place = match (self.leader, self.last) {
            (true, _) => Place::Bottom,
            (_, true) => Place::Top,
            _ => Place::Other,
        };
        config.guard = self.guarding(heartbeat)?;
        let reason = "alone has no meaning with the guard, since a node leads only with a majority: leave it out";
        NodeError::refuse_if(config.guard.is_some() && self.alone.is_some(), reason)?;
        config.alone = match self.alone {
            Some(WhenAlone::Lead) => Alone::Lead,
            None | Some(WhenAlone::Wait) => Alone::Wait,
            Some(WhenAlone::Never) => Alone::Never,
        };
        config.state.clone_from(&self.state);
        Ok(config)
    }

    fn guarding(&self, heartbeat: Duration) -> Result<Option<Guard>, NodeError> {
        if self.guard.is_none() {
            let given = self.lease.is_some() || self.drift.is_some() || !self.witness.is_empty();
            let reason = "lease, drift and witness are for the guard: give guard = \"majority\", or leave them out";
            return NodeError::refuse_if(given, reason).map(|()| None);
        }
        let mut guard = self.lease.map_or_else(|| Guard::for_heartbeat(heartbeat), |span| Guard::new(span.0));
        if let Some(percent) = self.drift {
            let reason = format!("drift must be 0 to 20 per cent, not {percent}");
            NodeError::refuse_if(!(0.0..=20.0).contains(&percent), reason)?;
            guard.drift = (percent * 10_000.0).round() as u32;
        }
        guard.witnesses.clone_from(&self.witness);
        guard.witnesses.sort_unstable();
        guard.witnesses.dedup();
        Ok(Some(guard))
    }

    /// At a reload: without its own line in the peers, and without the setting, the node stays at its present address.
    pub(crate) fn stay(&self, config: &mut Config, present: SocketAddr) {
        if self.listen.is_none() && config.sides.is_none() && !config.peers.contains_key(&config.id) {
            config.listen = present;
        }
    }

    /// The address to listen on. By default it is the node's own entry in the peers, so that one file can serve all hosts.
    fn listen(&self, own: Option<&String>) -> SocketAddr {
        let port = |address: &String| address.rsplit_once(':').and_then(|(_, port)| port.parse().ok());
        match (self.listen, own) {
            (Some(listen), _) => listen,
            (None, Some(own)) => own
                .parse()
                .unwrap_or_else(|_| SocketAddr::new(IpAddr::V4(Ipv4Addr::UNSPECIFIED), port(own).unwrap_or(PORT))),
            (None, None) => SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), PORT),
        }
    }
}

/// The two sides of each flag, which are separated by `=` as the `rule` says.
fn pairs(rule: &str, flags: &[String]) -> Result<Vec<(String, String)>, NodeError> {
    let wrong = |flag: &String| NodeError::new(format!("{rule}, not {flag:?}"));
    let pair = |flag: &String| flag.split_once('=').map(|(a, b)| (a.into(), b.into())).ok_or_else(|| wrong(flag));
    flags.iter().map(pair).collect()
}

/// The peers of one source, each of which must be given once.
fn by_identity(entries: impl IntoIterator<Item = (String, String)>) -> Result<BTreeMap<usize, String>, NodeError> {
    let mut peers = BTreeMap::new();
    for (id, address) in entries {
        let id = id.parse().map_err(|_| NodeError::new(format!("a peer's identity must be a number, not {id:?}")))?;
        if let Some(other) = peers.insert(id, address.clone()) {
            let reason =
                format!("peer {id} is given twice, as {other} and as {address}: give each identity one address");
            return Err(NodeError::new(reason));
        }
    }
    Ok(peers)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Settings {
        toml::from_str(text).unwrap()
    }

    #[test]
    fn a_reload_names_the_settings_that_need_a_restart() {
        let old = read("heartbeat = \"1s\"\npreempt = false\n[peers]\n0 = \"a:1\"\n");
        let new = read("heartbeat = \"2s\"\non-lost = \"true\"\npreempt = \"30s\"\n[peers]\n0 = \"b:1\"\n");
        assert_eq!(old.needs_restart(&new), ["heartbeat", "on-lost", "preempt"]);
        assert!(old.needs_restart(&old.clone()).is_empty());
        let [here, there] = ["1", "2"].map(|host| read(&format!("id = 0\n[peers]\n0 = \"127.0.0.{host}:1\"\n")));
        assert_eq!(here.needs_restart(&there), ["the node's own line in [peers]"]);
    }

    /// The default address without a line would be on loopback, which reaches no other host.
    #[test]
    fn a_reload_without_the_own_line_stays_at_the_present_address() {
        let text = |own: &str| {
            format!("id = 0\ninsecure = true\n[peers]\n{own}1 = \"10.9.0.2:7400\"\n2 = \"10.9.0.3:7400\"\n")
        };
        let (with, without) = (read(&text("0 = \"10.9.0.1:7400\"\n")), read(&text("")));
        let present = with.config().unwrap().listen;
        let mut config = without.config().unwrap();
        assert!(config.validate().is_err_and(|error| error.to_string().contains("loopback")));
        without.stay(&mut config, present);
        assert_eq!((config.listen, config.validate()), (present, Ok(())));
        assert!(with.needs_restart(&without).is_empty());
    }

    /// The only setting that is on by default: `false` is given, in a file and as a flag, and a change of it is named.
    #[test]
    fn preempt_can_be_switched_off() {
        let path = std::env::temp_dir().join(format!("ringleader-preempt-{}.toml", std::process::id()));
        let merged = |file: &str, flags: &str| {
            std::fs::write(&path, file).expect("a temporary file");
            read(flags).over(&path).expect("both are valid").preempt
        };
        let off = Some(Preference::Flag(false));
        assert_eq!(merged("preempt = false", ""), off);
        assert_eq!(merged("preempt = \"30s\"", "preempt = false"), off);
        assert_eq!(merged("preempt = false", "preempt = true"), Some(Preference::Flag(true)));
        assert_eq!(read("").needs_restart(&read("preempt = false")), ["preempt"]);
        std::fs::remove_file(&path).expect("it was written");
    }

    #[test]
    fn a_graph_is_a_family_or_a_file() {
        let path = std::env::temp_dir().join(format!("ringleader-graph-{}.txt", std::process::id()));
        std::fs::write(&path, "0 1\n1 2\n").expect("a temporary file");
        let peers = "id = 1\n[peers]\n0 = \"127.0.0.1:1\"\n1 = \"127.0.0.1:2\"\n2 = \"127.0.0.1:3\"\n";
        let graph = |name: &str| read(&format!("graph = {name:?}\n{peers}")).config().map(|config| config.graph);
        let Ok(Some(Links::Given(line))) = graph(&path.display().to_string()) else { panic!("a file") };
        assert_eq!(line.neighbours().of(1), [0, 2]);
        assert!(matches!(graph("grid:2x3"), Ok(Some(Links::Family(_)))));
        assert!(graph("spiral").unwrap_err().to_string().contains("there is no such file, and the families"));
        std::fs::write(&path, "0 1\n2 3\n").expect("a temporary file");
        assert!(graph(&path.display().to_string()).unwrap_err().to_string().contains("not connected"));
        std::fs::remove_file(&path).expect("it was written");
        let ring = read("graph = \"star\"\nleft = \"127.0.0.1:1\"\nright = \"127.0.0.1:2\"\n").config();
        assert!(ring.unwrap_err().to_string().contains("do not give both"));
        assert_eq!(read("").needs_restart(&read("graph = \"star\"")), ["graph"]);
    }

    #[test]
    fn the_guard_has_settings() {
        let peers = "id = 0\n[peers]\n0 = \"127.0.0.1:1\"\n1 = \"127.0.0.1:2\"\n2 = \"127.0.0.1:3\"\n";
        let guard = |text: &str| read(&format!("{text}\n{peers}")).config().map(|config| config.guard);
        assert!(matches!(guard(""), Ok(None)));
        let given = guard("guard = \"majority\"\nheartbeat = \"2s\"\ndrift = 0.5\nwitness = [2]");
        let expected = Guard { drift: 5000, witnesses: vec![2], ..Guard::new(Duration::from_millis(4600)) };
        assert_eq!(given.unwrap(), Some(expected));
        assert!(guard("lease = \"3s\"").is_err() && guard("guard = \"majority\"\ndrift = 30.0").is_err());
        assert!(toml::from_str::<Settings>("guard = \"minority\"").is_err());
    }

    #[test]
    fn precedence_health_and_maintenance_have_settings() {
        let text = "id = 0\nweight = 7\npreempt = true\ncheck = \"pg_isready\"\ncheck-rise = 3\ndrain = \"/run/drain\"\n\
                    [peers]\n0 = \"127.0.0.1:1\"\n1 = \"127.0.0.1:2\"\n";
        let config = read(text).config().unwrap();
        assert_eq!((config.weight, config.preempt), (7, Preempt::Yes));
        let check = config.check.unwrap();
        assert_eq!((check.command.as_str(), check.rise, check.fall), ("pg_isready", 3, 2));
        assert!(toml::from_str::<Settings>("preempt = \"soon\"").is_err());
    }
}
