//! Anonymous and named message-passing rings.

pub mod franklin;
pub mod franklin_tables;
