//! Real-time priority for the loop, and memory that is not swapped out: on a busy host a late loop looks like a failure.

use crate::error::NodeError;

/// The greatest real-time priority of Linux.
pub(crate) const MOST_PRIORITY: u8 = 99;

/// Keeps all memory of this process resident, now and later.
#[cfg(target_os = "linux")]
pub(crate) fn lock_memory() -> Result<(), NodeError> {
    use nix::sys::mman::{MlockAllFlags, mlockall};
    use nix::sys::resource::{RLIM_INFINITY, Resource, getrlimit};
    let refused = |reason: String| {
        NodeError::new(format!(
            "lock-memory: {reason}: set LimitMEMLOCK=infinity in the unit, or leave lock-memory out"
        ))
    };
    // With a limit, a later allocation would fail and end the node.
    let limit = getrlimit(Resource::RLIMIT_MEMLOCK).map_or(0, |(soft, _)| soft);
    if limit != RLIM_INFINITY && !nix::unistd::geteuid().is_root() {
        return Err(refused(format!("this process may lock {limit} bytes only")));
    }
    let flags = MlockAllFlags::MCL_CURRENT | MlockAllFlags::MCL_FUTURE;
    mlockall(flags).map_err(|error| refused(format!("cannot lock memory: {}", error.desc())))
}

/// The number of this thread in the system.
#[cfg(target_os = "linux")]
pub(crate) fn thread() -> i32 {
    nix::unistd::gettid().as_raw()
}

/// Gives a thread a real-time priority (round robin), which its children do not inherit. `chrt` does this, since no safe interface does.
#[cfg(target_os = "linux")]
pub(crate) fn set_realtime(priority: u8, thread: i32) -> Result<(), NodeError> {
    let refused = |reason: &str| {
        NodeError::new(format!(
            "realtime: cannot set the priority {priority}: {reason}: set LimitRTPRIO={priority} and RestrictRealtime=no in the unit, \
             or leave realtime out"
        ))
    };
    let numbers = [priority.to_string(), thread.to_string()];
    let chrt = std::process::Command::new("chrt").args(["--reset-on-fork", "--rr", "--pid"]).args(numbers).output();
    match chrt {
        Err(error) => Err(refused(&format!("chrt (util-linux) does not start: {error}"))),
        Ok(output) if !output.status.success() => Err(refused(String::from_utf8_lossy(&output.stderr).trim())),
        Ok(_) => Ok(()),
    }
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn lock_memory() -> Result<(), NodeError> {
    Err(NodeError::new("lock-memory is for Linux: leave it out"))
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn thread() -> i32 {
    0
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn set_realtime(_: u8, _: i32) -> Result<(), NodeError> {
    Err(NodeError::new("realtime is for Linux: leave it out"))
}
