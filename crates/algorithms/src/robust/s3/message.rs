//! What the processes of the overlay say.

use std::fmt;

/// What is sent.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Message {
    /// (ALIVE, k, r): process r was alive, k hops ago.
    Alive(usize, usize),
    /// The aggregated form: for each process, how many hops ago it was alive; n where nothing is known.
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
