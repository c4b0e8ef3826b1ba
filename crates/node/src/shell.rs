//! Shell commands that run for so long and no longer.

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
