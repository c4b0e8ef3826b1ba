//! When, where and from what results come.

use super::runner::Extent;
use serde_json::{Value, json};
use std::process::Command;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// What a reader needs in order to judge the figures, and to obtain them again.
pub(super) struct Origin {
    pub(super) date: String,
    /// Of the checkout it was run in, if it was.
    pub(super) commit: Option<String>,
    pub(super) machine: String,
    pub(super) extent: &'static str,
    pub(super) seed: u64,
    pub(super) seconds: f64,
}

impl Origin {
    pub(super) fn of_this_run(extent: Extent, seed: u64, elapsed: Duration) -> Origin {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let extent = if extent == Extent::Full { "full" } else { "quick" };
        let machine = machine();
        Origin {
            date: date(since.as_secs() / 86400),
            commit: commit(),
            machine,
            extent,
            seed,
            seconds: elapsed.as_secs_f64(),
        }
    }

    pub(super) fn json(&self) -> Value {
        json!({
            "date": self.date, "version": env!("CARGO_PKG_VERSION"), "commit": self.commit, "machine": self.machine,
            "extent": self.extent, "seed": self.seed, "seconds": self.seconds.round(),
        })
    }
}

/// The commit that is checked out here, with a + if files differ from it.
fn commit() -> Option<String> {
    let git = |arguments: &[&str]| {
        let output = Command::new("git").args(arguments).output().ok().filter(|o| o.status.success())?;
        Some(String::from_utf8_lossy(&output.stdout).trim().to_string())
    };
    let top = git(&["rev-parse", "--show-toplevel"])?;
    if !std::path::Path::new(&top).join("crates/catalog/src/builtin.rs").exists() {
        return None;
    }
    let changed = !git(&["status", "--porcelain", "--untracked-files=no"])?.is_empty();
    Some(git(&["rev-parse", "--short=10", "HEAD"])? + if changed { "+" } else { "" })
}

/// Processor, cores and memory, as far as the system tells.
fn machine() -> String {
    let read = |path| std::fs::read_to_string(path).unwrap_or_default();
    let field = |text: &str, name: &str| {
        let line = text.lines().find(|line| line.starts_with(name))?;
        Some(line.split_once(':')?.1.trim().to_string())
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let mut words = vec![format!("{cores} cores")];
    words.extend(field(&read("/proc/cpuinfo"), "model name"));
    let memory = field(&read("/proc/meminfo"), "MemTotal").and_then(|m| m.split(' ').next()?.parse::<f64>().ok());
    words.extend(memory.map(|kib| format!("{:.0} GiB", kib / 1024.0 / 1024.0)));
    words.push(std::env::consts::OS.to_string());
    words.join(", ")
}

/// A day since 1 January 1970 as year, month and day (Howard Hinnant's *civil from days*).
fn date(days: u64) -> String {
    let z = days + 719_468;
    let (era, doe) = (z / 146_097, z % 146_097);
    let yoe = (doe - doe / 1460 + doe / 36_524 - doe / 146_096) / 365;
    let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    let mp = (5 * doy + 2) / 153;
    let (day, month) = (doy - (153 * mp + 2) / 5 + 1, if mp < 10 { mp + 3 } else { mp - 9 });
    format!("{}-{month:02}-{day:02}", yoe + era * 400 + u64::from(month <= 2))
}

#[cfg(test)]
mod tests {
    use super::date;

    #[test]
    fn days_are_dates() {
        assert_eq!(date(0), "1970-01-01");
        assert_eq!(date(11_016), "2000-02-29");
        assert_eq!(date(20_772), "2026-11-15");
    }
}
