//! Measures that decrease on the way to the safe set.

pub(crate) mod existential;
pub(crate) mod helpful;
pub(crate) mod level;
pub(crate) mod open;
pub(crate) mod order;
pub(crate) mod pool;
pub(crate) mod ranking;
pub(crate) mod simplex;
pub(crate) mod sums;
pub(crate) mod trial;
pub(crate) mod universal;
