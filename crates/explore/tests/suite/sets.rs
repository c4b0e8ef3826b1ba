//! The compact set against the plain one: the same counts, distances, executions, graphs and verdicts, for any number of threads
//! and any hash.

use ringleader_algorithms::message::dolev_klawe_rodeh_bits::DolevKlaweRodehBits;
use ringleader_algorithms::message::fokkink_pang::FokkinkPang;
use ringleader_algorithms::message::franklin::Franklin;
use ringleader_algorithms::message::franklin_no_bit::FranklinNoBit;
use ringleader_algorithms::message::franklin_tables::{FranklinTables, Reading};
use ringleader_erased::MessageInstance;
use ringleader_explore::{
    Alone, Cost, Decider, Elections, Equivalence, Failure, Options, Progress, Space, StateView, Storage, minimize,
};
use ringleader_model::Channels;

fn explore(model: &MessageInstance, options: Options) -> Space<'_> {
    Space::explore(model, &options, &mut |_| true).expect("it fits")
}

fn tables(size: u32, reading: Reading) -> MessageInstance {
    let algorithm = Franklin { size, ids: 2, keeps_identity: false };
    MessageInstance::new(FranklinTables { algorithm, reading })
}

type Numbers = (Option<u64>, Option<u64>, Option<u64>, u64, u64, Option<u64>);

fn numbers(space: &Space<'_>) -> Numbers {
    let all = space.summary();
    (all.states, all.transitions, all.deadlocks, all.stored, all.depth, all.invariant)
}

fn compared(model: &MessageInstance, options: Options) {
    let plain = explore(model, Options { set: Storage::Plain, ..options });
    assert_eq!(plain.summary().set, "plain");
    for (threads, seed) in [(1, 0), (2, 0), (2, 1), (3, 0xdead_beef)] {
        let compact = explore(model, Options { set: Storage::Compact, threads, seed, ..options });
        assert_eq!(compact.summary().set, "compact");
        assert_eq!(numbers(&compact), numbers(&plain), "{threads} threads, seed {seed}, {options:?}");
        let verified = compact.verify(&|| true).expect("it is not stopped");
        assert!(verified.is_sound(), "{verified:?}");
    }
    assert!(plain.verify(&|| true).is_some_and(|verified| verified.is_sound()));
}

#[test]
fn both_sets_have_the_same_counts() {
    for (rotation, confluence) in [(false, false), (true, false), (false, true), (true, true)] {
        for channels in [Channels::Bag, Channels::Fifo] {
            let options = Options { rotation, confluence, channels, ..Options::default() };
            compared(&tables(3, Reading::Both), options);
            compared(&tables(3, Reading::LeftFirst), options);
            compared(&MessageInstance::new(Franklin { size: 4, ids: 2, keeps_identity: false }), options);
            compared(&MessageInstance::new(DolevKlaweRodehBits { size: 3, ids: 2 }), options);
        }
    }
    let fifo = Options { channels: Channels::Fifo, ..Options::default() };
    compared(&MessageInstance::new(FokkinkPang { size: 3, ids: 3 }), fifo);
    compared(&tables(4, Reading::Both), Options::default());
}

/// The same seed gives the same numbers to the same states, for any number of threads and any timing.
#[test]
fn numbers_are_the_same_every_time() {
    let model = tables(4, Reading::Both);
    // Finding the state of a number takes a pass through the whole compact set.
    for (set, rotation, sample) in [(Storage::Plain, false, 500), (Storage::Compact, true, 50)] {
        let states = |threads: usize| {
            let space = explore(&model, Options { set, threads, rotation, ..Options::default() });
            let numbers = (0..space.stored() as usize).step_by(space.stored() as usize / sample);
            numbers.map(|number| space.view(number).snapshot()).collect::<Vec<_>>()
        };
        let once = states(1);
        for threads in [2, 3, 3, 8] {
            assert_eq!(states(threads), once, "{set:?}, {threads} threads");
        }
    }
}

