//! The problems of a cluster that a node can see from the datagrams that it receives and rejects, with advice.

use crate::interface::Withdrawal;
use crate::lease::{Members, Stage};
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

/// A problem of a peer, or between it and this node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Trouble {
    /// Datagrams in its name have a MAC by another key. Anyone can cause that.
    Key,
    /// Datagrams in its name belong to another cluster.
    Cluster,
    /// It uses a version of the wire format that this program does not support.
    Version,
    /// It has another size.
    Size {
        /// The peer's size.
        theirs: usize,
        /// This node's size.
        ours: usize,
    },
    /// It runs another algorithm, or the same one with other parameters.
    Algorithm,
    /// It has another heartbeat.
    Heartbeat {
        /// The peer's heartbeat.
        theirs: Duration,
        /// This node's heartbeat.
        ours: Duration,
    },
    /// Its hooks may take another time.
    #[strum(to_string = "hook-timeout")]
    Handover {
        /// The peer's time.
        theirs: Duration,
        /// This node's time.
        ours: Duration,
    },
    /// Its list of members differs from this node's.
    Members,
    /// Its guard, members, witnesses or lease differ from this node's.
    Guard,
    /// Its clock differs by more than five seconds. The election does not depend on it.
    Clock {
        /// The microseconds by which it is ahead.
        ahead: i64,
    },
    /// It has the key, but is not a peer of this node.
    Stranger,
    /// This node is not one of its peers.
    Unknown,
    /// Two nodes have its identity.
    Doubled,
    /// It reports that another node has this node's identity.
    Twin,
    /// It has been silent for too long, and the algorithm needs it.
    #[strum(to_string = "silent neighbour")]
    Broken,
    /// This node has known no confirmed leader for too long.
    #[strum(to_string = "no majority")]
    Minority {
        /// Whether this node would lead.
        me: bool,
        /// The reason why this node may not lead.
        barred: Option<Withdrawal>,
    },
    /// It has, or asks for, a token that is implausible here.
    Token {
        /// The peer's token.
        theirs: u64,
    },
    /// This node cannot store the token, so it grants no lease and is not confirmed.
    Storage,
    /// The list of members is being changed, or a change was refused, or this node is not in the list.
    Change {
        /// The stage of the change.
        stage: Stage,
        /// The peer whose datagram brought the present lists.
        from: Option<usize>,
    },
    /// It is in the list of members, but not in the settings of this node.
    Unlisted,
    /// It is in the settings of this node, but not in the list of members, and no change is under way.
    Unproposed,
    /// The settings of this node have no line for it, and it is in the list of members.
    Lineless,
    /// It has adopted another list with the same number.
    Lists {
        /// The number.
        number: u64,
    },
    /// It has stored another proposal than this node, in place of the same list.
    #[strum(to_string = "rival lists")]
    Rivals {
        /// The peer's proposal.
        theirs: Members,
        /// This node's proposal.
        ours: Members,
    },
    /// Its lists have replaced those of this node, which had not heard of the changes between them.
    #[strum(to_string = "replaced list")]
    Replaced {
        /// The number of the peer's adopted list.
        number: u64,
        /// The peer's adopted list.
        theirs: Members,
        /// The list that this node had adopted.
        ours: Members,
    },
    /// The last reload of this node was refused.
    Reload,
    /// No peer has answered this node since its start, and it holds back.
    Alone {
        /// The rest of the time in which it holds back; `None` for ever.
        left: Option<Duration>,
    },
    /// Its name has not been resolved since the start of this node.
    Unresolved,
    /// It is heard, but has not answered this node since the start of this node, which holds back.
    Unanswered,
    /// It leads, and has not handed over to this node, which has precedence and has asked for it.
    #[strum(to_string = "no handover")]
    Unheeded,
    /// It leads beside the leader of this node, although this node hears both.
    #[strum(to_string = "two leaders")]
    Rival,
    /// This node had a key, and has none since the last reload.
    Keyless,
    /// This node cannot hold the virtual addresses of the leader, so it does not lead.
    Address,
}

impl Trouble {
    /// The name in metrics and on pages.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Whether anybody can cause it, without a key.
    fn is_forgeable(self) -> bool {
        matches!(self, Trouble::Key | Trouble::Cluster | Trouble::Version)
    }

