//! What others see of a running node.

use crate::clock;
use crate::hooks::HookCounts;
use ringleader_node_core::{Change, Counters, Leadership, Notice, Notices, Role, View, Withdrawal};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How many changes wait for a slow subscriber before the newest are dropped.
const BACKLOG: usize = 1024;

/// A cheap, cloneable view of a running node.
#[derive(Clone, Debug)]
pub struct Observer {
    /// The node's identity.
    pub id: usize,
    pub(crate) shared: Arc<Shared>,
}

#[derive(Debug)]
pub(crate) struct Shared {
    published: Mutex<Published>,
    changed: Condvar,
    /// After this long without an iteration nothing it said counts any more.
    lasts: Duration,
}

#[derive(Debug)]
struct Published {
    leadership: Leadership,
    counters: Counters,
    hooks: HookCounts,
    notices: Notices,
    disputed: Option<Notice>,
    withdrawn: Option<Withdrawal>,
    token: Option<bool>,
    errand: Option<u64>,
    variables: Option<String>,
    guard: Option<u64>,
    /// Whether something must be done before another may lead.
    holds: bool,
    /// How many changes hooks have run for.
    handled: u64,
    /// When the loop last said so.
    at: Duration,
    changes: u64,
    stopped: bool,
    subscribers: Vec<SyncSender<Change>>,
}

impl Shared {
    pub(crate) fn new(view: View<'_>, lasts: Duration) -> Shared {
        let published = Published {
            leadership: view.leadership,
            counters: view.counters.clone(),
            hooks: HookCounts::default(),
            notices: Notices::default(),
            disputed: None,
            withdrawn: None,
            token: view.token,
            errand: None,
            variables: view.variables,
            guard: view.guard,
            holds: false,
            handled: 0,
            at: clock::elapsed(),
            changes: 0,
            stopped: false,
            subscribers: vec![],
        };
        Shared { published: Mutex::new(published), changed: Condvar::new(), lasts }
    }

    // A reader that panicked cannot have left the published values half written.
    fn lock(&self) -> MutexGuard<'_, Published> {
        self.published.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn publish(&self, view: View<'_>, change: Option<Change>) {
        let mut published = self.lock();
        published.leadership = view.leadership;
        published.counters.clone_from(view.counters);
        if published.notices != *view.notices {
            published.notices.clone_from(view.notices);
        }
        (published.disputed, published.withdrawn) = (view.disputed, view.withdrawn);
        (published.token, published.variables) = (view.token, view.variables);
        if std::mem::replace(&mut published.errand, view.errand) != view.errand {
            self.changed.notify_all();
        }
        published.at = clock::elapsed();
        if let Some(change) = change {
            published.changes += 1;
            published.subscribers.retain(|subscriber| match subscriber.try_send(change) {
                Ok(()) => true,
                Err(TrySendError::Full(_)) => {
                    tracing::warn!("a change of leadership was dropped: a subscriber lags behind");
                    true
                }
                Err(TrySendError::Disconnected(_)) => false,
            });
            self.changed.notify_all();
        }
    }

    /// Waits until there is another errand than this one to be run, or none if this one is not done with, at most this long.
    pub(crate) fn next_errand(&self, last: Option<u64>, patience: Duration) -> Option<u64> {
        let idle = |p: &mut Published| (p.errand.is_none() || p.errand == last) && !p.stopped;
        let waited = self.changed.wait_timeout_while(self.lock(), patience, idle);
        waited.unwrap_or_else(PoisonError::into_inner).0.errand
    }

    /// Hooks are there; `holds` if one of them must end before another may lead.
    pub(crate) fn attach_hooks(&self, holds: bool, handled: u64) {
        let mut published = self.lock();
        (published.holds, published.handled) = (holds, handled);
    }

    pub(crate) fn hooks_handled(&self, handled: u64) {
        self.lock().handled = handled;
    }

    /// Whether hooks have run for all that has changed, where they matter.
    pub(crate) fn hooks_done(&self) -> bool {
        let published = self.lock();
        !published.holds || published.handled >= published.changes
    }

    pub(crate) fn count_hook(&self, count: impl FnOnce(&mut HookCounts)) {
        count(&mut self.lock().hooks);
    }

