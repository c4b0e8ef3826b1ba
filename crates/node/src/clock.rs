//! The node's own clock: monotonic, and including the time of a suspended machine if the system provides that.

use ringleader_node_core::Now;
use std::time::{Duration, SystemTime};

/// The time since a moment that is the same for the whole process.
#[cfg(target_os = "linux")]
pub(crate) fn elapsed() -> Duration {
    use nix::time::{ClockId, clock_gettime};
    clock_gettime(ClockId::CLOCK_BOOTTIME).map_or_else(|_| portable(), Duration::from)
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn elapsed() -> Duration {
    portable()
}

fn portable() -> Duration {
    use std::sync::OnceLock;
    use std::time::Instant;
    static BEGIN: OnceLock<Instant> = OnceLock::new();
    BEGIN.get_or_init(Instant::now).elapsed()
}

/// Both clocks.
pub(crate) fn now() -> Now {
    let unix = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Now { elapsed: elapsed(), unix_micros: unix.as_micros() as u64 }
}