    /// The problem with a peer, and what to do about it. With `sides`, peer 0 is the left neighbour and 1 the right one.
    pub fn advice(self, peer: usize, sides: bool) -> String {
        let (ours, theirs) = if peer == 0 { ("left", "right") } else { ("right", "left") };
        let node = if sides { format!("the {ours} neighbour") } else { format!("node {peer}") };
        match self {
            Trouble::Key => format!("datagrams in the name of {node} have a wrong MAC: compare the key files"),
            Trouble::Cluster => format!("datagrams in the name of {node} belong to another cluster: compare `cluster`"),
            Trouble::Version => {
                format!(
                    "datagrams in the name of {node} have another version of the wire format: run the same release on all nodes"
                )
            }
            Trouble::Size { theirs, ours } => {
                format!("{node} has the size {theirs}, this node {ours}: give all nodes the same `size`")
            }
            Trouble::Algorithm if sides => {
                format!("{node} runs another algorithm: compare `algorithm` and `parameters`")
            }
            Trouble::Algorithm => {
                format!("{node} runs another algorithm, size or graph: compare `algorithm`, `parameters`, `size` and `graph`")
            }
            Trouble::Heartbeat { theirs, ours } => {
                format!("{node} has a heartbeat of {theirs:?}, this node of {ours:?}: give all nodes the same `heartbeat`")
            }
            Trouble::Handover { theirs, ours } => format!(
                "{node} has a hook-timeout of {theirs:?}, this node of {ours:?}: give all nodes the same `hook-timeout`, since a candidate \
                 waits that long for a leader that hands over"
            ),
            Trouble::Members => {
                format!("{node} has other members in [peers] than this node: compare the two lists, and reload the one that is wrong")
            }
            Trouble::Guard => format!(
                "the guard settings of {node} differ from this node's (guard, witness, lease, drift, use of state, and without state the \
                 members): compare the digests of `--check`, stop all nodes, run `--await-stopped` on one of them, and start all"
            ),
            Trouble::Clock { ahead } => {
                let seconds = ahead as f64 / 1e6;
                format!("the clock of {node} is {seconds:+.1} s off this node's: the election does not depend on it, but logs are hard to compare")
            }
            Trouble::Stranger => {
                format!("{node} has the key but is not a peer of this node: add it to [peers] and reload, or stop it")
            }
            Trouble::Unknown => {
                format!("this node is not a peer of {node}: add it to [peers] there and reload, or stop it here")
            }
            Trouble::Doubled if sides => {
                format!("two nodes send as {node}: only one may have this node as its `{theirs}`")
            }
            Trouble::Doubled => format!("two nodes have the identity of {node}: give one of them another `id`"),
            Trouble::Twin if sides => {
                format!("{node} hears another node in this node's place: only one may have it as its `{ours}`")
            }
            Trouble::Twin => format!("{node} hears another node with this node's `id`: give one of them another"),
            Trouble::Broken if sides => format!(
                "silent neighbour: {node} has been silent for too long, and a ring with a gap elects no leader: start it, or compare \
                 `{ours}` here with its address, and its `{theirs}` with the address of this node"
            ),
            Trouble::Broken => {
                format!(
                    "silent neighbour: {node} has been silent for too long, and this algorithm needs every neighbour: start it, or repair \
                     the link to it"
                )
            }
            Trouble::Minority { me, barred } => {
                let problem = match me {
                    true => "this node would lead, but no majority grants it the lease",
                    false => "no confirmed leader has been heard for too long",
                };
                let barred = barred.map(|reason| format!(", and this node may not lead ({reason})")).unwrap_or_default();
                format!(
                    "no majority: {problem}{barred}: check the members that are not heard, and the notices of each member. If all are heard, \
                     none may be left that may lead: `ringleader status` with all hosts names those that are drained or barred"
                )
            }
            Trouble::Token { theirs } => format!(
                "{node} has the token {theirs}, which is more than 2^20 above that of this node, or beyond the limit of 2^48: it is not \
                 stored. If the other members have that token too, give this node a new file with `--new-state --token {theirs}`; \
                 otherwise do that on {node}, with the greatest token of the others"
            ),
            Trouble::Storage => {
                "this node cannot write its `state` file: it goes on leading with, and granting, a token that it has stored, but stores \
                 no new one, so it does not count towards a new leader's majority, and is not confirmed anew: free space on the disk, or make the file writable"
                    .into()
            }
            Trouble::Change { stage, from: None } => stage.to_string(),
            Trouble::Change { stage, from: Some(from) } => format!("{stage} (node {from} sent the present list to this node)"),
            Trouble::Unlisted => format!(
                "{node} is in the list of members, but [peers] has no line for it here: add the line and reload, or this node cannot \
                 reach it"
            ),
            Trouble::Unproposed => format!(
                "{node} has a line in [peers] here, is not in the list of members, and no change adds it: remove the line and reload; to \
                 propose {node}, then write the line again and reload"
            ),
            Trouble::Lineless => {
                "[peers] has no line for this node, so its reloads propose no list: to remove this node, reload another member; \
                 otherwise add the line and reload"
                    .into()
            }
            Trouble::Lists { number } => format!(
                "{node} has another list of members than this node with the same number, {number}, so neither grants to the other: one of \
                 the two files was made with --first-start and other members, or is from another cluster. Move the file of the node that \
                 does not belong to the cluster away, and make a new one with `--new-state --token N`"
            ),
            Trouble::Rivals { theirs, ours } => format!(
                "{node} has stored the proposed list {theirs}, and this node the list {ours}: at most one of the two can be adopted, and reloads \
                 change neither. If there is no confirmed leader any more, stop all members, and make new state files with `--new-state \
                 --first-start --token N`, where N is the greatest token of all members"
            ),
            Trouble::Replaced { number, theirs, ours } => format!(
                "{node} sent the list of members {theirs} with the number {number}, which has replaced the list {ours} of this node. If no operator has \
                 changed the list to this one, {node} has the state file of another cluster, of a copy of this one, or from \
                 before a new beginning: the log has its address. Stop it, and begin anew if the list is wrong"
            ),
            Trouble::Reload => {
                "the last reload was refused and changed nothing: the log of this node has the reason; correct the settings and reload"
                    .into()
            }
            Trouble::Alone { left } => {
                let until = match left {
                    Some(left) => format!("for {:.0} s more, and leads alone then", left.as_secs_f64().ceil()),
                    None => "until it hears one (`alone` is never)".into(),
                };
                format!(
                    "no peer has answered this node since its start, and it does not lead {until}: check the names in [peers], the network, \
                     the firewalls and the key"
                )
            }
            Trouble::Unresolved => {
                let line = if sides { format!("`{ours}`") } else { "the name in [peers]".into() };
                format!(
                    "the name of {node} has never been resolved, so this node knows at most the source of its datagrams: check {line} and \
                     the name service"
                )
            }
            Trouble::Unanswered => format!(
                "{node} is heard, but does not answer this node: check that datagrams of this node reach it, and its line in [peers]"
            ),
            Trouble::Unheeded => format!(
                "{node} leads and does not hand over to this node, which has precedence: check that datagrams of this node reach it, and \
                 that it runs the same release"
            ),
            Trouble::Rival => format!(
                "{node} leads, and so does this node or another one that it hears; one of the two leaders does not hear the other: check their \
                 lines in [peers] on both hosts, and the network between them"
            ),
            Trouble::Keyless => {
                "the last reload took the key away, so any program that reaches this node can choose the leader: set `key-file` and reload"
                    .into()
            }
            Trouble::Address => {
                "this node cannot hold its virtual addresses, so it does not lead: `address` on /leader and the log have the reason".into()
            }
        }
    }
}

