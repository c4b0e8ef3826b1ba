//! The node without I/O: the core in simulated time, and neighbours under every order of arrival and loss.

mod alone;
mod attacks;
mod channel;
mod common;
mod cores;
mod failback;
mod freshness;
mod fuzzing;
mod guard;
mod guarded_stalls;
mod handshake;
mod healing;
mod members;
mod operators;
mod polling;
mod reasons;
mod removal;
mod stalls;
mod troubles;
mod world;
