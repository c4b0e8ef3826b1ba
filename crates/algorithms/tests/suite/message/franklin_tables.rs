//! The table-faithful model against Tables 1 to 3 of Bakhshi et al.

use ringleader_algorithms::message::franklin::Franklin;
use ringleader_algorithms::message::franklin_tables::{FranklinTables, Reading};
use ringleader_model::Channels;
use ringleader_testkit::messages::Space;

fn counts(size: u32, ids: u32, keeps_identity: bool, reading: Reading) -> (usize, usize) {
    let model = FranklinTables { algorithm: Franklin { size, ids, keeps_identity }, reading };
    let space = Space::explore(&model, Channels::Bag, 200_000).expect("a small space");
    assert_eq!(space.check(&model), Ok(()));
    space.counts()
}

#[test]
fn table_1() {
    assert_eq!(counts(2, 2, false, Reading::Both), (657, 1_368));
    assert_eq!(counts(2, 3, false, Reading::Both), (1_525, 3_564));
    assert_eq!(counts(3, 2, false, Reading::Both), (15_445, 43_968));
    assert_eq!(counts(3, 3, false, Reading::Both), (55_009, 168_102));
}

#[test]
fn tables_2_and_3_normal() {
    assert_eq!(counts(2, 2, false, Reading::LeftFirst), (385, 664));
    assert_eq!(counts(2, 3, false, Reading::LeftFirst), (877, 1_680));
    assert_eq!(counts(3, 2, false, Reading::LeftFirst), (7_613, 17_880));
    assert_eq!(counts(3, 3, false, Reading::LeftFirst), (26_299, 65_853));
    assert_eq!(counts(4, 2, false, Reading::LeftFirst), (152_065, 459_488));
}

#[test]
fn algorithm_b_is_right_in_small_steps_too() {
    for reading in [Reading::Both, Reading::LeftFirst] {
        assert!(counts(3, 2, true, reading) < counts(3, 2, false, reading));
    }
}
