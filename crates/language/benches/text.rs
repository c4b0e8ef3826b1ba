//! The cost of protocols in text: processor time of simulations, checks and steps of built-in algorithms and of their
//! text twins.
//!
//! `cargo bench -p ringleader-language`, or only some: `-- "n = 16" check`

use ringleader_algorithms::population::{
    angluin_ring::AngluinRing, fischer_jiang_ring::FischerJiangRing, yokota_ring::YokotaRing,
};
use ringleader_check::{Monitor, Question};
use ringleader_erased::{Number, Parameters, PopulationInstance};
use ringleader_language::{Diagnostics, Instance, Protocol, Source};
use ringleader_model::{Coin, Graph, Scheduler};
use ringleader_simulate::{Arena, Elections, Faults, KernelChoice, Limits, Oracle, run_generator};
use std::sync::atomic::AtomicBool;

fn text(name: &str, parameters: &Parameters) -> PopulationInstance {
    let path = format!("{}/tests/twins/{name}.ring", env!("CARGO_MANIFEST_DIR"));
    let protocol = Source::parse(&path, &std::fs::read_to_string(&path).expect("a twin")).expect("it is right");
    match protocol.instance(parameters) {
        Ok(Instance::Population(instance)) => instance,
        other => panic!("{other:?}"),
    }
}

/// The processor time of all threads of this process so far, in seconds.
fn used() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("Linux");
    let after = stat.rsplit(')').next().unwrap_or("");
    let fields: Vec<&str> = after.split_whitespace().collect();
    fields[11..13].iter().map(|ticks| ticks.parse::<f64>().unwrap_or(0.0) / 100.0).sum()
}

/// Processor seconds, the median of several turns; the two versions alternate. Runs only benchmarks whose names match.
fn compare(what: &str, mut a: impl FnMut(), mut b: impl FnMut()) {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|part| !part.starts_with('-')).collect();
    if !wanted.is_empty() && !wanted.iter().any(|part| what.contains(part)) {
        return;
    }
    let time = |run: &mut dyn FnMut()| {
        // The clock has a resolution of 10 ms: measurements below 0.1 s are too coarse.
        let (start, mut times) = (used(), 0);
        while times < 3 || used() - start < 0.2 {
            run();
            times += 1;
        }
        (used() - start) / f64::from(times)
    };
    let mut pairs: Vec<(f64, f64)> = (0..5).map(|_| (time(&mut a), time(&mut b))).collect();
    pairs.sort_by(|x, y| (x.1 / x.0).total_cmp(&(y.1 / y.0)));
    let (a, b) = pairs[pairs.len() / 2];
    println!("{what}: {a:.4} s and {b:.4} s, {:.2} times", b / a);
}

fn checked(instance: &PopulationInstance, n: usize) {
    let graph = Graph::directed_ring(n).expect("a ring");
    let report = ringleader_check::population(instance, &graph, &Question::new(Scheduler::Random), &Monitor::new(1))
        .expect("checked");
    assert!(report.holds);
}

/// Whole elections on a ring, including compilation.
fn elected(instance: &PopulationInstance, n: usize, runs: u64, choice: KernelChoice) {
    let arena = Arena::of(&Graph::directed_ring(n).expect("a ring"));
    let elections = Elections::population(instance.clone(), arena, choice, Oracle::Perfect).expect("it runs");
    let stop = AtomicBool::new(false);
    for run in 0..runs {
        let limits = Limits { steps: u64::MAX, stop: &stop };
        let _ = elections.run(Faults::default(), limits, run_generator(1, n, run));
    }
}

