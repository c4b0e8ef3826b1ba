//! The search's own decision procedure: finite automata over configurations of every size.
//!
//! It shares nothing with the checker of certificates but the table of moves.

#[cfg(test)]
mod agreement;
pub(crate) mod descent;
pub(crate) mod space;
pub(crate) mod table;
pub(crate) mod track;
