//! The messages of the overlay.

use std::fmt;

/// A message.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Message {
    /// (ALIVE, k, r): process r was alive, k hops ago.
    Alive(usize, usize),
    /// The aggregated form: for each process, the hops since it was alive; n if unknown.
    Table(Vec<usize>),
}

impl Default for Message {
    fn default() -> Message {
        Message::Alive(1, 0)
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Message::Alive(k, r) => write!(f, "ALIVE {k} {r}"),
            Message::Table(hops) => write!(f, "ALIVE {hops:?}"),
        }
    }
}
