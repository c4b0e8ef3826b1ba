//! What a node is told: every setting is a flag, and a key of the same name in the configuration file.

use crate::{Failure, Span};
use ringleader_model::Place;
use ringleader_node::{Check, Config, Guard, Hooks, Keys, Preempt, Tempo};
use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The port where nothing else is said.
const PORT: u16 = 7400;

/// The settings, each from a flag or the file.
#[derive(clap::Args, serde::Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Settings {
    /// This node's identity: a number from 0 that no other node has. The least is preferred
    #[arg(long, value_name = "N")]
    pub(crate) id: Option<usize>,
    /// Where to listen; loopback reaches no other host [default: this node's own entry among the peers, or
    /// 127.0.0.1:7400]
    #[arg(long, value_name = "IP:PORT")]
    listen: Option<SocketAddr>,
    #[arg(skip)]
    peers: BTreeMap<String, String>,
    /// A node of the cluster; once for each (in the file: a table peers with lines such as 0 = "a.example:7400")
    #[arg(long = "peer", value_name = "ID=HOST:PORT")]
    #[serde(skip)]
    peer_flags: Vec<String>,
    /// On a ring: the address of the left neighbour, instead of peers
    #[arg(long, value_name = "HOST:PORT")]
    left: Option<String>,
    /// On a ring: the address of the right neighbour
    #[arg(long, value_name = "HOST:PORT")]
    right: Option<String>,
    /// This node is the leader that the algorithm is given, where it is given one
    #[arg(long)]
    leader: bool,
    /// This node is the left neighbour of that leader, where the algorithm tells it apart
    #[arg(long, conflicts_with = "leader")]
    last: bool,
    #[arg(skip)]
    parameters: BTreeMap<String, String>,
    /// A parameter of an algorithm of neighbours, the same on all nodes; layers is one, as in layers=undirected (in the file: a
    /// table parameters)
    #[arg(long = "parameter", value_name = "NAME=VALUE")]
    #[serde(skip)]
    parameter_flags: Vec<String>,
    /// The name of the cluster; nodes of another do not hear this one [default: ringleader]
    #[arg(long, value_name = "NAME")]
    cluster: Option<String>,
    /// Any that `ringleader list` names, or the path of a text protocol; the same on all nodes. Those for rings take left, right
    /// and size instead of peers [default: robust-s2]
    #[arg(long, value_name = "NAME")]
    pub(crate) algorithm: Option<String>,
    /// How many identities there may ever be, the same on all nodes; spare ones let nodes join later [default: the
    /// greatest identity and one]
    #[arg(long, value_name = "N")]
    size: Option<usize>,
    /// How often the leader is heard [default: 1s]
    #[arg(long, value_name = "TIME")]
    heartbeat: Option<Span>,
    /// δ: how late a datagram may be on a good link; timeouts grow with it [default: a quarter of a heartbeat; for
    /// algorithms other than robust-s2 1.5 heartbeats]
    #[arg(long, value_name = "TIME")]
    delta: Option<Span>,
    /// How long a leader must be named before it counts, and hooks run, beyond what the algorithm itself waits for
    /// [default: 0s; for algorithms other than robust-s2 one heartbeat]
    #[arg(long, value_name = "TIME")]
    settle: Option<Span>,
    /// Of equal nodes the one with the greatest weight leads, and of those the one with the least identity [default: 0]
    #[arg(long, value_name = "N")]
    weight: Option<u16>,
    /// Whether a node that goes before the leader takes over from it: true, after ten heartbeats; a time, after that;
    /// false, only from one that was accused of silence more often [default: true]
    #[arg(long, value_name = "true|false|TIME")]
    preempt: Option<Preference>,
    /// A shell command without whose success this node does not lead (in the file also: check)
    #[arg(long, value_name = "COMMAND")]
    #[serde(alias = "check")]
    check_command: Option<String>,
    /// How often the check runs [default: 2s]
    #[arg(long, value_name = "TIME")]
    check_interval: Option<Span>,
    /// After how long a check is killed, with all it started, and has failed [default: 1s]
    #[arg(long, value_name = "TIME")]
    check_timeout: Option<Span>,
    /// After how many successes in a row the node may lead [default: 2]
    #[arg(long, value_name = "N")]
    check_rise: Option<u32>,
    /// After how many failures in a row it may not [default: 2]
    #[arg(long, value_name = "N")]
    check_fall: Option<u32>,
    /// While this file exists, this node does not lead; looked at each heartbeat
    #[arg(long, value_name = "FILE")]
    drain: Option<PathBuf>,
    /// Lead even if no interface towards the peers has a carrier
    #[arg(long)]
    ignore_carrier: bool,
    /// majority: lead only while a majority of the members grants it, the same on all nodes; members cannot change then
    #[arg(long, value_name = "majority")]
    guard: Option<Guarding>,
    /// With the guard: for how long a member grants the lease, the same on all nodes [default: 3 heartbeats]
    #[arg(long, value_name = "TIME")]
    lease: Option<Span>,
    /// With the guard: by how many per cent any clock is too fast or too slow, the same on all nodes [default: 1]
    #[arg(long, value_name = "PERCENT")]
    drift: Option<f64>,
    /// With the guard: a member that grants but never leads; once for each, the same on all nodes (in the file: a list)
    #[arg(long, value_name = "ID")]
    witness: Vec<usize>,
    /// With the guard: a file in which fencing tokens are stored; `--new-state` makes it, before the first start
    #[arg(long, value_name = "FILE")]
    pub(crate) state: Option<PathBuf>,
    /// The secret of the cluster: one line of 64 hexadecimal digits, or two while a key is being replaced
    #[arg(long, value_name = "FILE")]
    pub(crate) key_file: Option<PathBuf>,
    /// Take a key file that its group may read, as where a secret is mounted
    #[arg(long)]
    key_file_group: bool,
    /// Listen beyond loopback without a key
    #[arg(long)]
    insecure: bool,
    /// By how much the clocks of two hosts may differ [default: 5s]
    #[arg(long, value_name = "TIME")]
    clock_window: Option<Span>,
    /// How often host names are resolved anew [default: 30s]
    #[arg(long, value_name = "TIME")]
    resolve_every: Option<Span>,
    /// Serve /leader, /leader/self, /healthz and /metrics here
    #[arg(long, value_name = "IP:PORT")]
    pub(crate) http: Option<SocketAddr>,
    /// A shell command to run on becoming leader
    #[arg(long, value_name = "COMMAND")]
    on_leader: Option<String>,
    /// A shell command to run on losing the leadership, and when the node starts; a planned handover waits for it
    #[arg(long, value_name = "COMMAND")]
    on_lost: Option<String>,
    /// A shell command to run on any change
    #[arg(long, value_name = "COMMAND")]
    on_change: Option<String>,
    /// A shell command to run whenever this node holds the token, which moves on when it has ended
    #[arg(long, value_name = "COMMAND")]
    pub(crate) on_token: Option<String>,
    /// After how long a hook is killed, the same on all nodes [default: 10s]
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

