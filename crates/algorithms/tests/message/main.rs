//! The message-passing algorithms against their papers, by exhaustive exploration where the space is small.

#[path = "../support/explore.rs"]
mod explore;

mod franklin_tables;
