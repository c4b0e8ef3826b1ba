//! Virtual addresses, which this node holds while it leads.
//!
//! The keeper is a thread that follows the leadership: it takes the addresses before `on-leader` begins, extends their lifetime while the loop
//! runs, announces them to the neighbours, and releases them before `on-lost` begins. A daemon that is killed or stopped extends nothing, so
//! the kernel removes the addresses. [`Addresses`] is the part that depends on the system.

use crate::observer::{Observer, Tenure};
use crate::runtime::{Bar, LoopRequest};
use crate::{Config, Handle};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Addresses that at most one node should hold.
pub trait Addresses: Send {
    /// Gives the reason why this host could not hold them now.
    fn ready(&mut self) -> Result<(), String>;
    /// Takes them, or extends their lifetime: without another call this host gives them up by itself after `time`, as exactly as the system
    /// allows.
    fn hold(&mut self, time: Duration) -> Result<(), String>;
    /// Tells the neighbours once that they are here.
    fn announce(&mut self) -> Result<(), String>;
    /// Gives them up, those that a crash has left here included.
    fn release(&mut self) -> Result<(), String>;
}

/// The state of a node's virtual addresses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AddressStatus {
    /// Whether this node holds them.
    pub held: bool,
    /// The reason why it cannot hold them.
    pub problem: Option<String>,
    /// The times that it took them.
    pub taken: u64,
    /// The times that it could not take or keep them.
    pub failed: u64,
    /// The announcements to the neighbours.
    pub announced: u64,
}

/// The announcements in a row, and the time between two.
const BURST: u32 = 5;
const WITHIN_BURST: Duration = Duration::from_millis(100);
/// The time after which the first burst is repeated: a switch may have been busy.
const REPEATED: Duration = Duration::from_secs(5);
/// The time between two looks whether this host could hold the addresses.
const LOOK: Duration = Duration::from_secs(1);
/// The time for which a node that could not hold the addresses does not lead. Otherwise two such nodes would lead in turns.
const BARRED: Duration = Duration::from_secs(30);
/// Without the guard, a daemon that stands still loses the addresses after this many heartbeats.
const HEARTBEATS: u32 = 2;

/// The announcements that are still due.
#[derive(Clone, Debug, Default)]
struct Announcements {
    /// The time of the next one, and the number of those that follow in the burst.
    burst: Option<(Instant, u32)>,
    /// The time of the second burst.
    repeat: Option<Instant>,
    /// The time of the next refresh.
    refresh: Option<Instant>,
}

impl Announcements {
    fn begin(now: Instant, refresh: Duration) -> Announcements {
        Announcements {
            burst: Some((now, BURST - 1)),
            repeat: Some(now + REPEATED),
            refresh: (!refresh.is_zero()).then(|| now + refresh),
        }
    }

    /// Whether one is due now.
    fn due(&mut self, now: Instant, refresh: Duration) -> bool {
        if self.repeat.is_some_and(|at| at <= now) {
            (self.burst, self.repeat) = (Some((now, BURST - 1)), None);
        }
        if self.refresh.is_some_and(|at| at <= now) {
            (self.burst, self.refresh) = (self.burst.or(Some((now, 0))), Some(now + refresh));
        }
        let Some((_, left)) = self.burst.filter(|(at, _)| *at <= now) else { return false };
        self.burst = left.checked_sub(1).map(|left| (now + WITHIN_BURST, left));
        true
    }

    /// The time until the next one.
    fn wait(&self, now: Instant) -> Option<Duration> {
        let times = [self.burst.map(|(at, _)| at), self.repeat, self.refresh];
        times.into_iter().flatten().min().map(|at| at.saturating_duration_since(now))
    }
}

