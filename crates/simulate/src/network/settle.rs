//! When a run counts as settled, and its counts until then.

use crate::TimedAlgorithm;
use crate::network::NetworkRun;
use ringleader_model::Timed;

/// Agreement that lasted.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Settled {
    /// When the agreement began, counted from the scenario's last fault.
    pub after: u64,
    /// The leader that all live processes name.
    pub leader: usize,
    /// The directed links that carried messages in the final stretch.
    pub links: Vec<(usize, usize)>,
    /// The number of messages sent in the final stretch.
    pub messages: u64,
    /// The length of the final stretch.
    pub stretch: u64,
}

/// The result of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Settlement {
    /// The agreement that lasted, if there was one within the horizon.
    pub settled: Option<Settled>,
    /// The number of times that a process changed its leader.
    pub leader_changes: u64,
    /// The number of messages sent.
    pub messages: u64,
    /// The number of messages that reached a buffer slot.
    pub deliveries: u64,
    /// The time at which the run was stopped.
    pub time: u64,
    /// The digest of all events.
    pub digest: u64,
}

impl<P: Timed> NetworkRun<'_, P> {
    /// Runs until the run has settled, or can no longer settle with an agreement that began within `horizon` of the last fault.
    ///
    /// Settled: all live processes have named the same live leader for the [settling stretch](crate::TimedAlgorithm::settling_stretch), and
    /// go on doing so while every message arrives that was sent before they agreed, and for half a stretch more: the
    /// final stretch, whose links are counted.
    pub fn settle(&mut self, horizon: u64) -> Settlement {
        let over = self.last_fault();
        let end = over.saturating_add(horizon);
        let stretch = self.algorithm.settling_stretch();
        let mut settled = None;
        while self.agreed_since.map_or(self.now, |(since, _)| since) <= end && self.step() {
            let Some((since, _)) = self.agreed_since else { continue };
            if self.now - since >= stretch && self.faults_over() {
                settled = self.final_stretch(since, stretch / 2, over);
                if settled.is_some() {
                    break;
                }
            }
        }
        Settlement {
            settled,
            leader_changes: self.leader_changes,
            messages: self.sent,
            deliveries: self.deliveries,
            time: self.now,
            digest: self.digest,
        }
    }

    fn final_stretch(&mut self, since: u64, stretch: u64, over: u64) -> Option<Settled> {
        let calm = self.queue.last_arrival_sent_before(since).unwrap_or(0);
        let begin = self.now.max(calm);
        while self.now < begin && self.step() {}
        let (begin, before) = (self.now, self.sent);
        let agreed = |run: &Self| run.agreed_since.is_some_and(|(began, _)| began == since);
        while self.now < begin + stretch && agreed(self) && self.step() {}
        if !agreed(self) {
            return None;
        }
        let n = self.named.len();
        let used = |&link: &usize| self.last_sent[link] > begin;
        let leader = (0..n).find(|&p| self.is_alive(p)).map(|p| self.named[p])?;
        Some(Settled {
            after: since.saturating_sub(over),
            leader,
            links: (0..n * n).filter(used).map(|link| (link / n, link % n)).collect(),
            messages: self.sent - before,
            stretch: self.now - begin,
        })
    }
}
