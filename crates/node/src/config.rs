//! What a node must be told.

use crate::eligibility::Check;
use crate::resolve;
use crate::state_file;
use ringleader_model::Place;
use ringleader_node_core::lease::Record;
use ringleader_node_core::{Guard, Keys, Tempo};
use std::collections::BTreeMap;
use std::fmt;
use std::net::{SocketAddr, UdpSocket};
use std::path::PathBuf;
use std::time::Duration;

/// The algorithm of a node that is given none: robust-s2, which knows when to act, asks, and hands over.
pub const DEFAULT_ALGORITHM: &str = "robust-s2";

/// Resolving more often than this keeps a core busy with nothing else.
const LEAST_RESOLVE_EVERY: Duration = Duration::from_millis(100);

/// Whether a node takes the leadership from one that acts, because it goes before it by weight or identity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Preempt {
    /// After it has been well for ten heartbeats.
    #[default]
    Yes,
    /// No; but from one that was accused of silence more often than it was.
    No,
    /// After it has been well for this long.
    After(Duration),
}

/// The settings of a node; [`Config::new`] gives all but a few of them.
#[derive(Clone, Debug)]
pub struct Config {
    /// The name of the cluster: nodes of different clusters do not hear each other.
    pub cluster: String,
    /// The algorithm's name, as `ringleader list` gives it. With [`Node::start_with`](crate::Node::start_with), what the
    /// messages mean: any words that are the same on all nodes.
    pub algorithm: String,
    /// How many identities there are: from 0 to one less. The same on all nodes; if absent, as many as are known here.
    pub size: Option<usize>,
    /// This node's identity, from 0.
    pub id: usize,
    /// Where it listens, and whence it sends.
    pub listen: SocketAddr,
    /// The addresses of the others, `host:port`, by identity. Its own may be among them and does not count.
    pub peers: BTreeMap<usize, String>,
    /// On a ring, the addresses of the left and of the right neighbour, instead of peers: members there have no identities.
    pub sides: Option<[String; 2]>,
    /// Where this node stands, for algorithms that are given a leader ([`Place::Bottom`]) or its left neighbour.
    pub place: Place,
    /// The parameters of the algorithm, where it is one of neighbours; the same on all nodes.
    pub parameters: Vec<(String, String)>,
    /// Whether the token, where there is one, moves on only when an [`ErrandRunner`](crate::ErrandRunner) says so.
    pub token_waits: bool,
    /// Heartbeat and δ.
    pub tempo: Tempo,
    /// How long a leader must be named before its node counts as settled, and hooks run. If absent, a heartbeat; nothing
    /// for an algorithm that knows itself when to act.
    pub settle: Option<Duration>,
    /// Of equal nodes the one with the greatest weight leads, and of those the least identity.
    pub weight: u16,
    /// Whether this node takes the leadership from one that acts.
    pub preempt: Preempt,
    /// For how long a leader that hands over may run its hook for that, before another leads. The same on all nodes.
    pub handover: Duration,
    /// A command without whose success this node does not lead.
    pub check: Option<Check>,
    /// While this file exists, the node does not lead.
    pub drain: Option<PathBuf>,
    /// Whether a node without a carrier on its interface does not lead.
    pub carrier: bool,
    /// If a leader must be confirmed by a majority. The members are fixed then, and the record is read from [`Config::state`].
    pub guard: Option<Guard>,
    /// With the guard: the file in which this node stores the fencing token, for good.
    pub state: Option<PathBuf>,
    /// What authenticates datagrams.
    pub keys: Keys,
    /// Without a key, a node binds to loopback only, unless this says otherwise.
    pub insecure: bool,
    /// By how much the clocks of two hosts may differ.
    pub clock_window: Duration,
    /// How often host names are resolved anew.
    pub resolve_every: Duration,
    /// For randomized algorithms, and for corruption in tests.
    pub seed: u64,
}

