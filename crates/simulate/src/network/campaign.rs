//! Many runs of one algorithm, each of its own random scenario.

use crate::network::{Adversary, Contents, Fault, Link, Overwrite, Scenario, Settlement, System};
use crate::{Generator, TimedAlgorithm};
use ringleader_model::{Coin, Timing};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Where the networks come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Random instances of a system.
    System(System),
    /// An adversary's network.
    Adversary(Adversary),
}

/// What to run. Run `i` depends on nothing but the campaign, its seed and `i`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Campaign {
    /// Where the networks come from.
    pub source: Source,
    /// How many processes crash.
    pub crashes: usize,
    /// How many of those that crash come back, in arbitrary states, 20 to 40 δ later.
    pub restarts: usize,
    /// Whether the network is split in two for 20 δ.
    pub partition: bool,
    /// Whether all links that will be timely are so only after 20 δ.
    pub eventually: bool,
    /// What variables and links hold at the start; `None` for the adversary's own, or arbitrary.
    pub start: Option<Contents>,
    /// How long a run may take to settle, in δ after the last fault; `None` for the derived horizon.
    pub horizon: Option<u64>,
    /// The seed.
    pub seed: u64,
}

/// In δ: when links become timely that are so only eventually.
const EVENTUALLY: u64 = 20;

impl Campaign {
    /// Random instances of a system, from arbitrary states, without crashes.
    pub fn new(source: Source, seed: u64) -> Campaign {
        Campaign {
            source,
            crashes: 0,
            restarts: 0,
            partition: false,
            eventually: false,
            start: None,
            horizon: None,
            seed,
        }
    }

    /// The network of a run.
    pub fn scenario(&self, size: usize, timing: Timing, coin: &mut Generator) -> Scenario {
        let mut scenario = match self.source {
            Source::System(system) => system.instance(size, self.crashes, timing, coin),
            Source::Adversary(adversary) => adversary.scenario(size, timing).unwrap_or_else(|| Scenario::benign(size)),
        };
        let crashed: Vec<usize> = (0..size).filter(|&p| !scenario.survivors()[p]).collect();
        for &p in crashed.iter().take(self.restarts) {
            scenario.befall(coin.between(20, 40) * timing.delta, Fault::Restart(p));
        }
        if self.partition {
            let side = (0..size).map(|_| coin.below(2) == 1).collect();
            scenario.befall(40 * timing.delta, Fault::Partition(side));
            scenario.befall(60 * timing.delta, Fault::Heal);
        }
        if self.eventually {
            let from = EVENTUALLY * timing.delta;
            for link in scenario.links.iter_mut().filter(|link| link.timely()) {
                *link = Link::eventually_timely(from);
            }
        }
        scenario.start = self.start.unwrap_or(scenario.start);
        scenario
    }

    /// One run.
    pub fn run(&self, algorithm: &dyn TimedAlgorithm, index: u64) -> Settlement {
        let horizon = self.horizon_in_deltas(algorithm).saturating_mul(algorithm.timing().delta);
        let (scenario, coin) = self.begin(algorithm, index);
        algorithm.settle(&scenario, &self.overwritten(algorithm.size()), coin, horizon)
    }

    /// How many directed links carry messages in each of the first `stretches` of a run, `length` δ each.
    pub fn links_over_time(
        &self,
        algorithm: &dyn TimedAlgorithm,
        index: u64,
        length: u64,
        stretches: u64,
    ) -> Vec<usize> {
        let length = length * algorithm.timing().delta;
        let ends: Vec<u64> = (1..=stretches).map(|i| i * length).collect();
        let (scenario, coin) = self.begin(algorithm, index);
        algorithm.links_used(&scenario, &self.overwritten(algorithm.size()), coin, &ends)
    }

    /// The network of a run, and the rest of its randomness.
    fn begin(&self, algorithm: &dyn TimedAlgorithm, index: u64) -> (Scenario, Generator) {
        let mut coin = Generator::stream(self.seed, index);
        (self.scenario(algorithm.size(), algorithm.timing(), &mut coin), coin)
    }

    /// What the adversary sets variables to at the start.
    fn overwritten(&self, size: usize) -> Vec<Overwrite> {
        match self.source {
            Source::Adversary(adversary) => adversary.overwrites(size),
            Source::System(_) => vec![],
        }
    }

    /// How long a run may take to settle, in δ after the last fault and after links have become timely.
    pub fn horizon_in_deltas(&self, algorithm: &dyn TimedAlgorithm) -> u64 {
        let late = if self.eventually { EVENTUALLY } else { 0 };
        let derived = || algorithm.horizon().div_ceil(algorithm.timing().delta).saturating_add(late);
        self.horizon.unwrap_or_else(derived)
    }

    /// Runs `0..runs` on so many threads, in the order of their numbers whatever the threads do. `done` hears how many are
    /// finished and says whether to go on; if it does not, what is missing is missing at the end.
    pub fn all(
        &self,
        algorithm: &dyn TimedAlgorithm,
        runs: u64,
        threads: usize,
        done: &(dyn Fn(u64) -> bool + Sync),
    ) -> Vec<(u64, Settlement)> {
        let (next, finished, stop) = (AtomicU64::new(0), AtomicU64::new(0), AtomicBool::new(false));
        let outcomes = Mutex::new(vec![]);
        let threads = (threads as u64).clamp(1, runs.max(1));
        let work = || loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= runs || stop.load(Ordering::Relaxed) {
                return;
            }
            let outcome = self.run(algorithm, index);
            outcomes.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push((index, outcome));
            if !done(finished.fetch_add(1, Ordering::Relaxed) + 1) {
                stop.store(true, Ordering::Relaxed);
            }
        };
        std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
        let mut outcomes = outcomes.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
        outcomes.sort_by_key(|(index, _)| *index);
        let whole = outcomes.iter().zip(0..).take_while(|((index, _), expected)| index == expected).count();
        outcomes.truncate(whole);
        outcomes
    }
}
