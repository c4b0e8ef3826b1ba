//! The kind of a message. A core treats and counts messages by kind, never by their text.

use ringleader_model::MessageKind;

/// The kind of the message in a datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, strum::Display)]
pub enum PayloadKind {
    /// A message of a robust algorithm.
    #[strum(to_string = "{0}")]
    Timed(MessageKind),
    /// A message between neighbours.
    #[strum(to_string = "{0}")]
    Neighbour(NeighbourKind),
}

/// The kind of a message between neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, strum::Display, strum::FromRepr)]
#[strum(serialize_all = "lowercase")]
#[repr(u8)]
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

impl NeighbourKind {
    /// Whether a message of this kind has a body.
    pub(crate) fn has_body(self) -> bool {
        matches!(self, NeighbourKind::Done | NeighbourKind::Offer | NeighbourKind::Shown)
    }
}
