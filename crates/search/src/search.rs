//! The search: several threads, a budget, and the fastest of what they find.

use crate::best::{Best, Pace};
use crate::family::{BadFamily, Family};
use crate::improve::improved;
use crate::outlook::Prospect;
use crate::walk::{Leaf, Limits, Realm, Walk};
use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// How much to search, and with what.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// How many of the fastest protocols to keep.
    pub keep: usize,
    /// Whether to leave out what is slower than all of these, and to improve on what is found; then the others are not counted.
    pub fastest: bool,
    /// How long to search; as long as it takes if absent.
    pub budget: Option<Duration>,
    /// How many threads.
    pub threads: usize,
    /// How many bytes of memory may be used.
    pub memory: u64,
}

impl Default for Options {
    /// The ten fastest, however long it takes, one thread for each core, 1 GiB.
    fn default() -> Options {
        let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
        Options { keep: 10, fastest: false, budget: None, threads, memory: 1 << 30 }
    }
}

/// Shared between a search and whoever waits for it.
#[derive(Debug, Default)]
pub struct Control {
    stop: AtomicBool,
    looked_at: AtomicU64,
    protocols: AtomicU64,
    /// In parts of [`Control::WHOLE`].
    share: AtomicU64,
    deciding: AtomicU64,
}

impl Control {
    const WHOLE: f64 = (1u64 << 62) as f64;

    /// Asks the search to stop soon, and to tell what it has found.
    pub fn stop(&self) {
        self.stop.store(true, Relaxed);
    }

    /// Which part of the tree of all tables has been searched, from 0 to 1.
    pub fn share(&self) -> f64 {
        (self.share.load(Relaxed) as f64 / Control::WHOLE).min(1.0)
    }

    /// How many tables, decided in part or whole, have been looked at.
    pub fn looked_at(&self) -> u64 {
        self.looked_at.load(Relaxed)
    }

    /// How many protocols have been found, up to renaming.
    pub fn protocols(&self) -> u64 {
        self.protocols.load(Relaxed)
    }

    /// Of how many of those that were kept the exact times are known.
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

/// What was counted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Counts {
    /// Protocols that keep the promise, up to renaming of states.
    pub protocols: u64,
    /// Pairs of a table and a set of leader states that do: each protocol under every choice of names.
    pub named: u64,
    /// How many tables, decided in part or whole, were looked at.
    pub looked_at: u64,
    /// Which part of the tree of all tables was searched: 1 if all of it.
    pub share: f64,
    /// Whether all of it was searched.
    pub complete: bool,
    /// Whether what could not be among the fastest was left out: then the numbers of protocols mean little.
    pub fastest_only: bool,
}

/// How many tables a thread looks at before it takes up another part of the tree.
const STRETCH: u64 = 1 << 12;
/// So many parts of the tree are searched in turns, so that a search that ends early has been everywhere.
const PARTS: usize = 256;

/// Searches, and gives what was counted and the fastest, by floating point.
pub(crate) fn search(
    family: &Family,
    options: &Options,
    control: &Control,
) -> Result<(Vec<Realm>, Counts, Vec<Pace>), BadFamily> {
    family.check(options.memory)?;
    let realms: Vec<Realm> = family.leader_counts().iter().map(|&leaders| Realm::new(family, leaders)).collect();
    let share = 1.0 / realms.len() as f64;
    let walks = realms.iter().enumerate().map(|(realm, of)| (realm, Walk::new(of, share))).collect();
    let crew = Crew {
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

/// What the threads share.
struct Crew<'a> {
    realms: &'a [Realm],
    walks: Mutex<VecDeque<(usize, Walk)>>,
    /// How many walks are under way.
    at_work: AtomicU64,
    best: Mutex<Best>,
    fastest: bool,
    named: AtomicU64,
    control: &'a Control,
    end: Option<Instant>,
}

/// What a thread does next.
enum Next {
    /// It goes on with a walk of this realm.
    Walk(usize, Walk),
    /// It waits for others to give away a part of theirs.
    Wait,
    /// There is nothing left.
    Done,
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

impl Crew<'_> {
    fn work(&self) {
        let mut prospects: Vec<Vec<Prospect<'_>>> = self.realms.iter().map(Realm::prospects).collect();
        let mut timers: Vec<Vec<Prospect<'_>>> = self.realms.iter().map(Realm::prospects).collect();
        let mut turn = 0;
        while !self.control.stopped() && self.end.is_none_or(|end| Instant::now() < end) {
            let (realm, mut walk) = match self.take() {
                Next::Walk(realm, walk) => (realm, walk),
                Next::Done => break,
                Next::Wait => {
                    std::thread::sleep(Duration::from_millis(1));
                    continue;
                }
            };
            turn += 1;
            let mut improve = self.fastest;
            let mut found = |leaf: Leaf<'_>| self.keep(realm, &mut timers[realm], &leaf, std::mem::take(&mut improve));
            let stretch = walk.go(&self.realms[realm], &mut prospects[realm], self.limits(turn), &mut found);
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

    /// What is too slow is left out; but every other time not, to find what can be made faster.
    fn limits(&self, turn: u64) -> Limits {
        let slowest = if self.fastest && turn % 2 == 1 { lock(&self.best).slowest() } else { None };
        Limits { looks: STRETCH, steps: slowest.map(|slowest| slowest.at_largest_size() * (1.0 + 1e-9)) }
    }

    fn take(&self) -> Next {
        let mut walks = lock(&self.walks);
        match walks.pop_front() {
            Some((realm, walk)) => {
                self.at_work.fetch_add(1, Relaxed);
                Next::Walk(realm, walk)
            }
            None if self.at_work.load(Relaxed) == 0 => Next::Done,
            None => Next::Wait,
        }
    }

    /// Counts a protocol and keeps it if it is among the fastest; if it is to be improved, what it becomes.
    fn keep(&self, realm: usize, timers: &mut [Prospect<'_>], leaf: &Leaf<'_>, improve: bool) {
        self.control.protocols.fetch_add(1, Relaxed);
        self.named.fetch_add(leaf.alike * self.realms[realm].leader_sets(), Relaxed);
        let slowest = if improve { None } else { lock(&self.best).slowest() };
        let unfair = self.realms[realm].is_unfair();
        let Some(pace) = Pace::of(realm, leaf, unfair, timers, slowest.as_ref()) else { return };
        if improve {
            let improved = improved(&self.realms[realm], realm, timers, pace.clone());
            lock(&self.best).add(improved);
        }
        lock(&self.best).add(pace);
    }
}
