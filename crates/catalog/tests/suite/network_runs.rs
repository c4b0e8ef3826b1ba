//! Simulations of the processes of graphs: the fast kernel against the plain engine.

use ringleader_catalog::{Catalog, Instance};
use ringleader_erased::{GraphInstance, LocalStates, Number, Parameters};
use ringleader_language::Source;
use ringleader_model::graph::Family;
use ringleader_model::trace::Actor;
use ringleader_model::{Graph, Odometer, Scheduler, Stabilizing as _, corrupt};
use ringleader_simulate::kernel::{Kernel, ProcessSteps, Progress};
use ringleader_simulate::plain::{SimulatedRun, StabilizingRun};
use ringleader_simulate::{Contest, Elections, End, Faults, Generator, Limits, StabilizingInstance, Start};
use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

fn instance(name: &str, graph: &Graph) -> GraphInstance {
    let parameters = Parameters::new(graph.size()).on(graph.clone());
    match Catalog::builtin().instance(name, &parameters) {
        Ok(Instance::Graph(instance)) => instance,
        other => panic!("{name}: {other:?}"),
    }
}

fn member(family: &str, size: usize) -> Graph {
    let family: Family = family.parse().unwrap();
    family.graph(size, &mut Generator::new(family.seed().unwrap_or(0))).unwrap()
}

fn start(algorithm: &GraphInstance, seed: u64) -> Vec<Number> {
    corrupt::configuration(algorithm, GraphInstance::size(algorithm), &mut Generator::new(seed))
}

/// Without coins and choices the engines take the very same steps.
#[test]
fn without_choices_the_steps_are_the_same() {
    for name in ["independent-set", "colouring", "best-offer"] {
        for graph in [member("star", 6), member("grid:2x4", 8), member("random-tree:3", 9), member("complete", 5)] {
            let algorithm = instance(name, &graph);
            for (scheduler, seed) in [Scheduler::RoundRobin, Scheduler::Synchronous].into_iter().zip(0..) {
                let states = start(&algorithm, seed);
                let mut plain = StabilizingRun::processes(&algorithm, states.clone(), scheduler, Generator::new(1));
                let mut fast = ProcessSteps::new(&algorithm, &states, scheduler, Progress::new(Generator::new(1)));
                for step in 0..60 {
                    plain.step();
                    fast.advance(1);
                    assert_eq!(plain.numbers(), fast.configuration(), "{name}, {scheduler}, step {step}");
                }
            }
        }
    }
}

/// The kernel computes only the outputs again that a step can change.
#[test]
fn the_leaders_are_counted_as_they_are() {
    for (name, family, size) in [
        ("tree-leader", "random-tree:1", 12),
        ("tree-leader", "star", 7),
        ("tree-leader", "line", 2),
        ("best-offer", "random:0.5:2", 8),
    ] {
        let algorithm = instance(name, &member(family, size));
        for scheduler in ProcessSteps::SCHEDULERS {
            let mut fast =
                ProcessSteps::new(&algorithm, &start(&algorithm, 5), scheduler, Progress::new(Generator::new(2)));
            let mut changes = 0;
            for step in 0..400 {
                let before = algorithm.show(&fast.configuration());
                fast.advance(1);
                if step == 200 {
                    fast.corrupt(&[(0, Number(1)), (1, Number(0))]);
                }
                let marks = algorithm.show(&fast.configuration());
                let leaders = marks.iter().filter(|marks| marks.leader()).count() as u64;
                assert_eq!(fast.progress().leaders, leaders, "{family}, {scheduler}, step {step}");
                let changed = marks.iter().zip(&before).any(|(now, then)| now.output() != then.output());
                changes += u32::from(changed);
                if step != 200 {
                    let told = fast.progress().last_output_change == fast.progress().steps;
                    assert_eq!(told, changed, "{family}, {scheduler}, step {step}");
                }
            }
            assert!(changes > 0, "{family}, {scheduler}: no output ever changed");
        }
    }
}

