//! Whether this node may lead, according to its operator and its health check. Threads beside the loop look at both, since the loop must not
//! wait.

use crate::error::NodeError;
use crate::shell::{self, Leftovers};
use std::path::Path;
use std::time::{Duration, Instant};

/// A command that tests whether this host is fit to lead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HealthCheck {
    /// A shell command; success means fit.
    pub command: String,
    /// The time between two runs.
    pub interval: Duration,
    /// The time after which it is killed with its process group and counts as failed.
    pub timeout: Duration,
    /// The successes in a row after which the node is fit.
    pub rise: u32,
    /// The failures in a row after which the node is unfit.
    pub fall: u32,
}

impl HealthCheck {
    /// Every two seconds, for at most a second; fit after two successes, unfit after two failures.
    pub fn new(command: impl Into<String>) -> HealthCheck {
        let (interval, timeout) = (Duration::from_secs(2), Duration::from_secs(1));
        HealthCheck { command: command.into(), interval, timeout, rise: 2, fall: 2 }
    }

    /// Refuses settings that cannot work.
    pub fn validate(&self) -> Result<(), NodeError> {
        NodeError::refuse_if(self.command.trim().is_empty(), "check must be a command")?;
        for (name, time) in [("check-interval", self.interval), ("check-timeout", self.timeout)] {
            let reason = format!("{name} must be 10 ms at least, not {time:?}");
            NodeError::refuse_if(time < Duration::from_millis(10), reason)?;
        }
        NodeError::refuse_if(self.rise.min(self.fall) == 0, "check-rise and check-fall must be 1 at least")
    }
}

/// The results of the check in a row. A node is unfit until the first `rise` successes in a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Streak {
    fit: bool,
    run: u32,
}

impl Streak {
    fn count(&mut self, success: bool, rise: u32, fall: u32) {
        self.run = if success == self.fit { 0 } else { self.run.saturating_add(1) };
        if self.run >= if self.fit { fall } else { rise } {
            *self = Streak { fit: !self.fit, run: 0 };
        }
    }
}

/// The least time between two looks for the drain file.
const LOOK: Duration = Duration::from_millis(5);

/// Whether the file exists. An unreadable path counts as present: a drain must take effect.
pub(crate) fn present(path: &Path) -> bool {
    path.try_exists().unwrap_or(true)
}

/// Reports whether the node is drained, each heartbeat and on a change, until the receiver is gone. It looks more often than that: if all nodes
/// are drained at the same time, none may become the successor of another before it knows.
pub(crate) fn watch_drain(path: &Path, heartbeat: Duration, say: impl Fn(bool) -> bool) {
    let pace = (heartbeat / 20).max(LOOK);
    let mut last: Option<(bool, Instant)> = None;
    loop {
        let drained = present(path);
        if last.is_none_or(|(said, at)| said != drained || at.elapsed() >= heartbeat) {
            if !say(drained) {
                return;
            }
            last = Some((drained, Instant::now()));
        }
        std::thread::sleep(pace);
    }
}

/// Runs the check repeatedly and reports whether the node is fit, until the receiver is gone.
pub(crate) fn watch_check(check: &HealthCheck, say: impl Fn(bool) -> bool) {
    let mut streak = Streak::default();
    loop {
        let begun = Instant::now();
        let outcome = shell::run(&check.command, &[], check.timeout, Leftovers::Kept, &|| false);
        if let Err(error) = &outcome {
            tracing::warn!(command = check.command, %error, "cannot run the check");
        }
        let success = outcome.is_ok_and(|status| status.is_some_and(|status| status.success()));
        let before = streak.fit;
        streak.count(success, check.rise, check.fall);
        if streak.fit != before {
            let fit = streak.fit;
            tracing::info!(command = check.command, fit, "the result of the check has changed");
        }
        if !say(streak.fit) {
            return;
        }
        std::thread::sleep(check.interval.saturating_sub(begun.elapsed()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_rises_and_falls_after_enough_results_in_a_row() {
        let mut streak = Streak::default();
        let fit: Vec<bool> = [1, 0, 1, 1, 0, 1, 0, 0, 0, 1, 1]
            .map(|success| {
                streak.count(success == 1, 2, 3);
                streak.fit
            })
            .to_vec();
        assert_eq!(fit, [false, false, false, true, true, true, true, true, false, false, true]);
    }
}
