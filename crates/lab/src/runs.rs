//! Runs as a page sees them: set up, told moment by moment, kept on a page of their own.

pub(crate) mod archive;
pub(crate) mod look;
pub(crate) mod messages;
pub(crate) mod recorded;
pub(crate) mod replayed;
pub(crate) mod setup;
pub(crate) mod story;
pub(crate) mod telling;
