//! How much memory there is, and how much was used, where the system says so.

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
