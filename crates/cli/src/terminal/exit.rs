//! How a command ends when it cannot be carried out.

use crate::terminal::program::program;
use crate::texts::ENDING;
use ringleader_erased::{Layer, Refusal};
use ringleader_model::shell_word;
use std::fmt::Display;
use std::path::Path;
use std::process::ExitCode;

/// The property does not hold, or the goal was not reached.
pub(crate) const FAILS: u8 = 1;
/// Bad usage or bad input.
const USAGE: u8 = 2;
/// Another process of a search over several machines was lost, did not connect, or has another task.
const LOST: u8 = 3;
/// The reader of the output is gone, as shells report it.
const UNREAD: u8 = 141;
/// Interrupted, as shells report it.
pub(crate) const INTERRUPTED: u8 = 130;

/// A failure with a message about wrong usage.
macro_rules! usage {
    ($($message:tt)*) => {
        $crate::terminal::exit::Failure::Usage(format!($($message)*))
    };
}
pub(crate) use usage;

/// Returns from a function with a message about wrong usage.
macro_rules! bail {
    ($($message:tt)*) => {
        return Err($crate::terminal::exit::usage!($($message)*))
    };
}
pub(crate) use bail;

/// Why a command could not be carried out.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The user asked for something impossible; the message says what would be right.
    #[error("{0}")]
    Usage(String),
    /// A file is wrong; several lines say where and why.
    #[error("{0}")]
    Explained(String),
    /// Another process of a search over several machines was lost or not reached; the message says which, and why.
    #[error("{0}")]
    Lost(String),
    /// Ctrl-C ended the work; the message says how far it came.
    #[error("{0}")]
    Interrupted(String),
    /// Standard output is gone, as in `ringleader list | head`.
    #[error("cannot write: {0}")]
    Output(#[from] std::io::Error),
}

impl Failure {
    pub(crate) fn usage(message: impl Display) -> Failure {
        Failure::Usage(message.to_string())
    }

    pub(crate) fn explained(message: impl Display) -> Failure {
        Failure::Explained(message.to_string())
    }

    /// Prints the message, and returns the exit code.
    pub(crate) fn report(self) -> ExitCode {
        let error = if matches!(self, Failure::Explained(_) | Failure::Interrupted(_)) { "" } else { "error: " };
        let code = match &self {
            Failure::Output(error) if error.kind() == std::io::ErrorKind::BrokenPipe => return ExitCode::from(UNREAD),
            Failure::Lost(_) => LOST,
            Failure::Interrupted(_) => INTERRUPTED,
            Failure::Usage(_) | Failure::Explained(_) | Failure::Output(_) => USAGE,
        };
        anstream::eprintln!("{error}{self}");
        ExitCode::from(code)
    }
}

impl From<Refusal> for Failure {
    /// In the words of the command line.
    fn from(refusal: Refusal) -> Failure {
        let flag = |layer: &Layer| match layer {
            Layer::Undirected | Layer::Alternator => format!("--{layer}"),
            Layer::Distance | Layer::Timer => format!("--oracle {layer}"),
            Layer::ReadWrite => format!("--atomicity {layer}"),
        };
        match &refusal {
            Refusal::Unknown { name, .. } if Path::new(name).is_dir() => usage!(
                "{name:?} is a directory: name one protocol, such as the file {}; `{} list {}` shows those in it",
                Path::new(name).join("NAME").with_extension(ENDING).display(),
                program(),
                shell_word(name)
            ),
            Refusal::Unknown { name, .. } if Path::new(name).with_extension(ENDING).is_file() => {
                let file = Path::new(name).with_extension(ENDING);
                usage!("no algorithm is called {name:?}: did you mean the file {}?", file.display())
            }
            Refusal::Unknown { near: Some(_), .. } => {
                usage!("{refusal} `{} list` shows them all", program())
            }
            Refusal::Unknown { .. } => usage!("{refusal}; `{} list` shows them all", program()),
            Refusal::Unsuited { layer, algorithm, reason } => {
                let asks = crate::catalog().card(algorithm).is_ok_and(|card| card.oracle.is_some());
                let instead = if *layer == Layer::Distance && asks { "; use --oracle timer" } else { "" };
                usage!("{} is not for {algorithm}: {reason}{instead}", flag(layer))
            }
            Refusal::Layer { layer, needs } => usage!("{} needs {needs}", flag(layer)),
            _ => Failure::usage(refusal),
        }
    }
}