/// How log lines look.
#[derive(clap::ValueEnum, serde::Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum LogFormat {
    /// For people.
    Human,
    /// One JSON object a line.
    Json,
}

/// How much is logged.
#[derive(clap::ValueEnum, serde::Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum LogLevel {
    /// What failed.
    Error,
    /// What should be looked at.
    Warn,
    /// Changes of leadership and state.
    Info,
    /// Errors of sending.
    Debug,
    /// Every datagram dropped.
    Trace,
}

/// How leaders are guarded.
#[derive(clap::ValueEnum, serde::Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Guarding {
    /// By a lease that a majority grants.
    Majority,
}

/// `true`, `false` or a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Preference(Preempt);

impl std::str::FromStr for Preference {
    type Err = String;
    fn from_str(text: &str) -> Result<Preference, String> {
        match text {
            "true" => Ok(Preference(Preempt::Yes)),
            "false" => Ok(Preference(Preempt::No)),
            _ => match text.parse() {
                Ok(Span(time)) => Ok(Preference(Preempt::After(time))),
                Err(_) => Err(format!("preempt must be true, false or a time such as 30s, not {text:?}")),
            },
        }
    }
}

impl<'de> serde::Deserialize<'de> for Preference {
    fn deserialize<D: serde::Deserializer<'de>>(source: D) -> Result<Preference, D::Error> {
        #[derive(serde::Deserialize)]
        #[serde(untagged)]
        enum Written {
            Flag(bool),
            Word(String),
        }
        let word = match Written::deserialize(source)? {
            Written::Flag(flag) => flag.to_string(),
            Written::Word(word) => word,
        };
        word.parse().map_err(serde::de::Error::custom)
    }
}

