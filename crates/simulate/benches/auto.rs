//! Is `auto` ever much worse than the best kernel? A fixed grid of algorithms, sizes and starts, as a table in Markdown.
//!
//! A cell is the processor time per simulated interaction, in nanoseconds, over the same number of whole elections: their
//! lengths are random and differ from kernel to kernel, the expected lengths do not. Each is the median of five.
//! `cargo bench --bench auto -- FILTER` measures only the rows whose text contains the filter.

use ringleader_algorithms::population::{
    angluin_ring::AngluinRing, fischer_jiang_complete::FischerJiangComplete, fischer_jiang_ring::FischerJiangRing,
    ring_orientation::RingOrientation, token_circulation::TokenCirculation, yokota_ring::YokotaRing,
};
use ringleader_erased::PopulationInstance;
use ringleader_model::{Graph, Population, Shape, Stabilizing};
use ringleader_simulate::kernel::PackedTable;
use ringleader_simulate::{
    Arena, Elections, End, Faults, KernelChoice, Limits, Oracle, Start, TABLE_BYTES, run_generator,
};
use std::sync::atomic::AtomicBool;

static NEVER: AtomicBool = AtomicBool::new(false);
const LIMITS: Limits<'static> = Limits { steps: u64::MAX, stop: &NEVER };
const KERNELS: [KernelChoice; 5] =
    [KernelChoice::Rule, KernelChoice::Table, KernelChoice::Skip, KernelChoice::Count, KernelChoice::Auto];
/// Every measurement takes at least this long.
const SECONDS: f64 = 0.1;
/// In how many turns.
const TURNS: u64 = 64;
/// A kernel this many times slower than the best is measured once.
const HOPELESS: f64 = 8.0;

fn seconds() -> f64 {
    use nix::time::{ClockId, clock_gettime};
    let time = clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).expect("the system tells");
    std::time::Duration::from(time).as_secs_f64()
}

/// How many seconds these elections took, and how many interactions.
fn measure(elections: &Elections, runs: std::ops::Range<u64>) -> (f64, f64) {
    let before = seconds();
    let mut steps = 0.0;
    for run in runs {
        match elections.run(Faults::default(), LIMITS, run_generator(1, 1, run)).end {
            End::Reached(s) => steps += s as f64,
            other => panic!("{other:?}"),
        }
    }
    (seconds() - before, steps)
}

/// One row: an algorithm somewhere, from a start; whether `auto` was within a tenth of the best.
fn row<P>(name: &str, protocol: P, arena: &Arena, from: &Start) -> Option<f64>
where
    P: Population + Stabilizing + 'static,
{
    let protocol = PopulationInstance::new(protocol).expect("its states have numbers");
    let title = format!("{name}, {from:?}");
    if std::env::args().skip(1).any(|word| !word.starts_with('-') && !title.contains(&word)) {
        return None;
    }
    // A table that does not fit the cache is left out: it takes longer to make than most experiments do.
    let fits = PackedTable::bytes(&protocol).is_some_and(|bytes| bytes <= TABLE_BYTES);
    let able = |choice| {
        let elections = Elections::population(protocol.clone(), arena.clone(), choice, Oracle::Perfect).ok()?;
        Some(elections.starting(from).expect("it can start"))
    };
    let kernels = KERNELS.map(|choice| if choice == KernelChoice::Table && !fits { None } else { able(choice) });
    let auto = kernels[KERNELS.len() - 1].as_ref()?;
    let mut runs = 1;
    while measure(auto, 0..runs).0 < SECONDS {
        runs *= 2;
    }
    let nanoseconds = |(seconds, steps): (f64, f64)| seconds / steps * 1e9;
    let first: Vec<_> = kernels.iter().map(|k| k.as_ref().map(|k| nanoseconds(measure(k, 0..1)))).collect();
    let best = first.iter().flatten().copied().fold(f64::INFINITY, f64::min);
    let mut all = vec![vec![]; KERNELS.len()];
    for repetition in 0..5 {
        // The kernels take turns at a few elections each: what else the machine does hits all of them.
        let turn = runs.div_ceil(TURNS);
        let mut sums = [(0.0, 0.0); KERNELS.len()];
        for first_run in (0..runs).step_by(turn as usize).map(|run| repetition * runs + run) {
            for ((sum, elections), first) in sums.iter_mut().zip(&kernels).zip(&first) {
                if let (Some(elections), Some(first)) = (elections, first)
                    && *first < HOPELESS * best
                {
                    let (took, steps) = measure(elections, first_run..first_run + turn);
                    *sum = (sum.0 + took, sum.1 + steps);
                }
            }
        }
        for ((times, sum), first) in all.iter_mut().zip(sums).zip(&first) {
            times.extend(if sum.1 > 0.0 { Some(nanoseconds(sum)) } else { *first });
        }
    }
    let medians: Vec<Option<f64>> = all
        .into_iter()
        .map(|mut times| {
            times.sort_by(f64::total_cmp);
            times.get(times.len() / 2).copied()
        })
        .collect();
    let best = medians[..KERNELS.len() - 1].iter().flatten().copied().fold(f64::INFINITY, f64::min);
    let ratio = medians[KERNELS.len() - 1]? / best;
    let cells: Vec<String> = medians.iter().map(|m| m.map_or("-".into(), |m| format!("{m:.3}"))).collect();
    println!("| {title} | {} | {ratio:.2} |", cells.join(" | "));
    Some(ratio)
}

fn main() {
    println!("| ns per interaction | {} | auto / best |", KERNELS.map(|k| k.to_string()).join(" | "));
    println!("| --- {}| --- |", "| ---: ".repeat(KERNELS.len()));
    let starts = [Start::Arbitrary, Start::AllLeaders, Start::NoLeader];
    let ring = |n| Arena::shaped(Shape::DirectedRing, n).expect("a ring");
    let mut ratios = vec![];
    for n in [16, 128, 1024] {
        for start in &starts {
            ratios.push(row(&format!("yokota-ring, N = n = {n}"), YokotaRing { bound: n as u32 }, &ring(n), start));
        }
    }
    for start in &starts {
        ratios.push(row("yokota-ring, n = 64, N = 1024", YokotaRing { bound: 1024 }, &ring(64), start));
    }
    for n in [16, 64, 256] {
        for start in &starts {
            ratios.push(row(&format!("fischer-jiang-ring, n = {n}"), FischerJiangRing, &ring(n), start));
        }
    }
    for n in [15, 63, 255] {
        for start in &starts {
            ratios.push(row(&format!("angluin-ring, k = 2, n = {n}"), AngluinRing { modulus: 2 }, &ring(n), start));
        }
    }
    for n in [16, 256] {
        ratios.push(row(&format!("token-circulation, n = {n}"), TokenCirculation, &ring(n), &Start::Arbitrary));
        let undirected = Arena::of(&Graph::undirected_ring(n).expect("a ring"));
        ratios.push(row(&format!("ring-orientation, n = {n}"), RingOrientation, &undirected, &Start::Arbitrary));
    }
    for n in [16, 500, 10_000] {
        for start in &starts {
            let arena = Arena::shaped(Shape::Complete, n).expect("it is complete");
            ratios.push(row(&format!("fischer-jiang-complete, n = {n}"), FischerJiangComplete, &arena, start));
        }
    }
    let ratios: Vec<f64> = ratios.into_iter().flatten().collect();
    let worst = ratios.iter().copied().fold(0.0, f64::max);
    let within = ratios.iter().filter(|&&r| r <= 1.1).count();
    println!("\n{within} of {} within a tenth of the best; the worst ratio is {worst:.2}", ratios.len());
}
