//! The message-passing algorithms against their papers, by exhaustive exploration where the space is small.

mod mutant;
mod random;

mod anonymous;
mod flawed;
mod franklin;
mod franklin_tables;
mod named;
mod rules;
