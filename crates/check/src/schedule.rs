//! Graphs of schedulers that are more than one step of one agent: with tokens, with several steps at once, with a lying
//! detector.

mod alternating;
mod misled;
mod process_by_process;
mod together;

pub use alternating::Alternating;
pub(crate) use misled::Misled;
pub use process_by_process::ProcessByProcess;
pub use together::{Daemon, Together, count_steps};
