//! Simulations of the processes of graphs: the fast kernel against the plain engine.

use ringleader_catalog::{Catalog, Instance};
use ringleader_erased::{GraphInstance, Number, Parameters};
use ringleader_model::graph::Family;
use ringleader_model::{Graph, Scheduler, corrupt};
use ringleader_simulate::kernel::{Kernel, ProcessSteps, Progress};
use ringleader_simulate::plain::{GraphRun, SimulatedRun};
use ringleader_simulate::{Elections, End, Faults, Generator, Limits, StabilizingInstance};
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
    for name in ["independent-set", "colouring", "tree-centre"] {
        for graph in [member("star", 6), member("grid:2x4", 8), member("random-tree:3", 9), member("complete", 5)] {
            let algorithm = instance(name, &graph);
            for (scheduler, seed) in [Scheduler::RoundRobin, Scheduler::Synchronous].into_iter().zip(0..) {
                let states = start(&algorithm, seed);
                let mut plain = GraphRun::new(&algorithm, states.clone(), scheduler, Generator::new(1));
                let mut fast = ProcessSteps::graph(&algorithm, &states, scheduler, Progress::new(Generator::new(1)));
                for step in 0..60 {
                    plain.step();
                    fast.advance(1);
                    assert_eq!(plain.configuration(), fast.configuration(), "{name}, {scheduler}, step {step}");
                }
            }
        }
    }
}

/// The kernel computes only the outputs again that a step can change.
#[test]
fn the_leaders_are_counted_as_they_are() {
    for (family, size) in [("random-tree:1", 12), ("star", 7), ("line", 2), ("random:0.5:2", 8)] {
        let algorithm = instance("tree-leader", &member(family, size));
        for scheduler in ProcessSteps::ON_GRAPHS {
            let mut fast =
                ProcessSteps::graph(&algorithm, &start(&algorithm, 5), scheduler, Progress::new(Generator::new(2)));
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
        ("tree-leader", "line", 6, &ProcessSteps::ON_GRAPHS[..2]),
        ("hsu-huang", "grid:2x3", 6, &ProcessSteps::ON_GRAPHS[..2]),
        ("random-colouring", "complete", 4, &ProcessSteps::ON_GRAPHS[..]),
    ] {
        let algorithm = instance(name, &member(family, size));
        for &scheduler in schedulers {
            let slow = moments((0..runs).map(|seed| {
                let mut coin = Generator::stream(1, seed);
                let states = corrupt::configuration(&algorithm, size, &mut coin);
                GraphRun::new(&algorithm, states, scheduler, coin).run_until_reached(100_000).expect("it stabilizes")
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

#[test]
fn alternation_is_refused() {
    let algorithm = instance("tree-leader", &member("line", 3));
    let refused = Elections::graph(algorithm, Scheduler::Alternating).err().unwrap().to_string();
    assert!(refused.contains("alternating"), "{refused}");
}
