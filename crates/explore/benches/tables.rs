//! The speed of exploring the published state spaces: `cargo bench -p ringleader-explore`.

use divan::{Bencher, counter::ItemsCount};
use ringleader_algorithms::message::franklin::Franklin;
use ringleader_algorithms::message::franklin_tables::{FranklinTables, Reading};
use ringleader_erased::MessageInstance;
use ringleader_explore::{Cost, Decider, Elections, Equivalence, Options, Space, Storage, minimize};
use ringleader_model::{Event, Odometer, Process, Snapshot, SnapshotOf, Terminating};
use std::collections::HashSet;

fn main() {
    divan::main();
}

fn table_1(size: u32) -> FranklinTables {
    FranklinTables { algorithm: Franklin { size, ids: 2, keeps_identity: false }, reading: Reading::Both }
}

fn explore(bencher: Bencher<'_, '_>, size: u32, options: Options) {
    let model = MessageInstance::new(table_1(size));
    let full = Space::explore(&model, &Options { rotation: true, ..Options::default() }, &mut |_| true);
    let states = full.ok().and_then(|space| space.states()).expect("it fits");
    bencher
        .counter(ItemsCount::new(states))
        .bench(|| Space::explore(&model, &options, &mut |_| true).map(|s| s.stored()));
}

#[divan::bench(args = [3, 4], sample_count = 10)]
fn unreduced(bencher: Bencher<'_, '_>, size: u32) {
    explore(bencher, size, Options::default());
}

#[divan::bench(args = [3, 4], sample_count = 10)]
fn one_thread(bencher: Bencher<'_, '_>, size: u32) {
    explore(bencher, size, Options { threads: 1, ..Options::default() });
}

#[divan::bench(args = [3, 4, 5], sample_count = 5)]
fn rotation(bencher: Bencher<'_, '_>, size: u32) {
    explore(bencher, size, Options { rotation: true, ..Options::default() });
}

#[divan::bench(args = [3, 4, 5], sample_count = 5)]
fn rotation_compact(bencher: Bencher<'_, '_>, size: u32) {
    explore(bencher, size, Options { rotation: true, set: Storage::Compact, ..Options::default() });
}

#[divan::bench(args = [3, 4, 5], sample_count = 5)]
fn rotation_and_confluence(bencher: Bencher<'_, '_>, size: u32) {
    explore(bencher, size, Options { rotation: true, confluence: true, ..Options::default() });
}

/// The obvious way: whole snapshots in a hash set, and every rule executed every time.
#[divan::bench(args = [3], sample_count = 3)]
fn snapshots_in_a_hash_set(bencher: Bencher<'_, '_>, size: u32) {
    let model = table_1(size);
    bencher.counter(ItemsCount::new(15_445u64)).bench(|| {
        let start: SnapshotOf<FranklinTables> = Snapshot {
            network: model.network(),
            states: (0..size as usize).map(|me| model.start(me)).collect(),
            channels: vec![vec![]; 2 * size as usize],
        };
        let (mut seen, mut open) = (HashSet::from([start.clone()]), vec![start]);
        while let Some(now) = open.pop() {
            for next in successors(&model, &now) {
                if seen.insert(next.clone()) {
                    open.push(next);
                }
            }
        }
        assert_eq!(seen.len(), 15_445);
    });
}

fn successors<P: Terminating>(algorithm: &P, now: &SnapshotOf<P>) -> Vec<SnapshotOf<P>> {
    let mut found = vec![];
    for process in 0..now.states.len() {
        let mut events = vec![(Event::Step, None)];
        for from in 0..now.network.ports() {
            let waiting = now.channel(process, from).iter().enumerate();
            events.extend(waiting.map(|(i, m)| (Event::Message { from, message: m.clone() }, Some((from, i)))));
        }
        for (event, place) in events.into_iter().filter(|(event, _)| algorithm.ready(&now.states[process], event)) {
            Odometer::each(|coin| {
                let (mut next, mut sent) = (now.clone(), vec![]);
                if let Some((from, index)) = place {
                    next.channels[now.network.channel(process, from)].remove(index);
                }
                algorithm.on(process, &mut next.states[process], event.clone(), &mut sent, coin);
                for (to, message) in sent {
                    let (receiver, port) = now.network.arrival(process, to);
                    let channel = &mut next.channels[now.network.channel(receiver, port)];
                    channel.push(message);
                    channel.sort_unstable();
                }
                found.push(next);
            });
        }
    }
    found
}

#[divan::bench(sample_count = 5)]
fn branching_quotient(bencher: Bencher<'_, '_>) {
    let model = MessageInstance::new(table_1(4));
    let space =
        Space::explore(&model, &Options { rotation: true, ..Options::default() }, &mut |_| true).expect("it fits");
    let graph = space.graph();
    bencher.bench(|| minimize(&graph, Equivalence::Branching, &mut || true).map(|quotient| quotient.states));
}

#[divan::bench(sample_count = 5)]
fn greatest_expected_steps(bencher: Bencher<'_, '_>) {
    let model = MessageInstance::new(table_1(3));
    let space =
        Space::explore(&model, &Options { rotation: true, ..Options::default() }, &mut |_| true).expect("it fits");
    let graph = space.graph();
    bencher.bench(|| Elections::new(&graph).expected(Cost::Steps, Decider::Greatest));
}
