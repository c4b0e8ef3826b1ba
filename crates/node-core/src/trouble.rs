//! What is wrong with the cluster as far as a node can tell from what it hears and drops, in words that say what to do.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

/// What is wrong with a peer, or between it and this node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// Datagrams in its name have a MAC by another key. Anyone can cause that.
    Key,
    /// Datagrams in its name are of another cluster.
    Cluster,
    /// It speaks a version of the wire format that this program does not know.
    Version,
    /// It was told another size.
    Size {
        /// Its own.
        theirs: usize,
        /// This node's.
        ours: usize,
    },
    /// It runs another algorithm, or is too old to say that it was told another size.
    Algorithm,
    /// It beats at another pace.
    Heartbeat {
        /// Its own.
        theirs: Duration,
        /// This node's.
        ours: Duration,
    },
    /// It was told other members, witnesses or terms of the lease, or knows no guard where this node has one, or the other way round.
    Guard,
    /// Its clock differs by more than the window, in microseconds. An old datagram that is played again looks the same.
    Clock {
        /// How far it is ahead.
        ahead: i64,
    },
    /// It has the key, but this node was not told of it.
    Stranger,
    /// This node is not among its peers.
    Unknown,
    /// Two nodes have its identity.
    Doubled,
    /// Another node has this node's identity: it says so.
    Twin,
    /// It has been silent for long, and the algorithm needs it.
    Broken,
    /// Nobody has been confirmed for long that this node hears, or is itself.
    Minority {
        /// Whether it is this node that would lead.
        me: bool,
    },
    /// This node cannot store the token, so it grants no lease and is not confirmed.
    Storage,
    /// The last reload of this node was refused.
    Reload,
}

impl Trouble {
    /// Its name in metrics and on pages.
    pub fn name(self) -> &'static str {
        match self {
            Trouble::Key => "key",
            Trouble::Cluster => "cluster",
            Trouble::Version => "version",
            Trouble::Size { .. } => "size",
            Trouble::Algorithm => "algorithm",
            Trouble::Heartbeat { .. } => "heartbeat",
            Trouble::Guard => "guard",
            Trouble::Clock { .. } => "clock",
            Trouble::Stranger => "stranger",
            Trouble::Unknown => "unknown",
            Trouble::Doubled => "doubled",
            Trouble::Twin => "twin",
            Trouble::Broken => "broken ring",
            Trouble::Minority { .. } => "no majority",
            Trouble::Storage => "storage",
            Trouble::Reload => "reload",
        }
    }

    /// What is wrong with a peer and what to do about it; of two `sides`, 0 is the left one.
    pub fn advice(self, peer: usize, sides: bool) -> String {
        let who = match (sides, peer) {
            (false, _) => format!("node {peer}"),
            (true, 0) => "the left neighbour".into(),
            (true, _) => "the right neighbour".into(),
        };
        match self {
            Trouble::Key => format!("datagrams in the name of {who} have a wrong MAC: compare the key files"),
            Trouble::Cluster => format!("{who} is of another cluster: compare `cluster`"),
            Trouble::Version => format!("{who} speaks another version of the wire format: run the same release on all nodes"),
            Trouble::Size { theirs, ours } => {
                format!("{who} was told the size {theirs}, this node {ours}: give all nodes the same `size`")
            }
            Trouble::Algorithm if sides => {
                format!("{who} runs another algorithm: compare `algorithm` and `parameters`")
            }
            Trouble::Algorithm => format!("{who} runs another algorithm or size: compare `algorithm` and `size`"),
            Trouble::Heartbeat { theirs, ours } => {
                format!("{who} beats every {theirs:?}, this node every {ours:?}: give all nodes the same `heartbeat`")
            }
            Trouble::Guard => format!(
                "{who} was told another guard, members, witnesses, lease, drift or state: give all nodes the same, all stopped \
                 for the old lease"
            ),
            Trouble::Clock { ahead } => {
                let seconds = ahead as f64 / 1e6;
                format!("the clock of {who} is {seconds:+.1} s off this node's, beyond `clock-window`: set the clocks")
            }
            Trouble::Stranger => {
                format!(
                    "{who} has the key but is not among this node's peers: add it to [peers] and reload, or stop it"
                )
            }
            Trouble::Unknown => {
                format!(
                    "this node is not among the peers of {who}: add it to [peers] there and reload, or stop it here"
                )
            }
            Trouble::Doubled if sides => {
                let theirs = if peer == 0 { "right" } else { "left" };
                format!("two nodes speak as {who}: only one may have this node as its `{theirs}`")
            }
            Trouble::Doubled => format!("two nodes say that they are {who}: give one of them another `id`"),
            Trouble::Twin if sides => {
                let ours = if peer == 0 { "left" } else { "right" };
                format!("{who} hears another node in this node's place: only one may have it as its `{ours}`")
            }
            Trouble::Twin => format!("{who} hears another node with this node's `id`: give one of them another"),
            Trouble::Broken if sides => {
                let (ours, theirs) = if peer == 0 { ("left", "right") } else { ("right", "left") };
                format!(
                    "broken ring: {who} has been silent for long, and a ring with a gap elects nobody: start it, or compare \
                     `{ours}` here with where it listens, and its `{theirs}` with where this node does"
                )
            }
            Trouble::Minority { me } => {
                let what = match me {
                    true => "this node would lead, but no majority grants it the lease",
                    false => "no confirmed leader has been heard for long",
                };
                format!("no majority: {what}: see to the members that are not heard, and to what each says of itself")
            }
            Trouble::Storage => {
                "this node cannot write its `state` file, so it neither grants the lease nor leads: make room on the disk, or \
                 make the file writable"
                    .into()
            }
            Trouble::Reload => {
                "the last reload was refused and changed nothing: this node's log has the reason; repair the settings and reload"
                    .into()
            }
            Trouble::Broken => {
                format!("{who} has been silent for long, and this algorithm needs all of them: start it")
            }
        }
    }
}