impl Config {
    /// A node without peers or a key, one heartbeat a second.
    pub fn new(id: usize, listen: SocketAddr) -> Config {
        Config {
            cluster: "ringleader".into(),
            algorithm: DEFAULT_ALGORITHM.into(),
            size: None,
            id,
            listen,
            peers: BTreeMap::new(),
            sides: None,
            place: Place::Other,
            parameters: vec![],
            token_waits: false,
            tempo: Tempo::new(Duration::from_secs(1)),
            settle: None,
            weight: 0,
            preempt: Preempt::Yes,
            handover: Duration::ZERO,
            check: None,
            drain: None,
            carrier: true,
            guard: None,
            state: None,
            keys: Keys::none(),
            insecure: false,
            clock_window: Duration::from_secs(5),
            resolve_every: Duration::from_secs(30),
            seed: id as u64,
        }
    }

    /// The same with another heartbeat, and δ to match.
    pub fn heartbeat(self, heartbeat: Duration) -> Config {
        Config { tempo: Tempo::new(heartbeat), ..self }
    }

    /// Whether it runs the algorithm that knows when to act, asks, and hands over.
    pub(crate) fn is_quick(&self) -> bool {
        self.algorithm == DEFAULT_ALGORITHM
    }

    /// How many identities there are.
    pub fn size(&self) -> usize {
        self.size.unwrap_or_else(|| self.peers.keys().chain([&self.id]).max().map_or(1, |last| last + 1))
    }

    /// By identity, who is a member; on a ring, the two neighbours.
    pub(crate) fn members(&self, size: usize) -> Result<Vec<bool>, StartError> {
        if self.sides.is_some() {
            return Ok(vec![true; 2]);
        }
        if let Some(stray) = self.peers.keys().chain([&self.id]).find(|&&id| id >= size) {
            return Err(StartError(format!("identity {stray} is not below the size of the cluster, {size}")));
        }
        Ok((0..size).map(|id| id == self.id || self.peers.contains_key(&id)).collect())
    }

    /// The nodes it sends to, by number.
    pub(crate) fn others(&self) -> BTreeMap<usize, String> {
        match &self.sides {
            Some([left, right]) => [(0, left.clone()), (1, right.clone())].into(),
            // The node's own name need not mean anything to it.
            None => self.peers.iter().filter(|(id, _)| **id != self.id).map(|(id, name)| (*id, name.clone())).collect(),
        }
    }

    fn validate_guard(&self) -> Result<(), StartError> {
        let Some(guard) = &self.guard else {
            return match self.state {
                Some(_) => Err(StartError(
                    "a state file is for fencing tokens, which need the guard: guard = \"majority\"".into(),
                )),
                None => Ok(()),
            };
        };
        if !self.is_quick() {
            return Err(StartError(format!(
                "the guard is for {DEFAULT_ALGORITHM}: a leader of {} that is not confirmed knows no way to give way",
                self.algorithm
            )));
        }
        guard.validate(self.tempo.heartbeat, &self.members(self.size())?).map_err(StartError)
    }

    /// The guard, with what is stored.
    pub(crate) fn guard_with_record(&self) -> Result<Option<Guard>, StartError> {
        let read = |path: &PathBuf| state_file::read(path, &self.cluster, self.id).map_err(StartError);
        let record: Option<Record> = self.state.as_ref().map(read).transpose()?;
        self.state.as_deref().map(state_file::writable).transpose().map_err(StartError)?;
        Ok(self.guard.clone().map(|guard| Guard { record, ..guard }))
    }

    /// The digest of what guarded members must be told alike, as `/leader` shows it.
    pub fn digest(&self) -> Result<Option<u64>, StartError> {
        let members = self.members(self.size())?;
        let record = self.state.as_ref().map(|_| Record::default());
        Ok(self.guard.clone().map(|guard| Guard { record, ..guard }.digest(&members)))
    }

