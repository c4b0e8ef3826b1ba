//! Name resolution and type checking.

pub(crate) mod analyse;
pub(crate) mod resolve;
pub(crate) mod scope;
pub(crate) mod typed;
pub(crate) mod unread;