/// Names each field of two settings that differ.
macro_rules! differing {
    ($a:ident, $b:ident: $($field:ident),*) => {
        [$((stringify!($field), $a.$field != $b.$field)),*]
    };
}

/// Takes each field named from the flags, or else from the file.
macro_rules! prefer {
    ($flags:ident, $file:ident: $($field:ident),*) => { $($flags.$field = $flags.$field.or($file.$field);)* };
}

impl Settings {
    /// The settings of a file, with flags going before.
    pub(crate) fn over(mut self, path: &Path) -> Result<Settings, Failure> {
        let name = path.display();
        let text = std::fs::read_to_string(path).map_err(|e| Failure::usage(format!("cannot read {name}: {e}")))?;
        let file: Settings = toml::from_str(&text).map_err(|e| Failure::usage(format!("{name}: {e}")))?;
        prefer!(self, file: id, listen, cluster, algorithm, size, heartbeat, delta, settle, key_file, clock_window);
        prefer!(self, file: weight, preempt, check_command, check_interval, check_timeout, check_rise, check_fall, drain);
        prefer!(self, file: left, right, on_token);
        prefer!(self, file: resolve_every, http, on_leader, on_lost, on_change, hook_timeout, log, log_format);
        prefer!(self, file: guard, lease, drift, state);
        if self.witness.is_empty() {
            self.witness = file.witness;
        }
        self.insecure |= file.insecure;
        self.ignore_carrier |= file.ignore_carrier;
        self.key_file_group |= file.key_file_group;
        self.allow_corruption |= file.allow_corruption;
        self.leader |= file.leader;
        self.last |= file.last;
        self.peers = file.peers;
        self.parameters = file.parameters;
        Ok(self)
    }

    /// The addresses of all nodes, by identity; flags go before the file.
    fn peers(&self) -> Result<BTreeMap<usize, String>, Failure> {
        let flags = self.peer_flags.iter().map(|flag| {
            let wrong = || Failure::usage(format!("--peer must be ID=HOST:PORT, not {flag:?}"));
            flag.split_once('=').ok_or_else(wrong)
        });
        let mut peers = by_identity(self.peers.iter().map(|(id, address)| Ok((id.as_str(), address.as_str()))))?;
        peers.extend(by_identity(flags)?);
        Ok(peers)
    }

    fn keys(&self) -> Result<Keys, Failure> {
        let read = |path: &Path| match self.key_file_group {
            true => ringleader_node::read_shared_keys(path),
            false => ringleader_node::read_keys(path),
        };
        self.key_file.as_deref().map_or(Ok(Keys::none()), |path| read(path).map_err(Failure::usage))
    }

    /// What differs from other settings and is taken only at the start: the names of the keys.
    pub(crate) fn needs_restart(&self, new: &Settings) -> Vec<String> {
        let (old, fields) = (self, &mut vec![]);
        fields.extend(
            differing!(old, new: id, listen, cluster, algorithm, size, heartbeat, delta, settle, weight, preempt),
        );
        fields.extend(differing!(old, new: left, right, leader, last, parameters, on_token));
        fields
            .extend(differing!(old, new: check_command, check_interval, check_timeout, check_rise, check_fall, drain));
        fields.extend(differing!(old, new: guard, lease, drift, witness, state));
        fields.extend(differing!(old, new: ignore_carrier, insecure, clock_window, resolve_every, http));
        fields.extend(
            differing!(old, new: on_leader, on_lost, on_change, hook_timeout, log, log_format, allow_corruption),
        );
        // The own line in [peers] says where to listen, if nothing else does.
        let listens = |settings: &Settings| {
            let (peers, id) = (settings.peers().ok()?, settings.id?);
            Some(settings.listen(peers.get(&id)))
        };
        fields.push(("the node's own line in [peers]", old.listen == new.listen && listens(old) != listens(new)));
        fields.iter().filter(|(_, differs)| *differs).map(|(name, _)| name.replace('_', "-")).collect()
    }

