//! The available and the used memory, where the system reports them.

fn field(path: &str, name: &str) -> Option<u64> {
    let text = std::fs::read_to_string(path).ok()?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib * 1024)
}

/// The assumed memory where the system does not report it: 8 GiB.
pub(crate) const UNKNOWN: u64 = 8 << 30;

/// The memory that is free for use.
pub(crate) fn available() -> Option<u64> {
    field("/proc/meminfo", "MemAvailable:")
}

/// The most memory that this program has used so far.
pub(crate) fn peak() -> Option<u64> {
    field("/proc/self/status", "VmHWM:")
}

/// The memory that this program uses now.
pub(crate) fn present() -> Option<u64> {
    field("/proc/self/status", "VmRSS:")
}
