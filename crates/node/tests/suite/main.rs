//! Nodes over real sockets, with their hooks and pages.

mod guarded;
mod loopback;
mod surroundings;
