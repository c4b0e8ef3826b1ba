//! The message-passing algorithms against their papers, by exhaustive exploration where the space is small.

#[path = "../support/explore.rs"]
mod explore;
mod mutant;

mod anonymous;
mod cases;
mod flawed;
mod franklin;
mod franklin_tables;
mod named;
mod rules;