#[test]
fn compact_numbers_are_in_the_order_of_distances() {
    let model = MessageInstance::new(Franklin { size: 3, ids: 2, keeps_identity: false });
    let space = explore(&model, Options { set: Storage::Compact, ..Options::default() });
    let lengths: Vec<usize> =
        (0..space.stored() as usize).step_by(13).map(|number| space.run_to(number).steps.len()).collect();
    assert!(lengths.is_sorted() && lengths[0] == 0 && lengths[lengths.len() - 1] <= space.summary().depth as usize);
    let runs_end_there = (0..space.stored() as usize).step_by(29).all(|number| {
        let (mut end, mut state) = (space.run_to(number).end, space.view(number).snapshot());
        end.channels.iter_mut().for_each(|waiting| waiting.sort_unstable());
        state.channels.iter_mut().for_each(|waiting| waiting.sort_unstable());
        end == state
    });
    assert!(runs_end_there);
}

#[test]
fn both_sets_have_the_same_counterexample() {
    let model = MessageInstance::new(FranklinNoBit { size: 3, ids: 3, keeps_identity: false });
    let flaw = |state: &StateView<'_, '_>| state.stopped() && state.leaders() != 1;
    for rotation in [false, true] {
        let found = [Storage::Plain, Storage::Compact].map(|set| {
            let space = explore(&model, Options { set, rotation, ..Options::default() });
            let number = space.first(flaw).expect("it has a flaw");
            assert!(flaw(&space.view(number)));
            let run = space.run_to(number);
            assert_ne!(run.leaders, 1);
            let nearest = space
                .run_where(flaw, &mut Alone::default())
                .expect("there is no other process")
                .expect("it has a flaw");
            assert_ne!(nearest.leaders, 1);
            assert_eq!(nearest.steps.len(), run.steps.len());
            (format!("{nearest:?}"), space.count(flaw))
        });
        assert_eq!(found[0], found[1]);
    }
}

#[test]
fn both_sets_have_the_same_graph() {
    let model = tables(3, Reading::Both);
    let [plain, compact] = [Storage::Plain, Storage::Compact].map(|set| {
        let space = explore(&model, Options { set, rotation: true, ..Options::default() });
        let graph = space.graph();
        let quotient = minimize(&graph, Equivalence::Strong, &mut || true).expect("it is not stopped");
        let steps = Elections::new(&graph).expected(Cost::Steps, Decider::Uniform).expect("every scheduler elects");
        (graph.len(), graph.edge_count(), quotient.states, quotient.transitions.len(), steps)
    });
    assert_eq!((plain.0, plain.1, plain.2, plain.3), (compact.0, compact.1, compact.2, compact.3));
    assert!(plain.4.low <= compact.4.high && compact.4.low <= plain.4.high);
}

/// Table 1 has 25 such states for n = 2, 3 and 5. On rings of prime size they determine the number of states.
#[test]
fn states_that_every_rotation_leaves_unchanged() {
    for (size, states) in [(2, 657), (3, 15_445), (5, 9_819_065)] {
        let model = tables(size, Reading::Both);
        let space = explore(&model, Options { set: Storage::Compact, rotation: true, ..Options::default() });
        let (n, invariant) = (u64::from(size), space.summary().invariant.expect("rotations are identified"));
        assert_eq!(invariant, 25);
        assert_eq!(n * space.stored() - (n - 1) * invariant, states);
    }
    // The same count without the reduction, from the states of all processes.
    let model = tables(3, Reading::Both);
    let space = explore(&model, Options::default());
    let alike = |state: &StateView<'_, '_>| {
        let now = state.snapshot();
        let inboxes: Vec<_> = now.channels.chunks(2).collect();
        now.states.windows(2).all(|pair| pair[0] == pair[1]) && inboxes.windows(2).all(|pair| pair[0] == pair[1])
    };
    assert_eq!(space.count(alike), 25);
    assert_eq!(space.summary().invariant, None);
}

#[test]
fn a_space_that_does_not_fit_plainly_is_stored_compactly() {
    let model = tables(5, Reading::Both);
    let mut most = 0;
    let mut watch = |progress: Progress| {
        most = most.max(progress.bytes);
        true
    };
    let options = Options { memory: 42 << 20, rotation: true, ..Options::default() };
    let space = Space::explore(&model, &options, &mut watch).expect("it fits compactly");
    assert!(space.summary().set == "compact" && most <= options.memory);
    assert_eq!(space.states(), Some(9_819_065));
    for options in [Options { set: Storage::Plain, ..options }, Options { memory: 16 << 20, ..options }] {
        let ended = Space::explore(&model, &options, &mut |_| true).err();
        assert!(matches!(ended, Some(Failure::Memory { .. })), "{ended:?}");
    }
}
