//! From letters to a file as it was written, and back.

pub(crate) mod ast;
pub(crate) mod format;
pub(crate) mod parse;
pub(crate) mod template;
pub(crate) mod token;
