//! Layers for any population protocol.

pub mod distance;
pub mod timer;
pub mod two_hop_colouring;
pub mod undirected;

pub use distance::Distance;
pub use timer::Timer;
pub use undirected::Undirected;
