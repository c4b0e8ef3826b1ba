//! A search on a GPU.

use super::kernels::Kernel;
use super::search::{self, Outcome};
use crate::space::{Summary, Verified};
use crate::{Failure, Options, Watch};
use ringleader_device::{Device as _, Gpu};
use ringleader_erased::MessageInstance;
use std::time::Duration;

/// A search on a GPU.
#[derive(Clone, Copy, Debug)]
pub struct Searched {
    /// Its counts.
    pub summary: Summary,
    /// The result of the second pass over all states, if there was one.
    pub verified: Option<Verified>,
    /// The duration of that pass.
    pub verification: Option<Duration>,
    /// The duration of the search.
    pub time: Duration,
    /// The most bytes of the GPU in use.
    pub peak_bytes: u64,
}

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
    let (system, found) = search::search(&gpu.load(&Kernel::program())?, algorithm, &options, verify, watch)?;
    let Outcome { counts, stored, depth, table_bytes, peak_bytes, verified, time } = found;
    let summary = Summary {
        states: Some(counts.states),
        transitions: Some(counts.transitions),
        deadlocks: Some(counts.deadlocks),
        invariant: options.rotation.then_some(counts.invariant),
        stored,
        depth,
        cells: system.cells.len() as u64,
        set: "table",
        entry_bytes: 16,
        stored_bytes: table_bytes,
    };
    let (verified, verification) = verified.unzip();
    Ok(Searched { summary, verified, verification, time, peak_bytes })
}