/// Removes addresses that a crash has left here, and keeps them for this node from now on, in a thread that ends when they are released after the
/// end of the node. They are announced every `refresh` too, if it is not 0. Start it before the [`Hooks`](crate::Hooks), so that each of them
/// finds the addresses in place.
pub fn keep_addresses(
    mut addresses: Box<dyn Addresses>,
    refresh: Duration,
    node: &Handle,
) -> std::io::Result<JoinHandle<()>> {
    addresses.release().map_err(std::io::Error::other)?;
    let (observer, requests, heartbeat) = (node.observer(), node.requests.clone(), node.config.tempo.heartbeat);
    observer.shared.attach_addresses();
    let mut keeper = Keeper {
        addresses,
        refresh,
        unguarded: heartbeat * HEARTBEATS,
        can_hold: Box::new(move |ready| drop(requests.send(LoopRequest::Bar(Bar::Address, !ready)))),
        status: AddressStatus::default(),
        held: None,
        heals: 0,
        plan: Announcements::default(),
        barred: None,
        looked: None,
    };
    let pace = (heartbeat / 4).clamp(Duration::from_millis(20), Duration::from_millis(250));
    let follow = move || keeper.follow(&observer, pace);
    std::thread::Builder::new().name("addresses".into()).spawn(follow)
}

/// The time for which a node with these settings holds the addresses without a renewal: the lease, or without the guard two heartbeats.
pub fn longest_hold(config: &Config) -> Duration {
    config.guard.as_ref().map_or(config.tempo.heartbeat * HEARTBEATS, |guard| guard.length)
}

struct Keeper {
    addresses: Box<dyn Addresses>,
    refresh: Duration,
    unguarded: Duration,
    can_hold: Box<dyn Fn(bool) + Send>,
    status: AddressStatus,
    /// The leadership for which the addresses are held.
    held: Option<u64>,
    heals: u64,
    plan: Announcements,
    /// The time until which this node does not try to hold them.
    barred: Option<Instant>,
    looked: Option<Instant>,
}

impl Keeper {
    fn follow(&mut self, observer: &Observer, pace: Duration) {
        let mut last = None;
        loop {
            let wait = self.plan.wait(Instant::now()).map_or(pace, |next| next.min(pace));
            let tenure = observer.shared.next_tenure(last, wait);
            self.handle(&tenure, Instant::now());
            observer.shared.addresses_handled(&tenure, &self.status);
            if tenure.stopped {
                return;
            }
            last = Some(tenure);
        }
    }

    /// Brings the addresses into the state that the tenure asks for.
    fn handle(&mut self, tenure: &Tenure, now: Instant) {
        match (tenure.leads, tenure.runs) {
            (None, _) => {
                if self.held.is_some() {
                    self.let_go();
                }
                if !tenure.stopped {
                    self.look(now);
                }
            }
            // `on-lost` of the start may stop a service that a crash has left.
            (Some(_), _) if tenure.starting => {}
            // The loop stands still: the kernel removes the addresses if that lasts.
            (Some(_), None) => {}
            (Some(_), Some(_)) if self.barred.is_some() => self.look(now),
            (Some(leadership), Some(rest)) => match self.addresses.hold(rest.unwrap_or(self.unguarded)) {
                Ok(()) => self.held_for(leadership, tenure.heals, now),
                Err(reason) => self.fail(reason, now),
            },
        }
        if self.held.is_some() && self.plan.due(now, self.refresh) {
            match self.addresses.announce() {
                Ok(()) => self.status.announced += 1,
                Err(reason) => tracing::warn!(reason, "cannot announce the virtual addresses"),
            }
        }
    }

    fn held_for(&mut self, leadership: u64, heals: u64, now: Instant) {
        let taken = self.held != Some(leadership);
        if taken {
            tracing::info!("virtual addresses taken");
            (self.held, self.status.held, self.status.problem) = (Some(leadership), true, None);
            self.status.taken += 1;
        }
        if taken || self.heals != heals {
            self.plan = Announcements::begin(now, self.refresh);
        }
        self.heals = heals;
    }

