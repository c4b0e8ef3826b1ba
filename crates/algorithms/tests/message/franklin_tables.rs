//! The table-faithful model against Tables 1 to 3 of Bakhshi et al.

use crate::explore::{Space, leaders};
use ringleader_algorithms::message::franklin::Franklin;
use ringleader_algorithms::message::franklin_tables::{FranklinTables, Reading};
use ringleader_model::Channels;

fn counts(size: u32, ids: u32, reading: Reading) -> (usize, usize) {
    let model = FranklinTables { algorithm: Franklin { size, ids, keeps_identity: false }, reading };
    let space = Space::explore(&model, Channels::Bag, 200_000);
    for i in space.terminated() {
        assert_eq!(leaders(&model, &space.snapshots[i]), 1, "{:?}", space.path(i));
    }
    assert!(space.always_can_terminate());
    space.counts()
}

#[test]
fn table_1() {
    assert_eq!(counts(2, 2, Reading::Both), (657, 1_368));
    assert_eq!(counts(2, 3, Reading::Both), (1_525, 3_564));
    assert_eq!(counts(3, 2, Reading::Both), (15_445, 43_968));
    assert_eq!(counts(3, 3, Reading::Both), (55_009, 168_102));
}

#[test]
fn tables_2_and_3_normal() {
    assert_eq!(counts(2, 2, Reading::LeftFirst), (385, 664));
    assert_eq!(counts(2, 3, Reading::LeftFirst), (877, 1_680));
    assert_eq!(counts(3, 2, Reading::LeftFirst), (7_613, 17_880));
    assert_eq!(counts(3, 3, Reading::LeftFirst), (26_299, 65_853));
    assert_eq!(counts(4, 2, Reading::LeftFirst), (152_065, 459_488));
}
