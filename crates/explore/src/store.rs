//! Where the states are kept.

mod plain;

pub(crate) use plain::{Shard, hash, owner};
