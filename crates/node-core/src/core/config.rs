//! The settings of a core.

use crate::guard::Guard;
use crate::interface::Now;
use crate::key::Keys;
use std::time::Duration;

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
    /// The greatest difference between the clocks of two hosts.
    pub clock_window: Duration,
    /// The time for which a leader must be named before it counts as settled.
    pub settle: Duration,
    /// The time between two messages of the leader. Datagrams of peers with another heartbeat are rejected.
    pub heartbeat: Duration,
    /// The boot time, in microseconds since 1970: it distinguishes two incarnations of one identity.
    pub boot: u64,
    /// The pause between two iterations after which the process restarts, since others may have given it up.
    pub away: Duration,
    /// Whether a leader that hands over waits for [`Instruction::Release`](crate::Instruction::Release).
    pub holds: bool,
    /// Whether the peers are the two neighbours on a ring instead of members: 0 the left, 1 the right one.
    pub sides: bool,
    /// For algorithms that need all of their peers: the silence of a peer after which the ring counts as broken.
    pub silence: Option<Duration>,
    /// The guard, if a majority must confirm a leader. The members are fixed then.
    pub guard: Option<Guard>,
}

impl CoreConfig {
    /// A process among `size` without a secret key, which started at `now`.
    pub fn new(me: usize, size: usize, heartbeat: Duration, now: Now) -> CoreConfig {
        CoreConfig {
            cluster: "ringleader".into(),
            algorithm: String::new(),
            me,
            members: vec![true; size],
            keys: Keys::none(),
            clock_window: Duration::from_secs(5),
            settle: Duration::ZERO,
            heartbeat,
            boot: now.unix_micros,
            away: heartbeat,
            holds: false,
            sides: false,
            silence: None,
            guard: None,
        }
    }
}
