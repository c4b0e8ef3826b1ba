//! Shell commands with a time limit, which end with the process that runs them.
//!
//! A command runs in the process group of a *supervisor*, a small shell that waits for a line on a pipe. The pipe closes when this process
//! dies, however it does; then the supervisor kills the group. The command begins only when the supervisor is there, and has a pipe of its
//! own for that: if this process dies before, the command never begins.

use crate::observer::Observer;
use std::io::Write;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// The time between two checks of a running command.
const GLANCE: Duration = Duration::from_millis(5);
/// The time in which a dismissed supervisor ends by itself. One that was stopped never does.
const DISMISSAL: Duration = Duration::from_millis(100);

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
    let mut supervised = Supervised::start(command, environment)?;
    loop {
        if let Some(status) = supervised.command.try_wait()? {
            if leftovers == Leftovers::Killed {
                supervised.kill();
            }
            return Ok(Some(status));
        }
        if Instant::now() >= end || over() {
            supervised.kill();
            return Ok(None);
        }
        std::thread::sleep(GLANCE);
    }
}

/// Waits for a line. At the end of the pipe, this process has died.
const SUPERVISE: &str = "trap '' HUP INT TERM TSTP TTIN TTOU; read -r done || kill -KILL 0";
/// Begins the command when a line has come.
const BEGIN: &str = "read -r begin && exec /bin/sh -c \"$1\" </dev/null";

/// A running command and its supervisor, which leads the process group of both.
struct Supervised {
    supervisor: Child,
    command: Child,
}

impl Supervised {
    fn start(command: &str, environment: &[(&str, String)]) -> std::io::Result<Supervised> {
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", SUPERVISE]).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        in_group(&mut shell, 0);
        let mut supervisor = shell.spawn()?;
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", BEGIN, "sh", command]).stdin(Stdio::piped());
        shell.envs(environment.iter().map(|(name, value)| (name, value)));
        in_group(&mut shell, supervisor.id());
        let command = shell.spawn().inspect_err(|_| {
            end(&mut supervisor);
            let _ = supervisor.wait();
        })?;
        let mut supervised = Supervised { supervisor, command };
        // The pipe is closed when it is dropped.
        let sent = supervised.command.stdin.take().map_or(Ok(()), |mut pipe| pipe.write_all(b"begin\n"));
        sent.inspect_err(|_| supervised.kill())?;
        Ok(supervised)
    }

    /// Kills the command, its supervisor and their process group.
    fn kill(&mut self) {
        end(&mut self.supervisor);
        // It may have ended already.
        let _ = self.command.kill();
        let _ = self.command.wait();
    }
}

/// Dismisses the supervisor: processes that the command has left behind continue.
impl Drop for Supervised {
    fn drop(&mut self) {
        if let Some(mut pipe) = self.supervisor.stdin.take() {
            // It may have been killed.
            let _ = pipe.write_all(b"done\n");
        }
        let end = Instant::now() + DISMISSAL;
        while matches!(self.supervisor.try_wait(), Ok(None)) && Instant::now() < end {
            std::thread::sleep(GLANCE / 5);
        }
        let _ = self.supervisor.kill();
        let _ = self.supervisor.wait();
    }
}

/// Puts the process of a command into this process group; 0 for its own.
fn in_group(command: &mut Command, group: u32) {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, i32::try_from(group).unwrap_or(0));
    #[cfg(not(unix))]
    let _ = (command, group);
}

/// Kills a process and the group that it leads.
fn end(leader: &mut Child) {
    #[cfg(unix)]
    if let Ok(group) = i32::try_from(leader.id()) {
        use nix::sys::signal::{Signal, killpg};
        let _ = killpg(nix::unistd::Pid::from_raw(group), Signal::SIGKILL);
    }
    // It may have ended already.
    let _ = leader.kill();
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

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::path::Path;

    /// A file that a command changes for as long as it runs.
    fn beats(path: &Path) -> bool {
        let size = || std::fs::metadata(path).map_or(0, |metadata| metadata.len());
        let before = size();
        std::thread::sleep(Duration::from_millis(300));
        size() > before
    }

    /// The pipe to the supervisor closes, as when this process dies: the command and its children end.
    #[test]
    fn a_command_ends_with_the_process_that_runs_it() {
        let path = std::env::temp_dir().join(format!("ringleader-supervised-{}", std::process::id()));
        let _ = std::fs::remove_file(&path);
        let command = format!("(while :; do echo x >>{0}; sleep 0.02; done) & wait", path.display());
        let mut supervised = Supervised::start(&command, &[]).unwrap();
        assert!(beats(&path), "it runs");
        drop(supervised.supervisor.stdin.take());
        supervised.supervisor.wait().unwrap();
        supervised.command.wait().unwrap();
        assert!(!beats(&path), "its children have ended");
        std::fs::remove_file(&path).unwrap();
    }

    /// The supervisor is stopped with its group, and the next hook still runs.
    #[test]
    fn a_command_that_stops_its_process_group_delays_the_next_one_only_a_little() {
        let begun = Instant::now();
        let stops = "kill -STOP 0 & while kill -0 $! 2>/dev/null; do :; done";
        let status = run(stops, &[], Duration::from_millis(300), Leftovers::Kept, &|| false).unwrap();
        assert_eq!(status, None, "it has stopped itself, too");
        // This one has ended when its leftover stops the group.
        let (done, path) =
            (Duration::from_secs(20), std::env::temp_dir().join(format!("ringleader-stopped-{}", std::process::id())));
        let leftover = format!("(while [ ! -e {0} ]; do :; done; kill -STOP 0) & exit 3", path.display());
        let mut supervised = Supervised::start(&leftover, &[]).unwrap();
        assert_eq!(supervised.command.wait().unwrap().code(), Some(3));
        std::fs::write(&path, "").unwrap();
        let stat = format!("/proc/{}/stat", supervised.supervisor.id());
        while std::fs::read_to_string(&stat).is_ok_and(|stat| !stat.contains(") T ")) && begun.elapsed() < done {
            std::thread::sleep(GLANCE);
        }
        let dismissed = Instant::now();
        drop(supervised);
        assert!(dismissed.elapsed() < Duration::from_secs(5) && begun.elapsed() < done);
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn leftovers_of_a_command_continue_and_its_input_is_empty() {
        let path = std::env::temp_dir().join(format!("ringleader-leftovers-{}", std::process::id()));
        let _ = std::fs::remove_file(&path);
        let command =
            format!("cat; (for i in $(seq 60); do echo x >>{0}; sleep 0.02; done) & exit $CODE", path.display());
        let environment = [("CODE", "7".to_string())];
        let status = run(&command, &environment, Duration::from_secs(20), Leftovers::Kept, &|| false).unwrap();
        assert_eq!(status.and_then(|status| status.code()), Some(7));
        assert!(beats(&path), "the rest continues");
        std::fs::remove_file(&path).unwrap();
    }
}
