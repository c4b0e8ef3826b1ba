//! Shell commands with a time limit.

use crate::observer::Observer;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// The time between two checks of a running command.
const GLANCE: Duration = Duration::from_millis(5);

/// The fate of processes that a command has left behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Leftovers {
    /// They continue.
    Kept,
    /// They are killed.
    Killed,
}

/// Runs a command in its own process group. Returns the exit status, or `None` if the group was killed: the time limit was reached, or the
/// command was not needed any more.
pub(crate) fn run(
    command: &str,
    environment: &[(&str, String)],
    timeout: Duration,
    leftovers: Leftovers,
    over: &dyn Fn() -> bool,
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
        if Instant::now() >= end || over() {
            kill_group(&mut child);
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(GLANCE);
    }
}

/// A command that a node runs on an event.
pub(crate) struct Occasion<'a> {
    /// The event, for the log.
    pub(crate) event: &'static str,
    pub(crate) command: &'a str,
    pub(crate) timeout: Duration,
    pub(crate) leftovers: Leftovers,
    /// Whether success is logged at the level debug.
    pub(crate) often: bool,
    /// Whether the command is not needed any more and has to be killed.
    pub(crate) over: &'a dyn Fn() -> bool,
}

/// Runs a command, counts its outcome, and logs it.
pub(crate) fn run_and_tell(observer: &Observer, occasion: &Occasion<'_>, environment: &[(&str, String)]) {
    let Occasion { event, command, timeout, leftovers, often, over } = *occasion;
    let begun = Instant::now();
    let outcome = run(command, environment, timeout, leftovers, over);
    let took = begun.elapsed();
    observer.shared.count_hook(|counts| match &outcome {
        Ok(Some(status)) if status.success() => counts.succeeded += 1,
        Ok(None) if took >= timeout => counts.timed_out += 1,
        Ok(_) | Err(_) => counts.failed += 1,
    });
    match outcome {
        Ok(Some(status)) if status.success() && often => tracing::debug!(event, command, ?took, "hook done"),
        Ok(Some(status)) if status.success() => tracing::info!(event, command, ?took, "hook done"),
        Ok(Some(status)) => tracing::warn!(event, command, %status, "hook failed"),
        Ok(None) if took < timeout => tracing::warn!(event, command, ?took, "hook killed: its event is over"),
        Ok(None) => tracing::warn!(event, command, ?timeout, "hook killed: it exceeded its time limit"),
        Err(error) => tracing::warn!(event, command, %error, "hook could not be run"),
    }
}

/// Kills the command and its process group.
fn kill_group(child: &mut Child) {
    #[cfg(unix)]
    if let Ok(group) = i32::try_from(child.id()) {
        use nix::sys::signal::{Signal, killpg};
        let _ = killpg(nix::unistd::Pid::from_raw(group), Signal::SIGKILL);
    }
    // It may have ended already.
    let _ = child.kill();
}
