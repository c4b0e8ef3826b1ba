//! The search with several threads and a time budget.

use crate::best::{Best, Pace};
use crate::family::{BadFamily, Family};
use crate::improve::improved;
use crate::outlook::Prospect;
use crate::walk::{Leaf, Limits, Realm, Traversal};
use ringleader_model::lock;
use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// The options of a search.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// The number of fastest protocols to keep.
    pub keep: usize,
    /// Whether to skip tables slower than all of these, and to improve on results; then the other protocols are not
    /// counted.
    pub fastest: bool,
    /// The time budget; unlimited if absent.
    pub budget: Option<Duration>,
    /// The number of threads.
    pub threads: usize,
    /// The memory limit in bytes.
    pub memory: u64,
    /// After a stop, the time in which the exact times of kept protocols are computed; protocols without are left out. Unlimited if
    /// absent.
    pub patience: Option<Duration>,
}

impl Default for Options {
    /// The ten fastest, no time limit, one thread per core, 1 GiB.
    fn default() -> Options {
        let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
        Options { keep: 10, fastest: false, budget: None, threads, memory: 1 << 30, patience: None }
    }
}

/// Shared between a search and the thread that waits for it.
#[derive(Debug, Default)]
pub struct Control {
    stop: AtomicBool,
    looked_at: AtomicU64,
    protocols: AtomicU64,
    /// In units of 1 / [`Control::WHOLE`].
    share: AtomicU64,
    deciding: AtomicU64,
}

impl Control {
    const WHOLE: f64 = (1u64 << 62) as f64;

    /// Asks the search to stop soon and to return its results.
    pub fn stop(&self) {
        self.stop.store(true, Relaxed);
    }

    /// The fraction of the tree of all tables that has been searched, from 0 to 1.
    pub fn share(&self) -> f64 {
        (self.share.load(Relaxed) as f64 / Control::WHOLE).min(1.0)
    }

    /// The number of examined tables, partial or complete.
    pub fn looked_at(&self) -> u64 {
        self.looked_at.load(Relaxed)
    }

    /// The number of protocols found, up to renaming.
    pub fn protocols(&self) -> u64 {
        self.protocols.load(Relaxed)
    }

    /// The number of kept protocols whose exact times are known.
    pub fn timed(&self) -> u64 {
        self.deciding.load(Relaxed)
    }

    pub(crate) fn stopped(&self) -> bool {
        self.stop.load(Relaxed)
    }

    pub(crate) fn time(&self) {
        self.deciding.fetch_add(1, Relaxed);
    }
}

/// The counts of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Counts {
    /// Protocols that keep the promise, up to renaming of states.
    pub protocols: u64,
    /// Pairs of a table and a set of leader states that keep the promise: each protocol under every choice of names.
    pub named: u64,
    /// The number of examined tables, partial or complete.
    pub looked_at: u64,
    /// The fraction of the tree of all tables that was searched: 1 if all of it.
    pub share: f64,
    /// Whether the whole tree was searched.
    pub complete: bool,
    /// Whether tables that cannot be among the fastest were skipped. Then the numbers of protocols are incomplete.
    pub fastest_only: bool,
}

/// The number of tables that a thread examines before it switches to another part of the tree.
const STRETCH: u64 = 1 << 12;
/// The number of parts of the tree that are searched in turns, so that a search that ends early has sampled all
/// regions.
const PARTS: usize = 256;

/// Searches. Returns the counts and the fastest tables, by floating point.
pub(crate) fn search(
    family: &Family,
    options: &Options,
    control: &Control,
) -> Result<(Vec<Realm>, Counts, Vec<Pace>), BadFamily> {
    family.check(options.memory)?;
    let realm = |&leaders: &usize| Realm::new(family, leaders, control);
    let Some(realms) = family.leader_counts().iter().map(realm).collect::<Option<Vec<Realm>>>() else {
        return Ok((vec![], Counts { fastest_only: options.fastest, ..Counts::default() }, vec![]));
    };
    let share = 1.0 / realms.len() as f64;
    let walks = realms.iter().enumerate().map(|(realm, of)| (realm, Traversal::new(of, share, control))).collect();
    let crew = Shared {
        realms: &realms,
        walks: Mutex::new(walks),
        at_work: AtomicU64::new(0),
        best: Mutex::new(Best::new(options.keep)),
        fastest: options.fastest,
        named: AtomicU64::new(0),
        control,
        end: options.budget.map(|budget| Instant::now() + budget),
    };
    std::thread::scope(|scope| {
        (1..options.threads.max(1)).for_each(|_| drop(scope.spawn(|| crew.work())));
        crew.work();
    });
    let complete = lock(&crew.walks).is_empty();
    let counts = Counts {
        protocols: control.protocols(),
        named: crew.named.load(Relaxed),
        looked_at: control.looked_at(),
        share: if complete { 1.0 } else { control.share() },
        complete,
        fastest_only: options.fastest,
    };
    let best = crew.best.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner).sorted();
    Ok((realms, counts, best))
}

