//! Whole elections on the fast kernels against the plain engines, in distribution: enough runs to see a bias of two per cent, and of one with
//! `RINGLEADER_THOROUGH`.

use ringleader_algorithms::population::{
    angluin_ring::AngluinRing, fischer_jiang_complete::FischerJiangComplete, fischer_jiang_ring::FischerJiangRing,
    ring_orientation::RingOrientation, token_circulation::TokenCirculation,
};
use ringleader_algorithms::ring::{burns_pachl::BurnsPachl, fich_johnen::FichJohnen};
use ringleader_erased::{PopulationInstance, RingInstance};
use ringleader_model::{Graph, Population, Ring, Scheduler, Stabilizing, corrupt};
use ringleader_simulate::plain::{SimulatedRun, StabilizingRun};
use ringleader_simulate::{Arena, Elections, End, Faults, Generator, KernelChoice, Limits, Oracle};
use ringleader_testkit::cases;
use std::sync::atomic::AtomicBool;

static NEVER: AtomicBool = AtomicBool::new(false);
const LIMITS: Limits<'static> = Limits { steps: u64::MAX, stop: &NEVER };

/// The least bias that these tests see.
fn bias() -> f64 {
    0.01 * cases(2, 1) as f64
}

fn mean_and_variance(samples: &[u64]) -> (f64, f64) {
    let n = samples.len() as f64;
    let mean = samples.iter().map(|&x| x as f64).sum::<f64>() / n;
    (mean, samples.iter().map(|&x| (x as f64 - mean).powi(2)).sum::<f64>() / (n - 1.0) / n)
}

fn sorted(runs: u64, stream: u64, run: impl Fn(Generator) -> u64) -> Vec<u64> {
    let mut samples: Vec<u64> = (0..runs).map(|i| run(Generator::stream(stream, i))).collect();
    samples.sort_unstable();
    samples
}

/// Means no further apart than chance puts them once in two thousand, where the bias to be seen would be four times the error; and
/// distributions by Kolmogorov and Smirnov.
fn alike(name: &str, slow: &[u64], fast: &[u64]) {
    let (a, b) = (mean_and_variance(slow), mean_and_variance(fast));
    let error = (a.1 + b.1).sqrt();
    assert!(4.0 * error < bias() * a.0, "{name}: too few runs to see the bias: {} +- {error}", a.0);
    assert!((a.0 - b.0).abs() < 3.5 * error, "{name}: {} and {}, error {error}", a.0, b.0);
    let below = |sorted: &[u64], x| sorted.partition_point(|&y| y <= x) as f64 / sorted.len() as f64;
    let values = slow.chunk_by(|x, y| x == y).map(|same| same[0]);
    let distance = values.map(|x| (below(slow, x) - below(fast, x)).abs()).fold(0.0, f64::max);
    assert!(distance < 2.0 * (2.0 / slow.len() as f64).sqrt(), "{name}: Kolmogorov-Smirnov {distance}");
}

/// Half the bias takes four times the runs.
fn runs(thousands: usize) -> u64 {
    thousands as u64 * cases(250, 1000) as u64
}

/// The step at which a plain run is safe and, where there is a detector, nobody is lied to any more.
fn reached(mut run: impl SimulatedRun) -> u64 {
    while run.reached().is_none() {
        run.step();
    }
    run.steps()
}

fn steps(end: End) -> u64 {
    match end {
        End::Reached(steps) => steps,
        other => panic!("{other:?}"),
    }
}

fn population<P>(protocol: P, graph: &Graph, choices: &[KernelChoice], oracle: Oracle, thousands: usize)
where
    P: Population + Stabilizing + 'static,
{
    let runs = runs(thousands);
    let protocol = PopulationInstance::new(protocol).expect("few states");
    let slow = sorted(runs, 1, |mut coin| {
        let states = (0..graph.size()).map(|_| corrupt::arbitrary(&protocol, &mut coin)).collect();
        reached(StabilizingRun::population(&protocol, graph, states, Scheduler::Random, oracle, coin))
    });
    for &choice in choices {
        let elections = Elections::population(protocol.clone(), Arena::of(graph), choice, oracle).expect("it can run");
        let run = |coin| steps(elections.run(Faults::default(), LIMITS, coin).end);
        alike(&format!("{choice} {oracle}"), &slow, &sorted(runs, 2, run));
    }
}

fn ring<R: Ring + Stabilizing + 'static>(algorithm: R, size: usize, scheduler: Scheduler, thousands: usize) {
    let runs = runs(thousands);
    let algorithm = RingInstance::new(algorithm).expect("few states");
    let slow = sorted(runs, 1, |mut coin| {
        let states = (0..size).map(|_| corrupt::arbitrary(&algorithm, &mut coin)).collect();
        reached(StabilizingRun::processes(&algorithm, states, scheduler, coin))
    });
    let elections = Elections::ring(algorithm, size, scheduler).expect("it can run");
    let run = |coin| steps(elections.run(Faults::default(), LIMITS, coin).end);
    alike(&scheduler.to_string(), &slow, &sorted(runs, 2, run));
}

#[test]
fn detectors_that_are_late_or_lie() {
    let ring = Graph::directed_ring(4).unwrap();
    for oracle in [Oracle::Delayed(25), Oracle::AdversarialUntil(30)] {
        population(FischerJiangRing, &ring, &[KernelChoice::Auto], oracle, 120);
    }
    let complete = Graph::complete(4).unwrap();
    population(FischerJiangComplete, &complete, &[KernelChoice::Auto], Oracle::Delayed(10), 150);
}

/// A rule that tosses coins, as a table and as it is.
#[test]
fn coins() {
    let ring = Graph::undirected_ring(4).unwrap();
    let choices = [KernelChoice::Rule, KernelChoice::Table, KernelChoice::Skip, KernelChoice::Auto];
    population(RingOrientation, &ring, &choices, Oracle::Perfect, 160);
}

#[test]
fn other_rules_and_goals() {
    let ring = Graph::directed_ring(5).unwrap();
    let choices = [KernelChoice::Table, KernelChoice::Auto];
    population(AngluinRing { modulus: 2 }, &ring, &choices, Oracle::Perfect, 150);
    population(TokenCirculation, &ring, &choices, Oracle::Perfect, 150);
}

#[test]
fn rings_under_their_schedulers() {
    for scheduler in [Scheduler::Random, Scheduler::Alternating] {
        ring(BurnsPachl { size: 5 }, 5, scheduler, 120);
    }
    ring(FichJohnen { size: 5 }, 5, Scheduler::Alternating, 120);
}
