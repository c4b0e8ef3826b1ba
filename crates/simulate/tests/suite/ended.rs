//! Runs that come to where nothing can change: every kernel says so, and says it of no other run. The twin looks at the whole
//! configuration after every step.

use ringleader_erased::{Number, PopulationInstance, RingInstance};
use ringleader_model::{
    Coin, Goal, Graph, Marks, Population, Ring, Safety, Scheduler, Shape, Stabilizing, Told, Variables, View, Visitor,
    corrupt,
};
use ringleader_simulate::kernel::arcs::RingArcs;
use ringleader_simulate::kernel::{ByRule, Interactions, Kernel, Misled, Policy, ProcessSteps, Progress};
use ringleader_simulate::plain::{SimulatedRun, StabilizingRun};
use ringleader_simulate::{Arena, Elections, End, Faults, Generator, KernelChoice, Limits, Oracle, Start};
use std::sync::atomic::AtomicBool;

/// How a duel of neighbours goes.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Duel {
    /// The second leader resigns.
    Plain,
    /// Coins are tossed and nobody looks at them.
    Idle,
    /// The second leader resigns once in 64 times.
    Lazy,
    /// As `Plain`, where nobody hears of a leader somebody becomes one.
    Hearing,
}

const ALL: [Duel; 4] = [Duel::Plain, Duel::Idle, Duel::Lazy, Duel::Hearing];

impl Duel {
    fn second(self, first: bool, second: bool, coin: &mut impl Coin) -> bool {
        match self {
            Duel::Plain | Duel::Hearing => second && !first,
            Duel::Idle => (second && !first) ^ (coin.below(4) > 3),
            Duel::Lazy if first && second => coin.below(64) != 63,
            Duel::Lazy => second,
        }
    }
}

impl Variables for Duel {
    type State = bool;
    fn variables(&self, leads: &mut bool, v: &mut dyn Visitor) {
        v.bit("leads", leads);
    }
}

impl Population for Duel {
    fn interact(&self, u: bool, v: bool, told: Told, coin: &mut impl Coin) -> (bool, bool) {
        let becomes = *self == Duel::Hearing && !told.initiator && !u && !v;
        (u || becomes, self.second(u, v, coin))
    }
    fn marks(&self, leads: &bool) -> Marks {
        Marks::LEADER.when(*leads)
    }
    fn hears(&self) -> bool {
        *self == Duel::Hearing
    }
}

impl Ring for Duel {
    fn act(&self, view: View<bool>, coin: &mut impl Coin) -> bool {
        self.second(view.left, view.own, coin)
    }
    fn marks(&self, view: View<bool>) -> Marks {
        Marks::LEADER.when(view.own)
    }
}

impl Stabilizing for Duel {
    fn goal(&self) -> Goal {
        Goal::OneLeader
    }
    fn correct(&self, c: &[bool]) -> bool {
        c.iter().filter(|leads| **leads).count() == 1
    }
    fn safety(&self) -> Safety {
        Safety::ForEver
    }
}

/// A coin that shows the same again and again: no rule here tosses twice.
struct Shows(u32);

impl Coin for Shows {
    fn below(&mut self, n: u32) -> u32 {
        self.0 % n
    }
}

fn leaders(states: &[Number]) -> usize {
    states.iter().filter(|state| state.0 == 1).count()
}

fn still_on_ring(duel: Duel, states: &[Number]) -> bool {
    let leads = |i: usize| states[i % states.len()].0 == 1;
    let told = Told::both(leaders(states) > 0);
    let same = |i: usize, shown| {
        let before = (leads(i), leads(i + 1));
        duel.interact(before.0, before.1, told, &mut Shows(shown)) == before
    };
    (0..states.len()).all(|i| (0..64).all(|shown| same(i, shown)))
}

/// What a kernel comes to if everything is looked at after each of its steps.
fn looked_at_always<K: Kernel>(mut kernel: K, truthful: impl Fn(&K) -> bool, still: impl Fn(&[Number]) -> bool) -> End {
    loop {
        let states = kernel.configuration();
        let steps = kernel.progress().steps;
        match () {
            () if leaders(&states) == 1 && truthful(&kernel) => return End::Reached(steps),
            () if still(&states) && truthful(&kernel) => return End::Stuck(steps),
            () => assert_eq!(kernel.advance(1), 1),
        }
    }
}

/// Two looks, one of which may come too soon after the last change, and a stretch.
const SOON: u64 = 2 * 128 * (4 * N as u64 + 32) + 1024;

