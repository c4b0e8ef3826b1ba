//! Random protocols that hold for n = 3 to 6: how many are proved for every n, refuted at a larger n, and undecided.
//!
//!     cargo bench -p ringleader-prove --bench random -- --count 1000
//!
//! The protocols of a model are those of the seeds 0, 1, 2, ... that hold for n = 3 to 6 and have a configuration that is not safe.
//!
//! | option | meaning | without it |
//! | --- | --- | --- |
//! | `--count N` | protocols per model | 100 |
//! | `--attempts N` | the attempts of a search, which end at the same place on every machine | 1 |
//! | `--seconds S` | the budget of a search, wall-clock time | 60 |
//! | `--model NAME` | only this model: population, ring, line, complete | all |
//! | `--seed N` | only this seed | all |
//! | `--threads N` | protocols at the same time | 1 |
//! | `--list` | also every protocol with its result: for an undecided one the configuration or step that is open | a table only |

#[path = "../../../verify/tests/suite/brute.rs"]
#[allow(dead_code)]
mod brute;
#[path = "../../../verify/tests/suite/choices.rs"]
#[allow(dead_code)]
mod choices;
#[path = "../../../verify/tests/suite/dice.rs"]
#[allow(dead_code)]
mod dice;
mod protocols;
#[path = "../../../verify/tests/suite/quick.rs"]
#[allow(dead_code)]
mod quick;

use protocols::{Model, Protocol};
use ringleader_prove::{Options, Outcome, Remainder, prove, prove_complete};
use ringleader_verify::{Scheduler, Sizes};
use std::collections::BTreeMap;
use std::fmt;
use std::ops::RangeInclusive;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// The protocols of the suite hold at all sizes from `LEAST` to `MOST`.
const LEAST: usize = 3;
const MOST: usize = 6;

/// The end of a search, without the certificate.
enum End {
    Proved,
    Refuted(usize),
    /// Why it is undecided.
    Undecided(String),
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            End::Proved => write!(f, "proved"),
            End::Refuted(size) => write!(f, "refuted at n = {size}"),
            End::Undecided(why) => write!(f, "undecided, {why}"),
        }
    }
}

fn end<P>(outcome: Outcome<P>) -> End {
    match outcome {
        Outcome::Proved(_) => End::Proved,
        Outcome::Refuted(refutation) => End::Refuted(refutation.size),
        Outcome::NotProved(Remainder { solved, of, spent, open, .. }) => {
            let why = if spent { "the budget is used up" } else { "all attempts failed" };
            let open = open.map_or(String::new(), |open| match open.after {
                Some(after) => format!(", open: {:?} -> {after:?}", open.before),
                None => format!(", open: {:?}", open.before),
            });
            End::Undecided(format!("{why}, {solved} of {of} solved{open}"))
        }
        Outcome::SafeSetNotFound(why) => End::Undecided(format!("no safe set was found: {why:?}")),
        Outcome::NothingLasts(_) | Outcome::HintsRejected(_) | Outcome::ArcsFail(_) => {
            unreachable!("neither lies, hints nor local fairness")
        }
    }
}

/// Whether a protocol belongs to the suite: some configuration is not safe, and the claim holds at the small sizes. On complete graphs
/// the search itself examines the small sizes.
fn belongs(model: Model, Protocol { rules, scheduler, .. }: &Protocol) -> bool {
    let all = rules.states.len().pow(LEAST as u32);
    let holds = |n| model == Model::Complete || quick::holds(rules, n, *scheduler);
    quick::Ring::new(rules, LEAST).safe_words().len() < all && (LEAST..=MOST).all(holds)
}

/// The end of the search for a proof, and its time. `None` if the claim fails at a small size.
fn decide(model: Model, protocol: &Protocol, options: &Options) -> Option<(End, Duration)> {
    let Protocol { rules, scheduler, .. } = protocol;
    let begun = Instant::now();
    let end = match model {
        Model::Complete => end(prove_complete("random", rules, LEAST, *scheduler, options).expect("a table")),
        _ => end(prove("random", rules, &Sizes::from(LEAST), *scheduler, options).expect("a table")),
    };
    (!matches!(end, End::Refuted(..=MOST))).then(|| (end, begun.elapsed()))
}

