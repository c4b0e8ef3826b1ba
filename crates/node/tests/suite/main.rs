//! Nodes over real sockets, with their hooks and pages.

mod addresses;
mod guarded;
mod loopback;
mod surroundings;
