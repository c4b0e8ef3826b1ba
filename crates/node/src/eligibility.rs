//! Whether this node may lead, as its operator and its own check have it: looked at beside the loop, which must not wait.

use crate::shell::{self, Leftovers};
use ringleader_node_core::Withdrawal;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A command that says whether this host is fit to lead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// For the shell; success means fit.
    pub command: String,
    /// How often it runs.
    pub interval: Duration,
    /// After how long it is killed, with all it started, and counts as failed.
    pub timeout: Duration,
    /// After how many successes in a row the node is fit.
    pub rise: u32,
    /// After how many failures in a row it is not.
    pub fall: u32,
}

impl Check {
    /// Every two seconds, for a second at most; fit after two successes, unfit after two failures.
    pub fn new(command: impl Into<String>) -> Check {
        let (interval, timeout) = (Duration::from_secs(2), Duration::from_secs(1));
        Check { command: command.into(), interval, timeout, rise: 2, fall: 2 }
    }

    /// Says what is wrong with it, if anything.
    pub fn validate(&self) -> Result<(), String> {
        let least = Duration::from_millis(10);
        match () {
            () if self.command.trim().is_empty() => Err("check must be a command".into()),
            () if self.interval < least => {
                Err(format!("check-interval must be 10 ms at least, not {:?}", self.interval))
            }
            () if self.timeout < least => Err(format!("check-timeout must be 10 ms at least, not {:?}", self.timeout)),
            () if self.rise == 0 || self.fall == 0 => Err("check-rise and check-fall must be 1 at least".into()),
            () => Ok(()),
        }
    }
}

/// Successes and failures in a row, and what follows. A node is unfit until it has risen once.
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

/// What is looked at.
#[derive(Clone, Debug, Default)]
pub(crate) struct Eligibility {
    pub(crate) check: Option<Check>,
    pub(crate) drain: Option<PathBuf>,
}

impl Eligibility {
    /// Why the node may not lead before anything was looked at.
    pub(crate) fn at_first(&self) -> Option<Withdrawal> {
        match &self.drain {
            Some(path) if present(path) => Some(Withdrawal::Drained),
            _ => self.check.as_ref().map(|_| Withdrawal::Unhealthy),
        }
    }
}

/// Looking for a file costs microseconds; more often than this is of no use.
const LOOK: Duration = Duration::from_millis(5);

/// Whether the file is there. What cannot be looked at is taken to be: an operator who says so must be obeyed.
fn present(path: &Path) -> bool {
    path.try_exists().unwrap_or(true)
}

/// Says whether the node is to be drained, each heartbeat and when that changes, until nobody listens. It looks more often than that:
/// where all are drained at once, none is to be made another's heir before it knows.
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

/// Runs the check again and again and says whether the node is fit, until nobody listens.
pub(crate) fn watch_check(check: &Check, say: impl Fn(bool) -> bool) {
    let mut streak = Streak::default();
    loop {
        let begun = Instant::now();
        let success = match shell::run(&check.command, &[], check.timeout, Leftovers::Kept, &|| false) {
            Ok(Some(status)) => status.success(),
            Ok(None) => false,
            Err(error) => {
                tracing::warn!(command = check.command, %error, "the check could not be run");
                false
            }
        };
        let before = streak.fit;
        streak.count(success, check.rise, check.fall);
        if streak.fit != before {
            let fit = streak.fit;
            tracing::info!(command = check.command, fit, "the check has changed its mind");
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
    fn a_node_rises_and_falls_after_so_many_in_a_row() {
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
