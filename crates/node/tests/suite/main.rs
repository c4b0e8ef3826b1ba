//! Nodes over real sockets, with their hooks and pages.

mod addresses;
mod guarded;
mod helpers;
mod loopback;
#[cfg(target_os = "linux")]
mod operating;
mod surroundings;
