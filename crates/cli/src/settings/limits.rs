//! The limits of memory and threads.

use super::memory;
use ringleader_check::Monitor;

/// Memory and threads.
#[derive(clap::Args, Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// The most memory to use, in GiB [default: 80% of the available memory]
    #[arg(long, value_name = "GIB", value_parser = gib)]
    pub(crate) memory: Option<u64>,
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

/// GiB as bytes.
pub(crate) fn gib(text: &str) -> Result<u64, &'static str> {
    let gib = text.parse::<f64>().ok().filter(|gib| *gib > 0.0 && gib.is_finite());
    gib.map(|gib| (gib * (1u64 << 30) as f64) as u64).ok_or("give a positive number of GiB")
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
    pub(crate) fn bytes(&self) -> u64 {
        self.memory.unwrap_or_else(|| memory::available().unwrap_or(memory::UNKNOWN) / 5 * 4)
    }
}
