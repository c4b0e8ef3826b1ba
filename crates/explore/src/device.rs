//! A search on a device with its own memory: breadth-first over a table of packed states.
//!
//! `search.cu` is the code of the device, and `kernels` its names and structures for the host. `search` drives them and fills the
//! tables of cells. `gpu` is a search on a GPU. The tests run the same source on the host.

#[cfg(feature = "cuda")]
mod gpu;
mod kernels;
#[cfg_attr(not(feature = "cuda"), allow(unreachable_pub, reason = "only the tests use it"))]
mod search;
#[cfg(all(test, unix))]
mod tests;

#[cfg(feature = "cuda")]
pub use {gpu::explore_on, search::Searched};
