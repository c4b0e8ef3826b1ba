//! Every kernel against the plain predicate, the exact expectations of the specification, and the plain engine.

use ringleader_algorithms::population::{
    fischer_jiang_complete::FischerJiangComplete, fischer_jiang_ring::FischerJiangRing, yokota_ring::YokotaRing,
};
use ringleader_erased::{Number, PopulationInstance};
use ringleader_model::{Graph, Population, Scheduler, Stabilizing, corrupt};
use ringleader_simulate::kernel::arcs::{Arcs, RingArcs};
use ringleader_simulate::kernel::{
    AgentStore, ByRule, ByTable, Count, End, Interactions, Kernel, PackedTable, Policy, Progress, Watched, reach,
};
use ringleader_simulate::plain::{SimulatedRun, StabilizingRun};
use ringleader_simulate::{Arena, Generator, Oracle};
use ringleader_testkit::cases;
use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

const MIB: u64 = 1 << 20;

fn instance<P: Population + Stabilizing + 'static>(protocol: P) -> PopulationInstance {
    PopulationInstance::new(protocol).expect("few states")
}

fn arbitrary(protocol: &PopulationInstance, n: usize, coin: &mut Generator) -> Vec<Number> {
    (0..n).map(|_| corrupt::arbitrary(protocol, coin)).collect()
}

fn compile(protocol: &PopulationInstance) -> PackedTable {
    PackedTable::compile(protocol, MIB).expect("a small table")
}

fn steps<K: Kernel>(mut kernel: K) -> u64 {
    let safe = |k: &K| k.progress().leaders == 1 && k.safe();
    match reach(&mut kernel, &Watched { goal: &safe, still: None }, u64::MAX, &AtomicBool::new(false)) {
        End::Reached(steps) => {
            assert_eq!(steps, kernel.progress().steps);
            steps
        }
        other => panic!("{other:?}"),
    }
}

/// Calls `check` with every kernel on the arcs, built from the same states and generator.
fn each_kernel(
    protocol: &PopulationInstance,
    table: &PackedTable,
    arcs: &impl Arcs,
    start: impl Fn(&mut Generator) -> Vec<Number>,
    seed: u64,
    mut check: impl Check,
) {
    let mut coin = Generator::new(seed);
    let states = start(&mut coin);
    let progress = Progress::new(coin);
    let rule = ByRule::new(protocol, &states);
    check.kernel("rule", protocol, Interactions::new(rule.clone(), arcs.clone(), progress.clone(), Policy::Step));
    check.kernel(
        "skip by rule",
        protocol,
        Interactions::new(rule.clone(), arcs.clone(), progress.clone(), Policy::Skip),
    );
    check.kernel("auto by rule", protocol, Interactions::new(rule, arcs.clone(), progress.clone(), Policy::Choose));
    fn by_table(
        protocol: &PopulationInstance,
        cells: impl AgentStore,
        arcs: &impl Arcs,
        progress: Progress,
        mut check: impl Check,
    ) {
        check.kernel("table", protocol, Interactions::new(cells.clone(), arcs.clone(), progress.clone(), Policy::Step));
        check.kernel("skip by table", protocol, Interactions::new(cells, arcs.clone(), progress, Policy::Skip));
    }
    match protocol.hears() {
        true => by_table(protocol, ByTable::<true>::new(table, &states), arcs, progress, check),
        false => by_table(protocol, ByTable::<false>::new(table, &states), arcs, progress, check),
    }
}

trait Check {
    fn kernel<K: Kernel>(&mut self, name: &str, protocol: &PopulationInstance, kernel: K);
}

/// The step that `reach` finds is the first at which the plain predicate holds, looked at after every single unit; and the
/// leader count is right all the way.
struct AgainstThePlainPredicate;