/// Simulations with the kernel that `auto` chooses, and with a table where `auto` chooses none.
fn simulations() {
    let table = KernelChoice::Table;
    let yokota = |n: usize, runs: u64, choice: KernelChoice| {
        let (a, b) = (YokotaRing { bound: n as u32 }, text("yokota-ring", &Parameters::new(n)));
        let a = PopulationInstance::new(a).expect("small");
        let what = format!("simulate yokota-ring n = {n}, {runs} runs, {choice}");
        compare(&what, || elected(&a, n, runs, choice), || elected(&b, n, runs, choice));
    };
    yokota(8, 50_000, KernelChoice::Auto);
    yokota(16, 20_000, KernelChoice::Auto);
    yokota(20, 10_000, KernelChoice::Auto);
    yokota(64, 1000, table);
    yokota(64, 1000, KernelChoice::Auto);
    let a = PopulationInstance::new(FischerJiangRing).expect("small");
    let b = text("fischer-jiang-ring", &Parameters::new(64));
    compare(
        "simulate fischer-jiang-ring n = 64, table",
        || elected(&a, 64, 500, table),
        || elected(&b, 64, 500, table),
    );
    let a = PopulationInstance::new(AngluinRing { modulus: 2 }).expect("small");
    let b = text("angluin-ring", &Parameters::new(31));
    compare("simulate angluin-ring n = 31, table", || elected(&a, 31, 500, table), || elected(&b, 31, 500, table));
}

struct Cheap(u64);

impl Coin for Cheap {
    fn below(&mut self, n: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % u64::from(n)) as u32
    }
}

/// A million arcs of a ring.
fn arcs(n: u32) -> Vec<(u32, u32)> {
    let mut coin = Cheap(1);
    let arc = |l: u32| (l, (l + 1) % n);
    (0..1 << 20).map(|_| arc(coin.below(n))).collect()
}

/// A million steps without a table.
fn steps(instance: &PopulationInstance, arcs: &[(u32, u32)], n: usize) {
    let mut agents = instance.agents(&vec![Number(0); n]);
    let mut leaders = 0;
    agents.meet_all(arcs, &mut leaders, &mut Cheap(1));
}

/// The evaluation of every configuration.
fn judged(instance: &PopulationInstance, n: usize) {
    let (mut judge, mut digits) = (instance.judge(n).expect("few states"), vec![0u32; n]);
    let mut safe = 0;
    loop {
        safe += u64::from(judge.judge(&digits).safe);
        let Some(at) = digits.iter().position(|d| u64::from(*d) + 1 < instance.states()) else { break };
        digits[at] += 1;
        digits[..at].fill(0);
    }
    assert!(safe > 0);
}

fn main() {
    simulations();
    let six = Parameters::new(6);
    compare(
        "check fischer-jiang-ring n = 6",
        || checked(&PopulationInstance::new(FischerJiangRing).expect("small"), 6),
        || checked(&text("fischer-jiang-ring", &six), 6),
    );
    let three = Parameters::new(3);
    compare(
        "check yokota-ring n = N = 3",
        || checked(&PopulationInstance::new(YokotaRing { bound: 3 }).expect("small"), 3),
        || checked(&text("yokota-ring", &three), 3),
    );
    let (a, b) = (PopulationInstance::new(YokotaRing { bound: 3 }).expect("small"), text("yokota-ring", &three));
    compare("verdicts of yokota-ring n = N = 3", || judged(&a, 3), || judged(&b, 3));
    let source = include_str!("../tests/twins/yokota-ring.ring");
    let read =
        |how: fn(&str, &str) -> Result<Protocol, Diagnostics>| (0..100).for_each(|_| drop(how("yokota-ring", source)));
    compare("reading yokota-ring 100 times, tried and known", || read(Source::parse), || read(Source::known));
    let thousand = Parameters::new(1000);
    let arcs = arcs(1000);
    let (a, b) = (PopulationInstance::new(FischerJiangRing).expect("small"), text("fischer-jiang-ring", &thousand));
    compare("steps of fischer-jiang-ring n = 1000", || steps(&a, &arcs, 1000), || steps(&b, &arcs, 1000));
    let (a, b) = (PopulationInstance::new(YokotaRing { bound: 1000 }).expect("small"), text("yokota-ring", &thousand));
    compare("steps of yokota-ring n = N = 1000", || steps(&a, &arcs, 1000), || steps(&b, &arcs, 1000));
}
