//! Many runs of one algorithm, each of its own random scenario.

use crate::network::{Adversary, Contents, Fault, Link, Overwrite, Scenario, Settlement, SystemClass};
use crate::{Generator, Refused, TimedAlgorithm, in_parallel};
use ringleader_model::{Coin, Timing};
use std::sync::atomic::AtomicBool;

/// The source of the networks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display)]
pub enum Source {
    /// Random instances of a system.
    #[strum(to_string = "{0}")]
    System(SystemClass),
    /// An adversary's network.
    #[strum(to_string = "{0}")]
    Adversary(Adversary),
}

/// The description of many runs. Run `i` depends only on the campaign, its seed and `i`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Campaign {
    /// The source of the networks.
    pub source: Source,
    /// The number of processes that crash.
    pub crashes: usize,
    /// The number of crashed processes that restart, in arbitrary states, 20 to 40 δ later.
    pub restarts: usize,
    /// Whether the network is split in two for 20 δ.
    pub partition: bool,
    /// Whether all timely links become timely only after 20 δ.
    pub eventually: bool,
    /// The contents of variables and links at the start; `None` for the adversary's own, or arbitrary.
    pub start: Option<Contents>,
    /// The longest time to settle, in δ after the last fault; `None` for the derived horizon.
    pub horizon: Option<u64>,
    /// The seed.
    pub seed: u64,
}

/// The least number of processes for an adversary.
fn least(adversary: Adversary) -> usize {
    if adversary == Adversary::Isolated { 2 } else { 3 }
}

/// In δ: the time from which eventually timely links are timely.
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

    /// Refuses a number of processes that the campaign does not allow.
    pub fn check(&self, size: usize) -> Result<(), Refused> {
        let Campaign { crashes, restarts, .. } = *self;
        Err(Refused(match self.source {
            _ if crashes >= size => format!("crash {crashes}: at least one of {size} processes must survive"),
            _ if restarts > crashes => format!("restart {restarts}: only {crashes} processes crash"),
            Source::Adversary(adversary) if size < least(adversary) || crashes > 0 => {
                let least = least(adversary);
                format!("adversary {adversary} needs at least {least} processes, and takes no crashes")
            }
            _ => return Ok(()),
        }))
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

    /// The number of directed links that carry messages in each of the first `stretches` of a run, `length` δ each.
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

    /// The longest time to settle, in δ after the last fault and after links have become timely.
    pub fn horizon_in_deltas(&self, algorithm: &dyn TimedAlgorithm) -> u64 {
        let late = if self.eventually { EVENTUALLY } else { 0 };
        let derived = || algorithm.horizon().div_ceil(algorithm.timing().delta).saturating_add(late);
        self.horizon.unwrap_or_else(derived)
    }

    /// Does the runs `0..runs` and returns them in the order of their numbers. `done` is called with the number of finished
    /// runs and returns whether to go on; if it does not, the result is a shorter beginning.
    pub fn all(
        &self,
        algorithm: &dyn TimedAlgorithm,
        runs: u64,
        threads: usize,
        mut done: impl FnMut(u64) -> bool,
    ) -> Vec<(u64, Settlement)> {
        let (mut finished, mut outcomes) = (0, vec![]);
        in_parallel(
            runs as usize,
            threads,
            &AtomicBool::new(false),
            |index| self.run(algorithm, index as u64),
            |index, outcome| {
                outcomes.push((index as u64, outcome));
                finished += 1;
                done(finished)
            },
        );
        outcomes.sort_by_key(|(index, _)| *index);
        let whole = outcomes.iter().zip(0..).take_while(|((index, _), expected)| index == expected).count();
        outcomes.truncate(whole);
        outcomes
    }
}
