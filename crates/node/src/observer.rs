//! What others see of a running node.

use crate::counters::Counters;
use crate::hooks::HookCounts;
use crate::leadership::{Change, Leadership, Role};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

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
    /// After this long without an iteration the node is not well.
    patience: Duration,
}

#[derive(Debug)]
struct Published {
    leadership: Leadership,
    counters: Counters,
    hooks: HookCounts,
    at: Instant,
    changes: u64,
    stopped: bool,
    subscribers: Vec<SyncSender<Change>>,
}

impl Shared {
    pub(crate) fn new(leadership: Leadership, counters: Counters, patience: Duration) -> Shared {
        let published = Published {
            leadership,
            counters,
            hooks: HookCounts::default(),
            at: Instant::now(),
            changes: 0,
            stopped: false,
            subscribers: vec![],
        };
        Shared { published: Mutex::new(published), changed: Condvar::new(), patience }
    }

    // A reader that panicked cannot have left the published values half written.
    fn lock(&self) -> MutexGuard<'_, Published> {
        self.published.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn publish(&self, leadership: Leadership, counters: &Counters, change: Option<Change>) {
        let mut published = self.lock();
        published.leadership = leadership;
        published.counters.clone_from(counters);
        published.at = Instant::now();
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

    pub(crate) fn count_hook(&self, count: impl FnOnce(&mut HookCounts)) {
        count(&mut self.lock().hooks);
    }

    pub(crate) fn stop(&self) {
        let mut published = self.lock();
        published.stopped = true;
        published.subscribers.clear();
        self.changed.notify_all();
    }
}

impl Observer {
    /// What the node shows now.
    pub fn leadership(&self) -> Leadership {
        let published = self.shared.lock();
        let mut leadership = published.leadership;
        leadership.stable_for += published.at.elapsed();
        leadership
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
        !published.stopped && published.at.elapsed() < self.shared.patience
    }

    /// Whether it is the leader, settled, and its loop runs.
    pub fn leads(&self) -> bool {
        self.healthy() && self.leadership().state == Role::Leader
    }

    /// Whether it has stopped.
    pub fn stopped(&self) -> bool {
        self.shared.lock().stopped
    }

    /// The latest leadership whenever it has changed. A slow reader sees the latest and misses those between.
    pub fn watch(&self) -> Watch {
        Watch { observer: self.clone(), seen: None }
    }

    /// Every change from now on, in order.
    pub fn subscribe(&self) -> Receiver<Change> {
        let (sender, receiver) = sync_channel(BACKLOG);
        let mut published = self.shared.lock();
        if !published.stopped {
            published.subscribers.push(sender);
        }
        receiver
    }
}

/// A stream of leaderships; see [`Observer::watch`].
#[derive(Debug)]
pub struct Watch {
    observer: Observer,
    seen: Option<u64>,
}

impl Watch {
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
        Some(published.leadership)
    }
}

/// Each change of leadership, until the node stops.
impl Iterator for Watch {
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
