//! The fuzz targets, with random bytes instead of a coverage-guided fuzzer: they compile, and find nothing at once.

use crate::common::Dice;

#[expect(unreachable_pub, reason = "there it is a library")]
#[path = "../../../../fuzz/lib.rs"]
mod targets;

#[test]
fn the_fuzz_targets_find_nothing_in_random_bytes() {
    let mut dice = Dice(1);
    for _ in 0..300 {
        let bytes: Vec<u8> = (0..dice.below(400)).map(|_| dice.below(256) as u8).collect();
        targets::stranger(&bytes);
        targets::insider(&bytes);
    }
}
