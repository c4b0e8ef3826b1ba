//! The core of the node in simulated time.

mod common;
mod cores;
mod guard;
mod operators;
