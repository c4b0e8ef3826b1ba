//! What was written, with names and types that are right.

pub(crate) mod analyse;
pub(crate) mod resolve;
pub(crate) mod scope;
pub(crate) mod typed;
pub(crate) mod unread;