/// The mean of some times, and the square of its error.
fn moments(times: impl Iterator<Item = u64>) -> (f64, f64) {
    let times: Vec<f64> = times.map(|time| time as f64).collect();
    let n = times.len() as f64;
    let mean = times.iter().sum::<f64>() / n;
    (mean, times.iter().map(|time| (time - mean).powi(2)).sum::<f64>() / (n - 1.0) / n)
}

#[test]
fn the_times_of_both_engines_agree() {
    let runs = 3000;
    for (name, family, size, schedulers) in [
        ("tree-leader", "line", 6, &ProcessSteps::SCHEDULERS[..3]),
        ("hsu-huang", "grid:2x3", 6, &ProcessSteps::SCHEDULERS[..3]),
        ("random-colouring", "complete", 4, &ProcessSteps::SCHEDULERS[..]),
    ] {
        let algorithm = instance(name, &member(family, size));
        for &scheduler in schedulers {
            let slow = moments((0..runs).map(|seed| {
                let mut coin = Generator::stream(1, seed);
                let states = corrupt::configuration(&algorithm, size, &mut coin);
                StabilizingRun::processes(&algorithm, states, scheduler, coin)
                    .run_until_reached(100_000)
                    .expect("it stabilizes")
            }));
            let elections = Elections::graph(algorithm.clone(), scheduler).unwrap();
            let limits = Limits { steps: 100_000, stop: &AtomicBool::new(false) };
            let fast = moments((0..runs).map(|seed| {
                match elections.run(Faults::default(), limits, Generator::stream(2, seed)).end {
                    End::Reached(steps) => steps,
                    other => panic!("{name}, {scheduler}: {other:?}"),
                }
            }));
            let error = (slow.1 + fast.1).sqrt();
            assert!(4.0 * error < 0.15 * slow.0, "{name}, {scheduler}: too few runs: {slow:?}, {fast:?}");
            assert!((slow.0 - fast.0).abs() < 3.5 * error, "{name}, {scheduler}: {slow:?}, {fast:?}");
        }
    }
}

/// Between two steps of a process, each of its neighbours takes one step.
#[test]
fn alternating_schedules_alternate() {
    for (family, size) in [("star", 5), ("grid:2x3", 6), ("complete", 4), ("random-tree:4", 9)] {
        let graph = member(family, size);
        let (algorithm, neighbours) = (instance("best-offer", &graph), graph.neighbours());
        let mut run =
            StabilizingRun::processes(&algorithm, start(&algorithm, 1), Scheduler::Alternating, Generator::new(3));
        let (mut taken, mut orders) = (vec![0_i32; size], BTreeSet::new());
        for _ in 0..30 * size {
            let Actor::Process(process) = run.advance().unwrap().actor else { panic!("one process at a time") };
            taken[process] += 1;
            for &neighbour in neighbours.of(process) {
                let ahead = taken[process] - taken[neighbour as usize];
                assert!((-1..=1).contains(&ahead), "{family}: {taken:?} after a step of {process}");
            }
            orders.insert(taken.clone());
        }
        assert!(taken.iter().all(|&steps| steps > 1) && orders.len() == 30 * size, "{family}: {taken:?}");
        let mut fast = ProcessSteps::new(
            &algorithm,
            &start(&algorithm, 1),
            Scheduler::Alternating,
            Progress::new(Generator::new(4)),
        );
        fast.advance(10_000);
        assert!(algorithm.safe(&fast.configuration()), "{family}: every process steps again and again");
    }
}

