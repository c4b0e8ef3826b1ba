//! The published state of a running node.

use crate::address::AddressStatus;
use crate::clock;
use crate::history::{Event, History};
use ringleader_model::lock;
use ringleader_node_core::{Change, Core, Counters, Leadership, Notice, Notices, Role, Status};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

mod tenure;

pub(crate) use tenure::Tenure;

/// The outcomes of a node's hooks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HookCounts {
    /// Successful hooks.
    pub succeeded: u64,
    /// Hooks that failed, could not be started, or were killed because their leadership was over.
    pub failed: u64,
    /// Hooks killed at the time limit.
    pub timed_out: u64,
}

/// Changes for which no hook has run yet. Hooks run for the latest state only.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pending {
    pub(crate) newest: Change,
    /// The last change after which this node did not lead.
    pub(crate) lost: Option<Change>,
}

/// A view of the leadership, to recognize the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct View {
    number: u64,
    leader: usize,
    state: Role,
}

/// Events for which no hook has run yet.
#[derive(Clone, Debug)]
pub(crate) struct Events {
    pub(crate) pending: Option<Pending>,
    /// The peers that led on the other side of a split that has healed.
    pub(crate) healed: BTreeSet<usize>,
    /// The number of all changes so far.
    pub(crate) changes: u64,
}

/// A cheap, cloneable observer of a running node.
#[derive(Clone, Debug)]
pub struct Observer {
    /// The node's identity.
    pub id: usize,
    /// The name of its cluster.
    pub cluster: Arc<str>,
    pub(crate) shared: Arc<Shared>,
}

#[derive(Debug)]
pub(crate) struct Shared {
    published: Mutex<Published>,
    changed: Condvar,
    /// The end of the confirmed leadership in microseconds of the node's clock, unless it is renewed; 0 if the node is not confirmed. Beside the
    /// lock, so that a reader never waits.
    confirmed_until: AtomicU64,
    /// The time without an iteration after which the published state is invalid.
    lasts: Duration,
}

#[derive(Debug, Default)]
struct Published {
    /// Unsettled while it doubts: it leads, but stood still for so long that another node may lead.
    status: Status,
    /// The role after the last announced change.
    announced: Role,
    counters: Counters,
    hooks: HookCounts,
    notices: Notices,
    /// The number of leaderships of this node so far.
    leaderships: u64,
    /// The number of splits that have healed while it led.
    heals: u64,
    /// With virtual addresses: the number of changes that their keeper has handled, and the state of the addresses.
    addresses: Option<(u64, AddressStatus)>,
    /// Whether a handover waits for the hooks.
    waits_for_hooks: bool,
    /// Whether the hooks of the start have not ended.
    starting: bool,
    /// The number of changes for which hooks have run.
    handled: u64,
    pending: Option<Pending>,
    history: History,
    /// The leaders of other sides of healed splits for which no hook has run yet.
    healed: BTreeSet<usize>,
    /// The number of log lines that could not be written.
    lost_lines: Option<Arc<AtomicU64>>,
    /// The time of publication.
    at: Duration,
    changes: u64,
    /// The number of changes, and of begins and ends of a doubt, which no hook sees.
    views: u64,
    stopped: bool,
}

impl Shared {
    pub(crate) fn new(core: &Core, lasts: Duration) -> Shared {
        let (status, counters) = (core.status(), core.counters().clone());
        let (announced, at) = (status.leadership.state, clock::elapsed());
        let published = Mutex::new(Published { status, announced, counters, at, ..Published::default() });
        Shared { published, changed: Condvar::new(), confirmed_until: AtomicU64::new(0), lasts }
    }

