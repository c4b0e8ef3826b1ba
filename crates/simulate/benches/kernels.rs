//! The kernels against each other, in one run: interactions a second, and whole elections.

use divan::Bencher;
use divan::counter::ItemsCount;
use ringleader_algorithms::population::{
    angluin_ring::AngluinRing,
    fischer_jiang_complete::FischerJiangComplete,
    fischer_jiang_ring::FischerJiangRing,
    layers::{Timer, Undirected, two_hop_colouring::TwoHopColouring},
    ring_orientation::RingOrientation,
    token_circulation::TokenCirculation,
    yokota_ring::YokotaRing,
};
use ringleader_erased::{Number, PopulationInstance};
use ringleader_model::{Coin, Goal, Graph, Marks, Population, Stabilizing, Told, Variables, Visitor, corrupt};
use ringleader_simulate::kernel::arcs::{Arcs, RingArcs};
use ringleader_simulate::kernel::{AgentStore, ByRule, ByTable, Interactions, Kernel, PackedTable, Policy, Progress};
use ringleader_simulate::{Arena, Elections, Faults, Generator, KernelChoice, Limits, Oracle, Start, run_generator};
use std::sync::atomic::AtomicBool;

fn main() {
    divan::main();
}

/// So few that a sample is seldom interrupted.
const INTERACTIONS: u64 = 100_000;

fn instance<P: Population + Stabilizing + 'static>(protocol: P) -> PopulationInstance {
    PopulationInstance::new(protocol).expect("its states have numbers")
}

fn start(protocol: &PopulationInstance, n: usize) -> (Vec<Number>, Progress) {
    let mut coin = Generator::new(1);
    let states = (0..n).map(|_| corrupt::arbitrary(protocol, &mut coin)).collect();
    (states, Progress::new(coin))
}

fn by_table<const HEARS: bool>(
    bencher: Bencher<'_, '_>,
    protocol: impl Population + Stabilizing + 'static,
    arcs: impl Arcs,
) {
    let protocol = instance(protocol);
    let table = PackedTable::compile(&protocol, 1 << 20).expect("it fits");
    let (states, progress) = start(&protocol, arcs.agents());
    let mut kernel = Interactions::new(ByTable::<HEARS>::new(&table, &states), arcs, progress, Policy::Step);
    bencher.counter(ItemsCount::new(INTERACTIONS)).bench_local(|| kernel.advance(INTERACTIONS));
}

const RING: RingArcs = RingArcs(10_000);

fn undirected_ring() -> Arena {
    Arena::of(&Graph::undirected_ring(10_000).expect("a ring"))
}

/// The table of N = 20 takes 1 MiB.
#[divan::bench(args = [4, 10, 20])]
fn table_yokota(bencher: Bencher<'_, '_>, bound: u32) {
    by_table::<false>(bencher, YokotaRing { bound }, RING);
}

/// The table of k = 32 takes 1 MiB.
#[divan::bench(args = [2, 7, 32])]
fn table_angluin(bencher: Bencher<'_, '_>, modulus: u32) {
    by_table::<false>(bencher, AngluinRing { modulus }, RING);
}

#[divan::bench]
fn table_fischer_jiang(bencher: Bencher<'_, '_>) {
    by_table::<true>(bencher, FischerJiangRing, RING);
}

#[divan::bench]
fn table_token_circulation(bencher: Bencher<'_, '_>) {
    by_table::<false>(bencher, TokenCirculation, RING);
}

/// Its rule tosses coins.
#[divan::bench]
fn table_ring_orientation(bencher: Bencher<'_, '_>) {
    by_table::<false>(bencher, RingOrientation, undirected_ring());
}

/// On a directed ring its conflicts never end: coins all the time.
#[divan::bench]
fn table_two_hop_colouring(bencher: Bencher<'_, '_>) {
    by_table::<false>(bencher, TwoHopColouring, RING);
}

/// 512 states that never come to rest, half of them leaders': every look-up goes anywhere in a table of 1 MiB.
struct Scrambling;

impl Variables for Scrambling {
    type State = u32;
    fn variables(&self, state: &mut u32, visitor: &mut dyn Visitor) {
        visitor.range("state", 0, 511, state);
    }
}

impl Population for Scrambling {
    fn interact(&self, u: u32, v: u32, _: Told, _: &mut impl Coin) -> (u32, u32) {
        let mixed = (u << 9 | v).wrapping_mul(0x9e37_79b1) ^ 0x5bd1_e995;
        (mixed >> 23, mixed >> 14 & 511)
    }
    fn marks(&self, state: &u32) -> Marks {
        Marks::LEADER.when(state & 1 == 1)
    }
}

impl Stabilizing for Scrambling {
    fn goal(&self) -> Goal {
        Goal::OneLeader
    }
    fn correct(&self, _: &[u32]) -> bool {
        false
    }
}

#[divan::bench]
fn table_scrambling(bencher: Bencher<'_, '_>) {
    by_table::<false>(bencher, Scrambling, RING);
}

