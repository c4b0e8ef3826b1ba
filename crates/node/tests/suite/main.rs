//! Nodes over real sockets, and what stands around them.

mod guarded;
mod loopback;
mod surroundings;