    /// Says what is wrong with these settings, if anything, as far as that can be known before the node runs.
    pub fn validate(&self) -> Result<(), StartError> {
        self.tempo.validate(!self.is_quick()).map_err(StartError)?;
        self.members(self.size())?;
        if !self.keys.secret() && !self.insecure && !self.listen.ip().is_loopback() {
            return Err(StartError(format!(
                "without a key anyone who reaches {} could choose the leader: give a key file (`ringleader node --new-key \
                 FILE` makes one), listen on 127.0.0.1, or say --insecure",
                self.listen
            )));
        }
        if self.clock_window < Duration::from_millis(100) || self.clock_window > Duration::from_secs(3600) {
            return Err(StartError(format!("the clock window must be 0.1 s to an hour, not {:?}", self.clock_window)));
        }
        for (what, time) in [("settling time", self.settle.unwrap_or_default()), ("time to hand over", self.handover)] {
            if time > Duration::from_secs(3600) {
                return Err(StartError(format!("the {what} must be at most an hour, not {time:?}")));
            }
        }
        if let Preempt::After(time) = self.preempt
            && time > Duration::from_secs(86_400)
        {
            return Err(StartError(format!("preempt must be at most a day, not {time:?}")));
        }
        if let Some(check) = &self.check {
            check.validate().map_err(StartError)?;
        }
        self.validate_guard()?;
        if self.resolve_every < LEAST_RESOLVE_EVERY {
            return Err(StartError(format!("resolve-every must be 0.1 s at least, not {:?}", self.resolve_every)));
        }
        let (peers, me) = self.addresses();
        resolve::check(&peers, me, self.listen).map_err(|reason| self.by_side(reason))
    }

    /// What is wrong with an address, in words that a member of a ring has for its peers.
    fn by_side(&self, reason: String) -> StartError {
        let words =
            [("peer 0", "the left neighbour"), ("peer 1", "the right neighbour"), ("this node, 2,", "this node")];
        StartError(match self.sides {
            None => reason,
            Some(_) => words.iter().fold(reason, |reason, (number, side)| reason.replacen(number, side, 1)),
        })
    }

    /// All addresses, by number, and this node's own number. On a ring of two, both neighbours are one node.
    fn addresses(&self) -> (BTreeMap<usize, String>, usize) {
        match &self.sides {
            None => (self.peers.clone(), self.id),
            Some([left, right]) => {
                let mut neighbours = self.others();
                neighbours.retain(|side, _| *side == 0 || left != right);
                // The node itself is neither of the two.
                (neighbours, 2)
            }
        }
    }

    /// Says what a start would find that [`Config::validate`] cannot see: addresses that cannot be bound, names that
    /// cannot be resolved. An address that is in use may be so by this very node, and is fine.
    pub fn examine(&self) -> Result<(), StartError> {
        self.validate()?;
        if self.sides.is_none() && !self.peers.contains_key(&self.id) {
            return Err(StartError(format!(
                "the peers have no line for this node, {}: the others would not know it by the same list",
                self.id
            )));
        }
        match UdpSocket::bind(self.listen) {
            Err(error) if error.kind() != std::io::ErrorKind::AddrInUse => {
                return Err(cannot_listen(self.listen, &error));
            }
            _ => {}
        }
        // Its own name, too: the others resolve it from the same file.
        resolve::try_all(&self.addresses().0, self.listen).map_err(|reason| self.by_side(reason))
    }
}

pub(crate) fn cannot_listen(listen: SocketAddr, error: &std::io::Error) -> StartError {
    match error.kind() {
        std::io::ErrorKind::AddrNotAvailable => StartError(format!(
            "cannot listen on {}: this host has no such address; give one of its own, or 0.0.0.0 for all of them",
            listen.ip()
        )),
        _ => StartError(format!("cannot listen on {listen}: {error}")),
    }
}

/// Why a node could not start or reload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartError(pub(crate) String);

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for StartError {}