    fn current(&self, published: &Published) -> Leadership {
        let now = clock::elapsed();
        let (age, mut leadership) = (now.saturating_sub(published.at), published.leadership);
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

    pub(crate) fn stop(&self) {
        let mut published = self.lock();
        published.stopped = true;
        published.subscribers.clear();
        self.changed.notify_all();
    }
}

impl Observer {
    /// What the node shows now. What it said before its loop stood still for longer than a heartbeat, and at least a tenth of a
    /// second, counts no more: it is then [`Role::Unsettled`].
    pub fn leadership(&self) -> Leadership {
        self.shared.current(&self.shared.lock())
    }

    /// How long ago the loop last said something.
    pub fn age(&self) -> Duration {
        clock::elapsed().saturating_sub(self.shared.lock().at)
    }

    /// What is wrong with the cluster, as far as this node has seen lately.
    pub fn notices(&self) -> Vec<Notice> {
        self.shared.lock().notices.recent(clock::elapsed()).copied().collect()
    }

    /// The disagreement because of which it does not lead, if there is one.
    pub fn disputed(&self) -> Option<Notice> {
        self.shared.lock().disputed
    }

    /// Where there is a token to hold: whether this node holds it.
    pub fn token(&self) -> Option<bool> {
        self.shared.lock().token
    }

    /// The variables of an algorithm of neighbours, as text.
    pub fn variables(&self) -> Option<String> {
        self.shared.lock().variables.clone()
    }

    /// Why it is not to lead, if it is not.
    pub fn withdrawn(&self) -> Option<Withdrawal> {
        self.shared.lock().withdrawn
    }

    /// The digest of what guarded members must be told alike, if they are guarded.
    pub fn guard(&self) -> Option<u64> {
        self.shared.lock().guard
    }

    /// What the node has counted.
    pub fn counters(&self) -> Counters {
        self.shared.lock().counters.clone()
    }

    /// How its hooks ended so far.
    pub fn hooks(&self) -> HookCounts {
        self.shared.lock().hooks
    }

    /// Whether its loop runs.
    pub fn healthy(&self) -> bool {
        let published = self.shared.lock();
        let patience = (self.shared.lasts * 3).max(Duration::from_secs(1));
        !published.stopped && clock::elapsed().saturating_sub(published.at) < patience
    }

    /// Whether it is the leader, settled, and its loop runs.
    pub fn leads(&self) -> bool {
        self.leadership().state == Role::Leader
    }

    /// Whether it has stopped.
    pub fn stopped(&self) -> bool {
        self.shared.lock().stopped
    }

    /// The latest leadership whenever it has changed. A slow reader sees the latest and misses those between.
    pub fn watch(&self) -> Leaderships {
        Leaderships { observer: self.clone(), seen: None }
    }

    /// Every change from now on, in order.
    pub fn subscribe(&self) -> Receiver<Change> {
        self.subscribe_from().0
    }

    /// The same, with how many changes there were before.
    pub(crate) fn subscribe_from(&self) -> (Receiver<Change>, u64) {
        let (sender, receiver) = sync_channel(BACKLOG);
        let mut published = self.shared.lock();
        if !published.stopped {
            published.subscribers.push(sender);
        }
        (receiver, published.changes)
    }
}

/// A stream of leaderships; see [`Observer::watch`].
#[derive(Debug)]
pub struct Leaderships {
    observer: Observer,
    seen: Option<u64>,
}

impl Leaderships {
    /// Waits until the leadership differs from the last one returned, at most this long. The first call returns at once.
    pub fn next_within(&mut self, timeout: Duration) -> Option<Leadership> {
        let shared = &self.observer.shared;
        let seen = self.seen;
        let (published, waited) = shared
            .changed
            .wait_timeout_while(shared.lock(), timeout, |p| seen == Some(p.changes) && !p.stopped)
            .unwrap_or_else(PoisonError::into_inner);
        if waited.timed_out() || seen == Some(published.changes) {
            return None;
        }
        self.seen = Some(published.changes);
        Some(shared.current(&published))
    }
}

/// Each change of leadership, until the node stops.
impl Iterator for Leaderships {
    type Item = Leadership;
    fn next(&mut self) -> Option<Leadership> {
        loop {
            if let Some(leadership) = self.next_within(Duration::from_secs(3600)) {
                return Some(leadership);
            }
            if self.observer.stopped() {
                return None;
            }
        }
    }
}