/// The same end; that nothing can change any more is found a while later.
fn assert_same(found: End, twin: End, context: &str) {
    match (found, twin) {
        (End::Stuck(found), End::Stuck(at)) => {
            assert!(found >= at && found <= 2 * at + SOON, "{context}: {found}, not {at}");
        }
        (found, twin) => assert_eq!(found, twin, "{context}"),
    }
}

const N: usize = 6;

fn limits(stop: &AtomicBool) -> Limits<'_> {
    Limits { steps: 1 << 60, stop }
}

#[test]
fn every_population_kernel_says_when_nothing_can_change() {
    let (stop, mut stuck, mut reached) = (AtomicBool::new(false), 0, 0);
    for duel in ALL {
        let protocol = PopulationInstance::new(duel).unwrap();
        let oracles =
            if duel == Duel::Hearing { &[Oracle::Perfect, Oracle::Delayed(500)][..] } else { &[Oracle::Perfect] };
        let kernels = [KernelChoice::Auto, KernelChoice::Rule, KernelChoice::Table, KernelChoice::Skip];
        for (kernel, &oracle) in kernels.iter().flat_map(|kernel| oracles.iter().map(move |oracle| (*kernel, oracle))) {
            let arena = Arena::shaped(Shape::DirectedRing, N).unwrap();
            let Ok(elections) = Elections::population(protocol.clone(), arena, kernel, oracle) else {
                assert_ne!(oracle, Oracle::Perfect);
                continue;
            };
            for seed in 0..40 {
                let found = elections.run(Faults::default(), limits(&stop), Generator::new(seed)).end;
                match found {
                    End::Stuck(_) => stuck += 1,
                    End::Reached(_) => reached += 1,
                    other => panic!("{duel:?} by {kernel}: {other:?}"),
                }
                if kernel != KernelChoice::Rule {
                    continue;
                }
                // The same run, as the elections make it.
                let mut coin = Generator::new(seed);
                let states: Vec<_> = (0..N).map(|_| corrupt::arbitrary(&protocol, &mut coin)).collect();
                let (cells, progress) = (ByRule::new(&protocol, &states), Progress::new(coin));
                let still = |states: &[Number]| still_on_ring(duel, states);
                let twin = match oracle {
                    Oracle::Perfect => {
                        looked_at_always(Interactions::new(cells, RingArcs(N), progress, Policy::Step), |_| true, still)
                    }
                    _ => looked_at_always(Misled::new(cells, RingArcs(N), oracle, progress), Misled::truthful, still),
                };
                assert_same(found, twin, &format!("{duel:?}, {oracle}, seed {seed}"));
            }
        }
    }
    assert!(stuck > 100 && reached > 100, "{stuck} and {reached}");
}

#[test]
fn the_table_kernel_ends_as_its_twin_does() {
    use ringleader_simulate::kernel::{ByTable, PackedTable};
    let stop = AtomicBool::new(false);
    for duel in ALL {
        let protocol = PopulationInstance::new(duel).unwrap();
        let table = PackedTable::compile(&protocol, 1 << 20).unwrap();
        let arena = Arena::shaped(Shape::DirectedRing, N).unwrap();
        let elections = Elections::population(protocol.clone(), arena, KernelChoice::Table, Oracle::Perfect).unwrap();
        for seed in 0..40 {
            let mut coin = Generator::new(seed);
            let states: Vec<_> = (0..N).map(|_| corrupt::arbitrary(&protocol, &mut coin)).collect();
            let (progress, still) = (Progress::new(coin), |states: &[Number]| still_on_ring(duel, states));
            let twin = match protocol.hears() {
                true => looked_at_always(
                    Interactions::new(ByTable::<true>::new(&table, &states), RingArcs(N), progress, Policy::Step),
                    |_| true,
                    still,
                ),
                false => looked_at_always(
                    Interactions::new(ByTable::<false>::new(&table, &states), RingArcs(N), progress, Policy::Step),
                    |_| true,
                    still,
                ),
            };
            let found = elections.run(Faults::default(), limits(&stop), Generator::new(seed)).end;
            assert_same(found, twin, &format!("{duel:?}, seed {seed}"));
        }
    }
}

