//! The settings of a node.

use crate::eligibility::HealthCheck;
use crate::error::NodeError;
use crate::links::Links;
use crate::punctual::MOST_PRIORITY;
use crate::resolve::{self, Peers};
use crate::state_file;
use ringleader_model::Place;
use ringleader_node_core::lease::{Members, Record};
use ringleader_node_core::{Alone, Guard, Keys, Tempo};
use std::collections::BTreeMap;
use std::net::{SocketAddr, UdpSocket};
use std::path::PathBuf;
use std::time::Duration;

/// The default algorithm: robust-s2, which knows when to act, asks a silent leader, and hands over.
pub const DEFAULT_ALGORITHM: &str = "robust-s2";

/// Whether a node takes over from an acting leader over which it has precedence by weight or identity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Preempt {
    /// After ten heartbeats and ten seconds without a fault: a short heartbeat makes failover fast, and failback no more frequent.
    #[default]
    Yes,
    /// No, except from a leader that was accused of silence more often.
    No,
    /// After this time without a fault.
    After(Duration),
}

impl Preempt {
    /// The time without a fault after which a node takes over, if it does.
    ///
    /// ```
    /// use ringleader_node::Preempt;
    /// use std::time::Duration;
    ///
    /// let [short, long] = [Duration::from_millis(100), Duration::from_secs(2)];
    /// assert_eq!(Preempt::Yes.after(short), Some(Duration::from_secs(10)));
    /// assert_eq!(Preempt::Yes.after(long), Some(Duration::from_secs(20)));
    /// assert_eq!(Preempt::No.after(long), None);
    /// ```
    pub fn after(self, heartbeat: Duration) -> Option<Duration> {
        match self {
            Preempt::Yes => Some((10 * heartbeat).max(Duration::from_secs(10))),
            Preempt::No => None,
            Preempt::After(time) => Some(time),
        }
    }
}

/// The settings of a node; [`Config::new`] sets defaults.
#[derive(Clone, Debug)]
pub struct Config {
    /// The name of the cluster: nodes of different clusters ignore each other.
    pub cluster: String,
    /// The algorithm's name in `ringleader list`. With [`Node::start_with`](crate::Node::start_with), any text that is the same on all nodes
    /// and identifies the meaning of the messages.
    pub algorithm: String,
    /// The number of identities, which are 0 to `size` - 1. The same on all nodes; if absent, the greatest known identity plus 1.
    pub size: Option<usize>,
    /// This node's identity, from 0.
    pub id: usize,
    /// The address on which it listens and from which it sends.
    pub listen: SocketAddr,
    /// The addresses of the other nodes, `host:port`, by identity. Its own entry is ignored, except in a reload with [`Config::state`]: without
    /// its own entry a node proposes no list of members.
    pub peers: BTreeMap<usize, String>,
    /// On a ring, the addresses of the left and of the right neighbour instead of peers: members have no identities.
    pub sides: Option<[String; 2]>,
    /// The graph of an algorithm for any graph; the same on all nodes. The node sends to its neighbours only.
    pub graph: Option<Links>,
    /// The place of this node, for algorithms with a given leader ([`Place::Bottom`]) or a distinguished left neighbour of it.
    pub place: Place,
    /// The parameters of an algorithm of neighbours; the same on all nodes.
    pub parameters: Vec<(String, String)>,
    /// Whether the token moves on only when [`run_errands`](crate::run_errands) allows it.
    pub token_waits: bool,
    /// Heartbeat and δ.
    pub tempo: Tempo,
    /// The time for which a leader must be named before the node counts as settled and hooks run. If absent, a heartbeat; 0 for an
    /// algorithm that decides itself when to act.
    pub settle: Option<Duration>,
    /// Of nodes with equal records the one with the greatest weight leads, and of those the one with the least identity.
    pub weight: u16,
    /// Whether this node takes over from an acting leader.
    pub preempt: Preempt,
    /// The time that the hook of a leader may take before another node leads after a handover. The same on all nodes.
    pub handover: Duration,
    /// A command whose failure keeps this node from leading.
    pub check: Option<HealthCheck>,
    /// The node does not lead while this file exists.
    pub drain: Option<PathBuf>,
    /// Whether the loss of the interface's carrier keeps the node from leading.
    pub carrier: bool,
    /// The conduct of a node that has heard no peer since its start; here [`Alone::Lead`], for the daemon [`Alone::Wait`]. No meaning with
    /// the guard.
    pub alone: Alone,
    /// The guard, if a majority must confirm a leader. The record is read from [`Config::state`]; without it the members are fixed.
    pub guard: Option<Guard>,
    /// With the guard: the file in which this node stores the fencing token and the list of members.
    pub state: Option<PathBuf>,
    /// The keys that authenticate datagrams.
    pub keys: Keys,
    /// Whether a node without a key may listen on other addresses than loopback.
    pub insecure: bool,
    /// The real-time priority of the loop, 1 to 99: Linux only. The node does not start where it is not permitted.
    pub realtime: Option<u8>,
    /// Whether the memory of the process is kept resident: Linux only. The node does not start where it is not permitted.
    pub lock_memory: bool,
    /// The time after which host names are resolved again.
    pub resolve_every: Duration,
    /// For randomized algorithms, and for corruption in tests.
    pub seed: u64,
}