/// A problem while it lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Notice {
    /// The peer that it is about, or that reported it.
    pub peer: usize,
    /// The problem.
    pub trouble: Trouble,
    /// The time at which it was last seen, on the node's own clock.
    pub last: Duration,
    /// The number of times that it was seen.
    pub count: u64,
    /// Whether peers are the two neighbours on a ring.
    pub sides: bool,
    /// Whether a later datagram showed that it is solved.
    solved: bool,
    /// The time of its last report.
    told: Duration,
}

impl Notice {
    /// A problem that is seen now for the first time.
    pub(crate) fn new(now: Duration, peer: usize, trouble: Trouble, sides: bool) -> Notice {
        Notice { peer, trouble, last: now, count: 1, sides, solved: false, told: now }
    }
}

// By hand: the text is advice that depends on three fields.
impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.trouble.advice(self.peer, self.sides))
    }
}

/// The problems seen lately, at most one of a kind for each peer. Their number is bounded, whatever datagrams arrive.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Notices(BTreeMap<(usize, &'static str), Notice>);

/// The greatest number of notices of authenticated problems and of those of the node itself, and the greatest number of those that anybody
/// can cause. So the latter suppress none of the former.
const MOST: usize = 64;
/// The time for which a problem is shown after it was last seen.
pub(crate) const LASTS: Duration = Duration::from_secs(30);
/// The same for problems that every iteration checks.
const LASTS_WATCHED: Duration = Duration::from_secs(1);
/// The time after which a lasting problem is reported again.
const AGAIN: Duration = Duration::from_secs(60);

