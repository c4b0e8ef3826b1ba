//! Rounds and moves, counted by their definitions along runs of the plain engine.

use crate::daemons::{FourState, moments};
use ringleader_algorithms::ring::gouda_haddix::GoudaHaddix;
use ringleader_erased::{Number, RingInstance};
use ringleader_model::trace::Actor;
use ringleader_model::{
    Coin, Goal, Marks, Odometer, Ring, Safety, Scheduler, Stabilizing as _, Variables, View, Visitor,
};
use ringleader_simulate::kernel::{Counted, Kernel, ProcessSteps, Progress};
use ringleader_simulate::plain::StabilizingRun;
use ringleader_simulate::{
    Arena, Contest, ElectionError, Elections, End, Faults, Generator, KernelChoice, Limits, Oracle, Start,
};
use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

static NEVER: AtomicBool = AtomicBool::new(false);
const LIMITS: Limits<'static> = Limits { steps: 1_000_000, stop: &NEVER };

/// Herman's protocol: a process in the same state as its left neighbour tosses a coin, the others copy it.
struct Herman;

impl Variables for Herman {
    type State = bool;
    fn variables(&self, x: &mut bool, v: &mut dyn Visitor) {
        v.bit("x", x);
    }
}

impl Ring for Herman {
    fn act(&self, View { left, own, .. }: View<bool>, coin: &mut impl Coin) -> bool {
        if left == own { coin.below(2) == 1 } else { left }
    }

    fn marks(&self, View { left, own, .. }: View<bool>) -> Marks {
        Marks::TOKEN.when(left == own)
    }
}

impl ringleader_model::Stabilizing for Herman {
    fn goal(&self) -> Goal {
        Goal::OneToken
    }

    fn correct(&self, c: &[bool]) -> bool {
        (0..c.len()).filter(|&i| c[i] == c[(i + c.len() - 1) % c.len()]).count() == 1
    }

    fn safety(&self) -> Safety {
        Safety::ForEver
    }
}

/// The enabled processes: some outcome of their rule changes their state.
fn enabled(algorithm: &RingInstance, states: &[Number]) -> BTreeSet<usize> {
    let changes = |i: &usize| {
        let mut changes = false;
        Odometer::each(|coin| {
            changes |= algorithm.act(View::of(states, *i, algorithm.chain()), coin) != states[*i];
        });
        changes
    };
    (0..states.len()).filter(changes).collect()
}

/// The rounds that begin before a run is safe, its moves and its steps.
fn by_definition(
    algorithm: &RingInstance,
    states: Vec<Number>,
    scheduler: Scheduler,
    coin: Generator,
) -> (Counted, u64) {
    let mut run = StabilizingRun::processes(algorithm, states, scheduler, coin);
    let (mut counted, mut steps) = (Counted::default(), 0);
    let mut pending = BTreeSet::new();
    while !algorithm.safe(run.numbers()) {
        let before = enabled(algorithm, run.numbers());
        if pending.is_empty() {
            counted.rounds += 1;
            pending.clone_from(&before);
        }
        let acting: BTreeSet<usize> = match run.advance().expect("it can step").actor {
            Actor::Process(process) => [process].into(),
            Actor::Processes(several) => several.into_iter().collect(),
            Actor::All => (0..run.numbers().len()).collect(),
            Actor::Arc(..) => unreachable!("processes have no arcs"),
        };
        counted.moves += acting.intersection(&before).count() as u64;
        let after = enabled(algorithm, run.numbers());
        pending.retain(|process| !acting.contains(process) && after.contains(process));
        steps += 1;
    }
    (counted, steps)
}

fn counted(algorithm: &RingInstance, size: usize, scheduler: Scheduler, coin: Generator) -> (Counted, u64) {
    let elections = Elections::ring(algorithm.clone(), size, scheduler).unwrap().counting().unwrap();
    let election = elections.run(Faults::default(), LIMITS, coin);
    let End::Reached(steps) = election.end else { panic!("it stabilizes: {election:?}") };
    (election.counted.expect("they are counted"), steps)
}

/// Without coins and without random choices, both engines take the same run.
#[test]
fn the_same_run_has_the_same_rounds_and_moves() {
    let algorithm = RingInstance::new(GoudaHaddix).unwrap();
    let mut most = 0;
    for scheduler in [Scheduler::RoundRobin, Scheduler::Synchronous] {
        for size in [2, 3, 5, 8] {
            for seed in 0..50 {
                let coin = Generator::stream(3, seed);
                let states = Start::Arbitrary.states(&algorithm, size, &mut coin.clone()).unwrap();
                let slow = by_definition(&algorithm, states, scheduler, coin.clone());
                let fast = counted(&algorithm, size, scheduler, coin);
                assert_eq!(fast, slow, "{scheduler}, size {size}, seed {seed}");
                most = most.max(slow.0.rounds);
            }
        }
    }
    assert!(most > 5, "{most}");
}

