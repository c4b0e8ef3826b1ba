//! Changes of leadership for a program: a blocking stream, a function that is called, and a channel of tokio.

use crate::observer::{Observer, View};
use ringleader_node_core::Leadership;
use std::thread::JoinHandle;
use std::time::Duration;

/// The time after which a waiting stream looks again.
const LONG: Duration = Duration::from_secs(3600);

impl Observer {
    /// The leadership now and after each change, until the node has stopped; the last one is [`Role::Unsettled`](crate::Role::Unsettled). A
    /// change by the clock counts too: the end of a lease, and a loop that stands still. A slow reader sees the latest view and misses those
    /// before.
    pub fn watch(&self) -> Leaderships {
        Leaderships { observer: self.clone(), seen: None }
    }

    /// Calls `act` with the leadership now and after each change, in a thread of its own that ends when the node has stopped. A call that takes
    /// long delays neither the node nor the election; the next call gets the latest view. A panic of `act` ends the calls.
    ///
    /// ```
    /// use ringleader_node::{Config, Node, Role};
    /// use std::sync::mpsc::channel;
    /// use std::time::Duration;
    ///
    /// let mut config = Config::new(0, "127.0.0.1:0".parse()?).heartbeat(Duration::from_millis(20));
    /// config.peers.insert(1, "127.0.0.1:9".into());
    /// let node = Node::start(config)?;
    /// let (sender, states) = channel();
    /// let calls = node.on_change(move |now| drop(sender.send(now.state)))?;
    /// assert!(states.iter().any(|state| state == Role::Leader));
    /// drop(node); // it ends in order, and the last call says that it does not lead
    /// calls.join().unwrap();
    /// assert_eq!(states.iter().last(), Some(Role::Unsettled));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn on_change(&self, mut act: impl FnMut(Leadership) + Send + 'static) -> std::io::Result<JoinHandle<()>> {
        let watch = self.watch();
        std::thread::Builder::new().name("on-change".into()).spawn(move || watch.for_each(&mut act))
    }

    /// A channel of tokio that has the latest leadership, from [`Observer::on_change`]. It closes when the node has stopped.
    #[cfg(feature = "tokio")]
    pub fn subscribe(&self) -> std::io::Result<tokio::sync::watch::Receiver<Leadership>> {
        let (sender, receiver) = tokio::sync::watch::channel(self.leadership());
        self.on_change(move |now| {
            sender.send_replace(now);
        })?;
        Ok(receiver)
    }
}

/// A stream of leaderships; see [`Observer::watch`].
#[derive(Debug)]
pub struct Leaderships {
    observer: Observer,
    seen: Option<View>,
}

impl Leaderships {
    /// Waits until the leadership differs from the last one returned, at most this long. The first call returns at once.
    pub fn next_within(&mut self, timeout: Duration) -> Option<Leadership> {
        let (view, leadership) = self.observer.shared.next_view(self.seen, timeout)?;
        self.seen = Some(view);
        Some(leadership)
    }
}