/// One trouble, while it lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Notice {
    /// Whom it is about, or who said so.
    pub peer: usize,
    /// What it is.
    pub trouble: Trouble,
    /// When it was last seen, on the node's own clock.
    pub last: Duration,
    /// How often it was seen.
    pub count: u64,
    /// Whether peers are the two sides of a ring.
    pub sides: bool,
    /// When it was last told.
    told: Duration,
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.trouble.advice(self.peer, self.sides))
    }
}

/// The troubles seen lately: at most one of a kind for each peer, and not without bound whatever strangers send.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Notices(BTreeMap<(usize, &'static str), Notice>);

/// How many are remembered.
const MOST: usize = 64;
/// How long after it was last seen a trouble is shown.
pub(crate) const LASTS: Duration = Duration::from_secs(30);
/// The same for what is looked for all the time: once it is over it is shown no more.
const LASTS_WATCHED: Duration = Duration::from_secs(1);
/// How often a trouble that lasts is told again.
const AGAIN: Duration = Duration::from_secs(60);

impl Notices {
    /// Notes it; gives it back if it is to be told now.
    pub(crate) fn note(&mut self, now: Duration, peer: usize, trouble: Trouble, sides: bool) -> Option<Notice> {
        let key = (peer, trouble.name());
        if let Some(notice) = self.0.get_mut(&key) {
            let due = now.saturating_sub(notice.told) >= AGAIN;
            (notice.trouble, notice.last, notice.count) = (trouble, now, notice.count + 1);
            if due {
                notice.told = now;
            }
            return due.then_some(*notice);
        }
        if self.0.len() >= MOST {
            self.0.retain(|_, notice| now.saturating_sub(notice.last) < LASTS);
        }
        if self.0.len() >= MOST {
            return None;
        }
        let notice = Notice { peer, trouble, last: now, count: 1, sides, told: now };
        self.0.insert(key, notice);
        Some(notice)
    }

    /// Those seen lately.
    pub fn recent(&self, now: Duration) -> impl Iterator<Item = &Notice> {
        let watched = |trouble| {
            matches!(trouble, Trouble::Broken | Trouble::Minority { .. } | Trouble::Storage | Trouble::Reload)
        };
        let lasts = move |notice: &Notice| if watched(notice.trouble) { LASTS_WATCHED } else { LASTS };
        self.0.values().filter(move |notice| now.saturating_sub(notice.last) < lasts(notice))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trouble_is_told_once_a_minute_and_strangers_fill_no_memory() {
        let (mut notices, second) = (Notices::default(), Duration::from_secs(1));
        let told = (0..121).filter(|&i| notices.note(i * second, 3, Trouble::Key, false).is_some()).count();
        assert_eq!(told, 3);
        assert_eq!(notices.recent(121 * second).map(|notice| notice.count).collect::<Vec<_>>(), [121]);
        for peer in 0..1000 {
            notices.note(122 * second, peer, Trouble::Stranger, false);
        }
        assert_eq!(notices.recent(122 * second).count(), MOST);
        assert_eq!(notices.recent(200 * second).count(), 0);
    }

    #[test]
    fn a_ring_that_is_whole_again_is_not_called_broken() {
        let (mut notices, second) = (Notices::default(), Duration::from_secs(1));
        notices.note(second, 0, Trouble::Broken, true);
        notices.note(second, 1, Trouble::Clock { ahead: 1 }, true);
        assert_eq!(notices.recent(second * 3 / 2).count(), 2);
        assert!(notices.recent(3 * second).all(|notice| notice.trouble != Trouble::Broken));
        assert_eq!(notices.recent(3 * second).count(), 1);
    }

    /// Members of a ring have no identities that an operator could look for.
    #[test]
    fn between_sides_advice_names_the_side() {
        let second = Duration::from_secs(1);
        for trouble in [
            Trouble::Key,
            Trouble::Cluster,
            Trouble::Version,
            Trouble::Size { theirs: 4, ours: 5 },
            Trouble::Algorithm,
            Trouble::Heartbeat { theirs: second, ours: 2 * second },
            Trouble::Clock { ahead: 7_000_000 },
            Trouble::Doubled,
            Trouble::Twin,
            Trouble::Broken,
        ] {
            for (side, name) in ["the left neighbour", "the right neighbour"].into_iter().enumerate() {
                let advice = trouble.advice(side, true);
                assert!(advice.contains(name) && !advice.contains("`id`") && !advice.contains("node 0"), "{advice}");
            }
        }
    }
}