    fn check(&self) -> Option<Check> {
        let plain = Check::new(self.check_command.clone()?);
        Some(Check {
            interval: self.check_interval.map_or(plain.interval, |span| span.0),
            timeout: self.check_timeout.map_or(plain.timeout, |span| span.0),
            rise: self.check_rise.unwrap_or(plain.rise),
            fall: self.check_fall.unwrap_or(plain.fall),
            ..plain
        })
    }

    pub(crate) fn hooks(&self) -> Result<Hooks, Failure> {
        let hooks = Hooks {
            on_leader: self.on_leader.clone(),
            on_lost: self.on_lost.clone(),
            on_change: self.on_change.clone(),
            timeout: self.hook_timeout.map_or(Hooks::default().timeout, |span| span.0),
        };
        hooks.validate().map_err(Failure::usage)?;
        Ok(hooks)
    }

    /// What the node is to be told.
    pub(crate) fn config(&self) -> Result<Config, Failure> {
        if let (Some(left), Some(right)) = (&self.left, &self.right) {
            return self.between(left, right);
        }
        if let Some(only) = self.left.as_ref().or(self.right.as_ref()) {
            let both = format!("a ring has two sides, and only {only} is given: give left and right");
            return Err(Failure::usage(both));
        }
        let missing = "say which node this is: --id N, or id = N in the configuration file";
        let id = self.id.ok_or_else(|| Failure::usage(missing))?;
        let peers = self.peers()?;
        if peers.keys().all(|&peer| peer == id) {
            return Err(Failure::usage("no peers: name the others with --peer ID=HOST:PORT, or [peers] in the file"));
        }
        let mut config = Config::new(id, self.listen(peers.get(&id)));
        config.peers = peers;
        self.complete(config)
    }

    /// A member of a ring needs no identity.
    fn between(&self, left: &str, right: &str) -> Result<Config, Failure> {
        if !self.peers()?.is_empty() {
            return Err(Failure::usage(
                "a ring has left and right, other algorithms have peers: give one or the other",
            ));
        }
        let mut config = Config::new(self.id.unwrap_or(0), self.listen(None));
        config.sides = Some([left.to_string(), right.to_string()]);
        self.complete(config)
    }

    /// The parameters of the algorithm; flags go before the file.
    fn parameters(&self) -> Result<Vec<(String, String)>, Failure> {
        let mut parameters = self.parameters.clone();
        for flag in &self.parameter_flags {
            let wrong = || Failure::usage(format!("--parameter must be NAME=VALUE, not {flag:?}"));
            let (name, value) = flag.split_once('=').ok_or_else(wrong)?;
            parameters.insert(name.to_string(), value.to_string());
        }
        Ok(parameters.into_iter().collect())
    }

    /// What all nodes have.
    fn complete(&self, mut config: Config) -> Result<Config, Failure> {
        let heartbeat = self.heartbeat.map_or(Duration::from_secs(1), |span| span.0);
        config = config.heartbeat(heartbeat);
        config.tempo = Tempo { heartbeat, delta: self.delta.map(|span| span.0) };
        config.weight = self.weight.unwrap_or(0);
        config.preempt = self.preempt.map_or(Preempt::Yes, |preference| preference.0);
        config.check = self.check();
        config.drain.clone_from(&self.drain);
        config.carrier = !self.ignore_carrier;
        // Candidates wait this long for a leader that lets go, so it must be the same for all, hooks or not.
        config.handover = self.hooks()?.timeout;
        config.keys = self.keys()?;
        config.insecure = self.insecure;
        config.settle = self.settle.map(|span| span.0);
        config.clock_window = self.clock_window.map_or(config.clock_window, |span| span.0);
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
        config.state.clone_from(&self.state);
        Ok(config)
    }