impl Check for AgainstThePlainPredicate {
    fn kernel<K: Kernel>(&mut self, name: &str, protocol: &PopulationInstance, kernel: K) {
        let found = steps(kernel.clone());
        let mut slow = kernel;
        let outputs = |c: &[Number]| c.iter().map(|s| protocol.marks(s).output()).collect::<Vec<_>>();
        let mut shown = outputs(&slow.configuration());
        let mut last_output_change = 0;
        loop {
            let c = slow.configuration();
            assert_eq!(protocol.safe(&c), protocol.safe_fast(&c), "{name}: {c:?}");
            assert_eq!(protocol.safe(&c), slow.safe(), "{name}: {c:?}");
            assert_eq!(c.iter().filter(|s| protocol.marks(s).leader()).count() as u64, slow.progress().leaders);
            if outputs(&c) != shown {
                (shown, last_output_change) = (outputs(&c), slow.progress().steps);
            }
            if protocol.safe(&c) {
                break;
            }
            slow.advance(1);
        }
        assert_eq!(slow.progress().steps, found, "{name}");
        assert_eq!(slow.progress().last_output_change, last_output_change, "{name}");
    }
}

#[test]
fn the_goal_is_found_at_its_first_step() {
    for seed in 0..40 {
        let n = 3 + seed as usize % 7;
        let ring = RingArcs(n);
        let fischer_jiang = instance(FischerJiangRing);
        each_kernel(
            &fischer_jiang,
            &compile(&fischer_jiang),
            &ring,
            |c| arbitrary(&fischer_jiang, n, c),
            seed,
            AgainstThePlainPredicate,
        );
        let yokota = instance(YokotaRing { bound: n as u32 + seed as u32 % 3 });
        each_kernel(&yokota, &compile(&yokota), &ring, |c| arbitrary(&yokota, n, c), seed, AgainstThePlainPredicate);
        let clique = Arena::listed(&Graph::complete(n).unwrap());
        let complete = instance(FischerJiangComplete);
        each_kernel(
            &complete,
            &compile(&complete),
            &clique,
            |c| arbitrary(&complete, n, c),
            seed,
            AgainstThePlainPredicate,
        );
    }
}

/// However the work is cut up, the run is the same.
struct CutsDoNotMatter(Generator);

impl Check for CutsDoNotMatter {
    fn kernel<K: Kernel>(&mut self, name: &str, _: &PopulationInstance, kernel: K) {
        let mut whole = kernel.clone();
        whole.advance(3000);
        let (mut cut, mut spare) = (kernel.clone(), kernel);
        let mut left = 3000;
        while left > 0 {
            let piece = self.0.between(1, left.min(700));
            // A copy into a kernel that is elsewhere, as when a stretch is run again.
            spare.clone_from(&cut);
            std::mem::swap(&mut spare, &mut cut);
            cut.advance(piece);
            left -= piece;
        }
        assert_eq!(whole.progress().steps, cut.progress().steps, "{name}");
        assert_eq!(whole.configuration(), cut.configuration(), "{name}");
    }
}

/// A single unit is the same run, and says whether it has changed the configuration.
struct OneByOne;

impl Check for OneByOne {
    fn kernel<K: Kernel>(&mut self, name: &str, _: &PopulationInstance, kernel: K) {
        let (mut one, mut units) = (kernel.clone(), kernel);
        let (mut changed, mut same) = (0, 0);
        for _ in 0..3000 {
            let before = one.configuration();
            let Some(moved) = one.one() else {
                assert_eq!(units.advance(1), 0, "{name}");
                break;
            };
            units.advance(1);
            assert_eq!(moved, one.configuration() != before, "{name}");
            assert_eq!(one.configuration(), units.configuration(), "{name}");
            let progress = |k: &K| (k.progress().steps, k.progress().leaders, k.progress().last_output_change);
            assert_eq!(progress(&one), progress(&units), "{name}");
            (changed, same) = (changed + u32::from(moved), same + u32::from(!moved));
        }
        assert!(changed > 0 && (same > 0 || name.contains("skip")), "{name}: {changed} {same}");
    }
}

#[test]
fn a_single_unit_says_whether_it_changes_something() {
    for seed in 0..10 {
        let yokota = instance(YokotaRing { bound: 9 });
        each_kernel(&yokota, &compile(&yokota), &RingArcs(9), |c| arbitrary(&yokota, 9, c), seed, OneByOne);
    }
}

#[test]
fn cutting_the_work_changes_nothing() {
    for seed in 0..20 {
        let yokota = instance(YokotaRing { bound: 9 });
        each_kernel(
            &yokota,
            &compile(&yokota),
            &RingArcs(9),
            |c| arbitrary(&yokota, 9, c),
            seed,
            CutsDoNotMatter(Generator::new(seed)),
        );
    }
}

