//! How a command ends when it cannot do what it was asked.

use crate::terminal::program::program;
use crate::texts::ENDING;
use ringleader_erased::{Layer, Refusal};
use std::fmt::Display;
use std::path::Path;
use std::process::ExitCode;

/// The property does not hold, or the goal was not reached.
pub(crate) const FAILS: u8 = 1;
/// Bad usage or bad input.
const USAGE: u8 = 2;
/// Another process of a search over several machines was lost, did not come, or was asked for something else.
const LOST: u8 = 3;
/// Nobody reads the output any more, as shells report it: what was to be said is not known to hold.
const UNREAD: u8 = 141;
/// Interrupted, as shells report it.
pub(crate) const INTERRUPTED: u8 = 130;

/// Why a command could not be carried out.
pub(crate) enum Failure {
    /// The user asked for something impossible; the message says what would be right.
    Usage(String),
    /// A file is wrong, and this says where and why, over several lines.
    Explained(String),
    /// Another process of a search over several machines was lost or not met; the message says which, and why.
    Lost(String),
    /// Standard output is gone, as in `ringleader list | head`.
    Output(std::io::Error),
}

impl Failure {
    pub(crate) fn usage(message: impl Display) -> Failure {
        Failure::Usage(message.to_string())
    }

    pub(crate) fn explained(message: impl Display) -> Failure {
        Failure::Explained(message.to_string())
    }

    /// Tells the user, and gives the exit code.
    pub(crate) fn report(self) -> ExitCode {
        match self {
            Failure::Usage(message) => {
                anstream::eprintln!("error: {message}");
                ExitCode::from(USAGE)
            }
            Failure::Lost(message) => {
                anstream::eprintln!("error: {message}");
                ExitCode::from(LOST)
            }
            Failure::Explained(message) => {
                anstream::eprintln!("{message}");
                ExitCode::from(USAGE)
            }
            Failure::Output(error) if error.kind() == std::io::ErrorKind::BrokenPipe => ExitCode::from(UNREAD),
            Failure::Output(error) => {
                anstream::eprintln!("error: cannot write: {error}");
                ExitCode::from(USAGE)
            }
        }
    }
}

impl Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Failure::Usage(message) | Failure::Explained(message) | Failure::Lost(message) => f.write_str(message),
            Failure::Output(error) => error.fmt(f),
        }
    }
}

impl From<Refusal> for Failure {
    /// In the words of the command line.
    fn from(refusal: Refusal) -> Failure {
        let flag = |layer: &Layer| match layer {
            Layer::Undirected | Layer::Alternator => format!("--{layer}"),
            Layer::Distance | Layer::Timer => format!("--oracle {layer}"),
        };
        match &refusal {
            Refusal::Unknown { name, .. } if Path::new(name).is_dir() => Failure::usage(format!(
                "{name:?} is a directory: name one protocol, such as the file {}; `{} list {name}` shows those in it",
                Path::new(name).join("NAME").with_extension(ENDING).display(),
                program()
            )),
            Refusal::Unknown { name, .. } if Path::new(name).with_extension(ENDING).is_file() => {
                let file = Path::new(name).with_extension(ENDING);
                Failure::usage(format!("no algorithm is called {name:?}: did you mean the file {}?", file.display()))
            }
            Refusal::Unknown { near: Some(_), .. } => {
                Failure::usage(format!("{refusal} `{} list` shows them all", program()))
            }
            Refusal::Unknown { .. } => Failure::usage(format!("{refusal}; `{} list` shows them all", program())),
            Refusal::Unsuited { layer, algorithm, reason } => {
                let asks = crate::catalog().card(algorithm).is_ok_and(|card| card.oracle.is_some());
                let instead = if *layer == Layer::Distance && asks { "; use --oracle timer" } else { "" };
                Failure::usage(format!("{} is not for {algorithm}: {reason}{instead}", flag(layer)))
            }
            Refusal::Layer { layer, needs } => Failure::usage(format!("{} needs {needs}", flag(layer))),
            _ => Failure::usage(refusal),
        }
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Failure {
        Failure::Output(error)
    }
}
