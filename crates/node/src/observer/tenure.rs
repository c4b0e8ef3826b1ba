//! The leadership of a node as the keeper of its virtual addresses sees it, and the order of that keeper and the hooks.

use super::{Observer, Published, Shared};
use crate::address::AddressStatus;
use crate::clock;
use ringleader_node_core::Role;
use std::sync::PoisonError;
use std::time::Duration;

/// The time for which hooks wait for the keeper: the kernel may be slow, and must not stop them.
const PATIENCE: Duration = Duration::from_secs(2);

/// A leadership that may be acted upon.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tenure {
    /// The number of this leadership, if this node leads. A loop that stands still has not lost it yet; an expired lease has.
    pub(crate) leads: Option<u64>,
    /// With a running loop: `None` without the guard, or the rest of the lease.
    pub(crate) runs: Option<Option<Duration>>,
    /// Whether the hooks of the start have not ended.
    pub(crate) starting: bool,
    /// The number of splits that have healed.
    pub(crate) heals: u64,
    pub(crate) stopped: bool,
    /// The number of all changes so far.
    pub(crate) changes: u64,
    /// The number of changes of the view, which no hook sees.
    pub(crate) views: u64,
}

impl Shared {
    fn tenure(&self, published: &Published) -> Tenure {
        let now = clock::elapsed();
        let expired = published.status.leadership.confirmation.is_some_and(|lease| lease.until <= now);
        let leads = published.announced == Role::Leader && !expired && !published.stopped;
        let current = self.current(published);
        let rest = current.confirmation.map(|lease| lease.until.saturating_sub(now));
        Tenure {
            leads: leads.then_some(published.leaderships),
            runs: (leads && current.state == Role::Leader).then_some(rest),
            starting: published.starting,
            heals: published.heals,
            stopped: published.stopped,
            changes: published.changes,
            views: published.views,
        }
    }

    /// The present tenure, after a change since the `last` one, or after `timeout`.
    pub(crate) fn next_tenure(&self, last: Option<Tenure>, timeout: Duration) -> Tenure {
        let idle = |p: &mut Published| {
            last.is_some_and(|last| {
                let seen = (last.views, last.heals, last.stopped, last.starting);
                seen == (p.views, p.heals, p.stopped, p.starting)
            })
        };
        let waited = self.changed.wait_timeout_while(self.lock(), timeout, idle);
        self.tenure(&waited.unwrap_or_else(PoisonError::into_inner).0)
    }

    /// A keeper of virtual addresses handles all changes from now on, each before its hooks.
    pub(crate) fn attach_addresses(&self) {
        let mut published = self.lock();
        published.addresses = Some((published.changes, AddressStatus::default()));
    }

    /// The keeper has handled all changes up to this tenure. One that has ended handles all later ones.
    pub(crate) fn addresses_handled(&self, tenure: &Tenure, status: &AddressStatus) {
        if tenure.starting && tenure.leads.is_some() && !tenure.stopped {
            // The addresses are not taken yet.
            return;
        }
        let handled = if tenure.stopped { u64::MAX } else { tenure.changes };
        let mut published = self.lock();
        if published.addresses.as_ref().is_none_or(|(before, known)| *before != handled || known != status) {
            published.addresses = Some((handled, status.clone()));
            self.changed.notify_all();
        }
    }

    /// Waits until the keeper, if there is one, has handled `changes` changes.
    pub(crate) fn await_addresses(&self, changes: u64) {
        let behind = |p: &mut Published| p.addresses.as_ref().is_some_and(|(handled, _)| *handled < changes);
        drop(self.changed.wait_timeout_while(self.lock(), PATIENCE, behind));
    }
}

impl Observer {
    /// The state of its virtual addresses, if it has some.
    pub fn addresses(&self) -> Option<AddressStatus> {
        self.shared.lock().addresses.as_ref().map(|(_, status)| status.clone())
    }
}
