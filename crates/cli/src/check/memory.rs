//! How much memory there is, and how much was used, where the system says so.

use crate::failure::Failure;

fn field(path: &str, name: &str) -> Option<u64> {
    let text = std::fs::read_to_string(path).ok()?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib * 1024)
}

/// The memory that is free for use; 8 GiB if the system does not say.
pub(crate) fn available() -> u64 {
    field("/proc/meminfo", "MemAvailable:").unwrap_or(8 << 30)
}

/// The most memory this program has had so far.
pub(crate) fn peak() -> Option<u64> {
    field("/proc/self/status", "VmHWM:")
}

/// The memory this program has now.
pub(crate) fn present() -> Option<u64> {
    field("/proc/self/status", "VmRSS:")
}

/// How many bytes a user allows, who gave GiB or nothing.
pub(crate) fn allowed(gib: Option<f64>) -> Result<u64, Failure> {
    match gib {
        None => Ok(available() / 5 * 4),
        Some(gib) if gib > 0.0 && gib.is_finite() => Ok((gib * (1u64 << 30) as f64) as u64),
        Some(gib) => Err(Failure::usage(format!("--memory {gib}: it must be a positive number of GiB"))),
    }
}