/// The state that the threads share.
struct Shared<'a> {
    realms: &'a [Realm],
    walks: Mutex<VecDeque<(usize, Traversal)>>,
    /// The number of walks in progress.
    at_work: AtomicU64,
    best: Mutex<Best>,
    fastest: bool,
    named: AtomicU64,
    control: &'a Control,
    end: Option<Instant>,
}

/// The next action of a thread.
enum Next {
    /// Continue with a walk of this realm.
    Traversal(usize, Traversal),
    /// Wait until another thread splits its walk.
    Wait,
    /// Nothing is left.
    Done,
}

impl Shared<'_> {
    fn work(&self) {
        let all = || self.realms.iter().map(|realm| realm.prospects(self.control)).collect();
        let (mut prospects, mut timers): (Vec<Vec<Prospect<'_>>>, Vec<Vec<Prospect<'_>>>) = (all(), all());
        let mut turn = 0;
        while !self.control.stopped() && self.end.is_none_or(|end| Instant::now() < end) {
            let (realm, mut walk) = match self.take() {
                Next::Traversal(realm, walk) => (realm, walk),
                Next::Done => break,
                Next::Wait => {
                    std::thread::sleep(Duration::from_millis(1));
                    continue;
                }
            };
            turn += 1;
            let mut improve = self.fastest;
            let mut found = |leaf: Leaf<'_>| self.keep(realm, &mut timers[realm], &leaf, std::mem::take(&mut improve));
            let limits = self.limits(turn);
            let stretch = walk.go(&self.realms[realm], &mut prospects[realm], limits, self.control, &mut found);
            self.control.looked_at.fetch_add(stretch.looked_at, Relaxed);
            self.control.share.fetch_add((stretch.share * Control::WHOLE) as u64, Relaxed);
            let mut walks = lock(&self.walks);
            if !walk.is_done() {
                if walks.len() < PARTS {
                    walks.extend(walk.split().map(|half| (realm, half)));
                }
                walks.push_back((realm, walk));
            }
            self.at_work.fetch_sub(1, Relaxed);
        }
    }

    /// Slow tables are skipped in every other turn only; in the other turns the search finds tables that can be
    /// improved.
    fn limits(&self, turn: u64) -> Limits {
        let slowest = if self.fastest && turn % 2 == 1 { lock(&self.best).slowest() } else { None };
        Limits { looks: STRETCH, steps: slowest.map(|slowest| slowest.at_largest_size() * (1.0 + 1e-9)) }
    }

    fn take(&self) -> Next {
        let mut walks = lock(&self.walks);
        match walks.pop_front() {
            Some((realm, walk)) => {
                self.at_work.fetch_add(1, Relaxed);
                Next::Traversal(realm, walk)
            }
            None if self.at_work.load(Relaxed) == 0 => Next::Done,
            None => Next::Wait,
        }
    }

    /// Counts a protocol and keeps it if it is among the fastest. With `improve`, also keeps an improved table.
    fn keep(&self, realm: usize, timers: &mut [Prospect<'_>], leaf: &Leaf<'_>, improve: bool) {
        self.control.protocols.fetch_add(1, Relaxed);
        self.named.fetch_add(leaf.variants * self.realms[realm].leader_sets, Relaxed);
        let slowest = if improve { None } else { lock(&self.best).slowest() };
        let unfair = self.realms[realm].unfair;
        let Some(pace) = Pace::of(realm, leaf, unfair, timers, slowest.as_ref()) else { return };
        if improve {
            let improved = improved(&self.realms[realm], realm, timers, pace.clone());
            lock(&self.best).add(improved);
        }
        lock(&self.best).add(pace);
    }
}
