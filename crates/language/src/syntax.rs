//! From characters to the syntax tree of a file, and back.

pub(crate) mod ast;
pub(crate) mod format;
pub(crate) mod parse;
pub(crate) mod template;
pub(crate) mod token;
