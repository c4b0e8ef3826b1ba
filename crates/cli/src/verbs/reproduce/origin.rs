//! The date, the commit and the machine of the results.

use serde_json::{Value, json};
use std::process::Command;
use std::time::{Duration, SystemTime};

/// The facts that a reader needs in order to judge the figures, and to obtain them again.
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
    pub(super) fn of_this_run(full: bool, seed: u64, elapsed: Duration) -> Origin {
        let now = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
        Origin {
            date: now.chars().take_while(|c| *c != 'T').collect(),
            commit: commit(),
            machine: machine(),
            extent: if full { "full" } else { "quick" },
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