    fn lock(&self) -> MutexGuard<'_, Published> {
        lock(&self.published)
    }

    pub(crate) fn publish(&self, mut status: Status, counters: &Counters, notices: &Notices) {
        let (mut published, now) = (self.lock(), clock::elapsed());
        // After a pause, a reader may have seen that the state was invalid.
        let paused = now.saturating_sub(published.at) > self.lasts;
        let viewed = paused || status.doubts != published.status.doubts;
        published.views += u64::from(viewed);
        if viewed || status.errand != published.status.errand {
            self.changed.notify_all();
        }
        if status.doubts {
            status.leadership.state = Role::Unsettled;
        }
        published.counters.clone_from(counters);
        if published.notices != *notices {
            published.notices.clone_from(notices);
        }
        (published.status, published.at) = (status, now);
        let leads = published.status.leadership.state == Role::Leader;
        let confirmation = published.status.leadership.confirmation.filter(|_| leads && !published.stopped);
        let until = confirmation.map_or(Duration::ZERO, |lease| lease.until.min(published.at + self.lasts));
        self.confirmed_until.store(until.as_micros() as u64, Ordering::Release);
    }

    /// Keeps an event among the last ones.
    pub(crate) fn remember(&self, event: Event) {
        self.lock().history.add(event);
    }

    /// Publishes a change of leadership.
    pub(crate) fn announce(&self, change: Change) {
        let mut published = self.lock();
        published.changes += 1;
        published.views += 1;
        let was = std::mem::replace(&mut published.announced, change.after.state);
        published.leaderships += u64::from(was != Role::Leader && change.after.state == Role::Leader);
        let lost = if change.after.state == Role::Leader {
            published.pending.and_then(|pending| pending.lost)
        } else {
            Some(change)
        };
        published.pending = Some(Pending { newest: change, lost });
        self.changed.notify_all();
    }

    /// Notes that a peer led on the other side of a split.
    pub(crate) fn healed(&self, other: usize) {
        let mut published = self.lock();
        published.healed.insert(other);
        published.heals += 1;
        self.changed.notify_all();
    }

    /// Waits for events for which no hook has run yet; `None` once the node has stopped.
    pub(crate) fn next_events(&self) -> Option<Events> {
        let idle = |p: &mut Published| p.pending.is_none() && p.healed.is_empty() && !p.stopped;
        let mut published = self.changed.wait_while(self.lock(), idle).unwrap_or_else(PoisonError::into_inner);
        let (pending, healed) = (published.pending.take(), std::mem::take(&mut published.healed));
        let events = Events { pending, healed, changes: published.changes };
        (events.pending.is_some() || !events.healed.is_empty()).then_some(events)
    }

    /// Waits for another errand than the `last` one, at most for `patience`; returns the present errand.
    pub(crate) fn next_errand(&self, last: Option<u64>, patience: Duration) -> Option<u64> {
        let idle = |p: &mut Published| (p.status.errand.is_none() || p.status.errand == last) && !p.stopped;
        let waited = self.changed.wait_timeout_while(self.lock(), patience, idle);
        waited.unwrap_or_else(PoisonError::into_inner).0.status.errand
    }

    /// Hooks run for all changes from now on; another node may lead only after them, if a handover `waits`.
    pub(crate) fn attach_hooks(&self, waits: bool) {
        let mut published = self.lock();
        (published.waits_for_hooks, published.handled, published.pending) = (waits, published.changes, None);
        published.healed.clear();
    }

    /// The hooks of the start begin or end: until their end no virtual address is taken.
    pub(crate) fn set_starting(&self, starting: bool) {
        self.lock().starting = starting;
        self.changed.notify_all();
    }

    pub(crate) fn hooks_handled(&self, handled: u64) {
        self.lock().handled = handled;
    }

    /// Whether the hooks that a handover waits for have run for all changes, and the virtual addresses are released.
    pub(crate) fn hooks_done(&self) -> bool {
        let published = self.lock();
        let kept = published.addresses.as_ref().is_none_or(|(handled, _)| *handled >= published.changes);
        kept && (!published.waits_for_hooks || published.handled >= published.changes)
    }

    pub(crate) fn count_hook(&self, count: impl FnOnce(&mut HookCounts)) {
        count(&mut self.lock().hooks);
    }

    /// Asks while another reader holds the lock.
    #[cfg(test)]
    pub(crate) fn while_locked<T>(&self, ask: impl FnOnce() -> T) -> T {
        let _guard = self.lock();
        ask()
    }

    /// Waits until the view differs from the one that was `seen`, by an event or by the clock; `None` after `timeout`, and once the node has
    /// stopped.
    pub(crate) fn next_view(&self, seen: Option<View>, timeout: Duration) -> Option<(View, Leadership)> {
        let end = clock::elapsed().saturating_add(timeout);
        let mut published = self.lock();
        loop {
            let (leadership, now) = (self.current(&published), clock::elapsed());
            let view = View { number: published.views, leader: leadership.leader, state: leadership.state };
            if seen != Some(view) {
                return Some((view, leadership));
            }
            if published.stopped || now >= end {
                return None;
            }
            // The view changes without an event when the lease ends, or the loop has stood still for too long.
            let lease = published.status.leadership.confirmation.map(|lease| lease.until);
            let wakes = [Some(end), Some(published.at + self.lasts), lease];
            let next = wakes.into_iter().flatten().filter(|&at| at > now).min().unwrap_or(end);
            let rest = next.saturating_sub(now) + Duration::from_micros(1);
            published = self.changed.wait_timeout(published, rest).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn current(&self, published: &Published) -> Leadership {
        let now = clock::elapsed();
        let (age, mut leadership) = (now.saturating_sub(published.at), published.status.leadership);
        if leadership.confirmation.is_some_and(|confirmation| confirmation.until <= now) {
            (leadership.state, leadership.confirmation) = (Role::Unconfirmed, None);
        }
        if published.stopped || age > self.lasts {
            (leadership.state, leadership.confirmation) = (Role::Unsettled, None);
        } else {
            leadership.stable_for += age;
        }
        leadership
    }

    /// Whether the leadership for which hooks run has not ended. A loop that stands still has not lost it yet; an expired lease has.
    pub(crate) fn leads_on(&self) -> bool {
        let published = self.lock();
        let expired = published.status.leadership.confirmation.is_some_and(|lease| lease.until <= clock::elapsed());
        // It may lead again, but that is another leadership.
        let lost =
            published.announced != Role::Leader || published.pending.is_some_and(|pending| pending.lost.is_some());
        !lost && !expired && !published.stopped
    }

    pub(crate) fn stop(&self) {
        let mut published = self.lock();
        published.stopped = true;
        self.confirmed_until.store(0, Ordering::Release);
        self.changed.notify_all();
    }
}

impl Observer {
    /// The present view of the node. It is [`Role::Unsettled`] while the loop has stood still for longer than a heartbeat, and at least a tenth
    /// of a second.
    pub fn leadership(&self) -> Leadership {
        self.shared.current(&self.shared.lock())
    }

    /// Whether this node is the leader and holds the lease of a majority at this moment. It reads one number and the clock, so it never blocks,
    /// and it is false from the end of the lease on, even if the loop stands still. Without [the guard](crate::Config::guard) no node is
    /// confirmed.
    ///
    /// Time passes between this answer and the action that it permits. Where that matters, let the resource check the fencing token.
    pub fn is_confirmed(&self) -> bool {
        (clock::elapsed().as_micros() as u64) < self.shared.confirmed_until.load(Ordering::Acquire)
    }

    /// The last changes that this node has seen, oldest first.
    pub fn history(&self) -> Vec<Event> {
        self.shared.lock().history.events()
    }

    /// The time since the last publication.
    pub fn age(&self) -> Duration {
        clock::elapsed().saturating_sub(self.shared.lock().at)
    }

    /// The problems of the cluster that this node has seen lately.
    pub fn notices(&self) -> Vec<Notice> {
        self.shared.lock().notices.recent(clock::elapsed()).copied().collect()
    }

    /// All that the core of the node says about itself, with the leadership of this moment.
    pub fn status(&self) -> Status {
        let published = self.shared.lock();
        Status { leadership: self.shared.current(&published), ..published.status.clone() }
    }

    /// The node's counters.
    pub fn counters(&self) -> Counters {
        self.shared.lock().counters.clone()
    }

    /// Counts the log lines that could not be written: a log adds to this number, and `/metrics` shows it.
    pub fn count_lost_lines(&self, lost: Arc<AtomicU64>) {
        self.shared.lock().lost_lines = Some(lost);
    }

    /// The log lines that could not be written, if a log counts them.
    pub fn lost_lines(&self) -> Option<u64> {
        self.shared.lock().lost_lines.as_ref().map(|lost| lost.load(Ordering::Relaxed))
    }

    /// The outcomes of its hooks so far.
    pub fn hooks(&self) -> HookCounts {
        self.shared.lock().hooks
    }

    /// Whether its loop runs.
    pub fn healthy(&self) -> bool {
        let published = self.shared.lock();
        let patience = (self.shared.lasts * 3).max(Duration::from_secs(1));
        !published.stopped && clock::elapsed().saturating_sub(published.at) < patience
    }

    /// Whether it is the leader and settled, and its loop runs.
    pub fn leads(&self) -> bool {
        self.leadership().state == Role::Leader
    }

    /// Whether it has stopped.
    pub fn stopped(&self) -> bool {
        self.shared.lock().stopped
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringleader_node_core::{CoreConfig, Reason};

    const HEARTBEAT: Duration = Duration::from_secs(1);

    fn core() -> Core {
        use ringleader_algorithms::robust::s5::RobustS5;
        use ringleader_model::Timing;
        let algorithm = Arc::new(RobustS5 { size: 2, timing: Timing { alpha: 1, beta: 1, delta: 2 }, timeout: 8 });
        Core::new(algorithm, CoreConfig::new(0, 2, HEARTBEAT, 1), 0, clock::now()).unwrap()
    }

    /// A node that leads and then, within the glance of a hook, has lost and regained the leadership.
    #[test]
    fn a_hook_of_a_leadership_that_was_lost_and_regained_is_over() {
        let core = core();
        let shared = Shared::new(&core, HEARTBEAT);
        shared.attach_hooks(true);
        let lost = Leadership { state: Role::Unconfirmed, ..core.status().leadership };
        let leads = Leadership { state: Role::Leader, ..lost };
        shared.announce(Change { before: lost, after: leads, reason: Reason::Confirmed });
        shared.next_events().unwrap();
        assert!(shared.leads_on());
        shared.announce(Change { before: leads, after: lost, reason: Reason::Unconfirmed });
        shared.announce(Change { before: lost, after: leads, reason: Reason::Confirmed });
        assert!(!shared.leads_on(), "the hooks of the first leadership");
        shared.next_events().unwrap();
        assert!(shared.leads_on(), "the hooks of the second leadership");
    }

    /// A reader that comes while the node doubts learns that it leads after all.
    #[test]
    fn a_slow_reader_learns_of_the_end_of_a_doubt() {
        let core = core();
        let observer = Observer { id: 0, cluster: "test".into(), shared: Arc::new(Shared::new(&core, HEARTBEAT)) };
        let leadership = Leadership { state: Role::Leader, ..core.status().leadership };
        let publish = |doubts: bool| {
            observer.shared.publish(Status { leadership, doubts, ..core.status() }, core.counters(), core.notices())
        };
        let mut watch = observer.watch();
        observer.shared.announce(Change { before: leadership, after: leadership, reason: Reason::Settled });
        publish(true);
        assert_eq!(watch.next_within(HEARTBEAT).map(|seen| seen.state), Some(Role::Unsettled));
        assert_eq!(watch.next_within(Duration::ZERO), None);
        publish(false);
        assert_eq!(watch.next_within(HEARTBEAT).map(|seen| seen.state), Some(Role::Leader));
    }

    /// Without any hook, too, the next leader must not begin before the addresses are away.
    #[test]
    fn a_handover_waits_for_the_keeper_of_addresses() {
        let core = core();
        let shared = Shared::new(&core, HEARTBEAT);
        shared.attach_hooks(false);
        shared.attach_addresses();
        let leads = Leadership { state: Role::Leader, ..core.status().leadership };
        let follows = Leadership { state: Role::Follower, ..leads };
        shared.announce(Change { before: follows, after: leads, reason: Reason::Settled });
        let first = shared.next_tenure(None, Duration::ZERO);
        assert_eq!((first.leads, shared.hooks_done()), (Some(1), false));
        shared.addresses_handled(&first, &AddressStatus::default());
        assert!(shared.hooks_done());
        shared.announce(Change { before: leads, after: follows, reason: Reason::Handover });
        let second = shared.next_tenure(Some(first), HEARTBEAT);
        assert_eq!((second.leads, shared.hooks_done()), (None, false));
        shared.addresses_handled(&second, &AddressStatus::default());
        assert!(shared.hooks_done());
    }

    /// Hooks that were busy during thousands of changes must not delay later handovers.
    #[test]
    fn hooks_catch_up_however_many_changes_they_missed() {
        let core = core();
        let shared = Shared::new(&core, HEARTBEAT);
        shared.attach_hooks(true);
        let follows = Leadership { state: Role::Follower, ..core.status().leadership };
        let leads = Leadership { state: Role::Leader, ..follows };
        for _ in 0..5000 {
            shared.announce(Change { before: follows, after: leads, reason: Reason::Settled });
            shared.announce(Change { before: leads, after: follows, reason: Reason::Handover });
        }
        shared.announce(Change { before: follows, after: leads, reason: Reason::Settled });
        assert!(!shared.hooks_done());
        shared.healed(1);
        let events = shared.next_events().unwrap();
        let pending = events.pending.unwrap();
        assert_eq!((pending.newest.after, pending.lost.unwrap().after), (leads, follows));
        assert_eq!(events.healed, [1].into());
        shared.hooks_handled(events.changes);
        assert!(shared.hooks_done());
        shared.stop();
        assert!(shared.next_events().is_none());
    }
}