    /// Hands the leadership over: another host may be able to hold the addresses.
    fn fail(&mut self, reason: String, now: Instant) {
        tracing::error!(reason, "cannot hold the virtual addresses: this node does not lead");
        self.let_go();
        self.status.failed += 1;
        self.status.problem = Some(reason);
        // A known obstacle bars it until the obstacle is gone.
        self.barred = Some(if self.addresses.ready().is_ok() { now + BARRED } else { now });
        (self.can_hold)(false);
    }

    /// Releases all addresses, also if only some are held.
    fn let_go(&mut self) {
        (self.held, self.status.held, self.plan) = (None, false, Announcements::default());
        match self.addresses.release() {
            Ok(()) => tracing::info!("virtual addresses released"),
            Err(reason) => tracing::error!(reason, "cannot release the virtual addresses"),
        }
    }

    /// Looks from time to time whether this host could hold the addresses, and bars it from leading if not.
    fn look(&mut self, now: Instant) {
        if self.looked.is_some_and(|at| now.saturating_duration_since(at) < LOOK) {
            return;
        }
        self.looked = Some(now);
        match self.addresses.ready() {
            Err(reason) => {
                if self.status.problem.as_ref() != Some(&reason) {
                    tracing::warn!(reason, "this host cannot hold the virtual addresses: this node does not lead");
                }
                self.status.problem = Some(reason);
                self.barred = Some(self.barred.unwrap_or(now));
                (self.can_hold)(false);
            }
            Ok(()) if self.barred.is_some_and(|until| until <= now) => {
                tracing::info!("this host can hold the virtual addresses");
                (self.status.problem, self.barred) = (None, None);
                (self.can_hold)(true);
            }
            Ok(()) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, Mutex};

    /// The calls of a keeper, and the obstacles that they meet.
    #[derive(Default)]
    struct Log {
        calls: Vec<&'static str>,
        hold: Option<&'static str>,
        ready: Option<&'static str>,
        can_hold: Vec<bool>,
    }

    struct Fake(Arc<Mutex<Log>>);

    impl Fake {
        fn call(&self, name: &'static str, obstacle: fn(&Log) -> Option<&'static str>) -> Result<(), String> {
            let mut log = self.0.lock().unwrap();
            log.calls.push(name);
            obstacle(&log).map_or(Ok(()), |reason| Err(reason.into()))
        }
    }

    impl Addresses for Fake {
        fn ready(&mut self) -> Result<(), String> {
            let log = self.0.lock().unwrap();
            log.ready.map_or(Ok(()), |reason| Err(reason.into()))
        }
        fn hold(&mut self, time: Duration) -> Result<(), String> {
            assert_eq!(time, Duration::from_secs(2));
            self.call("hold", |log| log.hold)
        }
        fn announce(&mut self) -> Result<(), String> {
            self.call("announce", |_| None)
        }
        fn release(&mut self) -> Result<(), String> {
            self.call("release", |_| None)
        }
    }

    fn keeper() -> (Keeper, Arc<Mutex<Log>>) {
        let log = Arc::new(Mutex::new(Log::default()));
        let told = Arc::clone(&log);
        let keeper = Keeper {
            addresses: Box::new(Fake(Arc::clone(&log))),
            refresh: Duration::from_secs(60),
            unguarded: Duration::from_secs(2),
            can_hold: Box::new(move |can| told.lock().unwrap().can_hold.push(can)),
            status: AddressStatus::default(),
            held: None,
            heals: 0,
            plan: Announcements::default(),
            barred: None,
            looked: None,
        };
        (keeper, log)
    }

    fn leads(number: u64, heals: u64) -> Tenure {
        Tenure { leads: Some(number), runs: Some(None), heals, ..Tenure::default() }
    }

    /// The times of announcements, in milliseconds since `begun`, while the keeper looks every 20 ms.
    fn announced(
        keeper: &mut Keeper,
        log: &Mutex<Log>,
        tenure: &Tenure,
        begun: Instant,
        from: u64,
        to: u64,
    ) -> Vec<u64> {
        let mut times = vec![];
        for ms in (from..to).step_by(20) {
            log.lock().unwrap().calls.clear();
            keeper.handle(tenure, begun + Duration::from_millis(ms));
            times.extend(log.lock().unwrap().calls.iter().filter(|call| **call == "announce").map(|_| ms));
        }
        times
    }

    #[test]
    fn addresses_are_announced_at_once_after_five_seconds_at_a_refresh_and_when_a_split_heals() {
        let ((mut keeper, log), begun) = (keeper(), Instant::now());
        let first = announced(&mut keeper, &log, &leads(1, 0), begun, 0, 61_000);
        let burst = |at: u64| (0..5).map(move |i| at + 100 * i);
        assert_eq!(first, burst(0).chain(burst(5000)).chain([60_000]).collect::<Vec<_>>());
        let healed = announced(&mut keeper, &log, &leads(1, 1), begun, 61_000, 62_000);
        assert_eq!(healed, burst(61_000).collect::<Vec<_>>());
        // It was lost and regained between two looks: another node may have held them.
        let again = announced(&mut keeper, &log, &leads(2, 1), begun, 62_000, 63_000);
        assert_eq!((again, keeper.status.taken), (burst(62_000).collect::<Vec<_>>(), 2));
    }

    #[test]
    fn a_loop_that_stands_still_extends_and_releases_nothing() {
        let ((mut keeper, log), now) = (keeper(), Instant::now());
        keeper.handle(&leads(1, 0), now);
        let calls = log.lock().unwrap().calls.len();
        keeper.handle(&Tenure { runs: None, ..leads(1, 0) }, now);
        assert_eq!((log.lock().unwrap().calls.len(), keeper.status.held), (calls, true));
        keeper.handle(&Tenure::default(), now);
        assert_eq!(log.lock().unwrap().calls.last(), Some(&"release"));
        keeper.handle(&Tenure::default(), now);
        assert_eq!(log.lock().unwrap().calls.iter().filter(|call| **call == "release").count(), 1);
    }

    #[test]
    fn nothing_is_taken_while_the_hooks_of_the_start_run() {
        let ((mut keeper, log), now) = (keeper(), Instant::now());
        keeper.handle(&Tenure { starting: true, ..leads(1, 0) }, now);
        assert_eq!((log.lock().unwrap().calls.len(), keeper.status.held), (0, false));
        keeper.handle(&leads(1, 0), now);
        assert!(keeper.status.held);
    }

    #[test]
    fn a_node_that_cannot_hold_them_does_not_lead_until_it_can() {
        let ((mut keeper, log), begun) = (keeper(), Instant::now());
        let second = |s: u64| begun + Duration::from_secs(s);
        // An obstacle that it sees as a follower, and that goes away.
        log.lock().unwrap().ready = Some("no interface");
        keeper.handle(&Tenure::default(), second(0));
        assert_eq!(
            (keeper.status.problem.as_deref(), &log.lock().unwrap().can_hold[..]),
            (Some("no interface"), &[false][..])
        );
        log.lock().unwrap().ready = None;
        keeper.handle(&Tenure::default(), second(1));
        assert_eq!((&keeper.status.problem, &log.lock().unwrap().can_hold[..]), (&None, &[false, true][..]));
        // One that only an attempt shows: half a minute without another attempt.
        log.lock().unwrap().hold = Some("not permitted");
        keeper.handle(&leads(1, 0), second(2));
        assert_eq!((keeper.status.held, keeper.status.failed), (false, 1));
        assert_eq!(log.lock().unwrap().calls, ["hold", "release"], "those that were taken are released");
        for s in 3..32 {
            keeper.handle(&leads(1, 0), second(s));
        }
        assert_eq!((log.lock().unwrap().calls.len(), keeper.status.failed), (2, 1));
        keeper.handle(&leads(1, 0), second(32));
        assert_eq!(log.lock().unwrap().can_hold, [false, true, false, true]);
    }
}
