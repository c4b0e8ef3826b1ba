//! How much memory there is, and how much was used, where the system says so.

fn field(path: &str, name: &str) -> Option<u64> {
    let text = std::fs::read_to_string(path).ok()?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib * 1024)
}

/// What is taken to be there where the system does not say: 8 GiB.
pub(crate) const UNKNOWN: u64 = 8 << 30;

/// The memory that is free for use.
pub(crate) fn available() -> Option<u64> {
    field("/proc/meminfo", "MemAvailable:")
}

/// The most memory this program has had so far.
pub(crate) fn peak() -> Option<u64> {
    field("/proc/self/status", "VmHWM:")
}

/// The memory this program has now.
pub(crate) fn present() -> Option<u64> {
    field("/proc/self/status", "VmRSS:")
}
