//! How many messages a second the network simulator delivers.

use divan::Bencher;
use divan::counter::ItemsCount;
use ringleader_algorithms::robust::{s2, s3, s5};
use ringleader_algorithms::{Entry, Parameters};
use ringleader_model::{Timed, corrupt};
use ringleader_simulate::Generator;
use ringleader_simulate::network::{NetworkRun, SystemClass};

fn main() {
    divan::main();
}

const DELIVERIES: u64 = 500_000;

/// Half a million deliveries in a random instance, from an arbitrary state.
fn deliveries<A: Timed>(bencher: Bencher<'_, '_>, algorithm: &A, system: SystemClass) {
    let (size, timing) = (algorithm.size(), algorithm.timing());
    let mut coin = Generator::new(1);
    let scenario = system.instance(size, 0, timing, &mut coin);
    let states: Vec<_> = (0..size).map(|_| corrupt::arbitrary(algorithm, &mut coin)).collect();
    bencher.counter(ItemsCount::new(DELIVERIES)).bench_local(|| {
        let mut world = NetworkRun::from_states(algorithm, &scenario, states.clone(), coin.clone());
        while world.deliveries < DELIVERIES {
            world.step();
        }
        world.digest
    });
}

fn build<A: Entry>(size: usize, given: &[(&str, &str)]) -> A {
    A::build(&given.iter().fold(Parameters::new(size), |p, (name, value)| p.with(*name, *value))).unwrap()
}

#[divan::bench(args = [9, 100, 1000], sample_count = 5)]
fn algorithm_1_in_s5(bencher: Bencher<'_, '_>, size: usize) {
    deliveries(bencher, &build::<s5::RobustS5>(size, &[]), SystemClass::S5);
}

#[divan::bench(args = [9, 100, 1000], sample_count = 5)]
fn algorithm_3_in_s2(bencher: Bencher<'_, '_>, size: usize) {
    deliveries(bencher, &build::<s2::RobustS2>(size, &[]), SystemClass::S2);
}

#[divan::bench(sample_count = 5)]
fn the_overlay_as_printed_with_a_dozen_in_s3(bencher: Bencher<'_, '_>) {
    deliveries(bencher, &build::<s3::RobustS3>(12, &[]), SystemClass::S3);
}
