//! The limits of memory and threads.

use super::memory;
use crate::terminal::exit::Failure;

/// Memory and threads.
#[derive(clap::Args, Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// The most memory to use, in GiB [default: 80% of the available memory]
    #[arg(long, value_name = "GIB")]
    memory: Option<f64>,
    /// The number of threads [default: one per core]
    #[arg(long, value_name = "K")]
    pub(crate) threads: Option<usize>,
}

impl Limits {
    /// The most bytes to use.
    pub(crate) fn bytes(&self) -> Result<u64, Failure> {
        Ok(self.given()?.unwrap_or_else(|| memory::available().unwrap_or(memory::UNKNOWN) / 5 * 4))
    }

    /// The most bytes to use, if the user gives them.
    pub(crate) fn given(&self) -> Result<Option<u64>, Failure> {
        match self.memory {
            None => Ok(None),
            Some(gib) if gib > 0.0 && gib.is_finite() => Ok(Some((gib * (1u64 << 30) as f64) as u64)),
            Some(gib) => Err(Failure::usage(format!("--memory {gib}: give a positive number of GiB"))),
        }
    }
}
