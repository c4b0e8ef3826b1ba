//! Commands that run on changes of leadership: one at a time, for the latest state, with a time limit.
//!
//! A starting node is not the leader, even if it led before it crashed: the first hook is `on-lost`. Changes during a hook are reported
//! once, by their latest state. A hook whose leadership is over is killed, so that `on-lost` does not wait.

use crate::error::NodeError;
use crate::observer::{Events, Observer, Pending};
use crate::shell::{self, Leftovers, Occasion};
use ringleader_node_core::{Change, Leadership, Reason, Role};
use std::thread::JoinHandle;
use std::time::Duration;

/// A shorter limit would kill every hook before its shell has started.
const LEAST_TIMEOUT: Duration = Duration::from_millis(10);

/// Shell commands, each for one event. Their environment has:
///
/// | variable | value |
/// | --- | --- |
/// | `RINGLEADER_EVENT` | `leader`, `lost`, `change` or `healed` |
/// | `RINGLEADER_ID` | this node |
/// | `RINGLEADER_LEADER`, `RINGLEADER_PREVIOUS_LEADER` | the leader now and before; empty for none |
/// | `RINGLEADER_STATE`, `RINGLEADER_PREVIOUS_STATE` | `leader`, `follower`, `unsettled` or `unconfirmed` |
/// | `RINGLEADER_OTHER_LEADERS` | for `healed`: the nodes that led on the other side, separated by spaces |
/// | `RINGLEADER_TOKEN` | the fencing token, if there is one |
/// | `RINGLEADER_EPOCH` | the algorithm's own number, advisory |
/// | `RINGLEADER_REASON` | `started`, `silence`, `preferred`, `handover`, `settled` and so on: see [`Reason`] |
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hooks {
    /// Runs when this node has become the leader and settled. Killed when it stops being the leader.
    pub on_leader: Option<String>,
    /// Runs when this node has stopped being the leader, and once at its start: it may have crashed as the leader.
    pub on_lost: Option<String>,
    /// Runs on every change.
    pub on_change: Option<String>,
    /// Runs on the leader when another node, which led while the two did not hear each other, follows it again.
    pub on_healed: Option<String>,
    /// The time after which a hook is killed with its process group.
    pub timeout: Duration,
}

impl Default for Hooks {
    fn default() -> Hooks {
        Hooks { on_leader: None, on_lost: None, on_change: None, on_healed: None, timeout: Duration::from_secs(10) }
    }
}

impl Hooks {
    /// Runs hooks for every change of this node from now on, in a thread that ends after the last hooks of a stopped node;
    /// [`Observer::hooks`] counts their outcomes.
    pub fn start(self, observer: &Observer) -> std::io::Result<JoinHandle<()>> {
        self.validate().map_err(|e| std::io::Error::new(std::io::ErrorKind::InvalidInput, e))?;
        let observer = observer.clone();
        observer.shared.attach_hooks(self.on_lost.is_some());
        observer.shared.set_starting(self.on_lost.is_some());
        std::thread::Builder::new().name("hooks".into()).spawn(move || follow(&self, &observer))
    }

    /// Refuses a timeout that would kill every hook.
    pub fn validate(&self) -> Result<(), NodeError> {
        let reason = "every hook would be killed immediately";
        let wrong = format!("hook-timeout must be 10 ms at least, not {:?}: {reason}", self.timeout);
        NodeError::refuse_if(self.timeout < LEAST_TIMEOUT, wrong)
    }

    /// The hooks for a change, in order: `on-lost`, `on-leader`, `on-change`.
    fn due(&self, change: &Change) -> impl Iterator<Item = (&'static str, &str)> {
        let (was, is) = (change.before.state == Role::Leader, change.after.state == Role::Leader);
        let lost = self.on_lost.as_deref().filter(|_| was && !is).map(|command| ("lost", command));
        let won = self.on_leader.as_deref().filter(|_| is && !was).map(|command| ("leader", command));
        let always = self.on_change.as_deref().map(|command| ("change", command));
        [lost, won, always].into_iter().flatten()
    }
}

/// Runs hooks until the node has stopped, and for its last state.
fn follow(hooks: &Hooks, observer: &Observer) {
    let begun = observer.leadership();
    let mut told = Leadership { state: Role::Unsettled, ..begun };
    if let Some(command) = &hooks.on_lost {
        let change = Change { before: told, after: told, reason: Reason::Started };
        run(observer, "lost", command, &change, hooks.timeout, None);
    }
    observer.shared.set_starting(false);
    if begun.state == Role::Leader {
        tell(hooks, observer, &mut told, begun, Reason::Settled);
    }
    while let Some(Events { pending, healed, changes }) = observer.shared.next_events() {
        if let Some(Pending { newest, lost }) = pending {
            observer.shared.await_addresses(changes);
            // A leadership that was lost and regained is a new one: another node may have led in between, and `on-leader` was killed.
            let again = told.state == Role::Leader && newest.after.state == Role::Leader;
            if let Some(lost) = lost.filter(|_| again) {
                tell(hooks, observer, &mut told, lost.after, lost.reason);
            }
            tell(hooks, observer, &mut told, newest.after, newest.reason);
            observer.shared.hooks_handled(changes);
        }
        if let Some(command) = hooks.on_healed.as_deref().filter(|_| told.state == Role::Leader && !healed.is_empty()) {
            let change = Change { before: told, after: told, reason: Reason::Healed };
            let others: Vec<String> = healed.iter().map(ToString::to_string).collect();
            run(observer, "healed", command, &change, hooks.timeout, Some(others.join(" ")));
        }
    }
    if told.state == Role::Leader {
        observer.shared.await_addresses(u64::MAX);
        let after = Leadership { state: Role::Unsettled, ..told };
        tell(hooks, observer, &mut told, after, Reason::Stopped);
    }
}

fn tell(hooks: &Hooks, observer: &Observer, told: &mut Leadership, after: Leadership, reason: Reason) {
    let change = Change { before: *told, after, reason };
    for (event, command) in hooks.due(&change) {
        run(observer, event, command, &change, hooks.timeout, None);
    }
    *told = after;
}

/// Runs a hook; `others` are the leaders on the other side of a split.
fn run(
    observer: &Observer,
    event: &'static str,
    command: &str,
    change: &Change,
    timeout: Duration,
    others: Option<String>,
) {
    // A hook of a lost leadership is killed, and `on-lost` cleans up.
    let over = || event != "lost" && change.after.state == Role::Leader && !observer.shared.leads_on();
    let occasion = Occasion { event, command, timeout, leftovers: Leftovers::Kept, often: false, over: &over };
    let mut variables = environment(observer.id, event, change);
    variables.extend(others.map(|others| ("RINGLEADER_OTHER_LEADERS", others)));
    shell::run_and_tell(observer, &occasion, &variables);
}

/// The leader's identity; empty if there is none.
fn name(leadership: &Leadership) -> String {
    leadership.named().map(|leader| leader.to_string()).unwrap_or_default()
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
