//! The published state spaces: Tables 1 to 3 of Bakhshi, Fokkink, Pang, van de Pol, IFIP TCS 2008.

use ringleader_algorithms::message::fokkink_pang::FokkinkPang;
use ringleader_algorithms::message::franklin::Franklin;
use ringleader_algorithms::message::franklin_tables::{FranklinTables, Reading};
use ringleader_algorithms::message::itai_rodeh::ItaiRodeh;
use ringleader_erased::MessageInstance;
use ringleader_explore::{Failure, Options, Space};
use ringleader_model::Channels;
use std::collections::BTreeSet;

fn count(size: u32, ids: u32, reading: Reading, rotation: bool, threads: usize) -> (u64, u64, u64) {
    let algorithm = Franklin { size, ids, keeps_identity: false };
    let model = MessageInstance::new(FranklinTables { algorithm, reading });
    let options = Options { rotation, threads, ..Options::default() };
    let space = Space::explore(&model, &options, &mut |_| true).expect("it fits");
    (space.states().expect("known"), space.summary().transitions.expect("known"), space.stored())
}

fn rows(ids: u32, reading: Reading, rows: &[(u32, u64, u64)]) {
    for &(size, states, transitions) in rows {
        let (full_states, full_transitions, stored) = count(size, ids, reading, false, 2);
        assert_eq!((full_states, full_transitions, stored), (states, transitions, states), "n = {size}, k = {ids}");
        for threads in [1, 3] {
            let turned = count(size, ids, reading, true, threads);
            assert_eq!((turned.0, turned.1), (states, transitions), "rotations, n = {size}, k = {ids}");
            assert!(turned.2 < states / u64::from(size) + states / 20, "{} stored of {states}", turned.2);
        }
    }
}

#[test]
fn table_1_two_identities() {
    rows(2, Reading::Both, &[(2, 657, 1_368), (3, 15_445, 43_968), (4, 380_609, 1_396_512)]);
}

#[test]
fn table_1_three_identities() {
    rows(3, Reading::Both, &[(2, 1_525, 3_564), (3, 55_009, 168_102)]);
    assert_eq!(count(4, 3, Reading::Both, true, 2).0, 2_095_777);
}

#[test]
fn table_2_normal() {
    rows(2, Reading::LeftFirst, &[(2, 385, 664), (3, 7_613, 17_880), (4, 152_065, 459_488)]);
}

#[test]
fn table_3_normal() {
    rows(3, Reading::LeftFirst, &[(2, 877, 1_680), (3, 26_299, 65_853), (4, 802_489, 2_560_848)]);
}

/// The minimal model of Fokkink and Pang starts after all identities are drawn.
#[test]
fn fokkink_pang_minimal_model() {
    for (size, states, transitions) in [(2, 26, 42), (3, 300, 606)] {
        let algorithm = MessageInstance::new(FokkinkPang { size, ids: 2 });
        let options = Options { channels: Channels::Fifo, ..Options::default() };
        let space = Space::explore(&algorithm, &options, &mut |_| true).expect("it fits");
        let graph = space.graph();
        let begun = |&state: &usize| space.view(state).snapshot().states.iter().all(|s| !s.contains("mode=start"));
        let begun: Vec<usize> = (0..graph.len()).filter(begun).collect();
        let targets = |state: usize| graph.edges(state).iter().map(|e| (e.action, e.target)).collect::<BTreeSet<_>>();
        let edges: usize = begun.iter().map(|&state| targets(state).len()).sum();
        assert_eq!((begun.len(), edges), (states, transitions), "n = {size}");
    }
}

/// An unbounded number of rounds has unbounded messages and tables.
#[test]
fn an_unbounded_search_stays_within_its_memory() {
    let options = Options { memory: 64 << 20, ..Options::default() };
    let mut most = 0;
    let mut watch = |progress: ringleader_explore::Progress| {
        most = most.max(progress.bytes);
        true
    };
    let ended =
        Space::explore(&MessageInstance::new(ItaiRodeh { size: 2, ids: 2, rounds: None }), &options, &mut watch).err();
    assert!(matches!(ended, Some(Failure::Tables { .. })), "{ended:?}");
    assert!(most < options.memory, "{most} bytes");
}
