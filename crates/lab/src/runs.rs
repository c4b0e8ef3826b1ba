//! Runs: their setup, their frames, and pages that hold one.

pub(crate) mod archive;
pub(crate) mod claim;
pub(crate) mod look;
pub(crate) mod messages;
pub(crate) mod recorded;
pub(crate) mod replayed;
pub(crate) mod setup;
pub(crate) mod story;
pub(crate) mod telling;
pub(crate) mod verified;
