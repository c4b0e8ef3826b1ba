//! Graphs in which more than one agent at a time decides what happens: with tokens, several at once, with a detector that lies.

mod alternating;
mod misled;
mod together;

pub use alternating::Alternating;
pub(crate) use misled::Misled;
pub use together::{Daemon, Together};
