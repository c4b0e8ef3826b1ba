//! For tests only: slow and obvious twins of the engines, one per model, and the corpus of facts that every engine is held
//! against.
//!
//! The twins share no code with the engines. What they compute in a minute an engine computes in a second, and both must agree.

pub mod broken;
pub mod configurations;
pub mod corpus;
pub mod cycles;
pub mod messages;