    fn guarding(&self, heartbeat: Duration) -> Result<Option<Guard>, Failure> {
        if self.guard.is_none() {
            return match self.lease.is_some() || self.drift.is_some() || !self.witness.is_empty() {
                true => Err(Failure::usage(
                    "lease, drift and witness are for the guard: say guard = \"majority\", or leave them out",
                )),
                false => Ok(None),
            };
        }
        let mut guard = Guard::new(self.lease.map_or(3 * heartbeat, |span| span.0));
        if let Some(percent) = self.drift {
            if !(0.0..=20.0).contains(&percent) {
                return Err(Failure::usage(format!("drift must be 0 to 20 per cent, not {percent}")));
            }
            guard.drift = (percent * 10_000.0).round() as u32;
        }
        guard.witnesses.clone_from(&self.witness);
        guard.witnesses.sort_unstable();
        guard.witnesses.dedup();
        Ok(Some(guard))
    }

    /// One file can serve all hosts: a node listens where the peers look for it.
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

/// The peers of one source, where each must be named once.
fn by_identity<'a>(
    entries: impl Iterator<Item = Result<(&'a str, &'a str), Failure>>,
) -> Result<BTreeMap<usize, String>, Failure> {
    let mut peers = BTreeMap::new();
    for entry in entries {
        let (id, address) = entry?;
        let id = id.parse().map_err(|_| Failure::usage(format!("a peer's identity must be a number, not {id:?}")))?;
        if let Some(other) = peers.insert(id, address.to_string()) {
            let twice =
                format!("peer {id} is given twice, as {other} and as {address}: give each identity one address");
            return Err(Failure::usage(twice));
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
    fn a_reload_names_what_it_does_not_take() {
        let old = read("heartbeat = \"1s\"\npreempt = false\n[peers]\n0 = \"a:1\"\n");
        let new = read("heartbeat = \"2s\"\non-lost = \"true\"\npreempt = \"30s\"\n[peers]\n0 = \"b:1\"\n");
        assert_eq!(old.needs_restart(&new), ["heartbeat", "preempt", "on-lost"]);
        assert!(old.needs_restart(&old.clone()).is_empty());
        let [here, there] = ["1", "2"].map(|host| read(&format!("id = 0\n[peers]\n0 = \"127.0.0.{host}:1\"\n")));
        assert_eq!(here.needs_restart(&there), ["the node's own line in [peers]"]);
    }

    #[test]
    fn the_guard_has_keys() {
        let peers = "id = 0\n[peers]\n0 = \"127.0.0.1:1\"\n1 = \"127.0.0.1:2\"\n2 = \"127.0.0.1:3\"\n";
        let guard = |text: &str| read(&format!("{text}\n{peers}")).config().map(|config| config.guard);
        assert!(matches!(guard(""), Ok(None)));
        let told = guard("guard = \"majority\"\nheartbeat = \"2s\"\ndrift = 0.5\nwitness = [2]");
        let expected = Guard { drift: 5000, witnesses: vec![2], ..Guard::new(Duration::from_secs(6)) };
        assert_eq!(told.unwrap_or_else(|_| panic!("sound")), Some(expected));
        assert!(guard("lease = \"3s\"").is_err() && guard("guard = \"majority\"\ndrift = 30.0").is_err());
        assert!(toml::from_str::<Settings>("guard = \"minority\"").is_err());
    }

    #[test]
    fn preference_health_and_maintenance_have_keys() {
        let text = "id = 0\nweight = 7\npreempt = true\ncheck = \"pg_isready\"\ncheck-rise = 3\ndrain = \"/run/drain\"\n\
                    [peers]\n0 = \"127.0.0.1:1\"\n1 = \"127.0.0.1:2\"\n";
        let config = read(text).config().unwrap_or_else(|_| panic!("sound"));
        assert_eq!((config.weight, config.preempt), (7, Preempt::Yes));
        let check = config.check.unwrap();
        assert_eq!((check.command.as_str(), check.rise, check.fall), ("pg_isready", 3, 2));
        assert!(toml::from_str::<Settings>("preempt = \"soon\"").is_err());
    }
}
