//! Arbitrary bytes from a sender without the key: never accepted, never a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ringleader_fuzz::{at, core};

fuzz_target!(|bytes: &[u8]| {
    let mut core = core(0);
    assert!(core.receive(at(0), bytes).is_err(), "a forgery was accepted");
    assert_eq!(core.status().counters.rejected.iter().sum::<u64>(), 1);
});
