//! What the processes of Algorithm 3 say.

use std::fmt;

/// What is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Message {
    /// "I am alive, and I lead": the sender's counter and phase.
    Alive(u64, u64),
    /// "You were silent in your phase."
    Accusation(u64),
    /// The quick form: "I lead no longer; do not accuse me."
    Resign,
}

impl Default for Message {
    fn default() -> Message {
        Message::Alive(0, 0)
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Message::Alive(counter, phase) => write!(f, "ALIVE {counter} {phase}"),
            Message::Accusation(phase) => write!(f, "ACCUSATION {phase}"),
            Message::Resign => f.write_str("RESIGN"),
        }
    }
}
