//! The clock and the threads of this machine, for the engines.

use crate::STACK;
use ringleader_lab::{Host, Refused, Work};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// The host of the engines. A page asks for the progress of its work, so nothing is told during it.
pub(crate) const HOST: Host = Host { now, spawn, pulse: |_| () };

/// The time since the first call.
pub(crate) fn now() -> Duration {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed()
}

fn spawn(work: Work) -> Result<(), Refused> {
    std::thread::Builder::new().stack_size(STACK).spawn(work).map(drop).map_err(Refused::new)
}