/// The numbers of protocols by result, and the time for each result.
#[derive(Default)]
struct Tally {
    proved: (usize, Duration),
    refuted: (usize, Duration),
    undecided: (usize, Duration),
}

impl Tally {
    fn add(&mut self, end: &End, time: Duration) {
        let cell = match end {
            End::Proved => &mut self.proved,
            End::Refuted(_) => &mut self.refuted,
            End::Undecided(_) => &mut self.undecided,
        };
        *cell = (cell.0 + 1, cell.1 + time);
    }

    fn line(&self, model: &str, scheduler: Scheduler) {
        let scheduler = if scheduler == Scheduler::Unfair { "unfair" } else { "globally fair" };
        let all = self.proved.0 + self.refuted.0 + self.undecided.0;
        let cell = |(count, time): (usize, Duration)| {
            format!("{count} ({:.1} %), {:.0} s", 100.0 * count as f64 / all.max(1) as f64, time.as_secs_f64())
        };
        let [proved, refuted, undecided] = [self.proved, self.refuted, self.undecided].map(cell);
        println!("| {model} | {scheduler} | {all} | {proved} | {refuted} | {undecided} |");
    }
}

/// The value after a flag, if the flag is given.
fn value<T: std::str::FromStr>(flag: &str) -> Option<T> {
    let given = std::env::args().skip_while(|argument| argument != flag).nth(1)?;
    Some(given.parse().unwrap_or_else(|_| panic!("{flag} needs a value of another form than `{given}`")))
}

fn main() {
    // `cargo test --all-targets` runs benchmarks without `--bench`: then one protocol of each model shows that the suite works.
    let measured = std::env::args().any(|argument| argument == "--bench");
    let count = value("--count").unwrap_or(if measured { 100 } else { 1 });
    let budget = Duration::from_secs_f64(value("--seconds").unwrap_or(60.0));
    let attempts = value("--attempts").unwrap_or(1);
    let (only, seed) = (value::<String>("--model"), value::<u64>("--seed"));
    let list = std::env::args().any(|argument| argument == "--list");
    println!("| model | scheduler | protocols | proved | refuted at a larger n | undecided |");
    println!("| --- | --- | --- | --- | --- | --- |");
    let threads = value("--threads").unwrap_or(1);
    for (name, model) in Model::ALL.into_iter().filter(|(name, _)| only.as_ref().is_none_or(|only| only == name)) {
        let examine = |seed: u64| {
            let options = Options { budget, attempts, families: false, ..Options::seconds(0) };
            let protocol = Protocol::new(model, seed);
            let (end, time) = belongs(model, &protocol).then(|| decide(model, &protocol, &options)).flatten()?;
            if list {
                eprintln!("{name} {} {:?} {:.2} s: {end}", protocol.seed, protocol.scheduler, time.as_secs_f64());
            }
            Some((protocol.scheduler, end, time))
        };
        let mut tallies = [Tally::default(), Tally::default()];
        for (scheduler, end, time) in first(count, seed.map_or(0..=u64::MAX, |seed| seed..=seed), threads, examine) {
            tallies[usize::from(scheduler == Scheduler::Unfair)].add(&end, time);
        }
        tallies[0].line(name, Scheduler::GloballyFair);
        tallies[1].line(name, Scheduler::Unfair);
    }
}

/// The first results in the order of the seeds, the same for every number of threads.
fn first<T: Send>(
    count: usize,
    seeds: RangeInclusive<u64>,
    threads: usize,
    examine: impl Fn(u64) -> Option<T> + Sync,
) -> Vec<T> {
    let (seeds, found) = (Mutex::new(seeds), Mutex::new(BTreeMap::new()));
    let next = || if found.lock().unwrap().len() < count { seeds.lock().unwrap().next() } else { None };
    let work = || {
        while let Some(seed) = next() {
            let result = examine(seed);
            found.lock().unwrap().extend(result.map(|result| (seed, result)));
        }
    };
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    found.into_inner().unwrap().into_values().take(count).collect()
}