impl Config {
    /// A node without peers and without a key, with a heartbeat of a second.
    pub fn new(id: usize, listen: SocketAddr) -> Config {
        Config {
            cluster: "ringleader".into(),
            algorithm: DEFAULT_ALGORITHM.into(),
            size: None,
            id,
            listen,
            peers: BTreeMap::new(),
            sides: None,
            graph: None,
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
            alone: Alone::Lead,
            guard: None,
            state: None,
            keys: Keys::none(),
            insecure: false,
            realtime: None,
            lock_memory: false,
            resolve_every: Duration::from_secs(30),
            seed: id as u64,
        }
    }

    /// The same with another heartbeat and its default δ.
    pub fn heartbeat(self, heartbeat: Duration) -> Config {
        Config { tempo: Tempo::new(heartbeat), ..self }
    }

    /// Whether it runs the algorithm that decides itself when to act, asks a silent leader, and hands over.
    pub(crate) fn is_quick(&self) -> bool {
        self.algorithm == DEFAULT_ALGORITHM
    }

    /// The number of identities.
    pub fn size(&self) -> usize {
        if let Some(Links::Given(graph)) = &self.graph {
            return graph.size();
        }
        self.size.unwrap_or_else(|| self.peers.keys().chain([&self.id]).max().map_or(1, |last| last + 1))
    }

    /// For each identity, whether it is a member; on a ring or a graph, whether it is a neighbour.
    pub(crate) fn members(&self, size: usize) -> Result<Vec<bool>, NodeError> {
        if self.sides.is_some() {
            return Ok(vec![true; 2]);
        }
        if let Some(stray) = self.peers.keys().chain([&self.id]).find(|&&id| id >= size) {
            let whose = if *stray == self.id { "the identity of this node" } else { "the identity of a peer" };
            return Err(NodeError::new(format!("{whose}, {stray}, is not below the size of the cluster, {size}")));
        }
        let others = self.others();
        Ok((0..size).map(|id| id == self.id || others.contains_key(&id)).collect())
    }

    /// The list of members in these settings.
    pub fn list(&self) -> Result<Members, NodeError> {
        Ok(Members::of(&self.members(self.size())?))
    }

    /// The nodes to which it sends, by number.
    pub(crate) fn others(&self) -> BTreeMap<usize, String> {
        let neighbours = self.neighbours();
        let is_other = |id: &usize| *id != self.id && neighbours.as_ref().is_none_or(|those| those.contains(id));
        match &self.sides {
            Some([left, right]) => [(0, left.clone()), (1, right.clone())].into(),
            // The node need not resolve its own name.
            None => self.peers.iter().filter(|(id, _)| is_other(id)).map(|(id, name)| (*id, name.clone())).collect(),
        }
    }

    fn validate_guard(&self) -> Result<(), NodeError> {
        let Some(guard) = &self.guard else {
            let reason = "a state file is for fencing tokens, which need the guard: guard = \"majority\"";
            return NodeError::refuse_if(self.state.is_some(), reason);
        };
        let no_rule = "has no rule by which an unconfirmed leader gives way";
        let reason = format!("the guard is for {DEFAULT_ALGORITHM}: {} {no_rule}", self.algorithm);
        NodeError::refuse_if(!self.is_quick(), reason)?;
        Ok(guard.validate(self.tempo.heartbeat, &self.members(self.size())?, self.state.is_some())?)
    }

    /// The guard with the stored record.
    pub(crate) fn guard_with_record(&self) -> Result<Option<Guard>, NodeError> {
        let record = self.state.as_ref().map(|path| state_file::read(path, &self.cluster, self.id)).transpose()?;
        let (size, lists) = (self.size(), record.unwrap_or_default().lists);
        if lists.known() && !lists.fit(size) {
            return Err(NodeError::new(format!(
                "the state file has the members {}, and identities must be below the size of the cluster, {size}: give all nodes the `size` \
                 that they had before",
                lists.everyone()
            )));
        }
        self.state.as_deref().map(state_file::writable).transpose()?;
        Ok(self.guard.clone().map(|guard| Guard { record, ..guard }))
    }

