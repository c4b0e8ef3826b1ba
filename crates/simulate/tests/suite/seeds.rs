//! The same seed gives the same run, from one version to the next: whoever changes a number here breaks what others have
//! written down.

use ringleader_algorithms::message::{fokkink_pang::FokkinkPang, franklin::Franklin};
use ringleader_algorithms::population::layers::{Distance, Undirected};
use ringleader_algorithms::population::{
    fischer_jiang_complete::FischerJiangComplete, fischer_jiang_ring::FischerJiangRing,
    ring_orientation::RingOrientation, yokota_ring::YokotaRing,
};
use ringleader_algorithms::ring::{
    alternator::Alternator, burns_pachl::BurnsPachl, fich_johnen::FichJohnen, gouda_haddix::GoudaHaddix,
};
use ringleader_algorithms::robust::{s2, s3, s4, s5};
use ringleader_algorithms::{Entry, Parameters};
use ringleader_erased::{MessageInstance, PopulationInstance, RingInstance};
use ringleader_model::{Graph, Population, Ring, Scheduler, Stabilizing, Terminating};
use ringleader_simulate::network::{Campaign, Source, SystemClass};
use ringleader_simulate::plain::{SimulatedRun, StabilizingRun};
use ringleader_simulate::{
    Arena, Elections, End, Faults, Generator, KernelChoice, Limits, Oracle, Start, TimedAlgorithm, elect_by_messages,
};
use std::sync::atomic::AtomicBool;

static NEVER: AtomicBool = AtomicBool::new(false);

fn population(protocol: impl Population + Stabilizing + 'static) -> PopulationInstance {
    PopulationInstance::new(protocol).unwrap()
}

fn ring(algorithm: impl Ring + Stabilizing + 'static) -> RingInstance {
    RingInstance::new(algorithm).unwrap()
}

fn build<A: Entry>(size: usize) -> A {
    A::build(&Parameters::new(size)).unwrap()
}

/// Steps to the goal, the last change of output, and what two faults took.
fn held(elections: Elections, seed: u64) -> (u64, u64, Vec<u64>) {
    let faults = Faults { agents: 2, times: 2, after: (0, 30) };
    let limits = Limits { steps: 10_000_000, stop: &NEVER };
    let election = elections.run(faults, limits, Generator::stream(5, seed));
    let End::Reached(steps) = election.end else { panic!("{election:?}") };
    (steps, election.last_output_change, election.recoveries)
}

#[test]
fn elections_in_populations() {
    use KernelChoice::{Auto, Count, Rule, Skip, Table};
    let elect = |protocol: &PopulationInstance, graph: &Graph, choice, oracle, start, seed| {
        let elections = Elections::population(protocol.clone(), Arena::of(graph), choice, oracle).unwrap();
        held(elections.starting(&start).unwrap(), seed)
    };
    let ring = Graph::directed_ring(7).unwrap();
    let fischer_jiang = population(FischerJiangRing);
    for (choice, oracle, expected) in [
        (Auto, Oracle::Perfect, (102, 102, vec![116, 0])),
        (Rule, Oracle::Perfect, (102, 102, vec![116, 0])),
        (Table, Oracle::Perfect, (102, 102, vec![116, 0])),
        (Skip, Oracle::Perfect, (45, 45, vec![45, 40])),
        (Rule, Oracle::Delayed(50), (119, 119, vec![63, 74])),
        (Auto, Oracle::AdversarialUntil(70), (184, 184, vec![1, 12])),
    ] {
        assert_eq!(elect(&fischer_jiang, &ring, choice, oracle, Start::Arbitrary, 1), expected, "{choice} {oracle}");
    }
    let perfect =
        |protocol, graph: &Graph, choice, start, seed| elect(protocol, graph, choice, Oracle::Perfect, start, seed);
    let (large, yokota) = (Graph::directed_ring(40).unwrap(), population(YokotaRing { bound: 300 }));
    assert_eq!(perfect(&yokota, &large, Auto, Start::Arbitrary, 2), (4783, 4783, vec![4020, 6644]));
    assert_eq!(perfect(&yokota, &large, Rule, Start::Arbitrary, 2), (5934, 5934, vec![1912, 3040]));
    assert_eq!(perfect(&yokota, &large, Skip, Start::Arbitrary, 2), (8564, 8564, vec![923, 2690]));
    let (undirected, orientation) = (Graph::undirected_ring(7).unwrap(), population(RingOrientation));
    assert_eq!(perfect(&orientation, &undirected, Rule, Start::Arbitrary, 0), (197, 0, vec![214, 92]));
    assert_eq!(perfect(&orientation, &undirected, Table, Start::Arbitrary, 0), (197, 0, vec![214, 92]));
    assert_eq!(perfect(&orientation, &undirected, Skip, Start::Arbitrary, 0), (132, 0, vec![54, 125]));
    let (clique, complete) = (Graph::complete(8).unwrap(), population(FischerJiangComplete));
    assert_eq!(perfect(&complete, &clique, Rule, Start::AllLeaders, 0), (17, 17, vec![7, 0]));
    assert_eq!(perfect(&complete, &clique, Count, Start::AllLeaders, 0), (73, 73, vec![25, 41]));
    let layered = population(Undirected { inner: population(YokotaRing { bound: 6 }) });
    let undirected = Graph::undirected_ring(6).unwrap();
    assert_eq!(perfect(&layered, &undirected, Rule, Start::Arbitrary, 1), (247, 195, vec![382, 218]));
    assert_eq!(perfect(&layered, &undirected, Skip, Start::Arbitrary, 1), (306, 306, vec![180, 31]));
    let layered = population(Distance { inner: population(FischerJiangRing), bound: 8 });
    assert_eq!(perfect(&layered, &ring, Rule, Start::Arbitrary, 1), (87, 87, vec![117, 0]));
}

