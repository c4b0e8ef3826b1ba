//! What two sides of a link say about an offer.

use crate::kind::NeighbourKind;
use std::fmt;

/// An offer, or an answer to one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Packet<B> {
    /// Take this, if the ticket is the one you wait for.
    Offer {
        /// The offer's number.
        number: u64,
        /// The ticket that the receiver named last.
        ticket: u64,
        /// What is offered.
        body: B,
    },
    /// It was taken.
    Done {
        /// The offer's number.
        number: u64,
        /// The next ticket.
        ticket: u64,
        /// What came of it.
        body: B,
    },
    /// It was not taken and will not be: ask again, later.
    Busy {
        /// The offer's number.
        number: u64,
        /// The next ticket.
        ticket: u64,
    },
    /// It was not taken and will not be: its ticket is not this one.
    Stale {
        /// The offer's number.
        number: u64,
        /// The next ticket.
        ticket: u64,
    },
}

impl<B> Packet<B> {
    /// What it is for.
    pub fn kind(&self) -> NeighbourKind {
        match self {
            Packet::Offer { .. } => NeighbourKind::Offer,
            Packet::Done { .. } => NeighbourKind::Done,
            Packet::Busy { .. } => NeighbourKind::Busy,
            Packet::Stale { .. } => NeighbourKind::Stale,
        }
    }

    /// As bytes; `body` appends the body's.
    pub fn encode(&self, body: impl FnOnce(&B, &mut Vec<u8>)) -> Vec<u8> {
        let (kind, number, ticket, content) = match self {
            Packet::Offer { number, ticket, body } => (0, number, ticket, Some(body)),
            Packet::Done { number, ticket, body } => (1, number, ticket, Some(body)),
            Packet::Busy { number, ticket } => (2, number, ticket, None),
            Packet::Stale { number, ticket } => (3, number, ticket, None),
        };
        let mut bytes = vec![kind];
        bytes.extend_from_slice(&number.to_be_bytes());
        bytes.extend_from_slice(&ticket.to_be_bytes());
        if let Some(content) = content {
            body(content, &mut bytes);
        }
        bytes
    }

    /// From bytes that are the whole encoding of one; `body` reads the body's, all of them.
    pub fn decode(bytes: &[u8], body: impl FnOnce(&[u8]) -> Option<B>) -> Option<Packet<B>> {
        let (&kind, rest) = bytes.split_first()?;
        let (number, rest) = rest.split_first_chunk::<8>()?;
        let (ticket, rest) = rest.split_first_chunk::<8>()?;
        let (number, ticket) = (u64::from_be_bytes(*number), u64::from_be_bytes(*ticket));
        match kind {
            0 => Some(Packet::Offer { number, ticket, body: body(rest)? }),
            1 => Some(Packet::Done { number, ticket, body: body(rest)? }),
            2 if rest.is_empty() => Some(Packet::Busy { number, ticket }),
            3 if rest.is_empty() => Some(Packet::Stale { number, ticket }),
            _ => None,
        }
    }
}

impl<B: fmt::Debug> fmt::Display for Packet<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Packet::Offer { number, ticket, body } | Packet::Done { number, ticket, body } => {
                write!(f, "{} {number} ticket {ticket} {body:?}", self.kind())
            }
            Packet::Busy { number, ticket } | Packet::Stale { number, ticket } => {
                write!(f, "{} {number} ticket {ticket}", self.kind())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(bytes: &[u8]) -> Option<u64> {
        bytes.try_into().map(u64::from_be_bytes).ok()
    }

    #[test]
    fn what_is_encoded_is_decoded_and_nothing_else_is() {
        let (number, ticket) = (u64::MAX, 1 << 40);
        for packet in [
            Packet::Offer { number, ticket, body: 5 },
            Packet::Done { number, ticket, body: 6 },
            Packet::Busy { number, ticket },
            Packet::Stale { number, ticket },
        ] {
            let bytes = packet.encode(|body: &u64, bytes| bytes.extend_from_slice(&body.to_be_bytes()));
            assert_eq!(Packet::decode(&bytes, word), Some(packet));
            assert_eq!(Packet::decode(&[&bytes[..], &[0]].concat(), word), None);
            assert_eq!(Packet::decode(&bytes[..bytes.len() - 1], word), None);
            assert_eq!(Packet::decode(&[&[4], &bytes[1..]].concat(), word), None);
        }
    }
}