/// Without a hearer, where nobody leads nobody ever will; with coins no kernel counts, so that one steps there.
#[test]
fn a_complete_graph_without_leaders_ends_on_every_kernel() {
    let stop = AtomicBool::new(false);
    for (duel, kernels) in [
        (Duel::Plain, &[KernelChoice::Auto, KernelChoice::Rule, KernelChoice::Table, KernelChoice::Count][..]),
        (Duel::Idle, &[KernelChoice::Auto, KernelChoice::Rule, KernelChoice::Table]),
        (Duel::Lazy, &[KernelChoice::Auto, KernelChoice::Rule, KernelChoice::Table]),
    ] {
        for &kernel in kernels {
            let ends = |start: &Start| {
                let protocol = PopulationInstance::new(duel).unwrap();
                let arena = Arena::shaped(Shape::Complete, 50).unwrap();
                let elections = Elections::population(protocol, arena, kernel, Oracle::Perfect).unwrap();
                elections.starting(start).unwrap().run(Faults::default(), limits(&stop), Generator::new(1)).end
            };
            assert!(matches!(ends(&Start::NoLeader), End::Stuck(_)), "{duel:?} by {kernel}");
            assert!(matches!(ends(&Start::AllLeaders), End::Reached(_)), "{duel:?} by {kernel}");
        }
    }
}

#[test]
fn the_ring_kernel_says_when_nothing_can_change_under_every_scheduler() {
    let (stop, mut stuck) = (AtomicBool::new(false), 0);
    for duel in [Duel::Plain, Duel::Idle, Duel::Lazy] {
        let algorithm = RingInstance::new(duel).unwrap();
        for scheduler in ProcessSteps::SCHEDULERS {
            let elections = Elections::ring(algorithm.clone(), N, scheduler).unwrap();
            for seed in 0..40 {
                let mut coin = Generator::new(seed);
                let states: Vec<_> = (0..N).map(|_| corrupt::arbitrary(&algorithm, &mut coin)).collect();
                let kernel = ProcessSteps::new(&algorithm, &states, scheduler, Progress::new(coin));
                let twin = looked_at_always(kernel, |_| true, |states| still_on_ring(duel, states));
                let found = elections.run(Faults::default(), limits(&stop), Generator::new(seed)).end;
                assert_same(found, twin, &format!("{duel:?}, {scheduler}, seed {seed}"));
                stuck += u32::from(matches!(found, End::Stuck(_)));
            }
        }
    }
    assert!(stuck > 50, "{stuck}");
}

/// The straightforward engines: they give up where the twin finds nothing to change, and nowhere else.
#[test]
fn the_plain_engines_end_too() {
    let graph = Graph::directed_ring(N).unwrap();
    for duel in ALL {
        let (protocol, algorithm) = (PopulationInstance::new(duel).unwrap(), RingInstance::new(duel).unwrap());
        for seed in 0..40 {
            let mut coin = Generator::new(seed);
            let states: Vec<_> = (0..N).map(|_| corrupt::arbitrary(&protocol, &mut coin)).collect();
            let oracle = if seed % 2 == 0 { Oracle::Perfect } else { Oracle::AdversarialUntil(5000) };
            let mut run =
                StabilizingRun::population(&protocol, &graph, states.clone(), Scheduler::Random, oracle, coin.clone());
            let reached = run.run_until_reached(1 << 60).is_some();
            let states_now = run.numbers();
            assert_eq!(reached, leaders(states_now) == 1, "{duel:?}, seed {seed}");
            assert!(reached || still_on_ring(duel, states_now), "{duel:?}, seed {seed}");
            if duel != Duel::Hearing {
                let mut run = StabilizingRun::processes(&algorithm, states, Scheduler::Random, coin);
                let reached = run.run_until_reached(1 << 60).is_some();
                assert_eq!(reached, leaders(run.numbers()) == 1, "{duel:?}, seed {seed}");
                assert!(reached || still_on_ring(duel, run.numbers()), "{duel:?}, seed {seed}");
            }
        }
    }
}

/// A fault after which nothing can change is one that did not heal.
#[test]
fn a_fault_that_cannot_heal_ends_the_run() {
    let stop = AtomicBool::new(false);
    let algorithm = RingInstance::new(Duel::Plain).unwrap();
    let elections = Elections::ring(algorithm, 4, Scheduler::Random).unwrap().starting(&Start::AllLeaders).unwrap();
    let faults = Faults { agents: 4, times: 50, after: (0, 0) };
    let unhealed = (0..20).filter(|&seed| {
        let election = elections.run(faults, limits(&stop), Generator::new(seed));
        election.unhealed.is_some()
    });
    assert!(unhealed.count() > 0);
}
