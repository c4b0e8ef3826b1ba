//! The orders of the control socket: threads of its server receive them, the thread of the daemon carries them out.

use ringleader_node::control::{ControlServer, Order, examine_control, serve_control};
use ringleader_node::{Handle, NodeError, Observer, Role};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};

/// The orders that wait for the daemon.
const QUEUE: usize = 8;
/// The longest wait for the daemon, and for a handover. A client waits a little longer.
const PATIENCE: Duration = Duration::from_secs(20);

/// The time for carrying out an order, besides a handover.
const SLACK: Duration = Duration::from_secs(2);

/// An order, and the place for its result.
pub(crate) struct Queued {
    order: Order,
    /// The time after which nobody waits for the result: the order is dropped then.
    until: Instant,
    done: SyncSender<Result<String, NodeError>>,
}

/// The control socket, if there is one, and its orders.
pub(crate) struct Control {
    _server: Option<ControlServer>,
    orders: Receiver<Queued>,
}

impl Control {
    /// Listens at the path, if one is given.
    pub(crate) fn start(
        path: Option<&Path>,
        observer: &Observer,
        drain: Option<PathBuf>,
    ) -> Result<Control, NodeError> {
        let (sender, orders) = sync_channel::<Queued>(QUEUE);
        let serve = |path: &Path| {
            let (there, sender) = (observer.clone(), sender.clone());
            serve_control(path, observer.clone(), move |order| carry_out(order, &sender, &there, drain.as_deref()))
        };
        let server = path.map(serve).transpose()?;
        if let Some(path) = path {
            tracing::info!(path = %path.display(), "listening for orders");
        }
        Ok(Control { _server: server, orders })
    }

    /// Refuses a path that a start would refuse, and returns a warning about its folder.
    pub(crate) fn examine(path: Option<&Path>) -> Result<Option<String>, NodeError> {
        path.map_or(Ok(None), examine_control)
    }

    /// Carries out the orders that wait.
    pub(crate) fn obey(&self, node: &Handle, reload: &dyn Fn() -> Result<String, NodeError>) {
        for Queued { order, until, done } in self.orders.try_iter() {
            if Instant::now() >= until {
                tracing::warn!(
                    order = order.path().trim_start_matches('/'),
                    "order of an operator dropped: it waited too long"
                );
                continue;
            }
            let outcome = match order {
                Order::Resign if !node.leads() => Ok(String::new()),
                Order::Resign => node.can_hand_over().map(|()| node.resign()).map(|()| String::new()),
                Order::Drain => node.drain(true).map(|()| String::new()),
                Order::Undrain => node.drain(false).map(|()| String::new()),
                Order::Reload => reload(),
            };
            let refused = outcome.as_ref().err().map(ToString::to_string);
            tracing::info!(order = order.path().trim_start_matches('/'), refused, "order of an operator");
            // The client may be gone.
            let _ = done.send(outcome);
        }
    }
}

/// Hands an order to the daemon, and waits for its effect.
fn carry_out(
    order: Order,
    daemon: &SyncSender<Queued>,
    observer: &Observer,
    drain: Option<&Path>,
) -> Result<String, NodeError> {
    let led = observer.leads();
    let (done, outcome) = sync_channel(1);
    let busy = |_| NodeError::new("the daemon is busy with other orders: try again");
    daemon.try_send(Queued { order, until: Instant::now() + PATIENCE, done }).map_err(busy)?;
    let late =
        |_| NodeError::new(format!("the daemon has not carried out the order within {PATIENCE:?}, and has dropped it"));
    // A little longer than the order is valid: an order that is begun just in time is answered.
    let outcome = outcome.recv_timeout(PATIENCE + SLACK).map_err(late)?;
    let said = outcome.map_err(|reason| NodeError::new(format!("refused: {reason}")))?;
    match order {
        Order::Reload => Ok(said),
        Order::Undrain => Ok(match drain.filter(|path| path.try_exists().unwrap_or(true)) {
            Some(path) => format!("undrained, but the file {} still keeps this node from leading", path.display()),
            None => "undrained: this node may lead".into(),
        }),
        Order::Drain if !led => Ok("drained: this node did not lead, and will not until undrain or a restart".into()),
        Order::Drain => Ok(match successor(observer) {
            Some(leader) => format!("drained: node {leader} leads"),
            None => "drained: this node hands over, but no other node leads yet".into(),
        }),
        Order::Resign if !led => Ok("this node did not lead: nothing to hand over".into()),
        Order::Resign => match successor(observer) {
            Some(leader) => Ok(format!("resigned: node {leader} leads")),
            None => {
                let now = if observer.leads() { "this node leads again" } else { "no node leads" };
                Err(NodeError::new(format!("carried out, but no other node took over within {PATIENCE:?}: {now}")))
            }
        },
    }
}

/// Waits until this node follows another one.
fn successor(observer: &Observer) -> Option<usize> {
    let end = Instant::now() + PATIENCE;
    let mut watch = observer.watch();
    while let Some(left) = end.checked_duration_since(Instant::now()) {
        let now = watch.next_within(left)?;
        if now.state == Role::Follower {
            return now.named();
        }
    }
    None
}
