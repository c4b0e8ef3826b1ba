//! The role of a core's process, and the reason for its changes.

use super::admission::MOST_DISPUTED;
use super::{Core, Shown};
use crate::interface::{Now, Withdrawal};
use crate::leadership::{Change, Leadership, Reason, Role};
use ringleader_model::MessageKind;
use std::time::Duration;

impl Core {
    /// The peers whose silence means that the ring is broken.
    pub(super) fn broken(&self, now: Now) -> Vec<usize> {
        let young = |limit: Duration| now.elapsed.saturating_sub(self.begun.elapsed) <= limit;
        let Some(limit) = self.config.silence.filter(|&limit| !young(limit)) else { return vec![] };
        self.others().into_iter().filter(|&q| self.silent(now, q, limit)).collect()
    }

    /// Updates the observable state, and returns the change if there is one.
    pub(super) fn look(&mut self, now: Now, reason: Option<Reason>) -> Option<Change> {
        let (before, me) = (self.shown, self.config.me);
        let Shown { leader, epoch, mut stands, .. } = self.algorithm.shown();
        if !self.broken(now).is_empty() {
            stands = Some(false);
        }
        if leader != before.leader || self.since > now.elapsed {
            self.since = now.elapsed;
        }
        let latest = now.elapsed + MOST_DISPUTED * self.config.heartbeat;
        // A later end is corrupted memory.
        self.dispute =
            self.dispute.map(|(until, notice)| (until.min(latest), notice)).filter(|(until, _)| now.elapsed < *until);
        let stable_for = now.elapsed - self.since;
        let wanted = self.role(now, leader, stable_for, stands);
        let bar = self.bar(now, stands).filter(|_| wanted == Role::Leader);
        self.held_back = bar == Some(Reason::Alone);
        let confirmation = if bar.is_none() && wanted == Role::Leader { self.confirmation(now) } else { None };
        let minority = wanted == Role::Follower && self.follows_in_a_minority(leader);
        let role = match wanted {
            _ if bar.is_some() || minority => Role::Unsettled,
            Role::Leader if self.guarded.is_some() && confirmation.is_none() => Role::Unconfirmed,
            _ => wanted,
        };
        if before.state == Role::Leader && role != Role::Leader {
            self.retire();
        }
        if self.guarded.is_some() && before.state != Role::Leader && role == Role::Leader {
            // As later ones, earlier messages of leaders without the lease do not unseat it.
            self.algorithm.forget(&[MessageKind::Accusation, MessageKind::Alive, MessageKind::Answer]);
        }
        self.acting_since = (role == Role::Leader).then(|| self.acting_since.unwrap_or(now.elapsed));
        let stopped = before.state == Role::Leader && role == Role::Unsettled && leader == me;
        self.holding = (self.holding && leader == me && role == Role::Unsettled)
            || (stopped && self.config.holds && stands == Some(false) && reason.is_none());
        let after = Leadership { leader, epoch, state: role, stable_for, confirmation };
        self.shown = after;
        // A later end is corrupted memory.
        self.doubt_until = self.doubt_until.min((now.elapsed + self.config.heartbeat).as_micros() as u64);
        self.doubts = role == Role::Leader && self.guarded.is_none() && now.micros() < self.doubt_until;
        if !self.holding && !matches!(role, Role::Leader | Role::Unconfirmed) {
            // An unconfirmed node has nothing to stop before it returns the lease.
            let idle = before.state != Role::Leader && !self.holds_lease(now);
            self.leave_lease(now, idle || (reason.is_none() && bar.is_none() && leader == me));
        }
        if (leader, role) == (before.leader, before.state) {
            self.note_side(now, before, after, None);
            return None;
        }
        let minority = minority && before.leader == leader && !self.has_restarted(now, leader);
        let told = reason.or(bar).or(guard_reason(before, after, minority));
        let reason = told.unwrap_or_else(|| self.reason(now, before, after));
        self.note_side(now, before, after, Some(reason));
        let stops = before.leader == me && matches!(before.state, Role::Leader | Role::Unconfirmed);
        self.stopped = if leader != me || matches!(role, Role::Leader | Role::Unconfirmed) {
            None
        } else if stops {
            Some(reason)
        } else {
            self.stopped
        };
        if role != Role::Leader {
            self.resigning = false;
            if let Some(guarded) = &mut self.guarded {
                guarded.deaf = false;
                guarded.lapsed = role == Role::Unconfirmed && (guarded.lapsed || before.state == Role::Leader);
            }
        }
        self.counters.leader_changes += u64::from(leader != before.leader);
        Some(Change { before: Leadership { stable_for: before.stable_for, ..before }, after, reason })
    }

    /// Whether the leader has said that it does not act: with the guard, that it is not confirmed.
    fn follows_in_a_minority(&self, leader: usize) -> bool {
        self.guarded.is_some() && self.peers.get(leader).is_some_and(|peer| peer.present.acting == 0)
    }

    /// The reason why the node must not lead at the moment, whatever the algorithm decides.
    fn bar(&self, now: Now, stands: Option<bool>) -> Option<Reason> {
        match self.withdrawn {
            Some(Withdrawal::Carrier) => Some(Reason::Carrier),
            // A node that leads already looks for a successor first.
            Some(_) if self.shown.state != Role::Leader => Some(Reason::Withdrawn),
            // The algorithm has no rule for handing over.
            Some(_) if stands.is_none() => Some(Reason::Withdrawn),
            _ if self.dropped && (self.shown.state != Role::Leader || stands.is_none()) => Some(Reason::Withdrawn),
            _ if self.dispute.is_some() => Some(Reason::Disputed),
            _ => self.holds_back(now).then_some(Reason::Alone),
        }
    }

