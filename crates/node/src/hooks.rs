//! Commands that run when the leadership changes: one at a time, in order, and never for longer than allowed.

use crate::leadership::{Change, Role};
use crate::observer::Observer;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How often a running hook is looked at.
const GLANCE: Duration = Duration::from_millis(10);
/// Before this no hook is over: its shell has hardly begun.
const LEAST_TIMEOUT: Duration = Duration::from_millis(10);

/// Shell commands, each for one event. Their environment has:
///
/// | variable | value |
/// | --- | --- |
/// | `RINGLEADER_EVENT` | `leader`, `lost` or `change` |
/// | `RINGLEADER_ID` | this node |
/// | `RINGLEADER_LEADER`, `RINGLEADER_PREVIOUS_LEADER` | whom it names now, and named before |
/// | `RINGLEADER_STATE`, `RINGLEADER_PREVIOUS_STATE` | `leader`, `follower` or `unsettled` |
/// | `RINGLEADER_EPOCH` | the algorithm's own number, advisory |
/// | `RINGLEADER_REASON` | `started`, `silence`, `preferred`, `resigned`, `settled` or `corrupted` |
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hooks {
    /// When this node becomes the leader, settled.
    pub on_leader: Option<String>,
    /// When it is the leader no longer.
    pub on_lost: Option<String>,
    /// When anything changes.
    pub on_change: Option<String>,
    /// After how long a hook is killed, with all it started.
    pub timeout: Duration,
}

impl Default for Hooks {
    fn default() -> Hooks {
        Hooks { on_leader: None, on_lost: None, on_change: None, timeout: Duration::from_secs(10) }
    }
}

/// How many hooks of a node ended how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HookCounts {
    /// With success.
    pub succeeded: u64,
    /// With an error, or not at all started.
    pub failed: u64,
    /// Killed after the timeout.
    pub timed_out: u64,
}

/// The thread that runs hooks; it ends, after what is still waiting, once the node has stopped.
#[derive(Debug)]
pub struct HookRunner {
    thread: JoinHandle<()>,
}

impl HookRunner {
    /// Runs hooks for every change of this node from now on; [`Observer::hooks`] tells how they ended.
    pub fn start(hooks: Hooks, observer: &Observer) -> std::io::Result<HookRunner> {
        hooks.validate().map_err(|e| std::io::Error::new(std::io::ErrorKind::InvalidInput, e))?;
        let (observer, changes) = (observer.clone(), observer.subscribe());
        let thread = std::thread::Builder::new().name("hooks".into()).spawn(move || {
            for change in changes {
                for (event, command) in hooks.due(&change) {
                    run(&observer, event, command, &change, hooks.timeout);
                }
            }
        })?;
        Ok(HookRunner { thread })
    }

    /// Waits for the hooks of a node that has stopped.
    pub fn finish(self) {
        // A panic there has been reported by the runtime of the language.
        let _ = self.thread.join();
    }
}

impl Hooks {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.on_leader.is_none() && self.on_lost.is_none() && self.on_change.is_none()
    }

    /// Says what is wrong with the timeout, if anything.
    pub fn validate(&self) -> Result<(), String> {
        if self.timeout < LEAST_TIMEOUT {
            let timeout = self.timeout;
            return Err(format!(
                "hook-timeout must be 10 ms at least, not {timeout:?}: every hook would be killed at once"
            ));
        }
        Ok(())
    }

    /// The hooks for a change: first what ends, then what begins, then what always runs.
    fn due(&self, change: &Change) -> impl Iterator<Item = (&'static str, &str)> {
        let (was, is) = (change.before.state == Role::Leader, change.after.state == Role::Leader);
        let lost = self.on_lost.as_deref().filter(|_| was && !is).map(|command| ("lost", command));
        let won = self.on_leader.as_deref().filter(|_| is && !was).map(|command| ("leader", command));
        let always = self.on_change.as_deref().map(|command| ("change", command));
        [lost, won, always].into_iter().flatten()
    }
}

fn run(observer: &Observer, event: &'static str, command: &str, change: &Change, timeout: Duration) {
    let begun = Instant::now();
    let outcome = spawn(observer.id, event, command, change).and_then(|child| wait(child, begun + timeout));
    let took = begun.elapsed();
    observer.shared.count_hook(|counts| match &outcome {
        Ok(Some(status)) if status.success() => counts.succeeded += 1,
        Ok(None) => counts.timed_out += 1,
        Ok(Some(_)) | Err(_) => counts.failed += 1,
    });
    match outcome {
        Ok(Some(status)) if status.success() => tracing::info!(event, command, ?took, "hook done"),
        Ok(Some(status)) => tracing::warn!(event, command, %status, "hook failed"),
        Ok(None) => tracing::warn!(event, command, ?timeout, "hook killed: it took too long"),
        Err(error) => tracing::warn!(event, command, %error, "hook could not be run"),
    }
}

fn spawn(id: usize, event: &str, command: &str, change: &Change) -> std::io::Result<Child> {
    let Change { before, after, reason } = change;
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", command]).stdin(Stdio::null());
    shell.env("RINGLEADER_EVENT", event).env("RINGLEADER_ID", id.to_string());
    shell.env("RINGLEADER_LEADER", after.leader.to_string()).env("RINGLEADER_STATE", after.state.name());
    shell.env("RINGLEADER_PREVIOUS_LEADER", before.leader.to_string());
    shell.env("RINGLEADER_PREVIOUS_STATE", before.state.name());
    shell.env("RINGLEADER_EPOCH", after.epoch.to_string()).env("RINGLEADER_REASON", reason.name());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut shell, 0);
    shell.spawn()
}

/// The exit status, or `None` if the hook had to be killed.
fn wait(mut child: Child, end: Instant) -> std::io::Result<Option<ExitStatus>> {
    loop {
        if let Some(status) = child.try_wait()? {
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

/// Kills the hook and whatever it started in its process group.
fn kill_group(child: &mut Child) {
    #[cfg(unix)]
    if let Ok(group) = i32::try_from(child.id()) {
        use nix::sys::signal::{Signal, killpg};
        let _ = killpg(nix::unistd::Pid::from_raw(group), Signal::SIGKILL);
    }
    // Already gone is what is wanted.
    let _ = child.kill();
}
