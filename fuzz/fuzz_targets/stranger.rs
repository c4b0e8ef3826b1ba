//! See `stranger` in lib.rs.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| ringleader_fuzz::stranger(bytes));
