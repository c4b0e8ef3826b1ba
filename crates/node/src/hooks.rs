//! Commands that run when the leadership changes: one at a time, for the newest state, and never for longer than allowed.
//!
//! A node that starts is not the leader, whatever it was when it last ran: the first hook says so. What changed while a hook ran
//! is told once, as it is then, not as it was in between. A hook of a leadership that is over is killed: `on-lost` waits for nobody.

use crate::observer::{Observer, Pending};
use crate::shell::{self, Leftovers, Occasion};
use ringleader_node_core::{Change, Leadership, Reason, Role};
use std::thread::JoinHandle;
use std::time::Duration;

/// Before this no hook is over: its shell has hardly begun.
const LEAST_TIMEOUT: Duration = Duration::from_millis(10);

/// Shell commands, each for one event. Their environment has:
///
/// | variable | value |
/// | --- | --- |
/// | `RINGLEADER_EVENT` | `leader`, `lost` or `change` |
/// | `RINGLEADER_ID` | this node |
/// | `RINGLEADER_LEADER`, `RINGLEADER_PREVIOUS_LEADER` | whom it names now, and named before |
/// | `RINGLEADER_STATE`, `RINGLEADER_PREVIOUS_STATE` | `leader`, `follower`, `unsettled` or `unconfirmed` |
/// | `RINGLEADER_TOKEN` | the fencing token, where there is one |
/// | `RINGLEADER_EPOCH` | the algorithm's own number, advisory |
/// | `RINGLEADER_REASON` | `started`, `silence`, `preferred`, `handover`, `settled` and so on: see [`Reason`] |
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hooks {
    /// When this node becomes the leader, settled. Killed when it is the leader no longer.
    pub on_leader: Option<String>,
    /// When it is the leader no longer, and once when the node starts: it may have led when it last ran, and crashed.
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

/// The thread that runs hooks; it ends, after what is still waiting, once the node has stopped.
#[derive(Debug)]
pub struct HookRunner {
    thread: JoinHandle<()>,
}

impl HookRunner {
    /// Runs hooks for every change of this node from now on; [`Observer::hooks`] tells how they ended.
    pub fn start(hooks: Hooks, observer: &Observer) -> std::io::Result<HookRunner> {
        hooks.validate().map_err(|e| std::io::Error::new(std::io::ErrorKind::InvalidInput, e))?;
        let observer = observer.clone();
        observer.shared.attach_hooks(hooks.on_lost.is_some());
        let thread = std::thread::Builder::new().name("hooks".into()).spawn(move || follow(&hooks, &observer))?;
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

/// Runs hooks until the node has stopped, and for what it was last.
fn follow(hooks: &Hooks, observer: &Observer) {
    let begun = observer.leadership();
    let mut told = Leadership { state: Role::Unsettled, ..begun };
    if let Some(command) = &hooks.on_lost {
        run(observer, "lost", command, &Change { before: told, after: told, reason: Reason::Started }, hooks.timeout);
    }
    if begun.state == Role::Leader {
        tell(hooks, observer, &mut told, begun, Reason::Settled);
    }
    while let Some((Pending { newest, lost }, changes)) = observer.shared.next_changes() {
        // But a lease that lapsed and came back is another: somebody else may have had one in between.
        let again = told.state == Role::Leader && newest.after.confirmation.is_some();
        if let Some(lost) = lost.filter(|_| again) {
            tell(hooks, observer, &mut told, lost.after, lost.reason);
        }
        tell(hooks, observer, &mut told, newest.after, newest.reason);
        observer.shared.hooks_handled(changes);
    }
    if told.state == Role::Leader {
        let after = Leadership { state: Role::Unsettled, ..told };
        tell(hooks, observer, &mut told, after, Reason::Stopped);
    }
}

fn tell(hooks: &Hooks, observer: &Observer, told: &mut Leadership, after: Leadership, reason: Reason) {
    let change = Change { before: *told, after, reason };
    for (event, command) in hooks.due(&change) {
        run(observer, event, command, &change, hooks.timeout);
    }
    *told = after;
}

fn run(observer: &Observer, event: &'static str, command: &str, change: &Change, timeout: Duration) {
    // What a lost leader has begun must not go on: it is killed, and `on-lost` cleans up.
    let over = || event != "lost" && change.after.state == Role::Leader && observer.leadership().state != Role::Leader;
    let occasion = Occasion { event, command, timeout, leftovers: Leftovers::Kept, often: false, over: &over };
    shell::run_and_tell(observer, &occasion, &environment(observer.id, event, change));
}

/// The leader's identity; empty where none is named.
fn name(leadership: &Leadership) -> String {
    leadership.named().map_or_else(String::new, |leader| leader.to_string())
}

fn environment(id: usize, event: &str, change: &Change) -> Vec<(&'static str, String)> {
    let Change { before, after, reason } = change;
    let token = after.confirmation.and_then(|confirmation| confirmation.token);
    let mut variables = vec![
        ("RINGLEADER_EVENT", event.to_string()),
        ("RINGLEADER_ID", id.to_string()),
        ("RINGLEADER_LEADER", name(after)),
        ("RINGLEADER_STATE", after.state.to_string()),
        ("RINGLEADER_PREVIOUS_LEADER", name(before)),
        ("RINGLEADER_PREVIOUS_STATE", before.state.to_string()),
        ("RINGLEADER_EPOCH", after.epoch.to_string()),
        ("RINGLEADER_REASON", reason.to_string()),
    ];
    variables.extend(token.map(|token| ("RINGLEADER_TOKEN", token.to_string())));
    variables
}
