//! What a message is for: a core treats and counts messages by this, never by their text.

use ringleader_model::MessageKind;

/// The kind of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, strum::Display)]
pub enum Kind {
    /// Of a robust algorithm.
    #[strum(to_string = "{0}")]
    Timed(MessageKind),
    /// Between neighbours.
    #[strum(to_string = "{0}")]
    Neighbour(NeighbourKind),
}

/// The kind of a message between neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, strum::Display)]
#[strum(serialize_all = "lowercase")]
pub enum NeighbourKind {
    /// Asks for the neighbour's state.
    Ask,
    /// Refuses an offer or a question for now.
    Busy,
    /// Accepts an offer.
    Done,
    /// Offers an interaction or a message.
    Offer,
    /// Answers a question with the state.
    Shown,
    /// Refuses an offer whose ticket is not the next.
    Stale,
}
