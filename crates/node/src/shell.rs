//! Shell commands that run for so long and no longer.

use crate::observer::Observer;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// How often a running command is looked at.
const GLANCE: Duration = Duration::from_millis(5);

/// What becomes of what a command has started and left behind when it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Leftovers {
    /// It goes on.
    Kept,
    /// It is killed.
    Killed,
}

/// Runs a command in a process group of its own. The exit status, or `None` if it had to be killed with all it started.
pub(crate) fn run(
    command: &str,
    environment: &[(&str, String)],
    timeout: Duration,
    leftovers: Leftovers,
) -> std::io::Result<Option<ExitStatus>> {
    let end = Instant::now() + timeout;
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", command]).stdin(Stdio::null());
    shell.envs(environment.iter().map(|(name, value)| (name, value)));
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut shell, 0);
    let mut child = shell.spawn()?;
    loop {
        if let Some(status) = child.try_wait()? {
            if leftovers == Leftovers::Killed {
                kill_group(&mut child);
            }
            return Ok(Some(status));
        }
        if Instant::now() >= end {
            kill_group(&mut child);
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(GLANCE);
    }
}

/// A command that a node runs on an occasion: what it is called in the log, and whether its success is worth a line.
pub(crate) struct Occasion<'a> {
    pub(crate) event: &'static str,
    pub(crate) command: &'a str,
    pub(crate) timeout: Duration,
    pub(crate) leftovers: Leftovers,
    pub(crate) often: bool,
}

/// Runs it, counts how it ended, and says so.
pub(crate) fn run_and_tell(observer: &Observer, occasion: &Occasion<'_>, environment: &[(&str, String)]) {
    let Occasion { event, command, timeout, leftovers, often } = *occasion;
    let begun = Instant::now();
    let outcome = run(command, environment, timeout, leftovers);
    let took = begun.elapsed();
    observer.shared.count_hook(|counts| match &outcome {
        Ok(Some(status)) if status.success() => counts.succeeded += 1,
        Ok(None) => counts.timed_out += 1,
        Ok(Some(_)) | Err(_) => counts.failed += 1,
    });
    match outcome {
        Ok(Some(status)) if status.success() && often => tracing::debug!(event, command, ?took, "hook done"),
        Ok(Some(status)) if status.success() => tracing::info!(event, command, ?took, "hook done"),
        Ok(Some(status)) => tracing::warn!(event, command, %status, "hook failed"),
        Ok(None) => tracing::warn!(event, command, ?timeout, "hook killed: it took too long"),
        Err(error) => tracing::warn!(event, command, %error, "hook could not be run"),
    }
}

/// Kills the command and whatever it started in its process group.
fn kill_group(child: &mut Child) {
    #[cfg(unix)]
    if let Ok(group) = i32::try_from(child.id()) {
        use nix::sys::signal::{Signal, killpg};
        let _ = killpg(nix::unistd::Pid::from_raw(group), Signal::SIGKILL);
    }
    // Already gone is what is wanted.
    let _ = child.kill();
}
