//! The limits of memory and threads.

use super::memory;
use crate::terminal::exit::{Failure, usage};
use ringleader_check::Monitor;

/// Memory and threads.
#[derive(clap::Args, Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// The most memory to use, in GiB [default: 80% of the available memory]
    #[arg(long, value_name = "GIB")]
    memory: Option<f64>,
    #[command(flatten)]
    threads: Threads,
}

/// The number of threads.
#[derive(clap::Args, Clone, Copy, Debug)]
pub(crate) struct Threads {
    /// The number of threads [default: one per core]
    #[arg(long, value_name = "K", value_parser = threads)]
    threads: Option<usize>,
}

impl Threads {
    /// The number of threads to use.
    pub(crate) fn count(self) -> usize {
        self.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
    }
}

fn threads(text: &str) -> Result<usize, &'static str> {
    text.parse::<u16>()
        .ok()
        .filter(|threads| *threads > 0)
        .map(usize::from)
        .ok_or("give a number of threads, 1 to 65535")
}

impl Limits {
    /// The number of threads to use.
    pub(crate) fn threads(&self) -> usize {
        self.threads.count()
    }

    /// The monitor of a check with these threads.
    pub(crate) fn monitor(&self) -> Monitor {
        Monitor::new(self.threads())
    }

    /// The most bytes to use.
    pub(crate) fn bytes(&self) -> Result<u64, Failure> {
        Ok(self.given()?.unwrap_or_else(|| memory::available().unwrap_or(memory::UNKNOWN) / 5 * 4))
    }

    /// The most bytes to use, if the user gives them.
    pub(crate) fn given(&self) -> Result<Option<u64>, Failure> {
        match self.memory {
            None => Ok(None),
            Some(gib) if gib > 0.0 && gib.is_finite() => Ok(Some((gib * (1u64 << 30) as f64) as u64)),
            Some(gib) => Err(usage!("--memory {gib}: give a positive number of GiB")),
        }
    }
}