/// Rounds and moves by their definition.
#[test]
fn rounds_on_graphs_are_those_of_the_definition() {
    let enabled = |algorithm: &GraphInstance, states: &[Number]| -> BTreeSet<usize> {
        let changes = |process: &usize| {
            let (read, mut changes) = (algorithm.read(*process, states), false);
            Odometer::each(|coin| changes |= algorithm.try_act(*process, &read, coin).unwrap() != read[0]);
            changes
        };
        (0..states.len()).filter(changes).collect()
    };
    let mut total = 0;
    for (name, family, size) in [("unison", "grid:2x2", 4), ("hsu-huang", "star", 6), ("best-offer", "random:0.5:2", 7)]
    {
        let algorithm = instance(name, &member(family, size));
        for scheduler in [Scheduler::RoundRobin, Scheduler::Synchronous] {
            let states = start(&algorithm, 8);
            let mut fast =
                ProcessSteps::new(&algorithm, &states, scheduler, Progress::new(Generator::new(1))).counting();
            let (mut rounds, mut moves) = (0, 0);
            let mut now = enabled(&algorithm, &states);
            let mut pending = now.clone();
            for step in 0..120 {
                let who: Vec<usize> =
                    if scheduler == Scheduler::RoundRobin { vec![step % size] } else { (0..size).collect() };
                moves += who.iter().filter(|process| now.contains(process)).count() as u64;
                fast.advance(1);
                now = enabled(&algorithm, &fast.configuration());
                let waited = !pending.is_empty();
                pending.retain(|process| !who.contains(process) && now.contains(process));
                let fresh = pending.is_empty();
                if fresh {
                    rounds += u64::from(waited);
                    pending.clone_from(&now);
                }
                let counted = fast.counted().expect("they are counted");
                assert_eq!(
                    (counted.rounds, counted.moves),
                    (rounds + u64::from(!fresh), moves),
                    "{name}, {scheduler}, {step}"
                );
            }
            total += rounds;
        }
    }
    assert!(total > 20, "{total} rounds");
}

/// Every process starts in each of its own states equally often, and faults leave it in each equally often. A star's leaves have fewer ports than
/// its centre, and the root of a tree has given values.
#[test]
fn starts_are_uniform_among_the_states_of_each_process() {
    const RUNS: u32 = 6_000;
    let pointing = "protocol pointing\nmodel graph\nstate p : neighbour or none\nstate x : 0..3\n\
                    given x in 1..2 when p = none\ngoal all i : x[i] = 0\nany:\n  1: x > 2 -> x := 0\n";
    let star = Graph::parse("0 -- 1\n0 -- 2\n0 -- 3\n3 -- 4\n").unwrap();
    let on = Parameters::new(5).on(star.clone());
    let source = Source::parse("pointing", pointing).unwrap_or_else(|wrong| panic!("{wrong}"));
    let ringleader_erased::Instance::Graph(pointing) = source.instance(&on).unwrap() else { panic!("a graph") };
    let layered = Catalog::builtin().instance("hsu-huang", &on.layered("read-write".parse().unwrap()));
    let Ok(Instance::Graph(layered)) = layered else { panic!("a graph") };
    for algorithm in [instance("hsu-huang", &star), instance("huang-chen", &star), pointing, layered] {
        let local = LocalStates::new(&algorithm);
        let states = algorithm.states() as usize;
        let mut seen = vec![vec![0_u32; states]; star.size()];
        let mut coin = Generator::new(5);
        for _ in 0..RUNS {
            let start = Start::Arbitrary.states(&algorithm, star.size(), &mut coin).unwrap();
            assert_eq!(Start::Arbitrary.put_back(&algorithm, start.clone()).unwrap(), start, "all states are admitted");
            start.iter().enumerate().for_each(|(process, state)| seen[process][state.0 as usize] += 1);
        }
        for (process, seen) in seen.iter().enumerate() {
            let own = local.of(process);
            let mean = f64::from(RUNS) / own.len() as f64;
            for (state, &count) in seen.iter().enumerate() {
                let expected = if own.contains(&(state as u32)) { mean } else { 0.0 };
                let off = (f64::from(count) - expected).abs();
                assert!(off <= 5.0 * expected.sqrt(), "{algorithm:?}, process {process}: {own:?}, {seen:?}");
            }
        }
    }
}

/// An independent set has no outputs, and so no last change of one. A leader is one.
#[test]
fn without_outputs_there_is_no_last_change() {
    let limits = Limits { steps: 1 << 20, stop: &AtomicBool::new(false) };
    let last = |name: &str| {
        let elections = Elections::graph(instance(name, &member("line", 6)), Scheduler::Random).unwrap();
        let record = Contest::from(elections).elect(Faults::default(), limits, Generator::new(1)).unwrap();
        assert!(record.reached);
        record.last_output_change
    };
    assert_eq!(last("independent-set"), None);
    assert!(last("tree-leader").is_some());
}
