//! The search's own decision procedure: finite automata over configurations of every size.
//!
//! It shares only the table of moves with the checker of certificates.

#[cfg(test)]
mod agreement;
mod closed;
pub(crate) mod descent;
pub(crate) mod space;
pub(crate) mod table;
pub(crate) mod track;
