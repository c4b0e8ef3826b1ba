//! The elections of one setting: held on all cores, in parts, and continued where an earlier call ended.

use crate::parallel::keyed_generator;
use crate::{Election, Elections, End, Faults, Generator, Limits, Shard, in_parallel};
use std::sync::atomic::AtomicBool;

/// The result of one election.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct RunRecord {
    /// The number of its setting.
    pub point: usize,
    /// Its number among the runs of the setting.
    pub run: u64,
    /// Whether it reached its goal.
    pub reached: bool,
    /// The steps until the goal or the limit.
    pub steps: u64,
    /// The steps until an output changed for the last time, if agents show an output.
    pub last_output_change: Option<u64>,
    /// The number of messages sent.
    pub messages: Option<u64>,
    /// The number of rounds; of processes, only if they were counted.
    pub rounds: Option<u64>,
    /// The number of moves, if they were counted.
    pub moves: Option<u64>,
    /// The steps of each recovery.
    pub recoveries: Vec<u64>,
    /// The steps after which a recovery hit the limit.
    pub unhealed: Option<u64>,
    /// Its processor time in seconds, which differs from call to call.
    pub cpu: Option<f64>,
}

impl RunRecord {
    /// Whether neither the run nor a recovery hit the limit.
    #[must_use]
    pub fn whole(&self) -> bool {
        self.reached && self.unhealed.is_none()
    }
}

/// An election by messages, given its limits and its randomness.
type ByMessages<'a> = dyn Fn(Limits<'_>, Generator) -> Option<RunRecord> + Sync + 'a;

/// One setting of an algorithm of any model, ready to elect.
pub enum Contest<'a> {
    /// A population protocol or a ring algorithm.
    Stabilizing(Box<Elections>),
    /// An algorithm that passes messages; no faults hit its runs.
    Messages(Box<ByMessages<'a>>),
}

impl From<Elections> for Contest<'_> {
    fn from(elections: Elections) -> Self {
        Contest::Stabilizing(Box::new(elections))
    }
}

impl Contest<'_> {
    /// Holds one election; `None` if it was interrupted.
    pub fn elect(&self, faults: Faults, limits: Limits<'_>, coin: Generator) -> Option<RunRecord> {
        match self {
            Contest::Stabilizing(elections) => {
                let Election { end, last_output_change, counted, recoveries, unhealed } =
                    elections.run(faults, limits, coin);
                let (reached, steps) = match end {
                    End::Reached(steps) => (true, steps),
                    End::Limit(steps) | End::Stuck(steps) => (false, steps),
                    End::Interrupted => return None,
                };
                Some(RunRecord {
                    reached,
                    steps,
                    last_output_change: Some(last_output_change)
                        .filter(|&steps| reached && (steps > 0 || elections.have_outputs())),
                    rounds: counted.map(|counted| counted.rounds),
                    moves: counted.map(|counted| counted.moves),
                    recoveries,
                    unhealed,
                    ..RunRecord::default()
                })
            }
            Contest::Messages(elect) => elect(limits, coin),
        }
    }

    /// The kernel, in words.
    pub fn means(&self) -> String {
        match self {
            Contest::Stabilizing(elections) => elections.means(),
            Contest::Messages(_) => "messages, one choice at a time".into(),
        }
    }
}

/// The elections of one setting. A run depends only on the seed, the size, the value that varies and its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ElectionSeries {
    /// The seed of everything random.
    pub seed: u64,
    /// The number of agents.
    pub size: usize,
    /// The value that varies from setting to setting: the size, or at one size a parameter.
    pub x: usize,
    /// The total number of runs.
    pub runs: u64,
    /// The part of the runs that is held here.
    pub shard: Shard,
    /// The number of threads.
    pub threads: usize,
}

impl ElectionSeries {
    /// All runs of a size, on all cores.
    pub fn new(seed: u64, size: usize, runs: u64) -> ElectionSeries {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        ElectionSeries { seed, size, x: size, runs, shard: Shard::ALL, threads }
    }

    /// The generator of one run.
    pub fn generator(&self, run: u64) -> Generator {
        // The values of a parameter that varies at one size must not share their randomness.
        let (size, x) = (self.size as u64, self.x as u64);
        keyed_generator(self.seed, if x == size { size } else { size ^ (x << 32) }, run)
    }

    /// Holds the runs whose numbers are not `done`, and calls `each` on this thread with every number and result as it comes. Stops early
    /// once `stop` is raised or `each` returns `false`.
    pub fn hold<T: Send>(
        &self,
        done: impl IntoIterator<Item = u64>,
        stop: &AtomicBool,
        elect: impl Fn(Generator) -> T + Sync,
        mut each: impl FnMut(u64, T) -> bool,
    ) {
        let mut done: Vec<u64> = done.into_iter().filter_map(|run| self.shard.place(run)).collect();
        done.sort_unstable();
        done.dedup();
        let left = self.shard.share(self.runs).saturating_sub(done.len() as u64) as usize;
        let number = |i: usize| self.shard.run(missing(&done, i as u64));
        in_parallel(
            left,
            self.threads,
            stop,
            |i| elect(self.generator(number(i))),
            |i, result| each(number(i), result),
        );
    }
}

/// The `i`-th number, from 0, that is not in the sorted `done`.
fn missing(done: &[u64], i: u64) -> u64 {
    let (mut low, mut high) = (0, done.len());
    while low < high {
        let middle = (low + high) / 2;
        if done[middle] - middle as u64 <= i {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    i + low as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_is_done_is_not_held_again() {
        for done in [&[][..], &[0], &[3], &[0, 1, 2], &[1, 4, 5, 9]] {
            let left = (0..20).filter(|run| !done.contains(run));
            assert!(left.enumerate().all(|(i, run)| missing(done, i as u64) == run), "{done:?}");
        }
    }

    #[test]
    fn every_run_is_held_once_in_shards_and_after_an_interruption() {
        let whole = ElectionSeries { threads: 2, ..ElectionSeries::new(7, 5, 20) };
        let held = |series: ElectionSeries, done: &[u64]| {
            let mut held = vec![];
            let push = |run, word| {
                held.push((run, word));
                true
            };
            series.hold(done.iter().copied(), &AtomicBool::new(false), |mut coin| coin.word(), push);
            held.sort_unstable();
            held
        };
        let expected: Vec<_> = (0..20).map(|run| (run, whole.generator(run).word())).collect();
        assert_eq!(held(whole, &[]), expected);
        assert_eq!(held(whole, &[3, 0, 19, 3]), [&expected[1..3], &expected[4..19]].concat());
        let shard = |text: &str| ElectionSeries { shard: text.parse().unwrap(), ..whole };
        let mut parts = [held(shard("1/3"), &[]), held(shard("2/3"), &[1, 2]), held(shard("3/3"), &[])].concat();
        parts.sort_unstable();
        assert_eq!(parts, [&expected[..1], &expected[2..]].concat());
        assert_ne!(ElectionSeries { x: 9, ..whole }.generator(0).word(), expected[0].1);
    }
}
