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

/// How many cases a test tries, or how large the largest is: `few`, or `many` if the environment variable `RINGLEADER_THOROUGH` is set.
pub fn cases(few: usize, many: usize) -> usize {
    if std::env::var_os("RINGLEADER_THOROUGH").is_some() { many } else { few }
}