impl Notices {
    /// Notes a problem; returns the notice if it is to be reported now.
    pub(crate) fn note(&mut self, now: Duration, peer: usize, trouble: Trouble, sides: bool) -> Option<Notice> {
        let key = (peer, trouble.name());
        if let Some(notice) = self.0.get_mut(&key) {
            let due = now.saturating_sub(notice.told) >= AGAIN;
            (notice.trouble, notice.last, notice.count, notice.solved) = (trouble, now, notice.count + 1, false);
            if due {
                notice.told = now;
            }
            return due.then_some(*notice);
        }
        let is_full = |notices: &Notices| {
            let forgeable = trouble.is_forgeable();
            notices.0.values().filter(|notice| notice.trouble.is_forgeable() == forgeable).count() >= MOST
        };
        if is_full(self) {
            self.0.retain(|_, notice| now.saturating_sub(notice.last) < LASTS);
        }
        if is_full(self) {
            return None;
        }
        let notice = Notice::new(now, peer, trouble, sides);
        self.0.insert(key, notice);
        Some(notice)
    }

    /// Shows no longer the problems of a peer that are solved. They are kept: of two nodes with one identity one may have solved a problem, and the
    /// other not, and this is not to be reported with every datagram.
    pub(crate) fn solve(&mut self, peer: usize, solved: impl Fn(Trouble) -> bool) {
        for (&(of, _), notice) in &mut self.0 {
            notice.solved |= of == peer && solved(notice.trouble);
        }
    }

    /// The problems seen lately.
    pub fn recent(&self, now: Duration) -> impl Iterator<Item = &Notice> {
        let watched = |trouble| {
            matches!(
                trouble,
                Trouble::Broken
                    | Trouble::Minority { .. }
                    | Trouble::Storage
                    | Trouble::Reload
                    | Trouble::Change { .. }
                    | Trouble::Unlisted
                    | Trouble::Unproposed
                    | Trouble::Lineless
                    | Trouble::Keyless
                    | Trouble::Address
                    | Trouble::Alone { .. }
                    | Trouble::Unresolved
                    | Trouble::Unheeded
            )
        };
        let lasts = move |notice: &Notice| if watched(notice.trouble) { LASTS_WATCHED } else { LASTS };
        self.0.values().filter(move |notice| !notice.solved && now.saturating_sub(notice.last) < lasts(notice))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_is_reported_once_a_minute_and_memory_is_bounded() {
        let (mut notices, second) = (Notices::default(), Duration::from_secs(1));
        let told = (0..121).filter(|&i| notices.note(i * second, 3, Trouble::Key, false).is_some()).count();
        assert_eq!(told, 3);
        assert_eq!(notices.recent(121 * second).map(|notice| notice.count).collect::<Vec<_>>(), [121]);
        for peer in 0..1000 {
            notices.note(122 * second, peer, Trouble::Version, false);
        }
        assert_eq!(notices.recent(122 * second).count(), MOST);
        for peer in 0..1000 {
            assert_eq!(notices.note(122 * second, peer, Trouble::Stranger, false).is_some(), peer < MOST);
        }
        assert_eq!(notices.recent(122 * second).count(), 2 * MOST);
        assert_eq!(notices.recent(200 * second).count(), 0);
    }

    #[test]
    fn a_repaired_ring_is_not_shown_as_broken() {
        let (mut notices, second) = (Notices::default(), Duration::from_secs(1));
        notices.note(second, 0, Trouble::Broken, true);
        notices.note(second, 1, Trouble::Clock { ahead: 1 }, true);
        assert_eq!(notices.recent(second * 3 / 2).count(), 2);
        assert!(notices.recent(3 * second).all(|notice| notice.trouble != Trouble::Broken));
        assert_eq!(notices.recent(3 * second).count(), 1);
    }

    /// Members of a ring have no identities that an operator could look for.
    #[test]
    fn on_a_ring_advice_names_the_side() {
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
            Trouble::Unresolved,
        ] {
            for (side, name) in ["the left neighbour", "the right neighbour"].into_iter().enumerate() {
                let advice = trouble.advice(side, true);
                assert!(advice.contains(name) && !advice.contains("`id`") && !advice.contains("node 0"), "{advice}");
            }
        }
    }
}
