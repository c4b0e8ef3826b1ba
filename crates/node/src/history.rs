//! The last changes of leadership that a node has seen, each with an explanation for people.

use ringleader_node_core::{Change, Reason, Role, Withdrawal};
use std::collections::VecDeque;
use std::time::Duration;

/// The changes that are kept.
const KEPT: usize = 8;

/// A change of leadership, as its node saw it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The time of the change, on the node's own clock.
    pub at: Duration,
    /// The change.
    pub change: Change,
    /// The reason, as a sentence.
    pub why: String,
}

/// The newest events, oldest first.
#[derive(Clone, Debug, Default)]
pub(crate) struct History(VecDeque<Event>);

impl History {
    pub(crate) fn add(&mut self, event: Event) {
        if self.0.len() == KEPT {
            self.0.pop_front();
        }
        self.0.push_back(event);
    }

    pub(crate) fn events(&self) -> Vec<Event> {
        self.0.iter().cloned().collect()
    }
}

/// The circumstances of a change.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Circumstances {
    /// The node that saw the change; `None` on a ring, where nodes have no identities.
    pub(crate) me: Option<usize>,
    /// The time since the last datagram of the leader before, if it was ever heard.
    pub(crate) silence: Option<Duration>,
    /// The reason why this node must not lead.
    pub(crate) withdrawn: Option<Withdrawal>,
    /// Whether this node has named only itself since its start, and has not led yet.
    pub(crate) first: bool,
    /// Whether other lists of members have come from a peer lately.
    pub(crate) relisted: bool,
}

