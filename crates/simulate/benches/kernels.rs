//! The kernels against each other, in one run: interactions a second, and whole elections.

use divan::Bencher;
use divan::counter::ItemsCount;
use ringleader_algorithms::population::{
    fischer_jiang_complete::FischerJiangComplete, fischer_jiang_ring::FischerJiangRing, yokota_ring::YokotaRing,
};
use ringleader_model::{Population, Stabilizing, corrupt, number};
use ringleader_simulate::arcs::{CompleteArcs, Place, RingArcs};
use ringleader_simulate::election::{Choice, Elections, Faults, Limits, Start};
use ringleader_simulate::experiment::generator;
use ringleader_simulate::kernel::{Kernel, Progress, step::Step};
use ringleader_simulate::rule::Direct;
use ringleader_simulate::table::{Compiled, Table};
use ringleader_simulate::{Generator, Oracle};
use std::sync::atomic::AtomicBool;

fn main() {
    divan::main();
}

const INTERACTIONS: u64 = 1_000_000;

fn start<P: Population>(protocol: &P, n: usize) -> (Vec<P::State>, Progress) {
    let mut coin = Generator::new(1);
    let states = (0..n).map(|_| corrupt::arbitrary(protocol, &mut coin)).collect();
    (states, Progress::new(coin))
}

/// A ring of 10,000 agents; the table of N = 20 takes 1 MiB.
#[divan::bench(args = [4, 10, 20])]
fn table_yokota(bencher: Bencher<'_, '_>, bound: u32) {
    let protocol = YokotaRing { bound };
    let table = Table::compile(&protocol, 1 << 20).expect("it fits");
    let (states, progress) = start(&protocol, 10_000);
    let cells = states.iter().map(|s| number::rank(&protocol, s) as u16).collect();
    let mut kernel = Step::new(Compiled::<false>(&table), RingArcs(10_000), cells, progress);
    bencher.counter(ItemsCount::new(INTERACTIONS)).bench_local(|| kernel.advance(INTERACTIONS));
}

#[divan::bench]
fn table_fischer_jiang(bencher: Bencher<'_, '_>) {
    let table = Table::compile(&FischerJiangRing, 1 << 20).expect("it fits");
    let (states, progress) = start(&FischerJiangRing, 10_000);
    let cells = states.iter().map(|s| number::rank(&FischerJiangRing, s) as u16).collect();
    let mut kernel = Step::new(Compiled::<true>(&table), RingArcs(10_000), cells, progress);
    bencher.counter(ItemsCount::new(INTERACTIONS)).bench_local(|| kernel.advance(INTERACTIONS));
}

#[divan::bench]
fn rule_yokota(bencher: Bencher<'_, '_>) {
    let protocol = YokotaRing { bound: 10_000 };
    let (states, progress) = start(&protocol, 10_000);
    let mut kernel = Step::new(Direct(&protocol), RingArcs(10_000), states, progress);
    bencher.counter(ItemsCount::new(INTERACTIONS)).bench_local(|| kernel.advance(INTERACTIONS));
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
