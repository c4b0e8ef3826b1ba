//! The kernels against each other, in one run: interactions a second, and whole elections.

use divan::Bencher;
use divan::counter::ItemsCount;
use ringleader_algorithms::population::{
    angluin_ring::AngluinRing, fischer_jiang_complete::FischerJiangComplete, fischer_jiang_ring::FischerJiangRing,
    layers::two_hop_colouring::TwoHopColouring, ring_orientation::RingOrientation, token_circulation::TokenCirculation,
    yokota_ring::YokotaRing,
};
use ringleader_model::{Coin, Graph, Marks, Population, Stabilizing, Variables, Visitor, corrupt, number};
use ringleader_simulate::arcs::{Arcs, CompleteArcs, Place, RingArcs};
use ringleader_simulate::election::{Choice, Elections, Faults, Limits, Start};
use ringleader_simulate::experiment::generator;
use ringleader_simulate::kernel::{Kernel, Progress, skip::Skip, step::Step};
use ringleader_simulate::rule::{Direct, Rule};
use ringleader_simulate::table::{Compiled, Table};
use ringleader_simulate::{Generator, Oracle};
use std::sync::atomic::AtomicBool;

fn main() {
    divan::main();
}

/// So few that a sample is seldom interrupted.
const INTERACTIONS: u64 = 100_000;

fn start<P: Population>(protocol: &P, n: usize) -> (Vec<P::State>, Progress) {
    let mut coin = Generator::new(1);
    let states = (0..n).map(|_| corrupt::arbitrary(protocol, &mut coin)).collect();
    (states, Progress::new(coin))
}

fn by_table<const HEARS: bool, P: Population>(bencher: Bencher<'_, '_>, protocol: &P, arcs: impl Arcs) {
    let table = Table::compile(protocol, 1 << 20).expect("it fits");
    let (states, progress) = start(protocol, arcs.agents());
    let cells = states.iter().map(|s| number::rank(protocol, s) as u16).collect();
    let mut kernel = Step::new(Compiled::<HEARS>(&table), arcs, cells, progress);
    bencher.counter(ItemsCount::new(INTERACTIONS)).bench_local(|| kernel.advance(INTERACTIONS));
}

const RING: RingArcs = RingArcs(10_000);

fn undirected_ring() -> Place {
    Place::of(&Graph::undirected_ring(10_000).expect("a ring"))
}

/// The table of N = 20 takes 1 MiB.
#[divan::bench(args = [4, 10, 20])]
fn table_yokota(bencher: Bencher<'_, '_>, bound: u32) {
    by_table::<false, _>(bencher, &YokotaRing { bound }, RING);
}

/// The table of k = 32 takes 1 MiB.
#[divan::bench(args = [2, 7, 32])]
fn table_angluin(bencher: Bencher<'_, '_>, modulus: u32) {
    by_table::<false, _>(bencher, &AngluinRing { modulus }, RING);
}

#[divan::bench]
fn table_fischer_jiang(bencher: Bencher<'_, '_>) {
    by_table::<true, _>(bencher, &FischerJiangRing, RING);
}

#[divan::bench]
fn table_token_circulation(bencher: Bencher<'_, '_>) {
    by_table::<false, _>(bencher, &TokenCirculation, RING);
}

/// Its rule tosses coins.
#[divan::bench]
fn table_ring_orientation(bencher: Bencher<'_, '_>) {
    by_table::<false, _>(bencher, &RingOrientation, undirected_ring());
}

/// On a directed ring its conflicts never end: coins all the time.
#[divan::bench]
fn table_two_hop_colouring(bencher: Bencher<'_, '_>) {
    by_table::<false, _>(bencher, &TwoHopColouring, RING);
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
    type Input = ();
    fn interact(&self, (u, ()): (u32, ()), (v, ()): (u32, ()), _: &mut impl Coin) -> (u32, u32) {
        let mixed = (u << 9 | v).wrapping_mul(0x9e37_79b1) ^ 0x5bd1_e995;
        (mixed >> 23, mixed >> 14 & 511)
    }
    fn marks(&self, state: &u32) -> Marks {
        Marks::LEADER.when(state & 1 == 1)
    }
}

