//! A search on a device with its own memory: breadth-first over a table of packed states.
//!
//! `search.cu` is the code of the device. `board` is its view of a device: memory and three kernels. `search` drives them and
//! fills the tables of cells. `gpu` is a board with a GPU. The tests have another one, which runs the same source on the host.

mod board;
#[cfg(feature = "cuda")]
mod gpu;
mod search;
#[cfg(all(test, unix))]
mod tests;

#[cfg(feature = "cuda")]
pub use gpu::{Gpu, NoGpu, Searched};