fn mean_and_error(samples: &[f64]) -> (f64, f64) {
    let n = samples.len() as f64;
    let mean = samples.iter().sum::<f64>() / n;
    let variance = samples.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0);
    (mean, (variance / n).sqrt())
}

/// The mean over many runs against an exact expectation. A bias of two per cent would be at least four standard errors away, with
/// `RINGLEADER_THOROUGH` a bias of one.
fn expectation(
    protocol: &PopulationInstance,
    arcs: &impl Arcs,
    start: impl Fn(&mut Generator) -> Vec<Number>,
    runs: u64,
    expected: f64,
) {
    struct Sample<'a>(&'a mut BTreeMap<String, Vec<f64>>);
    impl Check for Sample<'_> {
        fn kernel<K: Kernel>(&mut self, name: &str, _: &PopulationInstance, kernel: K) {
            self.0.entry(name.into()).or_default().push(steps(kernel) as f64);
        }
    }
    let mut samples = BTreeMap::new();
    let table = compile(protocol);
    let (bias, runs) = (0.01 * cases(2, 1) as f64, runs * cases(1, 4) as u64);
    for seed in 0..runs {
        each_kernel(protocol, &table, arcs, &start, seed, Sample(&mut samples));
    }
    for (kernel, samples) in &samples {
        let (mean, error) = mean_and_error(samples);
        assert!(4.0 * error < bias * expected, "{kernel}: too few runs to see the bias: {mean} +- {error}");
        assert!((mean - expected).abs() < 3.0 * error, "{kernel}: {mean} +- {error}, expected {expected}");
    }
}

/// population.md: n = 3, perfect oracle, mean over all 512 configurations 6.759504046; the worst is 19.
#[test]
fn fischer_jiang_n_3() {
    let p = instance(FischerJiangRing);
    expectation(&p, &RingArcs(3), |coin| arbitrary(&p, 3, coin), 100_000, 6.759504046);
}

/// population.md: n = 3, N = 3, mean over all 884,736 configurations to S_RL: 7.305890675.
#[test]
fn yokota_n_3() {
    let p = instance(YokotaRing { bound: 3 });
    expectation(&p, &RingArcs(3), |coin| arbitrary(&p, 3, coin), 37_500, 7.305890675);
}

/// From all leaders, k leaders take n(n-1) / (k(k-1)) steps to lose one: (n-1)^2 in all.
#[test]
fn fischer_jiang_complete_from_all_leaders() {
    let p = instance(FischerJiangComplete);
    let n = 6;
    let clique = Arena::listed(&Graph::complete(n).unwrap());
    let leader = Number(1);
    assert!(p.marks(&leader).leader());
    expectation(&p, &clique, |_| vec![leader; n], 25_000, 25.0);
    let samples: Vec<f64> = (0..100_000)
        .map(|seed| {
            let progress = Progress::new(Generator::new(seed));
            steps(Interactions::new(ByRule::new(&p, &vec![leader; n]), Arena::Complete(n), progress, Policy::Step))
                as f64
        })
        .collect();
    let (mean, error) = mean_and_error(&samples);
    assert!((mean - 25.0).abs() < 3.5 * error, "{mean} +- {error}");
    let table = compile(&p);
    let samples: Vec<f64> = (0..100_000)
        .map(|seed| steps(Count::<true>::new(&table, vec![0, 6], Progress::new(Generator::new(seed)))) as f64)
        .collect();
    let (mean, error) = mean_and_error(&samples);
    assert!((mean - 25.0).abs() < 3.5 * error, "count: {mean} +- {error}");
}

