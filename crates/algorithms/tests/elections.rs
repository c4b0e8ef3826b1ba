//! The plain engines run every algorithm to its goal from many arbitrary starts, at several sizes, with and without layers.

use ringleader_algorithms::catalog::{self, Visitor};
use ringleader_algorithms::{Parameters, Topology};
use ringleader_model::{Goal, Graph, Marks, Population, Ring, Scheduler, Stabilizing, Terminating, Timed, corrupt};
use ringleader_simulate::plain::Run;
use ringleader_simulate::plain::population::PopulationRun;
use ringleader_simulate::plain::ring::RingRun;
use ringleader_simulate::{Generator, Oracle};

/// Runs from many starts, each hit by a fault in the end.
struct Elect<'a> {
    name: &'a str,
    size: usize,
    topology: Topology,
    schedulers: &'a [Scheduler],
    seeds: u64,
}

/// Far more than any of the runs below takes.
const LIMIT: u64 = 50_000_000;

impl Elect<'_> {
    /// Runs to the goal, corrupts a third of the agents, runs to the goal again, and then for a while to see it kept.
    fn follow(&self, run: &mut dyn Run, goal: Goal, seed: u64, for_ever: bool) {
        let context = format!("{} n={} seed={seed}", self.name, self.size);
        for fault in [false, true] {
            if fault {
                run.corrupt(&(0..self.size).step_by(3).collect::<Vec<_>>());
            }
            let limit = run.steps() + LIMIT;
            assert!(run.run_until_reached(limit).is_some(), "{context}: not reached");
            let leaders = self.check(run, goal, &context);
            if for_ever {
                for _ in 0..20 * self.size {
                    run.step();
                    assert!(run.reached().is_some(), "{context}: the safe set was left");
                    assert_eq!(self.check(run, goal, &context), leaders, "{context}: the leader changed");
                }
            }
        }
    }

    /// Exactly one leader, or exactly one token; who leads.
    fn check(&self, run: &dyn Run, goal: Goal, context: &str) -> Vec<usize> {
        let marks = run.marks();
        let those = |has: fn(Marks) -> bool| (0..marks.len()).filter(|&i| has(marks[i])).collect::<Vec<_>>();
        let (leaders, tokens) = (those(Marks::leader), those(Marks::token));
        match goal {
            Goal::OneLeader => assert_eq!(leaders.len(), 1, "{context}: leaders"),
            Goal::OneToken => assert_eq!(tokens.len(), 1, "{context}: tokens"),
            Goal::Agreement => {}
        }
        leaders
    }
}

impl Visitor for Elect<'_> {
    type Output = ();

    fn population<A: Population + Stabilizing + 'static>(self, algorithm: A) {
        let graph = match self.topology {
            Topology::DirectedRing => Graph::directed_ring(self.size),
            Topology::UndirectedRing => Graph::undirected_ring(self.size),
            _ => Graph::complete(self.size),
        };
        let graph = graph.unwrap();
        for seed in 0..self.seeds {
            for oracle in [Oracle::Perfect, Oracle::Delayed(50), Oracle::AdversarialUntil(200)] {
                let mut coin = Generator::new(seed);
                let states = corrupt::configuration(&algorithm, self.size, &mut coin);
                let mut run = PopulationRun::new(&algorithm, &graph, states, Scheduler::Random, oracle, coin);
                self.follow(&mut run, A::GOAL, seed, !self.name.contains("timer"));
            }
        }
    }

    fn ring<A: Ring + Stabilizing + 'static>(self, algorithm: A) {
        for seed in 0..self.seeds {
            for &scheduler in self.schedulers {
                let mut coin = Generator::new(seed);
                let states = corrupt::configuration(&algorithm, self.size, &mut coin);
                let mut run = RingRun::new(&algorithm, states, scheduler, coin);
                self.follow(&mut run, A::GOAL, seed, true);
            }
        }
    }

    fn message<A: Terminating + 'static>(self, _: A) {}
    fn robust<A: Timed + 'static>(self, _: A) {}
}

fn elect(name: &str, layers: &str, schedulers: &[Scheduler], sizes: &[usize], given: &[(&str, &str)]) {
    let card = catalog::card(name).unwrap();
    for &size in sizes {
        let parameters = given.iter().fold(Parameters::new(size), |all, (name, value)| all.with(*name, *value));
        let parameters = parameters.layered(layers.parse().unwrap());
        assert_eq!(catalog::supports(name, &parameters), Ok(()));
        let topology = parameters.layers().unwrap().topology(card);
        let name = format!("{name} {layers}");
        let visitor = Elect { name: &name, size, topology, schedulers, seeds: 12 };
        catalog::visit(card.name, &parameters, visitor).unwrap();
    }
}

const RANDOM: &[Scheduler] = &[Scheduler::Random];

#[test]
fn population_protocols() {
    elect("fischer-jiang-complete", "", RANDOM, &[2, 3, 10, 33], &[]);
    elect("fischer-jiang-ring", "", RANDOM, &[3, 4, 9, 20], &[]);
    elect("yokota-ring", "", RANDOM, &[2, 3, 9, 20], &[]);
    elect("yokota-ring", "", RANDOM, &[9, 20], &[("bound", "31")]);
    elect("angluin-ring", "", RANDOM, &[3, 5, 9, 21], &[]);
    elect("angluin-ring", "", RANDOM, &[4, 8, 20], &[("modulus", "3")]);
    elect("token-circulation", "", RANDOM, &[2, 3, 9, 20], &[]);
    elect("ring-orientation", "", RANDOM, &[3, 4, 5, 9, 20], &[]);
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
