//! Devices with memory of their own: a GPU (feature `cuda`), and the host in its place (feature `host`), for tests.
//!
//! An engine hands over a [`Program`]: a source in the common part of C and CUDA, constants and the names of its kernels. A
//! [`Device`] compiles it and returns a [`Board`], with which the engine fills memory and runs kernels. `prelude.cu` stands
//! before every source.

mod board;
#[cfg(feature = "cuda")]
mod gpu;
#[cfg(all(feature = "host", unix))]
mod host;

pub use board::{Board, Device, Fault, Program};
#[cfg(feature = "cuda")]
pub use gpu::{Gpu, NoGpu};
#[cfg(all(feature = "host", unix))]
pub use host::{Host, HostBoard};