#[divan::bench]
fn table_scrambling(bencher: Bencher<'_, '_>) {
    by_table::<false, _>(bencher, &Scrambling, RING);
}

#[divan::bench]
fn rule_yokota(bencher: Bencher<'_, '_>) {
    let protocol = YokotaRing { bound: 10_000 };
    let (states, progress) = start(&protocol, 10_000);
    let mut kernel = Step::new(Direct(&protocol), RingArcs(10_000), states, progress);
    bencher.counter(ItemsCount::new(INTERACTIONS)).bench_local(|| kernel.advance(INTERACTIONS));
}

/// Events of the skip kernel long after the start, where its set is small; `auto` weighs one against a step.
fn events<R: Rule>(bencher: Bencher<'_, '_>, rule: R, cells: Vec<R::Cell>, progress: Progress) {
    let mut kernel = Skip::new(rule, RingArcs(cells.len()), cells, progress);
    kernel.advance(100 * INTERACTIONS);
    bencher.counter(ItemsCount::new(INTERACTIONS)).bench_local(|| kernel.advance(INTERACTIONS));
}

#[divan::bench(args = [100, 1000])]
fn events_fischer_jiang(bencher: Bencher<'_, '_>, n: usize) {
    let table = Table::compile(&FischerJiangRing, 1 << 20).expect("it fits");
    let (states, progress) = start(&FischerJiangRing, n);
    let cells = states.iter().map(|s| number::rank(&FischerJiangRing, s) as u16).collect();
    events(bencher, Compiled::<true>(&table), cells, progress);
}

#[divan::bench(args = [99, 999])]
fn events_angluin(bencher: Bencher<'_, '_>, n: usize) {
    let protocol = AngluinRing { modulus: 2 };
    let table = Table::compile(&protocol, 1 << 20).expect("it fits");
    let (states, progress) = start(&protocol, n);
    let cells = states.iter().map(|s| number::rank(&protocol, s) as u16).collect();
    events(bencher, Compiled::<false>(&table), cells, progress);
}

#[divan::bench(args = [100, 1000])]
fn events_yokota(bencher: Bencher<'_, '_>, n: usize) {
    let protocol = YokotaRing { bound: n as u32 };
    let (states, progress) = start(&protocol, n);
    events(bencher, Direct(&protocol), states, progress);
}

fn election<P: Population + Stabilizing>(protocol: &P, place: Place, choice: Choice, start: Option<bool>) {
    let elections = Elections::new(protocol, place, choice, Oracle::Perfect).expect("it can run");
    let stop = AtomicBool::new(false);
    let limits = Limits { steps: u64::MAX, stop: &stop };
    divan::black_box(elections.run(&Start::Random(start), Faults::default(), limits, generator(1, 1, 1)));
}

#[divan::bench(args = [Choice::Rule, Choice::Skip, Choice::Auto], sample_count = 5, sample_size = 1)]
fn whole_yokota_2000(choice: Choice) {
    election(&YokotaRing { bound: 2000 }, Place::Ring(RingArcs(2000)), choice, None);
}

#[divan::bench(args = [Choice::Rule, Choice::Table, Choice::Skip, Choice::Auto], sample_count = 5, sample_size = 1)]
fn whole_fischer_jiang_500(choice: Choice) {
    election(&FischerJiangRing, Place::Ring(RingArcs(500)), choice, None);
}

#[divan::bench(args = [Choice::Rule, Choice::Table, Choice::Count], sample_count = 5, sample_size = 1)]
fn whole_complete_3000_from_all_leaders(choice: Choice) {
    election(&FischerJiangComplete, Place::Complete(CompleteArcs(3000)), choice, Some(true));
}

#[divan::bench(sample_count = 3, sample_size = 1)]
fn whole_complete_100_million_from_all_leaders() {
    election(&FischerJiangComplete, Place::Complete(CompleteArcs(100_000_000)), Choice::Count, Some(true));
}