/// The distribution of the time at n = 8 against the plain engine's, by the Kolmogorov-Smirnov statistic.
#[test]
fn the_plain_engine_agrees_in_distribution() {
    let n = 8;
    let p = instance(YokotaRing { bound: 8 });
    let graph = Graph::directed_ring(n).unwrap();
    let runs = 20_000u64;
    let mut plain: Vec<u64> = (0..runs)
        .map(|seed| {
            let mut coin = Generator::stream(1, seed);
            let states = arbitrary(&p, n, &mut coin);
            let mut run = StabilizingRun::population(&p, &graph, states, Scheduler::Random, Oracle::Perfect, coin);
            run.run_until_reached(u64::MAX).expect("it stabilizes")
        })
        .collect();
    plain.sort_unstable();
    let fast = |skip: bool| -> Vec<u64> {
        let mut samples: Vec<u64> = (0..runs)
            .map(|seed| {
                let mut coin = Generator::stream(2, seed);
                let states = arbitrary(&p, n, &mut coin);
                let progress = Progress::new(coin);
                match skip {
                    true => steps(Interactions::new(ByRule::new(&p, &states), RingArcs(n), progress, Policy::Skip)),
                    false => steps(Interactions::new(ByRule::new(&p, &states), RingArcs(n), progress, Policy::Step)),
                }
            })
            .collect();
        samples.sort_unstable();
        samples
    };
    for skip in [false, true] {
        let other = fast(skip);
        let below = |sorted: &[u64], x| sorted.partition_point(|&y| y <= x) as f64 / runs as f64;
        let distance = plain.iter().map(|&x| (below(&plain, x) - below(&other, x)).abs()).fold(0.0, f64::max);
        // 1.95 sqrt(2/m) is exceeded once in a thousand.
        assert!(distance < 1.95 * (2.0 / runs as f64).sqrt(), "skip {skip}: {distance}");
    }
}

/// Changing over in the middle of an election biases nothing: as many steps on the average as without.
#[test]
fn changing_over_biases_nothing() {
    let (n, runs) = (24, 40_000);
    let yokota = instance(YokotaRing { bound: n as u32 });
    let begin = |seed| {
        let mut coin = Generator::stream(77, seed);
        (arbitrary(&yokota, n, &mut coin), Progress::new(coin))
    };
    let (mut one, mut both) = (vec![], vec![]);
    for seed in 0..runs {
        let (states, progress) = begin(seed);
        let cells = ByRule::new(&yokota, &states);
        one.push(steps(Interactions::new(cells.clone(), RingArcs(n), progress.clone(), Policy::Step)) as f64);
        both.push(steps(Interactions::new(cells, RingArcs(n), progress, Policy::Choose)) as f64);
    }
    // Until it changes over it takes the very same steps.
    let changed = one.iter().zip(&both).filter(|(one, both)| one != both).count();
    assert!(changed > runs as usize / 2, "only {changed} elections changed over");
    let ((one, a), (both, b)) = (mean_and_error(&one), mean_and_error(&both));
    assert!(4.0 * a.hypot(b) < 0.02 * one && (one - both).abs() < 3.0 * a.hypot(b), "{one} +- {a}, {both} +- {b}");
}

/// How many leaders there are at a given step, from all leaders on six agents: the kernels that skip stop at it exactly.
#[test]
fn running_to_a_step_stops_there() {
    fn leaders(mut kernel: impl Kernel) -> f64 {
        kernel.run_to(4);
        kernel.run_to(10);
        assert_eq!(kernel.progress().steps, 10);
        kernel.progress().leaders as f64
    }
    let p = instance(FischerJiangComplete);
    let n = 6;
    let clique = Arena::listed(&Graph::complete(n).unwrap());
    let leader = Number(1);
    assert!(p.marks(&leader).leader());
    let table = compile(&p);
    let cells = ByTable::<true>::new(&table, &vec![leader; n]);
    let mut samples = [vec![], vec![], vec![]];
    for seed in 0..60_000 {
        let progress = |stream| Progress::new(Generator::stream(stream, seed));
        samples[0].push(leaders(Interactions::new(cells.clone(), clique.clone(), progress(1), Policy::Step)));
        samples[1].push(leaders(Interactions::new(cells.clone(), clique.clone(), progress(2), Policy::Skip)));
        samples[2].push(leaders(Count::<true>::new(&table, vec![0, n as u64], progress(3))));
    }
    let [step, skip, count] = samples.map(|s| mean_and_error(&s));
    for (name, other) in [("skip", skip), ("count", count)] {
        let error = step.1.hypot(other.1);
        assert!(4.0 * error < 0.01 * step.0 && (step.0 - other.0).abs() < 3.0 * error, "{name}: {step:?} {other:?}");
    }
}
