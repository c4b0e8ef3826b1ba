//! The plain engines run every algorithm to its goal from many arbitrary starts, at several sizes, with and without layers,
//! and keep it there.

use ringleader_catalog::{Catalog, Instance};
use ringleader_erased::{Card, Kind, Parameters};
use ringleader_model::graph::Family;
use ringleader_model::{Goal, Marks, Safety, Scheduler, Stabilizing, Terminating, corrupt};
use ringleader_simulate::kernel::MessageSteps;
use ringleader_simulate::plain::{SimulatedRun, StabilizingRun};
use ringleader_simulate::{Generator, Oracle, Start};
use ringleader_testkit::configurations::graph;

/// Far more than any of the runs below takes.
const LIMIT: u64 = 50_000_000;
const ORACLES: [Oracle; 3] = [Oracle::Perfect, Oracle::Delayed(50), Oracle::AdversarialUntil(200)];

/// What there is to see once the goal is reached: exactly one leader, or exactly one token. Who leads.
fn seen(run: &dyn SimulatedRun, goal: Goal, context: &str) -> Vec<usize> {
    let marks = run.marks();
    let those = |mark| (0..marks.len()).filter(|&i| marks[i].contains(mark)).collect::<Vec<_>>();
    match goal {
        Goal::OneLeader => assert_eq!(those(Marks::LEADER).len(), 1, "{context}: leaders"),
        Goal::OneToken => assert_eq!(those(Marks::TOKEN).len(), 1, "{context}: tokens"),
        Goal::Agreement | Goal::Holds(_) => {}
    }
    those(Marks::LEADER)
}

/// Runs to the goal and, if it is for ever, on for a while to see it kept.
fn reach(run: &mut dyn SimulatedRun, goal: Goal, for_ever: bool, context: &str) {
    let limit = run.steps() + LIMIT;
    assert!(run.run_until_reached(limit).is_some(), "{context}: not reached after {} steps", run.steps());
    let leaders = seen(run, goal, context);
    if for_ever {
        for _ in 0..20 * run.size() {
            run.step();
            assert!(run.reached().is_some(), "{context}: the safe set was left");
            assert_eq!(seen(run, goal, context), leaders, "{context}: the leader changed");
        }
    }
}

/// The same, and once more after a third of the agents were corrupted.
fn heal(run: &mut dyn SimulatedRun, goal: Goal, for_ever: bool, context: &str) {
    reach(run, goal, for_ever, context);
    run.corrupt(&(0..run.size()).step_by(3).collect::<Vec<_>>());
    reach(run, goal, for_ever, context);
}

fn runs(card: &Card, parameters: &Parameters, schedulers: &[Scheduler], seeds: u64) {
    let size = parameters.size;
    match Catalog::builtin().instance(card.name, parameters).expect(card.name) {
        Instance::Population(algorithm) => {
            let graph = graph(parameters.layers.topology(card), size);
            for seed in 0..seeds {
                let oracle = ORACLES[seed as usize % ORACLES.len()];
                let context = format!("{} {} n={size} seed={seed} {oracle}", card.name, parameters.layers);
                let mut coin = Generator::stream(seed, size as u64);
                let states = corrupt::configuration(&algorithm, size, &mut coin);
                let mut run = StabilizingRun::population(&algorithm, &graph, states, Scheduler::Random, oracle, coin);
                heal(&mut run, algorithm.goal(), algorithm.safety() == Safety::ForEver, &context);
            }
        }
        Instance::Ring(algorithm) => {
            for (seed, &scheduler) in (0..seeds).flat_map(|seed| schedulers.iter().map(move |s| (seed, s))) {
                let context = format!("{} {} n={size} seed={seed} {scheduler}", card.name, parameters.layers);
                let mut coin = Generator::stream(seed, size as u64);
                let states = corrupt::configuration(&algorithm, size, &mut coin);
                let mut run = StabilizingRun::processes(&algorithm, states, scheduler, coin);
                heal(&mut run, algorithm.goal(), true, &context);
            }
        }
        // On a tree each of them is right.
        Instance::Graph(_) => {
            let tree = Family::RandomTree(1).graph(size, &mut Generator::new(1)).expect("a tree");
            let parameters = parameters.clone().on(tree);
            let Ok(Instance::Graph(algorithm)) = Catalog::builtin().instance(card.name, &parameters) else { panic!() };
            for seed in 0..seeds {
                let context = format!("{} n={size} seed={seed}", card.name);
                let mut coin = Generator::stream(seed, size as u64);
                let states = corrupt::configuration(&algorithm, size, &mut coin);
                let mut run = StabilizingRun::processes(&algorithm, states, Scheduler::Random, coin);
                heal(&mut run, algorithm.goal(), algorithm.safety() == Safety::ForEver, &context);
            }
        }
        Instance::Message(algorithm) => {
            for seed in 0..seeds {
                let coin = Generator::stream(seed, size as u64);
                let mut run = MessageSteps::new(&algorithm, algorithm.channels(), coin);
                reach(&mut run, Goal::OneLeader, false, &format!("{} n={size} seed={seed}", card.name));
            }
        }
        Instance::Robust(algorithm) => {
            for seed in 0..seeds {
                let coin = Generator::stream(seed, size as u64);
                let mut run = algorithm.watch(&Start::Arbitrary, 2, coin).expect("any start");
                reach(&mut *run, Goal::OneLeader, false, &format!("{} n={size} seed={seed}", card.name));
            }
        }
    }
}

