//! How much of the machine work may take.

use super::memory;
use crate::terminal::exit::Failure;

/// Memory and threads.
#[derive(clap::Args, Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// How many GiB may be used [default: 80% of what is available]
    #[arg(long, value_name = "GIB")]
    memory: Option<f64>,
    /// How many threads [default: one per core]
    #[arg(long, value_name = "K")]
    pub(crate) threads: Option<usize>,
}

impl Limits {
    /// How many bytes may be used.
    pub(crate) fn bytes(&self) -> Result<u64, Failure> {
        match self.memory {
            None => Ok(memory::available().unwrap_or(memory::UNKNOWN) / 5 * 4),
            Some(gib) if gib > 0.0 && gib.is_finite() => Ok((gib * (1u64 << 30) as f64) as u64),
            Some(gib) => Err(Failure::usage(format!("--memory {gib}: it must be a positive number of GiB"))),
        }
    }
}
