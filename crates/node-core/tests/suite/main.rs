//! The node without I/O: the core in simulated time, and neighbours under every order of arrival and loss.

mod channel;
mod common;
mod cores;
mod guard;
mod handshake;
mod operators;
mod polling;
