//! Every algorithm of the catalogue reaches its goal from thousands of starts, at several sizes.

use ringleader_algorithms::catalog::{self, CARDS};
use ringleader_algorithms::{Card, Kind, Parameters, Topology};
use ringleader_model::{Goal, Graph, Marks, Population, Ring, Stabilizing, Terminating, Timed, corrupt};
use ringleader_simulate::plain::Run;
use ringleader_simulate::plain::message::MessageRun;
use ringleader_simulate::plain::population::PopulationRun;
use ringleader_simulate::plain::ring::RingRun;
use ringleader_simulate::plain::timed::TimedRun;
use ringleader_simulate::{Generator, Oracle};

const LIMIT: u64 = 20_000_000;
const ORACLES: [Oracle; 3] = [Oracle::Perfect, Oracle::Delayed(50), Oracle::AdversarialUntil(200)];

struct Elects {
    card: &'static Card,
    size: usize,
    runs: u64,
}

impl Elects {
    /// The goal is reached, and what it promises is there to see.
    fn judge(&self, run: &mut dyn Run, goal: Goal, seed: u64) {
        let reached = run.run_until_reached(LIMIT);
        let name = self.card.name;
        assert!(reached.is_some(), "{name}, size {}, seed {seed}: not reached after {} steps", self.size, run.steps());
        let count = |mark| run.marks().iter().filter(|m| m.contains(mark)).count();
        match goal {
            Goal::OneLeader => assert_eq!(count(Marks::LEADER), 1, "{name}, size {}, seed {seed}", self.size),
            Goal::OneToken => assert_eq!(count(Marks::TOKEN), 1, "{name}, size {}, seed {seed}", self.size),
            Goal::Agreement => {}
        }
    }

    /// The goal stays reached while the run goes on.
    fn stays(&self, run: &mut dyn Run, seed: u64) {
        for _ in 0..20 * self.size {
            run.step();
            assert!(run.reached().is_some(), "{}, size {}, seed {seed}: lost again", self.card.name, self.size);
        }
    }
}

impl catalog::Visitor for Elects {
    type Output = ();

    fn population<A: Population + Stabilizing + 'static>(self, algorithm: A) {
        let graph = match self.card.topology {
            Topology::Complete => Graph::complete(self.size),
            Topology::UndirectedRing => Graph::undirected_ring(self.size),
            _ => Graph::directed_ring(self.size),
        }
        .expect("a graph");
        for seed in 0..self.runs {
            let mut coin = Generator::stream(seed, self.size as u64);
            let states = corrupt::configuration(&algorithm, self.size, &mut coin);
            let oracle = ORACLES[seed as usize % ORACLES.len()];
            let mut run = PopulationRun::new(&algorithm, &graph, states, self.card.scheduler, oracle, coin);
            self.judge(&mut run, A::GOAL, seed);
            self.stays(&mut run, seed);
        }
    }

    fn ring<A: Ring + Stabilizing + 'static>(self, algorithm: A) {
        for seed in 0..self.runs {
            let mut coin = Generator::stream(seed, self.size as u64);
            let states = corrupt::configuration(&algorithm, self.size, &mut coin);
            let mut run = RingRun::new(&algorithm, states, self.card.scheduler, coin);
            self.judge(&mut run, A::GOAL, seed);
            self.stays(&mut run, seed);
        }
    }

    fn message<A: Terminating + 'static>(self, algorithm: A) {
        for seed in 0..self.runs {
            let coin = Generator::stream(seed, self.size as u64);
            let mut run = MessageRun::new(&algorithm, algorithm.channels(), coin);
            self.judge(&mut run, Goal::OneLeader, seed);
        }
    }

    fn robust<A: Timed + 'static>(self, algorithm: A) {
        for seed in 0..self.runs {
            let mut coin = Generator::stream(seed, self.size as u64);
            let states = (0..self.size).map(|_| corrupt::arbitrary(&algorithm, &mut coin)).collect();
            let mut run = TimedRun::new(&algorithm, states, 2, coin);
            self.judge(&mut run, Goal::OneLeader, seed);
        }
    }
}

#[test]
fn every_algorithm_reaches_its_goal() {
    for card in CARDS.iter().filter(|card| card.flaw.is_none()) {
        let supported = (2..20).filter(|&n| catalog::supports(card.name, &Parameters::new(n)).is_ok());
        // As printed, robust-s3 relays of the order of n⁴ messages a period.
        let most = if card.name == "robust-s3" { 4 } else { 20 };
        for (index, size) in supported.step_by(2).take(4).filter(|&size| size <= most).enumerate() {
            // Thousands of the small ones, fewer of the large, whose elections take cubic time; a robust run must stay
            // settled for many timeouts before it counts.
            let runs = match card.kind {
                Kind::Robust => [40, 20, 10, 5][index],
                _ => [2000, 1000, 400, 100][index],
            };
            catalog::visit(card.name, &Parameters::new(size), Elects { card, size, runs }).expect(card.name);
        }
    }
}
