//! For tests only: slow and obvious twins of the engines, one per model; the corpus of facts that every engine must confirm; and a
//! search through all reachable states of a model that a test defines by functions.
//!
//! The twins share no code with the engines. A twin takes a minute where an engine takes a second, and both must agree.

pub mod broken;
pub mod configurations;
pub mod corpus;
pub mod cycles;
pub mod messages;
pub mod reachable;