#[divan::bench]
fn rule_yokota(bencher: Bencher<'_, '_>) {
    let protocol = instance(YokotaRing { bound: 10_000 });
    let (states, progress) = start(&protocol, 10_000);
    let mut kernel = Interactions::new(ByRule::new(&protocol, &states), RingArcs(10_000), progress, Policy::Step);
    bencher.counter(ItemsCount::new(INTERACTIONS)).bench_local(|| kernel.advance(INTERACTIONS));
}

/// A layer asks the protocol below it, whose type it does not know.
fn by_rule(bencher: Bencher<'_, '_>, protocol: impl Population + Stabilizing + 'static, arcs: impl Arcs) {
    let protocol = instance(protocol);
    let (states, progress) = start(&protocol, arcs.agents());
    let mut kernel = Interactions::new(ByRule::new(&protocol, &states), arcs, progress, Policy::Step);
    bencher.counter(ItemsCount::new(INTERACTIONS)).bench_local(|| kernel.advance(INTERACTIONS));
}

#[divan::bench]
fn layered_undirected_fischer_jiang(bencher: Bencher<'_, '_>) {
    by_rule(bencher, Undirected { inner: instance(FischerJiangRing) }, undirected_ring());
}

#[divan::bench(args = [20, 1000])]
fn layered_undirected_yokota(bencher: Bencher<'_, '_>, bound: u32) {
    by_rule(bencher, Undirected { inner: instance(YokotaRing { bound }) }, undirected_ring());
}

#[divan::bench]
fn layered_timer_fischer_jiang_complete(bencher: Bencher<'_, '_>) {
    by_rule(bencher, Timer { inner: instance(FischerJiangComplete), limit: 20_000 }, Arena::Complete(1000));
}

/// Events of the skip kernel long after the start, where its set is small; `auto` weighs one against a step.
fn events(bencher: Bencher<'_, '_>, cells: impl AgentStore, progress: Progress) {
    let arcs = RingArcs(cells.count());
    let mut kernel = Interactions::new(cells, arcs, progress, Policy::Skip);
    kernel.advance(100 * INTERACTIONS);
    bencher.counter(ItemsCount::new(INTERACTIONS)).bench_local(|| kernel.advance(INTERACTIONS));
}

#[divan::bench(args = [100, 1000])]
fn events_fischer_jiang(bencher: Bencher<'_, '_>, n: usize) {
    let protocol = instance(FischerJiangRing);
    let table = PackedTable::compile(&protocol, 1 << 20).expect("it fits");
    let (states, progress) = start(&protocol, n);
    events(bencher, ByTable::<true>::new(&table, &states), progress);
}

#[divan::bench(args = [99, 999])]
fn events_angluin(bencher: Bencher<'_, '_>, n: usize) {
    let protocol = instance(AngluinRing { modulus: 2 });
    let table = PackedTable::compile(&protocol, 1 << 20).expect("it fits");
    let (states, progress) = start(&protocol, n);
    events(bencher, ByTable::<false>::new(&table, &states), progress);
}

#[divan::bench(args = [100, 1000])]
fn events_yokota(bencher: Bencher<'_, '_>, n: usize) {
    let protocol = instance(YokotaRing { bound: n as u32 });
    let (states, progress) = start(&protocol, n);
    events(bencher, ByRule::new(&protocol, &states), progress);
}

fn election(protocol: impl Population + Stabilizing + 'static, arena: Arena, choice: KernelChoice, start: &Start) {
    let elections = Elections::population(instance(protocol), arena, choice, Oracle::Perfect).expect("it can run");
    let elections = elections.starting(start).expect("it can start");
    let stop = AtomicBool::new(false);
    let limits = Limits { steps: u64::MAX, stop: &stop };
    let _ = divan::black_box(elections.run(Faults::default(), limits, run_generator(1, 1, 1)));
}

#[divan::bench(args = [KernelChoice::Rule, KernelChoice::Skip, KernelChoice::Auto], sample_count = 5, sample_size = 1)]
fn whole_yokota_2000(choice: KernelChoice) {
    election(YokotaRing { bound: 2000 }, Arena::Ring(RingArcs(2000)), choice, &Start::Arbitrary);
}

#[divan::bench(args = [KernelChoice::Rule, KernelChoice::Table, KernelChoice::Skip, KernelChoice::Auto], sample_count = 5, sample_size = 1)]
fn whole_fischer_jiang_500(choice: KernelChoice) {
    election(FischerJiangRing, Arena::Ring(RingArcs(500)), choice, &Start::Arbitrary);
}

#[divan::bench(args = [KernelChoice::Rule, KernelChoice::Table, KernelChoice::Count], sample_count = 5, sample_size = 1)]
fn whole_complete_3000_from_all_leaders(choice: KernelChoice) {
    election(FischerJiangComplete, Arena::Complete(3000), choice, &Start::AllLeaders);
}

#[divan::bench(sample_count = 3, sample_size = 1)]
fn whole_complete_100_million_from_all_leaders() {
    election(FischerJiangComplete, Arena::Complete(100_000_000), KernelChoice::Count, &Start::AllLeaders);
}
