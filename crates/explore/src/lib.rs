//! Explicit state spaces of message-passing algorithms.

mod action;
mod cell;
mod interner;
mod options;
mod packed;
mod search;
mod shard;
mod space;
mod system;

pub use action::{Action, Visible};
pub use options::{Failure, Options, Progress, Watch};
pub use space::Space;
