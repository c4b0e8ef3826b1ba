//! A search by several processes, here threads with channels between them, against one process: the same counts, distances,
//! properties and executions, for any number of processes.

use ringleader_algorithms::message::dolev_klawe_rodeh_bits::DolevKlaweRodehBits;
use ringleader_algorithms::message::fokkink_pang::FokkinkPang;
use ringleader_algorithms::message::franklin::Franklin;
use ringleader_algorithms::message::franklin_no_bit::FranklinNoBit;
use ringleader_algorithms::message::franklin_tables::{FranklinTables, Reading};
use ringleader_erased::MessageInstance;
use ringleader_explore::{Alone, Failure, Options, Peers, Space, StateView, Storage};
use ringleader_model::Channels;
use threads::spread;

mod threads;

/// The results that do not depend on the number of processes.
#[derive(Debug, PartialEq)]
struct Seen {
    counts: [Option<u64>; 6],
    cells: u64,
    /// An execution to the first state with each property, as text.
    runs: Vec<Option<String>>,
    undecided: u64,
}

fn look(model: &MessageInstance, options: &Options, peers: &mut dyn Peers) -> Seen {
    let space = Space::explore_with(model, options, &mut |_| true, peers).expect("it fits");
    type Property = fn(&StateView<'_, '_>) -> bool;
    let properties: [Property; 4] = [
        |state| state.leaders() > 1,
        |state| state.leaders() == 1,
        |state| state.stopped() && state.leaders() != 1,
        |state| state.stopped(),
    ];
    let run = |property: Property, peers: &mut dyn Peers| {
        let run = space.run_where(property, peers).expect("no process is lost");
        let only_its_length = options.rotation && options.confluence;
        run.map(|run| if only_its_length { run.steps.len().to_string() } else { format!("{run:?}") })
    };
    Seen {
        counts: [
            space.states(),
            space.summary().transitions,
            space.deadlocks(),
            Some(space.stored()),
            Some(space.summary().depth),
            space.summary().invariant,
        ],
        cells: space.summary().cells,
        runs: properties.into_iter().map(|property| run(property, peers)).collect(),
        undecided: space.count_with(|state| state.stopped(), peers).expect("no process is lost"),
    }
}

fn compared(model: &MessageInstance, options: Options) {
    let one = look(model, &Options { threads: 1, ..options }, &mut Alone::default());
    assert!(one.runs.iter().any(Option::is_some));
    for (processes, threads, set, seed) in [
        (1, 3, Storage::Compact, 5),
        (2, 1, Storage::Plain, 0),
        (2, 2, Storage::Compact, 1),
        (4, 1, Storage::Automatic, 7),
        (3, 2, Storage::Plain, 9),
    ] {
        let options = Options { threads, set, seed, ..options };
        for seen in spread(processes, |peers| look(model, &options, peers)) {
            assert_eq!(seen, one, "{processes} processes of {threads} threads, {options:?}");
        }
    }
}

#[test]
fn the_result_does_not_depend_on_the_number_of_processes() {
    for (rotation, confluence) in [(false, false), (true, false), (false, true), (true, true)] {
        let options = Options { rotation, confluence, ..Options::default() };
        compared(&MessageInstance::new(FranklinNoBit { size: 3, ids: 2, keeps_identity: false }), options);
        compared(&MessageInstance::new(DolevKlaweRodehBits { size: 3, ids: 2 }), options);
    }
    let franklin = Franklin { size: 3, ids: 2, keeps_identity: false };
    let tables = FranklinTables { algorithm: franklin, reading: Reading::Both };
    compared(&MessageInstance::new(tables), Options { rotation: true, ..Options::default() });
    let fifo = Options { channels: Channels::Fifo, ..Options::default() };
    compared(&MessageInstance::new(FokkinkPang { size: 3, ids: 2 }), fifo);
}

/// 95,325 stored states: many batches, and tables that outgrow their fields.
#[test]
fn every_process_has_its_part() {
    let algorithm = Franklin { size: 4, ids: 2, keeps_identity: false };
    let model = MessageInstance::new(FranklinTables { algorithm, reading: Reading::Both });
    let options = Options { rotation: true, threads: 1, ..Options::default() };
    for processes in [2, 4] {
        let parts = spread(processes, |peers| {
            let space = Space::explore_with(&model, &options, &mut |_| true, peers).expect("it fits");
            assert_eq!((space.states(), space.stored(), space.processes()), (Some(380_609), 95_325, processes));
            assert!(space.sent() > 0 && space.sent() < 3 * space.stored());
            space.kept_here()
        });
        assert_eq!(parts.iter().sum::<u64>(), 95_325);
        let fair = 95_325 / processes as u64;
        assert!(parts.iter().all(|part| (fair / 2..fair * 2).contains(part)), "{parts:?}");
    }
}

/// If one process fails, all fail.
#[test]
fn all_end_together() {
    let algorithm = Franklin { size: 4, ids: 2, keeps_identity: false };
    let model = MessageInstance::new(FranklinTables { algorithm, reading: Reading::Both });
    let ended = spread(3, |peers| {
        let memory = if peers.me() == 1 { 1 << 20 } else { 1 << 30 };
        Space::explore_with(&model, &Options { memory, ..Options::default() }, &mut |_| true, peers).err()
    });
    assert!(ended.iter().all(|ended| matches!(ended, Some(Failure::Memory { .. }))), "{ended:?}");
    let ended = spread(3, |peers| {
        let me = peers.me();
        let mut watch = |progress: ringleader_explore::Progress| me != 2 || progress.stored < 20_000;
        Space::explore_with(&model, &Options::default(), &mut watch, peers).err()
    });
    assert_eq!(ended, [const { Some(Failure::Stopped) }; 3]);
}
