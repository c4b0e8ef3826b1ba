//! Anonymous and named message-passing rings.

pub mod franklin;