#[test]
fn every_algorithm_reaches_its_goal() {
    let catalog = Catalog::builtin();
    for card in catalog.cards().filter(|card| card.flaw.is_none()) {
        let supported = (2..20).filter(|&n| catalog.supports(card.name, &Parameters::new(n)).is_ok());
        // As printed, flooding relays of the order of n⁴ messages a period.
        let most = if card.system == Some("s3") { 4 } else { 20 };
        for (index, size) in supported.step_by(2).take(4).filter(|&size| size <= most).enumerate() {
            // Many of the small ones, fewer of the large, whose elections take cubic time; a robust run must stay settled
            // for many timeouts before it counts.
            let seeds = match card.kind {
                Kind::Robust => [40, 20, 10, 5][index],
                Kind::Message => [2000, 1000, 400, 100][index],
                Kind::Population | Kind::Ring | Kind::Graph => [500, 250, 100, 30][index],
            };
            runs(card, &Parameters::new(size), &[card.scheduler], seeds);
        }
    }
}

fn elect(name: &str, layers: &str, schedulers: &[Scheduler], sizes: &[usize], given: &[(&str, &str)]) {
    let catalog = Catalog::builtin();
    for &size in sizes {
        let parameters = given.iter().fold(Parameters::new(size), |all, (name, value)| all.with(*name, *value));
        let parameters = parameters.layered(layers.parse().unwrap());
        assert_eq!(catalog.supports(name, &parameters), Ok(()));
        runs(catalog.card(name).unwrap(), &parameters, schedulers, 12);
    }
}

const RANDOM: &[Scheduler] = &[Scheduler::Random];

#[test]
fn population_protocols() {
    elect("fischer-jiang-complete", "", RANDOM, &[2, 3, 10, 33], &[]);
    elect("yokota-ring", "", RANDOM, &[9, 20], &[("bound", "31")]);
    elect("angluin-ring", "", RANDOM, &[4, 8, 20], &[("modulus", "3")]);
}

#[test]
fn without_an_oracle() {
    elect("fischer-jiang-ring", "distance", RANDOM, &[3, 4, 9, 16], &[]);
    elect("fischer-jiang-ring", "distance", RANDOM, &[5, 11], &[("bound", "14")]);
    elect("fischer-jiang-ring", "timer", RANDOM, &[3, 5, 9], &[]);
    elect("fischer-jiang-complete", "timer", RANDOM, &[3, 10, 33], &[]);
}

#[test]
fn on_undirected_rings() {
    elect("fischer-jiang-ring", "undirected", RANDOM, &[3, 4, 9], &[]);
    elect("fischer-jiang-ring", "undirected,distance", RANDOM, &[3, 4, 9], &[]);
    elect("fischer-jiang-ring", "undirected,timer", RANDOM, &[3, 5], &[]);
    elect("yokota-ring", "undirected", RANDOM, &[3, 4, 9, 15], &[]);
    elect("angluin-ring", "undirected", RANDOM, &[3, 5, 9], &[]);
    elect("token-circulation", "undirected", RANDOM, &[3, 4, 9, 15], &[]);
}

#[test]
fn rings() {
    let every = &[Scheduler::Random, Scheduler::RoundRobin, Scheduler::Alternating];
    elect("fich-johnen", "", &[Scheduler::Alternating, Scheduler::RoundRobin], &[2, 3, 7, 13], &[]);
    elect("fich-johnen", "alternator", every, &[2, 3, 7, 13], &[]);
    elect("fich-johnen-token", "", every, &[2, 3, 7, 13], &[]);
    elect("burns-pachl", "", every, &[3, 5, 7, 13], &[]);
    elect("burns-pachl", "alternator", every, &[3, 5, 7], &[]);
    elect("gouda-haddix", "", every, &[2, 3, 8, 20], &[]);
    elect("gouda-haddix", "alternator", every, &[2, 3, 8, 20], &[]);
}
