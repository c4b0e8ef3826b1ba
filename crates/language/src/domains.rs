//! Domains of values, and the proofs that values stay in them.

pub(crate) mod bounds;
pub(crate) mod declared;
pub(crate) mod fold;
pub(crate) mod infinite;
pub(crate) mod large;
pub(crate) mod layout;