#[test]
fn elections_on_rings() {
    let elect = |algorithm: &RingInstance, size, scheduler, seed| {
        held(Elections::ring(algorithm.clone(), size, scheduler).unwrap(), seed)
    };
    let burns_pachl = ring(BurnsPachl { size: 5 });
    assert_eq!(elect(&burns_pachl, 5, Scheduler::Random, 0), (14, 14, vec![72, 1]));
    assert_eq!(elect(&burns_pachl, 5, Scheduler::RoundRobin, 0), (9, 9, vec![8, 7]));
    assert_eq!(elect(&burns_pachl, 5, Scheduler::Alternating, 0), (45, 45, vec![60, 66]));
    assert_eq!(elect(&burns_pachl, 5, Scheduler::Synchronous, 0), (15, 15, vec![11, 6]));
    let layered = ring(Alternator::new(ring(FichJohnen { size: 7 }), 7));
    assert_eq!(elect(&layered, 7, Scheduler::Random, 2), (81, 8, vec![22, 123]));
    assert_eq!(elect(&ring(build::<GoudaHaddix>(6)), 6, Scheduler::Alternating, 1), (2, 2, vec![0, 3]));
}

#[test]
fn elections_by_messages() {
    let elect = |algorithm: &MessageInstance| {
        let limits = Limits { steps: 100_000, stop: &NEVER };
        let run = elect_by_messages(algorithm, algorithm.channels(), limits, Generator::new(3)).unwrap();
        (run.reached, run.steps, run.messages, run.rounds)
    };
    assert_eq!(elect(&MessageInstance::new(build::<Franklin>(9))), (true, 80, Some(72), Some(4)));
    assert_eq!(elect(&MessageInstance::new(build::<FokkinkPang>(9))), (true, 98, Some(89), Some(3)));
}

#[test]
fn hostile_networks() {
    let campaign = |system, seed| Campaign {
        crashes: 1,
        restarts: 1,
        partition: true,
        eventually: seed == 1,
        ..Campaign::new(Source::System(system), seed)
    };
    assert_eq!(campaign(SystemClass::S2, 0).run(&build::<s2::RobustS2>(4), 1).digest, 4189315708718334157);
    assert_eq!(campaign(SystemClass::S3, 1).run(&build::<s3::RobustS3>(4), 0).digest, 15398816053721897612);
    let links = campaign(SystemClass::S5, 0).links_over_time(&build::<s5::RobustS5>(5), 1, 10, 8);
    assert_eq!(links, [8, 4, 4, 4, 8, 8, 8, 4]);
}

#[test]
fn runs_that_are_watched() {
    let twice = |run: &mut dyn SimulatedRun| {
        let first = run.run_until_reached(200_000);
        run.corrupt(&[0, 2]);
        (first, run.run_until_reached(200_000))
    };
    let (yokota, graph) = (population(YokotaRing { bound: 9 }), Graph::directed_ring(7).unwrap());
    let mut coin = Generator::new(9);
    let states = Start::Arbitrary.states(&yokota, 7, &mut coin).unwrap();
    let mut run = StabilizingRun::population(&yokota, &graph, states, Scheduler::Random, Oracle::Perfect, coin);
    assert_eq!(twice(&mut run), (Some(167), Some(192)));
    let (burns_pachl, mut coin) = (ring(BurnsPachl { size: 5 }), Generator::new(9));
    let states = Start::Arbitrary.states(&burns_pachl, 5, &mut coin).unwrap();
    assert_eq!(
        twice(&mut StabilizingRun::processes(&burns_pachl, states, Scheduler::Alternating, coin)),
        (Some(23), Some(26))
    );
    let s4 = build::<s4::RobustS4>(4);
    assert_eq!(twice(&mut *s4.watch(&Start::Arbitrary, 2, Generator::new(4)).unwrap()), (Some(21), Some(1821)));
}
