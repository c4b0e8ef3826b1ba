//! The settings of a core.

use crate::guard::Guard;
use crate::key::{Keys, fingerprint};
use crate::wire::Compared;
use std::time::Duration;

/// The conduct of a node that has heard no peer since its start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Alone {
    /// It leads, although another node may lead unheard.
    #[default]
    Lead,
    /// It holds back for ten heartbeats, at least 5 s, and then leads. If datagrams in the names of peers cannot be authenticated or belong to
    /// another cluster, it holds back for six times as long.
    Wait,
    /// It does not lead.
    Never,
}

/// The settings of a core.
#[derive(Clone, Debug)]
pub struct CoreConfig {
    /// The name of the cluster; datagrams of other clusters are rejected.
    pub cluster: String,
    /// The algorithm's name with all parameters on which the meaning of its messages depends.
    pub algorithm: String,
    /// The identity of this process.
    pub me: usize,
    /// For each identity, whether it is a member. An unused identity is a process that crashed before its start.
    pub members: Vec<bool>,
    /// The keys that authenticate datagrams.
    pub keys: Keys,
    /// The time for which a leader must be named before it counts as settled.
    pub settle: Duration,
    /// The time between two messages of the leader. Datagrams of peers with another heartbeat are rejected.
    pub heartbeat: Duration,
    /// The incarnation: a random number that distinguishes this process from earlier ones with its identity, and on a ring from the
    /// neighbours. Not 0.
    pub boot: u64,
    /// The pause between two iterations after which the process restarts, since others may have given it up.
    pub away: Duration,
    /// Whether a leader that hands over waits for [`Instruction::Release`](crate::Instruction::Release).
    pub holds: bool,
    /// The time that the hooks of a leader may take, the same on all nodes; 0 if this node does not compare it.
    pub handover: Duration,
    /// Whether the peers are the two neighbours on a ring instead of members: 0 the left, 1 the right one.
    pub sides: bool,
    /// Whether the members are the neighbours of this node on a graph: other nodes have other members.
    pub partial: bool,
    /// For algorithms that need all of their peers: the silence of a peer after which the ring counts as broken.
    pub silence: Option<Duration>,
    /// The conduct of a node that has heard no peer since its start. It has no meaning with the guard.
    pub alone: Alone,
    /// The guard, if a majority must confirm a leader. The members are fixed then.
    pub guard: Option<Guard>,
}

impl CoreConfig {
    /// The settings that should be the same on all nodes, but whose difference is only reported. A node of a ring or a graph has neighbours, and no list of all members.
    pub(crate) fn compared(&self) -> Compared {
        let ids = (0..self.members.len()).filter(|&id| self.members[id]).flat_map(|id| (id as u64).to_be_bytes());
        let members =
            if self.sides || self.partial { 0 } else { fingerprint(&[b"members", &ids.collect::<Vec<u8>>()]).max(1) };
        Compared { members, handover: u32::try_from(self.handover.as_millis()).unwrap_or(u32::MAX) }
    }

    /// A process among `size` without a secret key, with the incarnation `boot`.
    pub fn new(me: usize, size: usize, heartbeat: Duration, boot: u64) -> CoreConfig {
        CoreConfig {
            cluster: "ringleader".into(),
            algorithm: String::new(),
            me,
            members: vec![true; size],
            keys: Keys::none(),
            settle: Duration::ZERO,
            heartbeat,
            boot,
            away: heartbeat,
            holds: false,
            handover: Duration::ZERO,
            sides: false,
            partial: false,
            silence: None,
            alone: Alone::Lead,
            guard: None,
        }
    }
}
