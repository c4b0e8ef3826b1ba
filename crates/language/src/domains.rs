//! What values there are, and whether they stay where they belong.

pub(crate) mod bounds;
pub(crate) mod declared;
pub(crate) mod fold;
pub(crate) mod infinite;
pub(crate) mod large;
pub(crate) mod layout;
