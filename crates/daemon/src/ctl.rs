//! `ringleader ctl`: orders to the daemon on this host.

use crate::FAILS;
use ringleader_node::NodeError;
use ringleader_node::control::Order;
use ringleader_node::http_client::{Server, request};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// The path of the control socket that both verbs use unless another one is given.
pub(crate) const DEFAULT_CONTROL: &str = "/run/ringleader/control";
/// The wait for an order: the daemon answers within 20 s, and says so if a handover takes longer.
const PATIENCE: Duration = Duration::from_secs(45);

/// Give an order to the daemon on this host: hand over, drain, undrain, reload.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  ringleader ctl drain       before maintenance: this node hands over and does not lead until undrain or a restart
  ringleader ctl undrain     after maintenance
  ringleader ctl resign      hand the leadership over once; refused if no other node was heard
  ringleader ctl reload      the same as SIGHUP, and tells whether the new settings were accepted

The daemon needs the setting control, the path of the socket; its user and its group may use it.
Exit codes: 0 done, 1 refused or not reached, 2 wrong usage.")]
pub struct Arguments {
    /// The order
    #[arg(value_enum)]
    order: OrderName,
    /// The control socket of the daemon
    #[arg(long, value_name = "PATH", default_value = DEFAULT_CONTROL)]
    control: PathBuf,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug)]
enum OrderName {
    /// Hand the leadership over to another node
    Resign,
    /// Do not lead until undrain or a restart
    Drain,
    /// End a drain: this node may lead again
    Undrain,
    /// Read peers and keys again
    Reload,
}

/// Sends the order and prints the result.
pub fn run(arguments: &Arguments) -> Result<ExitCode, NodeError> {
    let order = match arguments.order {
        OrderName::Resign => Order::Resign,
        OrderName::Drain => Order::Drain,
        OrderName::Undrain => Order::Undrain,
        OrderName::Reload => Order::Reload,
    };
    let server = Server::Socket(arguments.control.clone());
    let (code, said) = match request(&server, "POST", order.path(), PATIENCE) {
        Ok(answer) if answer.status == 200 => (ExitCode::SUCCESS, answer.body),
        Ok(answer) => (ExitCode::from(FAILS), answer.body),
        Err(error) => {
            let reason = unreachable(&arguments.control, &error);
            let sent =
                if was_sent(&error) { "; the order may have been carried out: see `ringleader status`" } else { "" };
            (ExitCode::from(FAILS), format!("{reason}{sent}"))
        }
    };
    let said = crate::status::printable(said.trim_end());
    if code == ExitCode::SUCCESS {
        crate::say(said)
    } else {
        crate::complain(said)
    }
    Ok(code)
}

/// Whether an order may have reached the daemon before this error.
fn was_sent(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{ConnectionRefused, NotFound, PermissionDenied, WouldBlock};
    !matches!(error.kind(), NotFound | ConnectionRefused | PermissionDenied | WouldBlock)
}

/// The reason why a control socket cannot be used, with a remedy.
pub(crate) fn unreachable(path: &std::path::Path, error: &std::io::Error) -> String {
    use std::io::ErrorKind;
    let path = path.display();
    match error.kind() {
        ErrorKind::NotFound => {
            format!("there is no control socket {path}: start the daemon with this setting control, or give --control")
        }
        ErrorKind::ConnectionRefused => format!("no daemon listens on {path}"),
        ErrorKind::PermissionDenied => {
            format!("this user may not use {path}: join the group of the daemon, or be its user or root")
        }
        ErrorKind::WouldBlock => format!("the daemon at {path} does not answer: it stands still"),
        _ => format!("{path}: {error}"),
    }
}
