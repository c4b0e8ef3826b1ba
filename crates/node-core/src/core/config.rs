//! The settings of a core.

use crate::guard::Guard;
use crate::interface::Now;
use crate::key::Keys;
use std::time::Duration;

/// The settings of a core.
#[derive(Clone, Debug)]
pub struct CoreConfig {
    /// The name of the cluster; datagrams of others are dropped.
    pub cluster: String,
    /// The algorithm's name with everything on which the meaning of its messages depends.
    pub algorithm: String,
    /// This process.
    pub me: usize,
    /// By identity, who is a member. An identity nobody has is a process that crashed before it began.
    pub members: Vec<bool>,
    /// What authenticates.
    pub keys: Keys,
    /// By how much the clocks of two hosts may differ.
    pub clock_window: Duration,
    /// How long a leader must be named before it counts as settled.
    pub settle: Duration,
    /// How often a leader sends: peers that beat at another pace are not heard.
    pub heartbeat: Duration,
    /// When this process began, in microseconds since 1970: it tells two lives of one identity apart.
    pub boot: u64,
    /// After how long without an iteration the process begins anew, since others may have stopped waiting for it.
    pub away: Duration,
    /// Whether a leader that hands over waits for [`Order::Release`](crate::Order::Release).
    pub holds: bool,
    /// Whether peers are not members by identity but the two sides of a ring: 0 the left neighbour, 1 the right one.
    pub sides: bool,
    /// After how long without a word from any peer the ring is broken, for algorithms that need all of them.
    pub silence: Option<Duration>,
    /// Where a leader must be confirmed by a majority. Members are fixed then.
    pub guard: Option<Guard>,
}

impl CoreConfig {
    /// A process among `size` without a secret, which began at `now`.
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
