//! A run that is recorded is the run that is not; steering changes nothing before it, and going back is exact.

use ringleader_algorithms::population::yokota_ring::YokotaRing;
use ringleader_algorithms::ring::burns_pachl::BurnsPachl;
use ringleader_erased::{Entry, Number, Parameters, PopulationInstance, RingInstance};
use ringleader_model::trace::Actor;
use ringleader_model::{Graph, Scheduler};
use ringleader_simulate::plain::{ChosenStep, NotTaken, SimulatedRun, StabilizingRun};
use ringleader_simulate::{Generator, Oracle};

fn agrees(mut watched: StabilizingRun<'_>, mut steered: StabilizingRun<'_>) {
    let mut kept = vec![];
    for step in 0..500 {
        assert_eq!(watched.numbers(), steered.numbers(), "step {step}");
        assert_eq!(watched.reached(), steered.reached());
        kept.push((steered.checkpoint(), steered.numbers().to_vec()));
        assert!(watched.step());
        steered.advance().unwrap();
    }
    let last = steered.numbers().to_vec();
    for (at, (checkpoint, states)) in kept.iter().enumerate().rev().step_by(37) {
        steered.go_to(checkpoint);
        assert_eq!((steered.steps(), steered.numbers()), (at as u64, &states[..]));
    }
    while steered.steps() < 500 {
        steered.advance().unwrap();
    }
    assert_eq!(steered.numbers(), last, "from a checkpoint the run goes on as it did");
}

#[test]
fn recording_changes_nothing_and_going_back_is_exact() {
    let ring = PopulationInstance::new(YokotaRing { bound: 9 }).unwrap();
    let graph = Graph::directed_ring(9).unwrap();
    for oracle in [Oracle::Perfect, Oracle::Delayed(20)] {
        let run = || {
            let start = (0..9).map(|i| Number(i * 7)).collect();
            StabilizingRun::population(&ring, &graph, start, Scheduler::Random, oracle, Generator::new(5))
        };
        agrees(run(), run());
    }
    let parameters = Parameters::new(7);
    let processes = RingInstance::new(BurnsPachl::build(&parameters).unwrap()).unwrap();
    for scheduler in [Scheduler::Random, Scheduler::Alternating, Scheduler::Distributed, Scheduler::Synchronous] {
        let run = || StabilizingRun::processes(&processes, (0..7).map(Number).collect(), scheduler, Generator::new(5));
        agrees(run(), run());
    }
}

#[test]
fn a_step_that_was_taken_can_be_taken_again() {
    let ring = PopulationInstance::new(YokotaRing { bound: 6 }).unwrap();
    let graph = Graph::directed_ring(6).unwrap();
    let run = |seed| {
        let start = (0..6).map(|i| Number(i * 11)).collect();
        StabilizingRun::population(&ring, &graph, start, Scheduler::Random, Oracle::Perfect, Generator::new(seed))
    };
    let (mut first, mut second) = (run(1), run(2));
    for _ in 0..200 {
        let taken = first.advance().unwrap();
        let choice = ChosenStep { actor: taken.actor.clone(), inputs: taken.inputs, coin: taken.coin.clone() };
        assert_eq!(second.take(&choice).unwrap(), taken);
        assert_eq!(first.numbers(), second.numbers(), "what was taken decides, not the seed");
    }
    assert_eq!(first.take(&ChosenStep::of(Actor::Process(0))), Err(NotTaken::NoSuchActor));
    assert_eq!(first.take(&ChosenStep::of(Actor::Arc(3, 2))), Err(NotTaken::NoSuchActor));
}

#[test]
fn an_agent_that_is_changed_is_no_longer_safe_since_before() {
    let ring = PopulationInstance::new(YokotaRing { bound: 4 }).unwrap();
    let graph = Graph::directed_ring(4).unwrap();
    let start = vec![Number(0); 4];
    let mut run =
        StabilizingRun::population(&ring, &graph, start, Scheduler::Random, Oracle::Perfect, Generator::new(1));
    assert!(run.run_until_reached(100_000).is_some());
    let states = run.numbers().to_vec();
    run.put(2, Number((states[2].0 + 1) % ring.states()));
    assert_ne!(run.numbers(), states);
    assert!(run.reached().is_none_or(|since| since == run.steps()));
}
