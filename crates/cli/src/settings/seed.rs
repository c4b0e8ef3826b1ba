//! The seed of all random choices.

/// A seed that differs from call to call; every result prints the one it used.
pub(crate) fn fresh_seed() -> u64 {
    use std::hash::{BuildHasher, RandomState};
    // Short seeds are easier to copy, and a million are enough to tell runs apart.
    RandomState::new().hash_one("seed") % 1_000_000
}