/// Each change of leadership, until the node has stopped.
impl Iterator for Leaderships {
    type Item = Leadership;
    fn next(&mut self) -> Option<Leadership> {
        loop {
            if let Some(leadership) = self.next_within(LONG) {
                return Some(leadership);
            }
            if self.observer.stopped() {
                return None;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock;
    use crate::observer::Shared;
    use ringleader_node_core::{Confirmation, Core, CoreConfig, Role, Status};
    use std::sync::Arc;

    const MOMENT: Duration = Duration::from_millis(150);
    const LONG_ENOUGH: Duration = Duration::from_secs(20);

    fn observed(lasts: Duration) -> (Core, Observer) {
        use ringleader_algorithms::robust::s5::RobustS5;
        use ringleader_model::Timing;
        let algorithm = Arc::new(RobustS5 { size: 2, timing: Timing { alpha: 1, beta: 1, delta: 2 }, timeout: 8 });
        let core = Core::new(algorithm, CoreConfig::new(0, 2, Duration::from_secs(1), 1), 0, clock::now()).unwrap();
        let shared = Arc::new(Shared::new(&core, lasts));
        (core, Observer { id: 0, cluster: "test".into(), shared })
    }

    /// The loop publishes a leadership with this lease, and then stands still.
    fn lead(core: &Core, observer: &Observer, lease: Option<Duration>) {
        let confirmation = lease.map(|length| Confirmation { until: clock::elapsed() + length, token: None });
        let leadership =
            ringleader_node_core::Leadership { state: Role::Leader, confirmation, ..core.status().leadership };
        observer.shared.publish(Status { leadership, ..core.status() }, core.counters(), core.notices());
    }

    #[test]
    fn a_lease_ends_by_the_clock_for_every_reader() {
        let (core, observer) = observed(LONG_ENOUGH);
        assert!(!observer.is_confirmed(), "nothing is granted yet");
        lead(&core, &observer, Some(MOMENT));
        let until = observer.leadership().confirmation.map(|lease| lease.until);
        let mut watch = observer.watch();
        assert_eq!(watch.next().map(|now| now.state), Some(Role::Leader));
        assert!(observer.is_confirmed() || clock::elapsed() >= until.unwrap());
        assert_eq!(watch.next_within(LONG_ENOUGH).map(|now| now.state), Some(Role::Unconfirmed), "without an event");
        assert!(clock::elapsed() >= until.unwrap() && !observer.is_confirmed());
    }

    /// A lease that outlives the published state confirms nothing after it.
    #[test]
    fn a_loop_that_stands_still_confirms_nothing() {
        let (core, observer) = observed(MOMENT);
        lead(&core, &observer, Some(LONG_ENOUGH));
        let mut watch = observer.watch();
        assert_eq!(watch.next().map(|now| now.state), Some(Role::Leader));
        assert_eq!(watch.next_within(LONG_ENOUGH).map(|now| now.state), Some(Role::Unsettled));
        assert!(!observer.is_confirmed());
        lead(&core, &observer, Some(LONG_ENOUGH));
        assert_eq!(watch.next_within(LONG_ENOUGH).map(|now| now.state), Some(Role::Leader), "the loop goes on");
    }

    #[test]
    fn a_leader_without_a_guard_or_after_its_end_is_not_confirmed() {
        let (core, observer) = observed(LONG_ENOUGH);
        lead(&core, &observer, None);
        assert!(observer.leads() && !observer.is_confirmed());
        lead(&core, &observer, Some(LONG_ENOUGH));
        assert!(observer.is_confirmed());
        observer.shared.stop();
        assert!(!observer.is_confirmed());
        lead(&core, &observer, Some(LONG_ENOUGH));
        assert!(!observer.is_confirmed(), "it has stopped");
    }

    /// A reader that holds the lock, or a loop that publishes, does not delay the question.
    #[test]
    fn the_question_for_confirmation_never_blocks() {
        let (core, observer) = observed(LONG_ENOUGH);
        lead(&core, &observer, Some(LONG_ENOUGH));
        assert!(observer.shared.while_locked(|| observer.is_confirmed()));
    }

    #[test]
    fn a_function_is_called_until_the_node_has_stopped() {
        let (core, observer) = observed(LONG_ENOUGH);
        let (sender, states) = std::sync::mpsc::channel();
        let calls = observer.on_change(move |now| sender.send(now.state).unwrap()).unwrap();
        assert_eq!(states.recv(), Ok(Role::Unsettled));
        lead(&core, &observer, Some(MOMENT));
        observer.shared.announce(ringleader_node_core::Change {
            before: core.status().leadership,
            after: observer.leadership(),
            reason: ringleader_node_core::Reason::Settled,
        });
        assert!(states.iter().any(|state| state == Role::Unconfirmed));
        observer.shared.stop();
        calls.join().unwrap();
        assert_eq!(states.iter().last(), Some(Role::Unsettled));
    }

    #[cfg(feature = "tokio")]
    #[test]
    fn a_channel_has_the_latest_leadership_and_closes() {
        let (core, observer) = observed(LONG_ENOUGH);
        let channel = observer.subscribe().unwrap();
        lead(&core, &observer, None);
        observer.shared.announce(ringleader_node_core::Change {
            before: core.status().leadership,
            after: observer.leadership(),
            reason: ringleader_node_core::Reason::Settled,
        });
        while channel.borrow().state != Role::Leader {
            std::thread::sleep(Duration::from_millis(1));
        }
        observer.shared.stop();
        while channel.has_changed().is_ok() {
            std::thread::sleep(Duration::from_millis(1));
        }
        assert_eq!(channel.borrow().state, Role::Unsettled);
    }
}