    /// The time after which the last timer has fired in the slowest loop, and in the fastest one.
    fn patience(&self) -> (Duration, Duration) {
        let (timeout, timing) = (self.algorithm.timeout(), self.algorithm.timing());
        let iterations = |each: u64| Duration::from_micros(timeout.saturating_mul(each));
        (iterations(timing.beta), iterations(timing.alpha))
    }

    fn silent(&self, now: Now, q: usize, limit: Duration) -> bool {
        // `NOBODY` is not silent.
        let heard = self.counters.last_heard.get(q);
        heard.is_some_and(|last| last.is_none_or(|at| now.elapsed.saturating_sub(at) > limit))
    }

    fn role(&self, now: Now, leader: usize, stable_for: Duration, stands: Option<bool>) -> Role {
        let me = self.config.me;
        let (patience, _) = self.patience();
        match stands {
            _ if stable_for < self.config.settle => Role::Unsettled,
            Some(false) => Role::Unsettled,
            Some(true) if leader == me => Role::Leader,
            Some(true) => Role::Follower,
            // A node that has just started has not had the time to hear a leader.
            None if now.elapsed.saturating_sub(self.begun.elapsed) < patience
                && self.counters.leader_changes == 0
                && leader == me =>
            {
                Role::Unsettled
            }
            None if leader == me => Role::Leader,
            None if self.silent(now, leader, patience) => Role::Unsettled,
            None => Role::Follower,
        }
    }

    /// Whether a peer has restarted in the last heartbeats.
    fn has_restarted(&self, now: Now, peer: usize) -> bool {
        let at = self.peers.get(peer).and_then(|peer| peer.restarted);
        at.is_some_and(|at| now.elapsed.saturating_sub(at) <= 2 * self.config.heartbeat)
    }

    /// Whether a node is no member any more.
    fn is_removed(&self, node: usize) -> bool {
        self.listed.get(node) == Some(&false)
    }

    /// Whether the lists do not contain this node.
    fn is_struck_off(&self) -> bool {
        let outside = self.guarded.as_ref().and_then(|guarded| guarded.outside(self.config.me));
        outside == Some(Withdrawal::Removed)
    }

    fn was_accused(&self, now: Now) -> bool {
        self.accused.is_some_and(|at| now.elapsed.saturating_sub(at) <= 2 * self.config.heartbeat)
    }

    fn reason(&self, now: Now, before: Leadership, after: Leadership) -> Reason {
        let me = self.config.me;
        let started = self.counters.leader_changes == 0 && before.state == Role::Unsettled;
        match () {
            () if before.state == Role::Leader && self.resigning => Reason::Resigned,
            () if before.state == Role::Leader && (self.withdrawn.is_some() || self.is_outside() || self.dropped) => {
                Reason::Withdrawn
            }
            () if before.leader == me && self.guarded.as_ref().is_some_and(|guarded| guarded.deaf) => Reason::Deaf,
            () if after.state == Role::Unsettled && !self.broken(now).is_empty() => Reason::Silence,
            // The others send nothing to a node that is no member.
            () if after.state == Role::Unsettled && self.is_struck_off() => Reason::Withdrawn,
            () if before.confirmation.is_some_and(|lease| lease.until <= now.elapsed + self.margin()) => {
                Reason::Unconfirmed
            }
            () if before.state == Role::Unconfirmed && after.leader == me => Reason::Unconfirmed,
            () if before.state == Role::Leader && after.leader == me => Reason::Handover,
            () if after.leader == before.leader && after.state != Role::Unsettled => Reason::Settled,
            () if before.leader != me && self.is_removed(before.leader) => Reason::Removed,
            () if before.leader != me && self.has_restarted(now, before.leader) => Reason::Restarted,
            () if after.leader == before.leader && self.released == Some(before.leader) => Reason::Handover,
            () if after.leader == before.leader => Reason::Silence,
            () if self.stopped.is_some() => self.stopped.map_or(Reason::Handover, following),
            () if started && before.leader == me => Reason::Started,
            () if before.leader != me && self.released == Some(before.leader) => Reason::Handover,
            () if before.leader != me && self.silent(now, before.leader, self.config.heartbeat * 5 / 4) => {
                Reason::Silence
            }
            () if before.state == Role::Leader && self.was_accused(now) => Reason::Accused,
            () => Reason::Preferred,
        }
    }
}

/// The reason to follow another leader, from the one for which this node stopped leading.
fn following(stopped: Reason) -> Reason {
    match stopped {
        Reason::Resigned | Reason::Withdrawn | Reason::Deaf => Reason::Handover,
        other => other,
    }
}

/// The reason of a change of the lease only.
fn guard_reason(before: Leadership, after: Leadership, minority: bool) -> Option<Reason> {
    match (before.state, after.state) {
        (Role::Follower, Role::Unsettled) if minority => Some(Reason::Unconfirmed),
        (Role::Leader, Role::Unconfirmed) => Some(Reason::Unconfirmed),
        (Role::Unconfirmed, Role::Leader) => Some(Reason::Confirmed),
        _ => None,
    }
}
