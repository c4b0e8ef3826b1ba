//! The result of a search, with exact times.

use crate::best::Pace;
use crate::family::{BadFamily, Family, Topology};
use crate::protocol::Protocol;
use crate::safe::SafeSet;
use crate::search::{Control, Counts, Options, search};
use crate::walk::Realm;
use ringleader_check::{Monitor, Question, Value};
use ringleader_erased::PopulationInstance;
use ringleader_model::{Graph, Scheduler};
use std::cmp::Ordering;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};
use thiserror::Error;

/// The time of a protocol at one size.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Time {
    /// The number of agents.
    pub agents: usize,
    /// Under the random scheduler, the expected steps from the worst configuration; under the unfair one, the longest
    /// execution.
    pub worst: Value,
}

/// A protocol that keeps the promise.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Found {
    /// The protocol.
    pub protocol: Protocol,
    /// The number of tables that are equal up to renaming of states.
    pub names: u64,
    /// The times, one per size.
    pub times: Vec<Time>,
}

/// The result of a search.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Outcome {
    /// The counts.
    pub counts: Counts,
    /// The fastest, by their worst times at the largest size, then at the next.
    pub found: Vec<Found>,
}

/// The reason why a search ends without an outcome.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum Trouble {
    /// The family cannot be searched.
    #[error(transparent)]
    Refused(#[from] BadFamily),
    /// The checker does not confirm a protocol that the search found.
    #[error("the checker does not confirm a protocol that the search found: {0}")]
    Check(String),
}

/// Searches a family for all protocols that keep the promise. The checker confirms the fastest and gives their exact
/// times. A search that is stopped or exceeds its budget returns its results so far.
pub fn discover(family: &Family, options: &Options, control: &Control) -> Result<Outcome, Trouble> {
    let (realms, counts, best) = search(family, options, control)?;
    let mut found = vec![];
    let monitor = Monitor::new(1);
    let mut confirm = || {
        for pace in &best {
            match confirmed(family, &realms[pace.realm], pace, &monitor) {
                Err(_) if monitor.stopped() => break,
                ended => found.push(ended?),
            }
            control.time();
        }
        Ok::<(), Trouble>(())
    };
    match options.patience {
        None => confirm()?,
        Some(patience) => patiently(patience, control, &monitor, confirm)?,
    }
    // The sort is stable: protocols with equal times stay in the order of their tables.
    found.sort_by(|a, b| faster(&a.times, &b.times));
    Ok(Outcome { counts, found })
}

/// Does some work on this thread. After a stop of the search, another thread stops the checks of the work once the patience ends.
fn patiently<T>(patience: Duration, control: &Control, monitor: &Monitor, work: impl FnOnce() -> T) -> T {
    const POLL: Duration = Duration::from_millis(2);
    let done = AtomicBool::new(false);
    let wait = || {
        let mut since: Option<Instant> = None;
        while !done.load(Relaxed) {
            since = since.or_else(|| control.stopped().then(Instant::now));
            if since.is_some_and(|since| since.elapsed() >= patience) {
                return monitor.stop();
            }
            std::thread::sleep(POLL);
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(wait);
        let result = work();
        done.store(true, Relaxed);
        result
    })
}

fn confirmed(family: &Family, realm: &Realm, pace: &Pace, monitor: &Monitor) -> Result<Found, Trouble> {
    let safe = SafeSet::of(family.topology, realm, &pace.table);
    let protocol = Protocol::new(family, &realm.entries, &pace.table, safe);
    let times = family.sizes.iter().map(|&agents| protocol.time(agents, monitor)).collect::<Result<_, _>>()?;
    Ok(Found { protocol, names: pace.variants * realm.leader_sets, times })
}

impl Protocol {
    /// Checks the promise with `agents` agents, and returns the time.
    fn time(&self, agents: usize, monitor: &Monitor) -> Result<Time, Trouble> {
        let trouble =
            |why: &dyn fmt::Display| Trouble::Check(format!("with {agents} agents, {why}: {:?}", self.lines()));
        let graph = match self.topology() {
            Topology::DirectedRing => Graph::directed_ring(agents),
            Topology::Complete => Graph::complete(agents),
        };
        let graph = graph.map_err(|why| trouble(&why))?;
        let instance = PopulationInstance::new(self.clone()).map_err(|why| trouble(&why))?;
        let check = |scheduler: Scheduler| {
            let question = Question::new(scheduler);
            let report = ringleader_check::population(&instance, &graph, &question, monitor);
            match report {
                Ok(report) if report.holds => Ok(report),
                Ok(_) => Err(trouble(&format!("the checker says that it fails under {scheduler} schedules"))),
                Err(stop) => Err(trouble(&stop)),
            }
        };
        let times = match self.scheduler() {
            Scheduler::Unfair => check(Scheduler::Unfair)?.steps,
            other => {
                if other != Scheduler::Random {
                    check(other)?;
                }
                check(Scheduler::Random)?.expected_steps
            }
        };
        let time = times.and_then(|times| times.to_really_safe).ok_or_else(|| trouble(&"the checker gives no time"))?;
        Ok(Time { agents, worst: time.worst })
    }
}

/// Compares the worst times, at the largest size first.
fn faster(a: &[Time], b: &[Time]) -> Ordering {
    a.iter().zip(b).rev().map(|(a, b)| less(&a.worst, &b.worst)).fold(Ordering::Equal, Ordering::then)
}

fn less(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::Exact(p, q), Value::Exact(r, s)) => (p * s).cmp(&(r * q)),
        _ => a.bounds().low.total_cmp(&b.bounds().low),
    }
}