/// Where the scheduler or the rules draw, the engines have the same means.
#[test]
fn rounds_and_moves_have_the_same_means() {
    let random = [Scheduler::Random, Scheduler::Distributed, Scheduler::Alternating];
    let four = RingInstance::new(FourState).unwrap();
    let herman = RingInstance::new(Herman).unwrap();
    let cases = random.map(|scheduler| (&four, 5, scheduler));
    for (algorithm, size, scheduler) in cases.into_iter().chain([(&herman, 7, Scheduler::Synchronous)]) {
        let runs = 4000;
        let slow = (0..runs).map(|seed| {
            let mut coin = Generator::stream(1, seed);
            let states = Start::Arbitrary.states(algorithm, size, &mut coin).unwrap();
            by_definition(algorithm, states, scheduler, coin).0
        });
        let slow: Vec<Counted> = slow.collect();
        let fast: Vec<Counted> =
            (0..runs).map(|seed| counted(algorithm, size, scheduler, Generator::stream(2, seed)).0).collect();
        for (what, of) in [("rounds", (|c: &Counted| c.rounds) as fn(&Counted) -> u64), ("moves", |c| c.moves)] {
            let (slow, fast) = (moments(slow.iter().map(of)), moments(fast.iter().map(of)));
            let sigma = (slow.1 + fast.1).sqrt();
            assert!((slow.0 - fast.0).abs() < 5.0 * sigma, "{what}, {scheduler}: {slow:?}, {fast:?}");
            assert!(slow.0 > 20.0 * sigma, "{what}, {scheduler}: too few runs");
        }
    }
}

/// Counting changes neither the steps nor the states of a run, and no division of the work changes the counts.
#[test]
fn counting_changes_no_run() {
    let algorithm = RingInstance::new(Herman).unwrap();
    for scheduler in [Scheduler::Random, Scheduler::Distributed, Scheduler::Synchronous, Scheduler::Alternating] {
        let states = vec![Number(0); 9];
        let plain = ProcessSteps::new(&algorithm, &states, scheduler, Progress::new(Generator::new(5)));
        let (mut plain, mut whole) = (plain.clone(), plain.counting());
        let mut parts = whole.clone();
        plain.advance(700);
        whole.advance(700);
        [1, 299, 256, 144].into_iter().for_each(|units| assert_eq!(parts.advance(units), units));
        assert_eq!(plain.configuration(), whole.configuration(), "{scheduler}");
        assert_eq!(whole.configuration(), parts.configuration(), "{scheduler}");
        assert_eq!((plain.counted(), whole.counted()), (None, parts.counted()), "{scheduler}");
        let Counted { rounds, moves } = whole.counted().unwrap();
        let most = if matches!(scheduler, Scheduler::Synchronous | Scheduler::Distributed) { 9 * 700 } else { 700 };
        assert!(rounds > 20 && moves >= rounds && moves <= most, "{scheduler}: {rounds} rounds, {moves} moves");
    }
}

/// The same seed gives the same record, with rounds and moves; populations have none.
#[test]
fn records_have_rounds_and_moves() {
    let algorithm = RingInstance::new(FourState).unwrap();
    let ring = || Elections::ring(algorithm.clone(), 6, Scheduler::Distributed).unwrap();
    let elect = |elections: Elections, faults: Faults, seed: u64| {
        Contest::from(elections).elect(faults, LIMITS, Generator::new(seed)).expect("it is not interrupted")
    };
    let (counting, none) = (|| ring().counting().unwrap(), Faults::default());
    let mut all = 0;
    for seed in 0..20 {
        let (plain, first) = (elect(ring(), none, seed), elect(counting(), none, seed));
        assert_eq!(first, elect(counting(), none, seed));
        assert_eq!((plain.rounds, plain.moves, plain.steps), (None, None, first.steps));
        let (rounds, moves) = (first.rounds.unwrap(), first.moves.unwrap());
        assert!(moves >= rounds && (rounds > 0) == (first.steps > 0), "seed {seed}: {first:?}");
        // A fault after the goal is not part of the count.
        let struck = elect(counting(), Faults { agents: 3, times: 4, after: (0, 0) }, seed);
        assert_eq!((struck.rounds, struck.moves), (first.rounds, first.moves));
        all += rounds;
    }
    assert!(all > 20, "{all}");

    let protocol = ringleader_algorithms::population::fischer_jiang_ring::FischerJiangRing;
    let protocol = ringleader_erased::PopulationInstance::new(protocol).unwrap();
    let arena = Arena::shaped(ringleader_model::Shape::DirectedRing, 4).unwrap();
    let population = Elections::population(protocol, arena, KernelChoice::Auto, Oracle::Perfect).unwrap();
    assert_eq!(population.counting().err(), Some(ElectionError::NoRounds));
}
