//! The control socket of a node: its pages, and the orders of its operator. The node trusts every process that can open the socket; its
//! mode and its folder decide that.

use crate::error::NodeError;
use crate::http::{Acceptor, Request, Response};
use crate::local_socket::LocalSocket;
use crate::observer::Observer;
use crate::pages::{SETTINGS, page};
use crate::transport::{Door, Listener};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The orders that are carried out at the same time: each one may wait for a handover.
const MOST_ORDERS: usize = 8;

/// An order of the operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Hand the leadership over, if there is a successor.
    Resign,
    /// Do not lead until further notice.
    Drain,
    /// End that.
    Undrain,
    /// Read peers and keys again.
    Reload,
}

impl Order {
    const ALL: [Order; 4] = [Order::Resign, Order::Drain, Order::Undrain, Order::Reload];

    /// The path to which a request for it is sent, with the method POST.
    pub fn path(self) -> &'static str {
        match self {
            Order::Resign => "/resign",
            Order::Drain => "/drain",
            Order::Undrain => "/undrain",
            Order::Reload => "/reload",
        }
    }
}

/// A running control socket; dropping it ends it and removes the socket.
#[derive(Debug)]
pub struct ControlServer {
    // It ends first: its end needs the path.
    _acceptor: Acceptor,
    _socket: LocalSocket,
}

/// Serves the pages of the observed node, and `carry_out` for each order, on a Unix socket that only this user and group reach. The result of an
/// order is a sentence for the operator.
pub fn serve_control(
    path: &Path,
    observer: Observer,
    carry_out: impl Fn(Order) -> Result<String, NodeError> + Send + Sync + 'static,
) -> Result<ControlServer, NodeError> {
    let running = AtomicUsize::new(0);
    let answer = move |request: &Request| {
        let ordered = Order::ALL.into_iter().find(|order| order.path() == request.path);
        match (ordered, request.method.as_str()) {
            (None, "POST") => {
                let orders = Order::ALL.map(Order::path).join(", ");
                Response::text("404 Not Found", format!("no such order; the orders are {orders}\n"))
            }
            (None, _) => page(request, &observer),
            (Some(order), "POST") => limited(&running, || carry_out(order)),
            _ => Response::text("405 Method Not Allowed", "an order is sent with the method POST\n"),
        }
    };
    let (socket, listener) = LocalSocket::bind(path)?;
    let door = Door::Unix(socket.path().to_path_buf());
    let acceptor = Acceptor::start(Listener::Unix(listener), door, SETTINGS, answer).map_err(NodeError::no_thread)?;
    Ok(ControlServer { _acceptor: acceptor, _socket: socket })
}

/// Refuses a path at which [`serve_control`] would fail, and returns a warning about its folder: a missing folder may be made later, and root may
/// check the path for a daemon of another user. A socket in use is accepted: the daemon itself may be running.
///
/// ```
/// # use std::path::Path;
/// use ringleader_node::control::examine_control;
/// assert!(examine_control(Path::new("control")).unwrap_err().to_string().contains("give an absolute path"));
/// assert!(examine_control(Path::new("/nowhere/control")).unwrap().unwrap().contains("there is no folder /nowhere"));
/// ```
pub fn examine_control(path: &Path) -> Result<Option<String>, NodeError> {
    LocalSocket::examine(path)
}

/// Carries out an order, unless too many others wait.
fn limited(running: &AtomicUsize, carry_out: impl FnOnce() -> Result<String, NodeError>) -> Response {
    let response = if running.fetch_add(1, Ordering::Relaxed) < MOST_ORDERS {
        match carry_out() {
            Ok(done) => Response::text("200 OK", format!("{done}\n")),
            Err(reason) => Response::text("409 Conflict", format!("{reason}\n")),
        }
    } else {
        Response::text("503 Service Unavailable", "too many orders wait for their end: try again\n")
    };
    running.fetch_sub(1, Ordering::Relaxed);
    response
}