/// The reason for a change, as a sentence.
pub(crate) fn explain(change: &Change, around: Circumstances) -> String {
    let name = |leader: Option<usize>| match leader {
        Some(leader) if Some(leader) == around.me => "this node".to_string(),
        Some(leader) => format!("node {leader}"),
        None => "no node".to_string(),
    };
    let (before, after) = (name(change.before.named()), name(change.after.named()));
    let mine = around.me.is_some() && change.before.named() == around.me;
    match change.reason {
        Reason::Started => format!("this node has started, and hears {after}"),
        Reason::Settled if around.first && change.after.state == Role::Leader => {
            "first election: this node has followed no other leader since its start".into()
        }
        Reason::Settled => format!("{after} has been named for the settling time"),
        Reason::Silence => match around.silence {
            Some(silence) => format!("nothing was heard from {before} for {:.2} s", silence.as_secs_f64()),
            None => format!("{before} is silent"),
        },
        Reason::Preferred if mine => {
            format!("{after} has precedence and has returned, or was heard for the first time")
        }
        Reason::Preferred => format!("{after} has precedence over {before}"),
        Reason::Accused => format!("other nodes accused this node of silence, so {after} has precedence"),
        Reason::Resigned => "this node resigned: it was told to, or it ends".into(),
        Reason::Handover if mine && change.before.state == Role::Leader => {
            "this node hands over to a node with precedence".into()
        }
        Reason::Handover if mine => format!("this node handed over, and {after} leads"),
        Reason::Handover => {
            format!(
                "{before} handed over: it resigned, ended, was drained, removed or barred, heard nobody, was confirmed by no majority, or a \
                 node with precedence returned"
            )
        }
        Reason::Away => "the loop of this node stood still, and other nodes may have given it up".into(),
        Reason::Disputed => "the settings of members differ, and another node has acted for longer".into(),
        Reason::Withdrawn => match around.withdrawn {
            Some(Withdrawal::Drained) => "this node is drained".into(),
            Some(Withdrawal::Unhealthy) => "the health check of this node fails".into(),
            Some(Withdrawal::Address) => "this host cannot hold the virtual addresses".into(),
            Some(Withdrawal::Witness) => "this node is a witness".into(),
            Some(Withdrawal::Joining) => "this node has a fresh state file, and has not joined yet".into(),
            Some(Withdrawal::Removed) => "this node is not in the list of members".into(),
            _ => "this node must not lead".into(),
        },
        Reason::Restarted => format!("{before} has restarted"),
        Reason::Removed => format!("{before} was removed from the members"),
        Reason::Carrier => "the network interface of this node lost its carrier".into(),
        Reason::Alone => "no peer has answered this node since its start".into(),
        Reason::Stopped => "the loop of this node has ended".into(),
        Reason::Confirmed => "a majority granted the lease to this node".into(),
        Reason::Unconfirmed if change.before.state == Role::Leader => {
            "the lease of this node lapsed: no majority renewed it in time".into()
        }
        // It had a lease, or never had one.
        Reason::Unconfirmed if mine && before != after => "no majority confirmed this node".into(),
        Reason::Unconfirmed if change.before.state == Role::Unconfirmed => {
            "no majority confirmed this node, so it gives way for some heartbeats".into()
        }
        Reason::Unconfirmed => format!("no majority confirms {after}"),
        Reason::Deaf if around.relisted => {
            "no member of the present list, which another node has sent, has answered this node for most of its lease, so it hands over".into()
        }
        Reason::Deaf => "this node has heard no member for most of its lease, so it hands over".into(),
        Reason::Healed => "a split has healed, and this node leads on".into(),
        Reason::Corrupted => "a test overwrote the variables of this node".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringleader_node_core::Leadership;

    fn view(leader: usize, state: Role) -> Leadership {
        Leadership { leader, epoch: 0, state, stable_for: Duration::ZERO, confirmation: None }
    }

    fn why(before: (usize, Role), after: (usize, Role), reason: Reason, around: Circumstances) -> String {
        explain(&Change { before: view(before.0, before.1), after: view(after.0, after.1), reason }, around)
    }

    #[test]
    fn a_change_of_leader_is_explained() {
        use Role::{Follower, Leader, Unconfirmed, Unsettled};
        let plain = Circumstances { me: Some(1), silence: None, withdrawn: None, first: false, relisted: false };
        let silence = Some(Duration::from_millis(1320));
        for (before, after, reason, around, expected) in [
            ((1, Unsettled), (1, Leader), Reason::Settled, Circumstances { first: true, ..plain }, "first election"),
            ((0, Follower), (1, Unsettled), Reason::Silence, Circumstances { silence, ..plain }, "node 0 for 1.32 s"),
            ((1, Leader), (1, Unsettled), Reason::Resigned, plain, "this node resigned"),
            (
                (1, Leader),
                (1, Unsettled),
                Reason::Withdrawn,
                Circumstances { withdrawn: Some(Withdrawal::Drained), ..plain },
                "this node is drained",
            ),
            ((1, Leader), (0, Follower), Reason::Preferred, plain, "node 0 has precedence and has returned"),
            ((0, Follower), (1, Unsettled), Reason::Handover, plain, "node 0 handed over"),
            ((1, Leader), (1, Unsettled), Reason::Handover, plain, "this node hands over to a node with precedence"),
            ((1, Unsettled), (0, Follower), Reason::Handover, plain, "this node handed over, and node 0 leads"),
            ((1, Leader), (1, Unconfirmed), Reason::Unconfirmed, plain, "the lease of this node lapsed"),
            (
                (1, Unconfirmed),
                (1, Unsettled),
                Reason::Unconfirmed,
                plain,
                "no majority confirmed this node, so it gives",
            ),
            ((0, Follower), (0, Unsettled), Reason::Unconfirmed, plain, "no majority confirms node 0"),
            ((1, Unsettled), (0, Follower), Reason::Unconfirmed, plain, "no majority confirmed this node"),
            (
                (1, Leader),
                (1, Unsettled),
                Reason::Deaf,
                Circumstances { relisted: true, ..plain },
                "the present list, which another node has sent",
            ),
            ((1, Unsettled), (1, Leader), Reason::Settled, plain, "this node has been named for the settling time"),
            ((1, Leader), (1, Unsettled), Reason::Deaf, plain, "this node has heard no member for most of its lease"),
            ((0, Follower), (2, Follower), Reason::Restarted, plain, "node 0 has restarted"),
            ((0, Follower), (0, Unsettled), Reason::Removed, plain, "node 0 was removed"),
            ((1, Unsettled), (0, Follower), Reason::Carrier, plain, "this node lost its carrier"),
        ] {
            let said = why(before, after, reason, around);
            assert!(said.contains(expected), "{said:?} has no {expected:?}");
        }
    }

    #[test]
    fn only_the_newest_changes_are_kept() {
        let mut history = History::default();
        for number in 0..100 {
            let change =
                Change { before: view(0, Role::Follower), after: view(1, Role::Leader), reason: Reason::Silence };
            history.add(Event { at: Duration::from_secs(number), change, why: String::new() });
        }
        let kept: Vec<u64> = history.events().iter().map(|event| event.at.as_secs()).collect();
        assert_eq!(kept, (92..100).collect::<Vec<_>>());
    }
}