    /// The digest of the settings that guarded members must share, as `/leader` shows it.
    pub fn digest(&self) -> Result<Option<u64>, NodeError> {
        let members = self.members(self.size())?;
        let record = self.state.as_ref().map(|_| Record::default());
        Ok(self.guard.clone().map(|guard| Guard { record, ..guard }.digest(&members)))
    }

    /// Refuses settings that cannot work, as far as that can be known before the node runs.
    pub fn validate(&self) -> Result<(), NodeError> {
        self.tempo.validate(!self.is_quick())?;
        self.check_links()?;
        self.members(self.size())?;
        let open = !self.keys.secret() && !self.insecure && !self.listen.ip().is_loopback();
        let reason = format!(
            "without a key anyone who reaches {} could choose the leader: give a key file (`ringleader node --new-key \
             FILE` makes one), listen on 127.0.0.1, or give --insecure",
            self.listen
        );
        NodeError::refuse_if(open, reason)?;
        let hour = Duration::from_secs(3600);
        let preempt = if let Preempt::After(time) = self.preempt { time } else { Duration::ZERO };
        for (name, time, most, limit) in [
            ("the settling time", self.settle.unwrap_or_default(), hour, "an hour"),
            ("the time to hand over", self.handover, hour, "an hour"),
            ("preempt", preempt, 24 * hour, "a day"),
        ] {
            NodeError::refuse_if(time > most, format!("{name} must be at most {limit}, not {time:?}"))?;
        }
        let every = self.resolve_every;
        let reason = format!("resolve-every must be 0.1 s at least, not {every:?}");
        NodeError::refuse_if(every < Duration::from_millis(100), reason)?;
        if let Some(priority) = self.realtime.filter(|priority| !(1..=MOST_PRIORITY).contains(priority)) {
            return Err(NodeError::new(format!("realtime must be a priority of 1 to {MOST_PRIORITY}, not {priority}")));
        }
        self.check.as_ref().map_or(Ok(()), HealthCheck::validate)?;
        self.validate_guard()?;
        resolve::check(&self.named_peers(), self.listen)
    }

    /// All addresses by number, with the words for these numbers. On a ring of two, both neighbours are one node.
    fn named_peers(&self) -> Peers<'static> {
        match &self.sides {
            None => Peers { addresses: self.peers.clone(), me: self.id, name: &|id| format!("peer {id}") },
            Some([left, right]) => {
                let mut addresses = self.others();
                addresses.retain(|side, _| *side == 0 || left != right);
                let name = &|side| format!("the {} neighbour", if side == 0 { "left" } else { "right" });
                // The node itself is neither of the two.
                Peers { addresses, me: 2, name }
            }
        }
    }

    /// Refuses peers without a line for this node.
    pub fn require_own_line(&self) -> Result<(), NodeError> {
        let listed = self.sides.is_some() || self.peers.contains_key(&self.id);
        let reason =
            format!("the peers have no line for this node, {}: the other nodes could not use the same list", self.id);
        NodeError::refuse_if(!listed, reason)
    }

    /// Refuses settings with problems that [`Config::validate`] cannot see, such as an address that cannot be bound. Returns a warning for
    /// each name that cannot be resolved now: a running node tries again. An address in use is accepted: this node itself may be running.
    pub fn examine(&self) -> Result<Vec<String>, NodeError> {
        // A missing line explains why the addresses are wrong. A wrong graph or size explains why a line is missing.
        self.check_links()?;
        self.members(self.size())?;
        self.require_own_line()?;
        self.validate()?;
        if let Err(error) = UdpSocket::bind(self.listen)
            && error.kind() != std::io::ErrorKind::AddrInUse
        {
            return Err(cannot_listen(self.listen, &error));
        }
        // Its own name, too: the other nodes resolve it from the same file.
        resolve::try_all(&self.named_peers(), self.listen)
    }
}

pub(crate) fn cannot_listen(listen: SocketAddr, error: &std::io::Error) -> NodeError {
    NodeError::new(match error.kind() {
        std::io::ErrorKind::AddrNotAvailable => format!(
            "cannot listen on {}: this host has no such address; give one of its own addresses, or 0.0.0.0 for all of them",
            listen.ip()
        ),
        std::io::ErrorKind::AddrInUse => format!(
            "cannot listen on {listen}: another program does, perhaps a daemon with these settings; stop it (`ss -ulp` names it), or give \
             another port"
        ),
        _ => format!("cannot listen on {listen}: {error}"),
    })
}
