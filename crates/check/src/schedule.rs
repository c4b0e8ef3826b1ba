//! Graphs of schedulers that are more than one step of one agent: with tokens, with several steps at once, with a lying
//! detector.

mod alternating;
mod misled;
mod together;

pub use alternating::Alternating;
pub(crate) use misled::Misled;
pub use together::{Daemon, Together};
