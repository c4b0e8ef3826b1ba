//! A search on a GPU.

use super::kernels::Kernel;
use super::search::{Searched, search};
use crate::{Failure, Options, Watch};
use ringleader_device::{Device as _, Gpu};
use ringleader_erased::MessageInstance;

/// Explores all states that are reachable from the clean start, on a GPU. The memory limit of the options is that of the GPU. The
/// set of the options is not used.
pub fn explore_on(
    gpu: &Gpu,
    algorithm: &MessageInstance,
    options: &Options,
    verify: bool,
    watch: Watch<'_>,
) -> Result<Searched, Failure> {
    let options = Options { memory: options.memory.min(gpu.memory()), ..*options };
    search(&gpu.load(&Kernel::program())?, algorithm, &options, verify, watch)
}
